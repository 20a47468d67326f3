// Bodies that several boards show beside their recipe, and the recipe with them, for a trial.
#pragma once

#include <string>
#include <vector>

#include "daemon/teach/bare_regions.h"
#include "daemon/teach/lesson.h"

namespace datum::teach {

/// A part that a design has and the recipe has not; board coordinates.
struct KnownPart {
  std::string reference, package, why;  // why: it is not in the recipe
  Eigen::Vector2d at_mm = Eigen::Vector2d::Zero();
};

struct FoundBody {
  std::string reference, package;  // of the known part within it; else NEW1, NEW2 ... and "unknown"
  BareRegion region;               // mean over the boards
  std::string about;
};

struct FoundBodies {
  std::vector<FoundBody> all;     // on every board
  std::vector<Finding> findings;  // each of them, and what only some boards show
};

/// Regions are the same body where their middles are within half of the smaller one's shorter side.
FoundBodies common_bodies(const std::vector<std::vector<BareRegion>>& boards,
                          const std::vector<KnownPart>& known);

/// The recipe with these bodies as components behind its own: median height, 10 % (at least 50 um) about what was seen,
/// unconfirmed.
Recipe with_bodies(const Recipe& recipe, const std::vector<FoundBody>& bodies);

}  // namespace datum::teach
