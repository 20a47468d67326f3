// Floor planes: the ring around each component becomes a plane with its evidence, or a refusal (METROLOGY
// S5).
#pragma once

#include <string>
#include <vector>

#include "daemon/inspect/site_map.h"
#include "daemon/inspect/site_pixels.h"
#include "daemon/inspect/verdict.h"
#include "drivers/frame/sensor_profile.h"
#include "gpu/component_height/residual_correlation.h"
#include "gpu/plane_fit/plane_fit.h"

namespace datum {

struct Floor {
  Reason reason = Reason::none;
  std::string detail;
  PlaneFit fit;  // um, relative to the site's centre and reference
  FloorEvidence evidence;
  Correlation correlation;  // n_eff = inliers / correlation.sum
  double noise_um = 0;      // standard deviation of the inliers about the floor
  double form_um = 0;       // what the recipe's form adds to the plane under the body's centre
  double u_um = 0;          // standard uncertainty of the floor there
};

/// Thresholds of one floor in um: multiples of the sensor's noise at the nominal board, at least 2 LSB of z.
struct FloorThresholds {
  double sigma_um = 0, consensus_um = 0, refit_um = 0;
};
FloorThresholds thresholds_of(const FloorSettings& settings, const SensorProfile& sensor,
                              const HeightFrame& frame, const Site& site);

/// From the recipe's hash and the reference alone, so that neither neighbours nor the run matter (FNV-1a).
std::uint64_t seed_of(const Recipe& recipe, const Component& component);

/// One floor per site; sites that are refused already are passed over.
std::vector<Floor> fit_floors(const Recipe& recipe, const SensorProfile& sensor, const HeightFrame& frame,
                              const std::vector<Site>& sites, const std::vector<SitePixels>& pixels,
                              const Backend& backend);

}  // namespace datum
