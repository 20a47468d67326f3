#include "daemon/plant_view/plant_view_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "config/toml_reader.h"

namespace datum {
namespace {

using config::TomlTable;

constexpr int minutes_per_day = 1440;
constexpr std::int64_t s_per_minute = 60;

/// "HH:MM".
std::optional<int> minutes_of(const std::string& text) {
  if (text.size() != 5 || text[2] != ':') return std::nullopt;
  for (const std::size_t at : {0, 1, 3, 4})
    if (text[at] < '0' || text[at] > '9') return std::nullopt;
  const int hours = std::stoi(text.substr(0, 2)), minutes = std::stoi(text.substr(3));
  if (hours > 23 || minutes > 59) return std::nullopt;
  return hours * 60 + minutes;
}

void read_pages(TomlTable table, PlantViewSettings& s) {
  table.only_keys({"listen", "host_names", "shifts_utc", "page_limit_ms"});
  if (table.has("listen")) {
    try {
      s.listen = read_listen_place(table.text("listen"));
    } catch (const std::invalid_argument& error) {
      table.refuse("listen", error.what(), "a numeric address and a port");
    }
  }
  if (table.has("host_names"))
    for (const std::string& name : table.texts("host_names")) s.names.insert(name);
  if (table.has("shifts_utc")) {
    s.shift_minutes.clear();
    for (const std::string& text : table.texts("shifts_utc")) {
      const auto begin = minutes_of(text);
      if (!begin || (!s.shift_minutes.empty() && *begin <= s.shift_minutes.back()))
        table.refuse("shifts_utc", fmt::format("'{}' is no later time of the day", text),
                     "rising times such as [\"06:00\", \"14:00\", \"22:00\"], UTC");
      s.shift_minutes.push_back(*begin);
    }
    if (s.shift_minutes.empty())
      table.refuse("shifts_utc", "is empty", "rising times such as [\"06:00\", \"14:00\", \"22:00\"], UTC");
  }
  s.page_limit =
      std::chrono::milliseconds(table.integer_or("page_limit_ms", s.page_limit.count(), 100, 60'000));
  table.finish();
}

}  // namespace

PlantViewSettings load_plant_view_settings(const std::filesystem::path& file) {
  TomlTable table = TomlTable::from_file(file);
  table.only_keys({"database", "pages"});
  PlantViewSettings s;
  s.database = read_database_settings(table.table("database"), std::filesystem::absolute(file).parent_path());
  if (table.has("pages")) read_pages(table.table("pages"), s);
  table.finish();
  return s;
}

Shift shift_at(const std::vector<int>& begins, std::int64_t utc_s, std::size_t back) {
  const std::int64_t minute = utc_s / s_per_minute, day = minute / minutes_per_day;
  const auto n = static_cast<std::int64_t>(begins.size());
  const auto behind = std::upper_bound(begins.begin(), begins.end(), minute % minutes_per_day);
  // Shifts are counted from the first one of 1970-01-01.
  const std::int64_t number = day * n + (behind - begins.begin()) - 1 - static_cast<std::int64_t>(back);
  const auto begin_of = [&](std::int64_t k) {
    const std::int64_t of_day = ((k % n) + n) % n;
    return ((k - of_day) / n * minutes_per_day + begins[static_cast<std::size_t>(of_day)]) * s_per_minute;
  };
  return {begin_of(number), begin_of(number + 1)};
}

}  // namespace datum
