// Where a plate of a phase-to-height calibration was no plane: dust, dents.
#pragma once

#include <vector>

#include "calib/fringe/phase_fit.h"

namespace datum {

/// Squares of half a node's cell whose heights, averaged over all steps, lie farther from the model than `least_um` and than 6
/// standard deviations of all squares' (1.4826 times the median absolute deviation) from their median: what lies on the
/// plate goes with it from step to step. Farthest first.
std::vector<PlateSpot> plate_spots(const std::vector<FlatStep>& steps, const HeightModel& model,
                                   const PhaseFitSettings& settings, double least_um);

}  // namespace datum
