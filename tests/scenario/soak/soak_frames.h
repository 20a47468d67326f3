// The frames of the soak: few images, created once and delivered repeatedly under other names.
#pragma once

#include <array>
#include <filesystem>
#include <string>

#include "tests/scenario/soak/soak_plan.h"

namespace datum::soak {

class Frames {
 public:
  /// `folder` is on the file system of the drop folder.
  explicit Frames(const std::filesystem::path& folder);

  /// Moves the board's frame into the drop folder as a sensor does: images first, each by a rename.
  void deliver(const Board& board, const std::filesystem::path& drop) const;

  /// Text of the matching sensor profile.
  static std::string profile();
  /// Text of the recipe: a box of `nominal_um` with this tolerance.
  static std::string recipe(const std::string& name, double nominal_um, double tolerance_um);

 private:
  std::string image_of(const Board& board) const;
  void put(const std::filesystem::path& drop, const std::string& name, const std::string& bytes) const;

  std::filesystem::path folder_;
};

}  // namespace datum::soak
