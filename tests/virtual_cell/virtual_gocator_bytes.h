// Messages of a Gocator, byte for byte as LMI's own serializer writes them (LMI's Gocator manuals, chapter
// "Gocator Protocol"). Pure.
#pragma once

#include <span>

#include "drivers/gocator/control.h"
#include "drivers/gocator/data_messages.h"
#include "drivers/gocator/health.h"

namespace datum {

using GocatorBytes = std::vector<std::uint8_t>;

/// 64-byte form with ptp_time, else 56.
GocatorBytes stamp_message(const gocator::Stamp& stamp, bool last);
/// Attributes of 60 bytes; stream step and id are -1 where absent.
GocatorBytes surface_message(const gocator::Grid& grid, std::span<const std::int16_t> heights, bool last);
/// Attributes of 48 bytes.
GocatorBytes intensity_message(const gocator::Grid& grid, std::span<const std::uint8_t> grey, bool last);
GocatorBytes health_message(const std::vector<gocator::Indicator>& indicators);
GocatorBytes reply_message(gocator::Command command, std::int32_t status, const GocatorBytes& payload = {});

}  // namespace datum
