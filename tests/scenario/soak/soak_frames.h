// The soak's frames: few images, made once, delivered again and again under other names.
#pragma once

#include <array>
#include <filesystem>
#include <string>

#include "tests/scenario/soak/soak_plan.h"

namespace datum::soak {

class Frames {
 public:
  /// Makes the images; `folder` is on the drop folder's file system.
  explicit Frames(const std::filesystem::path& folder);

  /// Moves the board's frame into the drop folder as a sensor does: images first, each in one step.
  void deliver(const Board& board, const std::filesystem::path& drop) const;

  /// Text of the sensor's profile that fits them.
  static std::string profile();
  /// Text of the recipe: a box of `nominal_um` within the tolerance.
  static std::string recipe(const std::string& name, double nominal_um, double tolerance_um);

 private:
  static constexpr int heights = 4;  // good, tall, missing, occluded
  void put(const std::filesystem::path& drop, const std::string& name, const std::string& bytes) const;

  std::filesystem::path folder_;
  std::array<std::array<std::string, 3>, heights> images_;  // by kind and format
};

}  // namespace datum::soak
