// The exposition: Prometheus text format 0.0.4, or OpenMetrics 1.0 on request.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "daemon/metrics/metric_table.h"
#include "daemon/system/histogram.h"

namespace datum {

enum class MetricsForm : std::uint8_t { prometheus, openmetrics };
/// Value of the HTTP header Content-Type.
const char* content_type(MetricsForm form);

class Exposition {
 public:
  using Labels = std::vector<std::pair<std::string_view, std::string>>;

  explicit Exposition(MetricsForm form) : form_(form) {}

  /// Label values may hold any bytes; invalid UTF-8 and control characters become '?'.
  void add(Metric metric, double value, const Labels& labels = {});
  void add(Metric metric, const Histogram& histogram, const Labels& labels = {});
  /// The families in the order of the table, without those that have no sample.
  std::string text() const;

 private:
  MetricsForm form_;
  std::array<std::string, metrics> samples_;  // lines of each family
};

}  // namespace datum
