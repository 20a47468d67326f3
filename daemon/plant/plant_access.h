// The way to the broker that the settings name: TCP, TLS over it, and who goes there. Files are read anew for each connection, so
// that renewed certificates, lists and passwords count without a restart.
#pragma once

#include <cstdint>
#include <functional>

#include "daemon/plant/plant_link.h"
#include "daemon/store/plant_settings.h"

namespace datum {

/// `utc_s`: s since 1970-01-01, for the validity of certificates. Throws RefusedError that names a file that is missing,
/// damaged, or open to others.
PlantAccess plant_access(const PlantSettings& settings, const std::function<std::int64_t()>& utc_s);

}  // namespace datum
