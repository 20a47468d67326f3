// Defects of a part by what is known of them, as the sensor would see them.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/statistics/surface_solid.h"

namespace datum::statistics {

enum class Defect : std::uint8_t { none, dent, pit, post, burr, moved, bent, missing };
const char* name_of(Defect d);

struct SeededDefect {
  Defect kind = Defect::none;
  Eigen::Vector2d at_mm = Eigen::Vector2d::Zero();
  double size_mm = 0;    // depth, height or shift
  double radius_mm = 0;  // or half a length, or the width of a bent edge
  double angle_rad = 0;  // of a shift, of a burr
  std::string words() const;
};

/// Of random size and place on the solid's upper side, within `reach_mm` of what the sensor looks at. A feature can only be
/// moved where there is one; without one a piece is missing.
SeededDefect seeded(const Solid& solid, Defect kind, std::mt19937_64& random);

/// The part as made: what the sensor looks at. Not closed where nothing but the side that it sees matters.
std::vector<PartFacet> as_made(const Solid& solid, const SeededDefect& defect);

}  // namespace datum::statistics
