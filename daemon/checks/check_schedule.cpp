#include "daemon/checks/check_schedule.h"

#include <algorithm>
#include <ctime>
#include <limits>

namespace datum {
namespace {

constexpr std::int64_t day_s = 86'400;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Start of the shift on the day that is `days` behind that of `utc_s`, in the computer's time zone.
std::int64_t local_start(std::int64_t utc_s, int days, int minutes) {
  const std::time_t now = utc_s;
  std::tm t{};
  localtime_r(&now, &t);
  t.tm_mday += days;
  t.tm_hour = minutes / 60;
  t.tm_min = minutes % 60;
  t.tm_sec = 0;
  t.tm_isdst = -1;
  return std::mktime(&t);
}

std::int64_t zone_start(std::int64_t utc_s, int days, int minutes, int offset_s) {
  const std::int64_t local = utc_s + offset_s;
  const std::int64_t midnight = local - ((local % day_s) + day_s) % day_s;
  return midnight + days * day_s + minutes * 60 - offset_s;
}

}  // namespace

std::optional<int> minutes_of_day(const std::string& t) {
  if (t.size() != 5 || t[2] != ':' || !is_digit(t[0]) || !is_digit(t[1]) || !is_digit(t[3]) ||
      !is_digit(t[4]))
    return std::nullopt;
  const int hours = (t[0] - '0') * 10 + t[1] - '0', minutes = (t[3] - '0') * 10 + t[4] - '0';
  if (hours > 23 || minutes > 59) return std::nullopt;
  return hours * 60 + minutes;
}

std::optional<int> utc_offset_of(const std::string& text) {
  if (text == "UTC") return 0;
  if (text.size() != 6 || (text[0] != '+' && text[0] != '-')) return std::nullopt;
  const auto minutes = minutes_of_day(text.substr(1));
  constexpr int most = 14 * 60;  // Kiribati, UTC+14
  if (!minutes || *minutes > most) return std::nullopt;
  return (text[0] == '-' ? -60 : 60) * *minutes;
}

std::int64_t next_start(const ShiftStarts& shifts, std::int64_t utc_s) {
  std::int64_t next = std::numeric_limits<std::int64_t>::max();
  for (int days = -1; days <= 2; ++days) {
    for (const int minutes : shifts.minutes) {
      const std::int64_t start = shifts.utc_offset_s ? zone_start(utc_s, days, minutes, *shifts.utc_offset_s)
                                                     : local_start(utc_s, days, minutes);
      if (start > utc_s) next = std::min(next, start);
    }
  }
  return next;
}

std::int64_t due_at(const CheckDefinition& check, std::int64_t utc_s) {
  std::int64_t due = 0;
  if (check.interval_s) due = utc_s + *check.interval_s;
  if (check.shifts) {
    const std::int64_t start = next_start(*check.shifts, utc_s);
    due = due == 0 ? start : std::min(due, start);
  }
  return due;
}

}  // namespace datum
