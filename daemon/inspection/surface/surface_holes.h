// Rows of a part's touched holes: place and diameter in the model's coordinates, with uncertainty and decision. The touches
// are measured before (daemon/holes/hole_tour.h); here they are numbers, so that a stored part is judged again from its record.
#pragma once

#include <span>

#include "daemon/inspection/surface/surface_budget.h"

namespace datum {

/// Row of hole `hole` of the recipe. `touched`: of all holes in their order; a missing one was not touched. INVALID with the
/// hole's reason where it has no circle.
///
/// Centre: model_from_machine times the touched circle's centre, x and y. Its budget: touches (the circle's fit, with the probe's
/// radius and its repeatability), machine (squareness and scale over the way from where it was calibrated, and one reading),
/// placement (the alignment's covariance, or the recipe's u_mm and u_mrad), with an alignment calibration (datums are scanned,
/// holes touched: the sensor's place on the machine does not cancel), reproducibility. A true position is twice a distance: its u
/// is twice the larger of the two directions'. Diameter: twice the radius; touches, machine's scale, reproducibility.
ComponentVerdict judge_hole(const Recipe& recipe, std::size_t hole, std::span<const HoleEvidence> touched,
                            const SurfaceSources& sources);

}  // namespace datum
