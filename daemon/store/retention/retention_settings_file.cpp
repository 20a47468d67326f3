#include "daemon/store/retention/retention_settings_file.h"

#include "config/utc_time.h"

namespace datum::config {
namespace {

constexpr std::int64_t most_days = 36'600, most_gib = 1 << 20;

KeepLimit read_limit(TomlTable& table, const std::string& what) {
  KeepLimit limit;
  if (const auto days = table.integer_if(what + "_days", 1, most_days)) limit.days = static_cast<int>(*days);
  if (const auto gib = table.number_if(what + "_gib", {1e-3, static_cast<double>(most_gib)}))
    limit.bytes = static_cast<std::uint64_t>(*gib * static_cast<double>(1 << 30));
  return limit;
}

}  // namespace

RetentionSettings read_retention(TomlTable table) {
  table.only_keys({"results_days", "results_count", "results_gib", "frames", "frames_days", "frames_gib",
                   "pictures_days", "pictures_gib", "date_accepted", "reserve_mib", "reserve_files"});
  RetentionSettings s;
  s.results = read_limit(table, "results");
  if (const auto count = table.integer_if("results_count", 1, 1'000'000'000))
    s.results_count = static_cast<std::uint64_t>(*count);
  s.keep_frames = table.choice_or(
      "frames", s.keep_frames,
      {{"all", KeepFrames::all}, {"failures", KeepFrames::failures}, {"none", KeepFrames::none}});
  s.frames = read_limit(table, "frames");
  s.pictures = read_limit(table, "pictures");
  if (const auto date = table.text_if("date_accepted")) {
    if (!utc_from_iso8601(*date + "T00:00:00Z"))
      table.refuse("date_accepted", "'" + *date + "' is no date", "a day such as \"2027-03-01\"");
    s.date_accepted = *date;
  }
  const auto mib = static_cast<std::int64_t>(s.reserve_bytes >> 20);
  s.reserve_bytes = static_cast<std::uint64_t>(table.integer_or("reserve_mib", mib, 32, 1 << 24)) << 20;
  s.reserve_inodes = static_cast<std::uint64_t>(
      table.integer_or("reserve_files", static_cast<std::int64_t>(s.reserve_inodes), 0, 1'000'000'000));
  table.finish();
  return s;
}

}  // namespace datum::config
