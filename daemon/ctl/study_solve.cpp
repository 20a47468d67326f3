#include "daemon/ctl/study_solve.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

#include "daemon/quality/study/reference_text.h"

namespace datum {
namespace {

using quality::StudyRefused;
using quality::StudyTable;

double demanded(const std::optional<double>& value, const char* option, const std::string& kind) {
  if (!value) throw std::invalid_argument(fmt::format("a {} study needs {}", kind, option));
  return *value;
}

double tolerance_of(const StudyOptions& o) {
  const double lower = demanded(o.gauge.lower, "--lower", o.kind),
               upper = demanded(o.gauge.upper, "--upper", o.kind);
  if (!(lower < upper)) throw std::invalid_argument("--lower is not below --upper");
  return upper - lower;
}

/// The table without the N-th reading of a part by an operator.
StudyTable without(StudyTable table, const std::string& which) {
  const std::size_t last = which.rfind('/'), first = which.find('/');
  if (last == std::string::npos || first == last)
    throw std::invalid_argument("--without " + which +
                                ": wanted: PART/OPERATOR/N, the N-th reading of that part by that operator");
  const std::string part = which.substr(0, first), op = which.substr(first + 1, last - first - 1),
                    number = which.substr(last + 1);
  int n = 0;
  for (quality::Reading& r : table.readings) {
    if (r.part != part || r.op != op || fmt::format("{}", ++n) != number) continue;
    r.value.reset();
    return table;
  }
  throw std::invalid_argument("--without " + which + ": the study has no such reading");
}

SolvedStudy solve_one(const StudyTable& table, const StudyOptions& o) {
  const double confidence = o.gauge.intervals.confidence;
  if (o.kind == "attribute") {
    const auto told = tell(quality::attribute_study(quality::ratings_of(table), confidence), confidence);
    return {told.text, told.json};
  }
  const auto counts = quality::counts_of(table);
  quality::Told told;
  std::optional<quality::Stability> stability;
  if (o.kind == "type1") {
    const quality::Type1Settings s{demanded(o.reference, "--reference", o.kind), tolerance_of(o), o.percent,
                                   o.sigmas, o.resolution};
    told = tell(quality::type1_study(counts, table.digits(), s), s, table.unit, o.wanted, confidence);
  } else if (o.kind == "bias") {
    const double reference = demanded(o.reference, "--reference", o.kind);
    told = tell(quality::bias_study(counts, table.digits(), reference, o.u_reference, confidence), reference,
                o.u_reference, confidence, table.unit);
  } else if (o.kind == "linearity") {
    told = tell(quality::linearity_study(quality::masters_of(table), table.digits(), confidence), confidence,
                table.unit);
  } else if (o.kind == "stability") {
    const quality::StabilitySettings s{o.reference, o.u_reference, o.cusum_k, o.cusum_h,
                                       o.baseline,  o.by_range,    confidence};
    stability = quality::stability_study(table, s);
    told = tell(*stability, s, table.unit);
  } else {
    quality::GaugeSettings settings = o.gauge;
    settings.kind = o.kind == "nested"    ? quality::GaugeKind::nested
                    : o.kind == "one-way" ? quality::GaugeKind::one_way
                                          : quality::GaugeKind::crossed;
    quality::GaugeReport report = solve_gauge(table, settings);
    return {gauge_text(report), gauge_json(report), std::move(report)};
  }
  const auto missing = static_cast<std::size_t>(std::count_if(
      table.readings.begin(), table.readings.end(), [](const quality::Reading& r) { return !r.value; }));
  told.json["missing"] = missing;
  if (missing > 0)
    told.text += fmt::format("! {} of {} readings have no value\n", missing, table.readings.size());
  return {told.text, told.json, std::nullopt, std::move(stability)};
}

}  // namespace

SolvedStudy solve_study(const StudyTable& table, const StudyOptions& o) {
  if (!o.zero_is_a_value) refuse_typed_zeros(table);
  SolvedStudy solved = solve_one(table, o);
  for (const std::string& which : o.without) {
    const SolvedStudy other = solve_one(without(table, which), o);
    solved.text += fmt::format("\nWithout the reading {}, beside the above:\n\n{}", which, other.text);
    solved.json["without"].push_back({{"reading", which}, {"result", other.json}});
  }
  return solved;
}

}  // namespace datum
