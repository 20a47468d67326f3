#include "daemon/metrics/exposition.h"

#include <fmt/format.h>

#include <cmath>

namespace datum {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '"') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else {
      out += c >= ' ' && c < 127 ? c : '?';
    }
  }
  return out;
}

std::string shown(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return fmt::format("{}", value);
}

/// "{a="b",le="0.5"}"; empty without labels.
std::string shown(const Exposition::Labels& labels, std::string_view bound = {}) {
  std::string text;
  for (const auto& [name, value] : labels)
    text += fmt::format("{}{}=\"{}\"", text.empty() ? "" : ",", name, escaped(value));
  if (!bound.empty()) text += fmt::format("{}le=\"{}\"", text.empty() ? "" : ",", bound);
  return text.empty() ? text : "{" + text + "}";
}

/// OpenMetrics demands bounds as floats.
std::string bound_of(double bound) {
  const std::string text = fmt::format("{}", bound);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

}  // namespace

const char* content_type(MetricsForm form) {
  return form == MetricsForm::openmetrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                                          : "text/plain; version=0.0.4; charset=utf-8";
}

void Exposition::add(Metric metric, double value, const Labels& labels) {
  samples_[static_cast<std::size_t>(metric)] +=
      fmt::format("{}{} {}\n", family_of(metric).name, shown(labels), shown(value));
}

void Exposition::add(Metric metric, const Histogram& histogram, const Labels& labels) {
  const char* name = family_of(metric).name;
  std::string& lines = samples_[static_cast<std::size_t>(metric)];
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < histogram.bounds().size(); ++i) {
    count += histogram.counts()[i];
    lines += fmt::format("{}_bucket{} {}\n", name, shown(labels, bound_of(histogram.bounds()[i])), count);
  }
  count += histogram.counts().back();
  lines += fmt::format("{}_bucket{} {}\n", name, shown(labels, "+Inf"), count);
  lines += fmt::format("{}_sum{} {}\n", name, shown(labels), shown(histogram.sum()));
  lines += fmt::format("{}_count{} {}\n", name, shown(labels), count);
}

std::string Exposition::text() const {
  constexpr std::string_view total = "_total";
  std::string out;
  for (const MetricFamily& family : metric_families()) {
    const std::string& lines = samples_[static_cast<std::size_t>(family.metric)];
    if (lines.empty()) continue;
    std::string_view name = family.name;  // OpenMetrics names the family of a counter without its suffix
    if (form_ == MetricsForm::openmetrics && name.ends_with(total)) name.remove_suffix(total.size());
    out +=
        fmt::format("# HELP {} {}\n# TYPE {} {}\n{}", name, family.help, name, name_of(family.kind), lines);
  }
  return form_ == MetricsForm::openmetrics ? out + "# EOF\n" : out;
}

}  // namespace datum
