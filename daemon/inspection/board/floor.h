// Floor planes: a plane through the ring around each component with its evidence, or a refusal
// (daemon/inspection/METROLOGY.md, S5).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daemon/inspection/board/site_map.h"
#include "daemon/inspection/board/tile_step.h"
#include "daemon/inspection/verdict/verdict.h"
#include "drivers/frame/sensor_profile.h"
#include "gpu/board/site_record.h"
#include "gpu/component_height/residual_correlation.h"
#include "gpu/core/board_plan.h"
#include "gpu/floor_evidence/floor_evidence_math.h"

namespace datum {

struct PlannedBoard;  // daemon/inspection/board/board_planner.h

struct Floor {
  Reason reason = Reason::none;
  std::string detail;
  PlaneFit fit;  // um, relative to the site's centre and reference
  FloorEvidence evidence;
  Correlation correlation;  // n_eff = inliers / correlation.sum
  double noise_um = 0;      // standard deviation of the inliers about the floor
  double form_um = 0;       // contribution of the recipe's form to the floor under the body's centre
  double u_um = 0;          // standard uncertainty of the floor there
  Eigen::Vector2d form_slope = Eigen::Vector2d::Zero();  // its contribution to the slopes there, um over um
  std::optional<WarpFloorEvidence> from_warp;  // set where the board's surface replaces the ring's plane
  TileStep step;                               // between parts of the ring's floor
  double u_slope = 0;                          // standard uncertainty of its slope, um over um
  bool measured_again = false;  // `fit` differs from the record's: heights over it are measured on the host
  ring_math::Form bow;          // quadratic of the ring's inliers about the plane
  double bow_explains = 0;      // explained share of their variance over the unexplained share
};

/// LSB of the frame's heights in um; 0 for floats.
double lsb_um(const HeightFrame& frame);

/// Thresholds of one floor in um: multiples of the sensor's noise at the nominal board, at least 2 LSB of z.
struct FloorThresholds {
  double sigma_um = 0, consensus_um = 0, refit_um = 0;
};
FloorThresholds thresholds_of(const FloorSettings& settings, const SensorProfile& sensor,
                              const HeightFrame& frame, const Site& site);

/// The floor of a site's ring, with its evidence; refused where a gate fails. `index` of the site in `board`,
/// which was measured in `frame`; `ring_z`: SiteHeights::ring.
Floor floor_of(const FloorSettings& settings, const PlannedBoard& board, std::size_t index,
               const SiteRecord& record, const float* ring_z);

}  // namespace datum
