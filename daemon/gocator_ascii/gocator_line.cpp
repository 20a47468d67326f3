#include "daemon/gocator_ascii/gocator_line.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string_view>

#include "daemon/delivery/result_line.h"

namespace datum {
namespace {

constexpr int passed = 1, failed = 0, invalid_value = 1 << 1;

/// Decision field: only PASS is 1.
int decision_of(Decision d) {
  return d == Decision::pass ? passed : d == Decision::invalid ? invalid_value : failed;
}

/// None where the value exceeds the 32-bit field: the decision is then invalid too.
std::optional<std::int64_t> value_of(const CheckVerdict& check) {
  constexpr double most = std::numeric_limits<std::int32_t>::max();
  const bool percent = std::strcmp(unit_of(check.check.characteristic), "percent") == 0;
  const double value = percent ? 1000 * check.value : check.value;  // whole percents would hide bow and twist
  if (check.decision == Decision::invalid || !(std::abs(value) < most)) return std::nullopt;
  return std::llround(value);
}

std::string shown(const std::optional<std::int64_t>& value, const GocatorSettings& settings) {
  return value ? fmt::format("{}", *value) : settings.invalid;
}

/// Parses the number of "[12]" at `at` and moves `at` behind it. None: there is no index.
std::optional<std::size_t> index_at(std::string_view format, std::size_t& at) {
  std::size_t id = 0;
  const auto close = format.find(']', at);
  if (at >= format.size() || format[at] != '[' || close == std::string_view::npos) return std::nullopt;
  const auto [end, error] = std::from_chars(format.data() + at + 1, format.data() + close, id);
  if (error != std::errc() || end != format.data() + close) return std::nullopt;
  at = close + 1;
  return id;
}

bool word_at(std::string_view format, std::size_t& at, std::string_view word) {
  if (format.substr(at, word.size()) != word) return false;
  at += word.size();
  return true;
}

}  // namespace

std::vector<GocatorMeasurement> gocator_measurements(const BoardVerdict& verdict) {
  std::vector<GocatorMeasurement> all;
  all.push_back(
      {0, 0, static_cast<std::int64_t>(verdict.sequence % 1'000'000'000), decision_of(verdict.decision)});
  for (const auto& component : verdict.components)
    for (const auto& check : component.checks) {
      GocatorMeasurement m;
      m.type = 1 + static_cast<int>(check.check.characteristic);
      m.id = static_cast<int>(all.size());
      m.value = value_of(check);
      m.decision = m.value ? decision_of(check.decision) : invalid_value;
      all.push_back(m);
    }
  return all;
}

std::string gocator_line(const std::vector<GocatorMeasurement>& measurements, const GocatorSettings& settings,
                         GocatorParts parts) {
  const std::string& d = settings.delimiter;
  std::string line;
  for (const auto& m : measurements) {
    line += fmt::format("{}M{:02X}{}{:02}", line.empty() ? "" : d, m.type, d, m.id);
    if (parts != GocatorParts::decisions) line += d + "V" + shown(m.value, settings);
    if (parts != GocatorParts::values) line += fmt::format("{}D{}", d, m.decision);
  }
  return line;
}

std::string gocator_custom(const BoardVerdict& verdict, const std::string& format,
                           const GocatorSettings& settings) {
  const auto all = gocator_measurements(verdict);
  std::string out;
  for (std::size_t at = 0; at < format.size();) {
    if (word_at(format, at, "%%")) {
      out += '%';
    } else if (word_at(format, at, "%time")) {
      out += fmt::format("{}", utc_us_from_iso8601(verdict.measured_at));
    } else if (word_at(format, at, "%frame")) {
      out += fmt::format("{}", verdict.sequence);
    } else if (word_at(format, at, "%encoder")) {
      out += '0';
    } else if (word_at(format, at, "%value")) {
      const auto id = index_at(format, at);
      out += id && *id < all.size() ? shown(all[*id].value, settings) : settings.invalid;
    } else if (word_at(format, at, "%decision")) {
      const auto id = index_at(format, at);
      out += fmt::format("{}", id && *id < all.size() ? all[*id].decision : invalid_value);
    } else {
      out += format[at++];
    }
  }
  return out;
}

std::string gocator_result(const BoardVerdict& verdict, const GocatorSettings& settings) {
  return settings.format.empty() ? gocator_line(gocator_measurements(verdict), settings)
                                 : gocator_custom(verdict, settings.format, settings);
}

}  // namespace datum
