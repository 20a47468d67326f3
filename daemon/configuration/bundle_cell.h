// What a bundle of recipes and calibrations is checked against, from the cell's configuration.
#pragma once

#include "daemon/configuration/daemon_config.h"
#include "daemon/fleet/bundle_check.h"

namespace datum {

/// Without [fleet] its folders are empty.
inline BundleCell bundle_cell(const DaemonConfig& c) {
  return {c.cell,
          c.fleet.value_or(FleetSettings{}),
          {c.recipes, c.calibrations, bundle_state_of(c.store)},
          c.recipe_quota.files,
          c.recipe_quota.bytes,
          c.calibration};
}

}  // namespace datum
