#include "daemon/batch/batch_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <sstream>
#include <stdexcept>

#include "config/toml_reader.h"
#include "daemon/batch/batch_output.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

constexpr const char* part_rule = "allowed: K/N with 1 <= K <= N";

/// From 1 on; 0: it is no such number.
std::size_t natural(const std::string& text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value == 0) return 0;
  return value;
}

/// None: it is not in poison/.
std::optional<std::string> poison_of(const fs::path& batch, const std::string& key) {
  std::ifstream in(poison_file(batch, key), std::ios::binary);
  if (!in) return std::nullopt;
  const std::string text(std::istreambuf_iterator<char>(in), {});
  const auto json = nlohmann::json::parse(text, nullptr, false);
  const bool told = json.is_object() && json.contains("why") && json["why"].is_string();
  return told ? json["why"].get<std::string>() : "unknown";
}

}  // namespace

std::vector<std::size_t> BatchStatus::missing() const {
  std::vector<std::size_t> both(absent);
  both.insert(both.end(), damaged.begin(), damaged.end());
  std::sort(both.begin(), both.end());
  return both;
}

BatchStatus status_of(const fs::path& batch, const Manifest& manifest,
                      const std::vector<std::size_t>& units) {
  BatchStatus status;
  for (const std::size_t unit : units) {
    const FoundOutput found = find_output(batch, manifest.key(unit));
    if (found.state == OutputState::good) {
      status.done.push_back(unit);
      continue;
    }
    (found.state == OutputState::absent ? status.absent : status.damaged).push_back(unit);
    if (found.state == OutputState::damaged) status.damage.push_back(found.why);
    if (auto why = poison_of(batch, manifest.key(unit))) status.poison.push_back({unit, *why});
  }
  return status;
}

std::vector<std::size_t> all_units(const Manifest& manifest) {
  std::vector<std::size_t> units(manifest.size());
  std::iota(units.begin(), units.end(), 0);
  return units;
}

std::vector<std::size_t> part_of(const Manifest& manifest, const std::string& part) {
  const std::size_t slash = part.find('/');
  const std::size_t k = natural(part.substr(0, slash));
  const std::size_t n = slash == std::string::npos ? 0 : natural(part.substr(slash + 1));
  if (k == 0 || n == 0 || k > n) throw std::invalid_argument(fmt::format("--part '{}'; {}", part, part_rule));
  std::vector<std::size_t> units;
  for (std::size_t i = k - 1; i < manifest.size(); i += n) units.push_back(i);
  return units;
}

std::vector<std::size_t> listed_units(const Manifest& manifest, const std::string& list) {
  std::set<std::size_t> units;
  std::istringstream in(list);
  for (std::string span; std::getline(in, span, ',');) {
    const std::size_t dash = span.find('-');
    const std::size_t first = natural(span.substr(0, dash));
    const std::size_t last = dash == std::string::npos ? first : natural(span.substr(dash + 1));
    if (first == 0 || last == 0 || first > last || last > manifest.size())
      throw std::invalid_argument(fmt::format(
          "--units '{}'; allowed: numbers and spans such as 1,4-9, from 1 to {}", list, manifest.size()));
    for (std::size_t i = first; i <= last; ++i) units.insert(i - 1);
  }
  if (units.empty()) throw std::invalid_argument("--units names none");
  return {units.begin(), units.end()};
}

std::vector<std::size_t> sample_of(const Manifest& manifest, double percent) {
  if (!(percent > 0 && percent <= 100))
    throw std::invalid_argument(fmt::format("--percent {}; allowed: above 0, at most 100", percent));
  std::vector<std::pair<std::string, std::size_t>> ranked;
  for (const std::size_t unit : all_units(manifest))
    ranked.emplace_back(config::sha256_hex("datumd-batch audit " + manifest.key(unit)), unit);
  std::sort(ranked.begin(), ranked.end());
  const auto count = static_cast<std::size_t>(std::ceil(percent / 100 * static_cast<double>(ranked.size())));
  std::vector<std::size_t> units;
  for (std::size_t i = 0; i < std::min(count, ranked.size()); ++i) units.push_back(ranked[i].second);
  std::sort(units.begin(), units.end());
  return units;
}

}  // namespace datum
