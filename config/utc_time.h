// ISO 8601 UTC times of calibrations in one exact form, without locale or time zone data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace datum {

/// Seconds since 1970-01-01T00:00:00Z of "YYYY-MM-DDTHH:MM:SSZ"; none for any other form or a day that does
/// not exist.
std::optional<std::int64_t> utc_from_iso8601(std::string_view text);

/// Inverse of utc_from_iso8601.
std::string iso8601_from_utc(std::int64_t utc_s);

}  // namespace datum
