// Conversion of displayed values to the machine's position.
#pragma once

#include <optional>
#include <vector>

#include "drivers/cmm/settings.h"

namespace datum {

/// `values`: one per settings.axes, complete, in settings.unit. Position in mm, machine coordinates; state ok
/// or out_of_range with its detail.
ProbePoint machine_position(const CmmSettings& settings, const std::vector<std::optional<double>>& values);

}  // namespace datum
