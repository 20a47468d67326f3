// Deviations of the plate of a phase-to-height calibration from a plane: dust, dents.
#pragma once

#include <vector>

#include "calib/fringe/phase_fit.h"

namespace datum {

/// Squares of half a node's cell whose mean deviation over all steps exceeds `least_um`, and differs from the
/// median of all squares by more than 6 standard deviations (1.4826 times the median absolute deviation).
/// Dust on the plate moves with it from step to step. Largest deviation first.
std::vector<PlateSpot> plate_spots(const std::vector<FlatStep>& steps, const HeightModel& model,
                                   const PhaseFitSettings& settings, double least_um);

}  // namespace datum
