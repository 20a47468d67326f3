// Holes and outline beside the parts of a board's registration: what they confirm, correct or contradict.
#pragma once

#include <optional>
#include <vector>

#include "daemon/inspection/board/pipeline_parts.h"
#include "daemon/inspection/board/site_map.h"
#include "daemon/inspection/registration/board_registration.h"
#include "daemon/inspection/registration/mechanical_motion.h"

namespace datum {

struct MechanicalEvidence {
  PlaneMotion placed;             // motion by parts and marks, around which they are looked for
  std::vector<SoughtHole> holes;  // empty: not looked for
  std::vector<SoughtEdge> edges;
  std::optional<MechanicalOffsets> of_holes, of_edges;
  std::optional<MechanicalJoin> with_holes, with_edges;
};

bool has_mechanical(const AlignmentRecipe& a);

/// Which of two places, that parts and marks do not tell apart, shows enough of the holes: 1 the best, 2 the second, of a board that is
/// turned or mirrored; 0: both or none, the second is as designed, or no holes are listed. The registration has both places.
int told_by_holes(const Recipe& recipe, const HeightFrame& frame, const BoardView& view,
                  const BoardRegistration& r, unsigned threads);

/// Replaces motion and covariance of the best place by those with holes and outline, or says why not: too few of them (a board whose
/// holes lie as those of a turned one is named), or they disagree among themselves or with what was known.
std::optional<Refusal> join_mechanical(const Recipe& recipe, const HeightFrame& frame, const BoardView& view,
                                       BoardRegistration& r, MechanicalEvidence& evidence, unsigned threads);

/// Their settings, numbers, and what was not found.
void record_mechanical(const AlignmentRecipe& a, const MechanicalEvidence& evidence, StepRecord& record);

}  // namespace datum
