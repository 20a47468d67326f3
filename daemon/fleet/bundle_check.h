// What a cell asks of a bundle before anything of it is touched.
#pragma once

#include <optional>
#include <string>

#include "config/toml_document.h"
#include "daemon/fleet/bundle_place.h"
#include "daemon/fleet/fleet_settings.h"
#include "drivers/frame/sensor_profile.h"

namespace datum {

struct BundleCell {
  std::string cell;  // name
  FleetSettings fleet;
  BundlePlaces places;
  std::size_t most_recipes = 0;  // the folder's limits
  std::uint64_t most_recipe_bytes = 0;
  std::string calibration;  // id, or "current"; empty: none
};

/// Throws BundleError for an older number than the installed one's unless `older_allowed`, and for another bundle of the same
/// number; the installed one itself may be installed again, which restores its files.
void demand_newer(const Bundle& bundle, const std::optional<Installation>& installed, bool older_allowed);

/// The recipes and calibrations as they would be with the bundle, read from copies in a folder beside the store: none that was
/// good is refused, none of the bundle is, the calibration of this cell can still be chosen, the folder's limits hold.
/// `parser`: null: in this process. Throws BundleError with the first fault, std::filesystem::filesystem_error.
void demand_usable(const Bundle& bundle, const BundleCell& cell, const SensorProfile& sensor,
                   const config::TomlParser* parser = nullptr);

}  // namespace datum
