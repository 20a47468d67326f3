#include "config/utc_time.h"

#include <chrono>
#include <cstdio>

namespace datum {

namespace {

/// Value of a run of decimal digits, -1 where one is not a digit.
int digits(std::string_view text) {
  int value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return -1;
    value = value * 10 + (c - '0');
  }
  return value;
}

}  // namespace

std::optional<std::int64_t> utc_from_iso8601(std::string_view text) {
  using namespace std::chrono;
  constexpr std::string_view form = "dddd-dd-ddTdd:dd:ddZ";
  if (text.size() != form.size()) return std::nullopt;
  for (std::size_t i = 0; i < form.size(); ++i) {
    if (form[i] != 'd' && form[i] != text[i]) return std::nullopt;
  }
  const int y = digits(text.substr(0, 4)), mo = digits(text.substr(5, 2)), d = digits(text.substr(8, 2));
  const int h = digits(text.substr(11, 2)), mi = digits(text.substr(14, 2)), s = digits(text.substr(17, 2));
  if (y < 0 || mo < 0 || d < 0 || h < 0 || mi < 0 || s < 0) return std::nullopt;
  const year_month_day day{year{y}, month{static_cast<unsigned>(mo)},
                           std::chrono::day{static_cast<unsigned>(d)}};
  if (!day.ok() || h > 23 || mi > 59 || s > 59) return std::nullopt;
  return sys_seconds(sys_days{day} + hours{h} + minutes{mi} + seconds{s}).time_since_epoch().count();
}

std::string iso8601_from_utc(std::int64_t utc_s) {
  using namespace std::chrono;
  const sys_seconds at{seconds{utc_s}};
  const sys_days midnight = floor<days>(at);
  const year_month_day day{midnight};
  const hh_mm_ss time{at - midnight};
  char text[40];
  std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02dZ", static_cast<int>(day.year()),
                static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()),
                static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
                static_cast<int>(time.seconds().count()));
  return text;
}

}  // namespace datum
