// Solving of a study: options that all kinds share, and the report of one table.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daemon/quality/study/gauge_report.h"
#include "daemon/quality/study/stability_study.h"

namespace datum {

struct StudyOptions {
  std::string kind = "crossed", csv, unit, encoding;
  quality::GaugeSettings gauge;
  std::optional<double> reference, resolution;
  double u_reference = 0, percent = 20, sigmas = 6, wanted = 1.33;
  double cusum_k = 0.5, cusum_h = 4.77;  // of a stability study
  std::size_t baseline = 0;              // of a stability study: subgroups that give the limits
  bool by_range = false;                 // its sigma by ranges
  bool zero_is_a_value = false;
  std::vector<std::string> without;  // PART/OPERATOR/N
};

struct SolvedStudy {
  std::string text;
  nlohmann::ordered_json json;
  std::optional<quality::GaugeReport> gauge{};    // of crossed, nested and one-way studies
  std::optional<quality::Stability> stability{};  // of a stability study
};

/// Throws quality::StudyRefused, std::invalid_argument.
SolvedStudy solve_study(const quality::StudyTable& table, const StudyOptions& options);

}  // namespace datum
