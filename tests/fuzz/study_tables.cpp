// Tables of a study: readings as CSV, solved as each kind; certified values and right decisions. Any bytes are read and solved, or refused
// with words.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "daemon/quality/study/gauge_report.h"
#include "daemon/quality/study/reference_text.h"
#include "daemon/quality/study/stability_study.h"
#include "daemon/quality/study/study_plan.h"
#include "tests/fuzz/fuzz_target.h"

using namespace datum;
using namespace datum::quality;
using Json = nlohmann::ordered_json;

namespace {

constexpr double confidence = 0.95;

/// What datumctl tells a person (guarded_study); all else is a finding.
template <class Read>
void read_or_refuse(const Read& read) {
  try {
    read();
  } catch (const StudyRefused& refused) {
    fuzz::expect(*refused.what() != 0, "a refusal says why");
  } catch (const std::invalid_argument&) {  // values that need more than 18 digits together
  } catch (const std::overflow_error&) {    // values too large for exact sums
  }
}

bool is_finite(const Json& json) {
  if (json.is_number_float()) return std::isfinite(json.get<double>());
  return !json.is_structured() || std::all_of(json.begin(), json.end(), is_finite);
}

void expect_told(const Told& told) {
  fuzz::expect(!told.text.empty() && is_finite(told.json), "what is told has words, and each number is one");
}

void solve_gauges(const StudyTable& table) {
  for (const GaugeKind kind : {GaugeKind::crossed, GaugeKind::nested, GaugeKind::one_way}) {
    read_or_refuse([&] {
      GaugeSettings settings;
      settings.kind = kind;
      settings.intervals.draws = 20;
      settings.lower = 1150;
      settings.upper = 1250;
      const GaugeReport report = solve_gauge(table, settings);
      expect_told({gauge_text(report), gauge_json(report)});
      fuzz::expect(report.sigma_gauge() <= report.sigma_total(), "a gauge's part is at most the whole");
    });
  }
}

void solve_others(const StudyTable& table) {
  const int digits = table.digits();
  const auto counts = counts_of(table);
  read_or_refuse([&] {
    const Type1Settings s{.reference = 1200, .tolerance = 16};
    expect_told(tell(type1_study(counts, digits, s), s, table.unit, 1.33, confidence));
  });
  read_or_refuse([&] {
    expect_told(tell(bias_study(counts, digits, 1200, 0.1, confidence), 1200, 0.1, confidence, table.unit));
  });
  read_or_refuse([&] {
    expect_told(tell(linearity_study(masters_of(table), digits, confidence), confidence, table.unit));
  });
  for (const bool by_range : {false, true}) {
    read_or_refuse([&] {
      StabilitySettings s;
      s.by_range = by_range;
      expect_told(tell(stability_study(table, s), s, table.unit));
    });
  }
  read_or_refuse([&] { expect_told(tell(attribute_study(ratings_of(table), confidence), confidence)); });
}

}  // namespace

DATUM_FUZZ_TARGET(study_tables) {
  read_or_refuse([&] {
    const StudyTable table = read_study_table(bytes, "fuzz.csv", "");
    read_or_refuse([&] { refuse_typed_zeros(table); });
    solve_gauges(table);
    solve_others(table);
  });
  read_or_refuse([&] {
    for (const CertifiedValue& c : read_certified_values(bytes, "masters.csv")) {
      fuzz::expect(!c.part.empty(), "a certified value is of a part");
      fuzz::expect(c.value.has_value() == c.decision.empty(), "either a value or a decision");
      fuzz::expect(c.u >= 0 && std::isfinite(c.u), "an uncertainty is a number");
    }
  });
}
