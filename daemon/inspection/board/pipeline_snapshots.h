// Inspection of a board that is larger than the field of view: several frames, each with the stage's position. Each
// component is measured in the frame that shows it best, and compared with the next best; floors are joined in machine
// coordinates.
#pragma once

#include <span>
#include <string>

#include "daemon/inspection/board/pipeline.h"

namespace datum {

/// The snapshot at one pose of the recipe. `frame` is borrowed; null: it is missing, and why.
struct BoardSnapshot {
  const HeightFrame* frame = nullptr;
  Pose pose;
  std::string missing;
};

/// One snapshot for each pose of the recipe, in that order; `in.pose` is not used. Never throws because of a frame, a position or
/// a calibration. A snapshot that is missing, or can't be used, makes what no other one shows INVALID (SNAPSHOTS).
///
/// Which frame measures a component does not depend on heights: of those with all pixels of its ring and body, the one with
/// the largest distance of them from the frame's edge; the earlier one of two equals. A value d of the second best less
/// the best one's has the standard uncertainty u of both budgets without what both have in common. Beyond k u the check is
/// INVALID, k so that of all comparisons of a good board one in 0.3 % of the boards is beyond it; beyond 2 u the check's
/// budget gets a term d / sqrt(2), the mean-square error of either.
///
/// Where the board is not good, and one mistake in stating the stage's motion or the frames' hand explains what neighbouring
/// snapshots show (calib/registration/registration.h), the board is INVALID and names it.
BoardVerdict inspect_snapshots(std::span<const BoardSnapshot> snapshots, const InspectionInputs& in,
                               BoardMeasurer& measurer);

/// The verdict of a board of which nothing is measured, with the snapshots that came.
BoardVerdict refused_snapshots(std::span<const BoardSnapshot> snapshots, const InspectionInputs& in,
                               const std::string& backend, Reason reason, const std::string& detail);

}  // namespace datum
