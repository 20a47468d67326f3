// Defects of a part by parameters, as surfaces for the sensor.
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
  double size_mm = 0;    // depth, height or displacement
  double radius_mm = 0;  // or half of a length, or the width of a bent edge
  double angle_rad = 0;  // of a displacement, of a burr
  std::string words() const;
};

/// A random size and place on the solid's upper side, within `reach_mm` of the viewed place. Only an existing feature can
/// be displaced; without one a piece is missing.
SeededDefect seeded(const Solid& solid, Defect kind, std::mt19937_64& random);

/// The part as made, near the viewed place. Open where only the visible side matters.
std::vector<PartFacet> as_made(const Solid& solid, const SeededDefect& defect);

}  // namespace datum::statistics
