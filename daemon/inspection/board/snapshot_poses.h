// Snapshots of a board or part: whether each was taken at its pose, and what a verdict says of it.
#pragma once

#include <optional>
#include <string>

#include "daemon/inspection/recipe/recipe.h"
#include "daemon/inspection/verdict/verdict.h"
#include "drivers/frame/height_frame.h"

namespace datum {

/// Why snapshot `number` (from 0) can't have been taken at the stage's position; empty: it can. Snapshots
/// arrive in the order of the recipe's poses, so a snapshot of an abandoned part is not used for the next
/// one.
std::string pose_refusal(const SnapshotPlan& plan, std::size_t number, const Pose& pose);

/// The first pose from `due` on (from 0) where the stage stands; none: the next snapshot can't be this one, as
/// pose_refusal says. Poses before it were passed over.
std::optional<std::size_t> pose_from(const SnapshotPlan& plan, std::size_t due, const Pose& pose);

/// "snapshot 3 of 12 (left)".
std::string snapshot_words(const SnapshotPlan& plan, std::size_t number);

SnapshotEvidence snapshot_evidence(const SnapshotPlan& plan, std::size_t number, const HeightFrame& frame,
                                   const Pose& pose);

}  // namespace datum
