// Charts and capability of series, as text and JSON. Each parameter stands in the report.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "daemon/charts/control_limits.h"
#include "daemon/quality/spc/capability.h"
#include "daemon/quality/spc/run_rules.h"
#include "daemon/series/series.h"

namespace datum::quality {

struct SpcSettings {
  std::string rules = "1,2";
  double lambda = 0.1, width = 2.814;  // of EWMA
  double k = 0.5, h = 4.77;            // of CUSUM, in sigma
  bool head_start = false;
  double confidence = 0.95;
  std::optional<Distribution>
      distribution{};  // none: lognormal of characteristics with a natural end at 0, else normal
  double largest_invalid_share = 0.05;  // above it an index is refused
  double guard_k = 2;                   // g = k u of Ppk_gb, u the largest of the segment
  std::uint64_t baseline = 0;           // limits from the first so many values of a segment; 0: from all
  int subgroup = 1;                     // values in their order that form a subgroup; 1: individuals
  bool by_range = false;                // of subgroups: ranges in place of s
  bool all_segments = false;            // else the newest of each recipe alone
  std::shared_ptr<const FrozenLimits> frozen{};  // adds the hits of their rules behind phase 1
  std::vector<std::uint64_t> acknowledged{};     // results behind which a person acknowledged them
};

/// True: values have a natural end at 0 that good parts lie near, so that they are not normal.
bool ends_at_zero(Characteristic characteristic);

struct SpcReport {
  std::string text;
  nlohmann::ordered_json json;
};

/// A line for each series and segment. Throws std::invalid_argument: rules that are none.
SpcReport spc_summary(const SeriesBook& book, const SpcSettings& settings);
/// One series in full. Its points must have been kept.
SpcReport spc_chart(const SeriesBook& book, const SeriesKey& key, const SpcSettings& settings);
/// Boards of one recipe by the components of a package: individuals of the boards' means, s within a board, and the variance between.
SpcReport spc_package(const SeriesBook& book, const std::string& recipe, const std::string& package,
                      Characteristic characteristic, const SpcSettings& settings);

}  // namespace datum::quality
