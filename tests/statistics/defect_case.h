// One frame of parts of one size with known places and known defects, for the words of [defects] and the places of parts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "daemon/inspection/recipe/recipe.h"
#include "daemon/inspection/verdict/verdict.h"
#include "drivers/frame/sensor_profile.h"

namespace datum::statistics {

struct PartSize {
  const char* name;
  double x_mm, y_mm, height_um, pitch_mm;
};
/// Six, from 0402 to a body of 20 mm.
const std::vector<PartSize>& part_sizes();

/// What the world adds to white noise (daemon/inspection/METROLOGY.md, last table).
enum class World { white, correlated, lines, missing, blobs, walls, spikes, shadows, all };
inline constexpr int world_count = 9;
const char* name_of(World world);

struct PartTruth {
  std::optional<Defect> defect;  // none: good
  Eigen::Vector2d offset_mm = Eigen::Vector2d::Zero();
  double rotation_deg = 0;
  bool flat = true;  // lies on the board, so that its offset and rotation are told
};

struct DefectScene {
  Recipe recipe;  // one check of the median, [defects] with foreign objects
  HeightFrame frame;
  SensorProfile profile;
  std::vector<PartTruth> parts;  // of the recipe's components
  bool foreign = false;          // a foreign object lies between them ...
  double foreign_seen = 0;       // ... with heights on this share of its pixels
};

/// Frame `seed`; part i of frame k has the defect (k parts + i) / 2 in turn where that number is odd, else none. Every second
/// frame has a foreign object.
DefectScene defect_scene(const PartSize& size, World world, int frame, std::uint64_t seed);

}  // namespace datum::statistics
