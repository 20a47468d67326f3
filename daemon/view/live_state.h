// The daemon's live state, asked for by its metrics: datumd-view has no command connection, so it can give no command.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace datum {

/// One line of GET /metrics.
struct Metric {
  std::string name;
  std::map<std::string, std::string> labels;
  double value = 0;
};
/// Reads the Prometheus text format; a line that is none is skipped.
std::vector<Metric> read_metrics_text(const std::string& text);

struct LiveState {
  std::string fault;  // why the state is not known; empty: it is
  std::vector<Metric> metrics;

  /// "idle", "armed" ... ; empty: not known.
  std::string state() const;
  /// The first metric of a name.
  std::optional<double> value(const std::string& name) const;
};

}  // namespace datum
