// One frame of the table: components of one size with true values by construction, under the disturbances of one row.
#pragma once

#include <cstdint>
#include <vector>

#include "daemon/inspection/recipe/recipe.h"
#include "drivers/frame/sensor_profile.h"
#include "tests/statistics/statistics_row.h"

namespace datum::statistics {

constexpr int across = 6, down = 4, bodies_of_a_frame = across * down;

enum class Kind { flat, tilted, notched };  // measured: heights; tilt and heights; presence

/// True values of one component; a characteristic that its kind lacks is NaN.
struct Truth {
  Kind kind = Kind::flat;
  std::array<double, column_count> value{};
};

struct Scene {
  HeightFrame frame;
  Recipe recipe;  // without components
  SensorProfile profile;
  std::vector<Component> components;  // without checks
  std::vector<Truth> truths;
};

/// Frame `seed` of a cell of the table.
Scene draw_scene(const Row& row, const Body& body, std::uint64_t seed);

constexpr double quantile = 0.9;  // of the column "percentile"

}  // namespace datum::statistics
