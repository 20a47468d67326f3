// What a line-speaking device's settings must satisfy, beside those of every CMM.
#pragma once

#include "drivers/cmm/settings.h"

namespace datum {

/// Framing, check digits, layout and number format. Throws RefusedError that names the setting, its value and
/// what is allowed.
void check_line(const CmmSettings& settings);

}  // namespace datum
