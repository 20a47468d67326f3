// What several snapshots of one board say of the same component: which one measures it, and whether the next best agrees.
#pragma once

#include <vector>

#include "daemon/inspection/board/board_look.h"

namespace datum {

/// The two looks that show a site best; not_shown: there is none.
struct SiteShown {
  std::size_t best = not_shown, second = not_shown;
  double margin_mm = 0;  // of the best one's ring and body from the frame's edge
};

/// Of each site, by its pixels alone.
std::vector<SiteShown> best_looks(const std::vector<const BoardLook*>& looks);

/// Heights of the floors that two looks show, on the board: the second one's less the best one's, in um; NaN where one of them
/// has no floor.
struct FloorSteps {
  std::vector<double> step_um,
      u_um;  // of each site; u: both floors, and what moves the frames against each other
  SnapshotSteps between;
};

/// Frames are moved against each other, along the board's normal, by the calibration's rotation and the stage's squareness,
/// scales and readings over the way between them (difference_covariance), and by the stage's motion during the exposures.
/// between.u_um: the largest of that over all pairs, and of |step| / sqrt(2) over steps beyond 2 u.
FloorSteps floor_steps(const std::vector<const BoardLook*>& looks, const std::vector<SiteShown>& shown,
                       const InspectionInputs& in);

/// Why the floors that two looks show do not prove that all looks show one board, and with `steps` of those looks: two that
/// contradict each other, or looks that no agreeing floor joins to the first one. Empty: they prove it. `names`: of the looks.
std::string unproven_board(const std::vector<SiteShown>& shown, const FloorSteps& steps,
                           const std::vector<std::string>& names);

/// Compares each row with the same of the second best look, a row without checks where there is none.
void compare_overlaps(std::vector<ComponentVerdict>& rows, const std::vector<ComponentVerdict>& seconds,
                      const Recipe& recipe);

/// The number of standard uncertainties that one of n values of a normal distribution exceeds with 0.3 %.
double beyond_chance_of(std::size_t n);

}  // namespace datum
