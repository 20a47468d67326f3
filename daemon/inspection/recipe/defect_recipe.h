// A recipe's [defects]: limits of the words by which a part's fault is named, and of foreign objects.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "daemon/inspection/recipe/recipe.h"

namespace datum {

/// Objects on bare board: outside all bodies with their margins, exclusions and holes.
struct ForeignRecipe {
  Component row;           // of the verdict: reference, and one check of foreign_height
  double min_size_mm = 1;  // side of the smallest square that is an object
};

struct DefectRecipe {
  /// "shifted" beyond it; none: usual_shift_mm.
  std::optional<double> max_shift_mm = std::nullopt;
  /// "rotated" beyond it; none: usual_rotation_deg.
  std::optional<double> max_rotation_deg = std::nullopt;
  double max_lift_um = 100;       // rise of a top from one side to the other
  double max_height_share = 0.2;  // deviation from the nominal height over it
  /// What a word makes of a part whose limits pass it. True: INVALID (DEFECT). False: PASS, with the word.
  bool beside_pass_invalid = true;
  std::optional<ForeignRecipe> foreign = std::nullopt;
};

/// A quarter of the body's shorter side (side overhang of class 3 in IPC-A-610), at most 0.3 mm.
inline double usual_shift_mm(const Component& component) {
  return std::min(0.3, component.body.size_mm.minCoeff() / 4);
}

/// The rotation by which an end of the body moves as far as the largest shift.
inline double usual_rotation_deg(const Component& component, double shift_mm) {
  return std::atan2(2 * shift_mm, component.body.size_mm.maxCoeff()) * 180 / std::numbers::pi;
}

/// A check demands an empty place: a presence with an upper limit alone.
bool must_be_empty(const Component& component);

}  // namespace datum
