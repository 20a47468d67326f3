// Fiducials beside the bodies of a board's registration: what they confirm, correct or contradict.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daemon/inspection/board/pipeline_parts.h"
#include "daemon/inspection/board/site_map.h"
#include "daemon/inspection/registration/board_registration.h"
#include "daemon/inspection/registration/fiducial_motion.h"

namespace datum {

struct FiducialEvidence {
  PlaneMotion bodies;                  // motion by the bodies, around which marks are looked for
  std::vector<SoughtFiducial> sought;  // empty: not looked for
  Eigen::Vector3d left_at = Eigen::Vector3d::Zero();  // correction that the marks' remainders refer to
  std::optional<FiducialMotion> marks;                // against the bodies' motion
  std::optional<CombinedMotion> with_parts;           // the same of marks and bodies
  std::optional<StretchedMotion> stretched;           // in their place where a stretch is estimated
};

/// Which of two places, that the bodies do not tell apart, shows enough of the marks: 1 the best, 2 the second, of a board that is
/// turned or mirrored; 0: both or none, the second is as designed, no marks are listed, or there is no intensity image. The
/// registration has both places.
int told_by_fiducials(const Recipe& recipe, const HeightFrame& frame, const BoardView& view,
                      const BoardRegistration& r, unsigned threads);

/// Replaces motion and covariance of the best place by those of marks and bodies together, or says why not: too few marks (a board
/// whose marks lie as those of a turned one is named), marks that disagree among themselves or with the bodies.
std::optional<Refusal> join_fiducials(const Recipe& recipe, const HeightFrame& frame, const BoardView& view,
                                      BoardRegistration& r, FiducialEvidence& evidence, unsigned threads);

/// Its settings, numbers and the marks that were not found.
void record_fiducials(const AlignmentRecipe& a, const FiducialEvidence& evidence, StepRecord& record);

}  // namespace datum
