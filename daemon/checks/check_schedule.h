// When a shift starts: times of day in a stated time zone. No clock of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "daemon/checks/check_settings.h"

namespace datum {

/// "06:30" as minutes of the day, 390; none for any other form.
std::optional<int> minutes_of_day(const std::string& text);
/// "UTC" or "+01:00" as seconds; none for any other form.
std::optional<int> utc_offset_of(const std::string& text);

/// The first start of a shift behind `utc_s`. In the computer's time zone a time that does not exist on a day (the clock is
/// advanced) is taken as mktime(3) takes it.
std::int64_t next_start(const ShiftStarts& shifts, std::int64_t utc_s);

/// When a check that was good at `utc_s` becomes due; 0: never by time.
std::int64_t due_at(const CheckDefinition& check, std::int64_t utc_s);

}  // namespace datum
