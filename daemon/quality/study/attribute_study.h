// Agreement of appraisers on PASS, FAIL and INCONCLUSIVE (AIAG MSA 4th edition, attribute studies).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "daemon/quality/statistics/distributions.h"
#include "daemon/quality/study/gauge_data.h"

namespace datum::quality {

/// (po - pe) / (1 - pe) of a square table of counts (Cohen 1960); none where pe is 1, since all lies in one category.
struct Kappa {
  double agreement = 0, by_chance = 0;  // po, pe
  std::optional<double> kappa;
};
Kappa cohen_kappa(const std::vector<std::vector<std::uint64_t>>& table);
/// Of subjects' counts by category, each subject with as many ratings (Fleiss 1971).
Kappa fleiss_kappa(const std::vector<std::vector<std::uint64_t>>& subjects);

struct Share {
  std::uint64_t k = 0, n = 0;
  Bounds bounds{0, 1};  // Clopper and Pearson
};

struct Rating {
  std::string part, appraiser, decision;
  std::string reference;  // empty: not known
};

struct Appraiser {
  std::string name;
  Kappa with_itself, with_reference;  // Fleiss over its trials; Cohen
  Share effectiveness;  // parts whose trials all agree with the reference, or among themselves without one
  Share misses;         // of decisions on parts whose reference is FAIL: PASS
  Share false_alarms;   // of decisions on parts whose reference is PASS: FAIL
};
struct AttributeStudy {
  std::vector<std::string> categories, parts;
  std::vector<Appraiser> appraisers;
  std::optional<Kappa> between;  // Fleiss over all appraisers; none with one
  std::uint64_t unequal = 0;     // parts left out of Fleiss' kappas, since their number of ratings differs
  bool has_reference = false;
};
/// Throws StudyRefused: fewer than two parts, or parts that have a reference beside parts that have none.
AttributeStudy attribute_study(const std::vector<Rating>& ratings, double confidence);

}  // namespace datum::quality
