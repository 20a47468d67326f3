// Restricted maximum likelihood of variance components, for studies with missing values (Patterson and Thompson 1971; S. R. Searle,
// G. Casella and C. E. McCulloch, "Variance Components", 6.6). Cells' means and the scatter within cells are sufficient.
#pragma once

#include "daemon/quality/study/gauge_data.h"

namespace datum::quality {

struct RemlComponent {
  std::string name;
  double variance = 0;
  bool boundary = false;  // at 0, where the likelihood would go on below it
};

struct Reml {
  std::vector<RemlComponent> components;  // the factors in their order, then repeatability
  double minus_two_log_likelihood = 0;    // with all constants, as lme4's REML criterion
  bool converged = false;
  int iterations = 0;

  double variance(const std::string& name) const;  // 0 where there is none
};

enum class RemlModel : std::uint8_t { crossed, crossed_without_interaction, nested, one_way };

/// Factors by the model: "part", "operator", "part x operator", or "operator", "part in operator". Cells without values are left out.
/// Throws StudyRefused: too few levels, no scatter within cells, or more than 1000 cells.
Reml reml(const GaugeData& data, RemlModel model);

}  // namespace datum::quality
