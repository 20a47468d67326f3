// Validation of a line-based device's settings, beside those of every CMM.
#pragma once

#include "drivers/cmm/settings.h"

namespace datum {

/// Framing, check digits, layout and number format. Throws RefusedError that states the setting, its value
/// and the allowed range.
void check_line(const CmmSettings& settings);

}  // namespace datum
