#include "daemon/view/live_state.h"

#include <cstdlib>

namespace datum {
namespace {

/// A quoted label's value; moves `at` behind it. False: it has no end.
bool quoted_value(const std::string& line, std::size_t& at, std::string& value) {
  for (; at < line.size(); ++at) {
    if (line[at] == '"') return ++at, true;
    if (line[at] == '\\' && at + 1 < line.size()) {
      ++at;
      value += line[at] == 'n' ? '\n' : line[at];
    } else {
      value += line[at];
    }
  }
  return false;
}

bool read_labels(const std::string& line, std::size_t& at, std::map<std::string, std::string>& labels) {
  while (at < line.size() && line[at] != '}') {
    const std::size_t equals = line.find("=\"", at);
    if (equals == line.npos) return false;
    const std::string name = line.substr(at, equals - at);
    at = equals + 2;
    std::string value;
    if (!quoted_value(line, at, value)) return false;
    labels[name] = value;
    if (at < line.size() && line[at] == ',') ++at;
  }
  return at++ < line.size();
}

std::optional<Metric> metric_of(const std::string& line) {
  if (line.empty() || line[0] == '#') return std::nullopt;
  std::size_t at = line.find_first_of("{ ");
  if (at == line.npos) return std::nullopt;
  Metric metric;
  metric.name = line.substr(0, at);
  if (line[at] == '{' && !read_labels(line, ++at, metric.labels)) return std::nullopt;
  const char* text = line.c_str() + at;
  char* end = nullptr;
  metric.value = std::strtod(text, &end);
  return end == text ? std::nullopt : std::optional(metric);
}

}  // namespace

std::vector<Metric> read_metrics_text(const std::string& text) {
  std::vector<Metric> metrics;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = std::min(text.find('\n', from), text.size());
    if (const auto metric = metric_of(text.substr(from, to - from))) metrics.push_back(*metric);
    from = to + 1;
  }
  return metrics;
}

std::string LiveState::state() const {
  for (const Metric& m : metrics)
    if (m.name == "datumd_state" && m.value == 1)
      if (const auto state = m.labels.find("state"); state != m.labels.end()) return state->second;
  return "";
}

std::optional<double> LiveState::value(const std::string& name) const {
  for (const Metric& m : metrics)
    if (m.name == name) return m.value;
  return std::nullopt;
}

}  // namespace datum
