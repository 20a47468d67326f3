// Text and JSON of a solved gauge study.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

#include "daemon/quality/study/gauge_report.h"
#include "daemon/text/table.h"

namespace datum::quality {
namespace {

using Align = Table::Align;
using Json = nlohmann::ordered_json;

std::string six(double value) { return fmt::format("{:.6f}", value); }
std::string six(const std::optional<double>& value) { return value ? six(*value) : "-"; }
std::string probability(const std::optional<double>& p) {
  return !p ? "-" : *p < 1e-4 ? fmt::format("{:.3e}", *p) : six(*p);
}

std::string sources_text(const GaugeTable& table) {
  Table t({{"source", Align::left},
           {"df", Align::right},
           {"SS", Align::right},
           {"MS", Align::right},
           {"F", Align::right},
           {"p", Align::right}});
  for (const Source& s : table.sources)
    t.add({{s.name}, {fmt::format("{}", s.df)}, {six(s.ss)}, {six(s.ms)}, {six(s.f)}, {probability(s.p)}});
  return t.text(false);
}

std::string interval_text(const std::optional<Interval>& interval) {
  return interval ? fmt::format("{:.6f} ... {:.6f}", interval->lower, interval->upper) : "-";
}

struct Named {
  const char* name;
  double variance;
  const std::optional<Interval>* interval;
};

std::vector<Named> rows_of(const VarianceComponents& c, const ComponentIntervals& i) {
  static const std::optional<Interval> none;
  std::vector<Named> rows{{"repeatability (EV)", c.repeatability, &i.repeatability}};
  if (c.has_operators) {
    rows.push_back({"operator (AV)", not_negative(c.operators), &none});
    rows.push_back({"part x operator (INT)", not_negative(c.interaction), &none});
  }
  rows.push_back({"gauge (GRR)", c.gauge(), &i.gauge});
  rows.push_back({"part (PV)", not_negative(c.parts), &i.parts});
  rows.push_back({"total (TV)", c.total(), &none});
  return rows;
}

std::string components_text(const GaugeReport& r, const VarianceComponents& c, const ComponentIntervals& i) {
  const GaugeSettings& s = r.settings;
  Table t({{"component", Align::left},
           {"variance", Align::right},
           {"sigma " + r.data.unit, Align::right},
           {"%study", Align::right},
           {"%contribution", Align::right},
           {"%tolerance", Align::right},
           {"%process", Align::right},
           {fmt::format("{:g} % of the variance", 100 * s.intervals.confidence), Align::right}});
  for (const Named& row : rows_of(c, i)) {
    const double sigma = std::sqrt(row.variance), total = c.total();
    const auto percent = [&](std::optional<double> value) {
      return value && std::isfinite(*value) ? six(*value) : std::string("-");
    };
    t.add({{row.name},
           {six(row.variance)},
           {six(sigma)},
           {percent(100 * sigma / std::sqrt(total))},
           {percent(100 * row.variance / total)},
           {percent(r.percent_tolerance(sigma))},
           {percent(s.process_sigma ? std::optional(100 * sigma / *s.process_sigma) : std::nullopt)},
           {interval_text(*row.interval)}});
  }
  std::string text = t.text(false);
  if (i.percent_study)
    text += fmt::format(
        "%study of GRR: {:.2f} ... {:.2f}; sqrt(2) PV / GRR: {:.2f} ... {:.2f} (generalised, {} draws, seed "
        "{})\n",
        i.percent_study->lower, i.percent_study->upper, i.categories->lower, i.categories->upper,
        s.intervals.draws, s.intervals.seed);
  if (s.satterthwaite && i.gauge_satterthwaite)
    text += fmt::format("GRR by Satterthwaite: {} (covers less than stated)\n",
                        interval_text(i.gauge_satterthwaite));
  return text;
}

std::string grade_of(const GaugeReport& r) {
  const auto tolerance = r.percent_tolerance(r.sigma_gauge());
  const double percent = tolerance ? *tolerance : 100 * r.sigma_gauge() / r.sigma_total();
  if (!std::isfinite(percent)) return "not resolvable";
  const char* grade = percent < r.settings.good_percent   ? "good"
                      : percent > r.settings.poor_percent ? "not acceptable"
                                                          : "conditional";
  return fmt::format("{:.2f} % {}: {} (good below {:g}, not acceptable above {:g})", percent,
                     tolerance ? "of the tolerance" : "of the study", grade, r.settings.good_percent,
                     r.settings.poor_percent);
}

Json json_of(const std::optional<Interval>& interval) {
  return interval ? Json{interval->lower, interval->upper} : Json(nullptr);
}

Json json_of(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

Json json_of(const VarianceComponents& c) {
  Json out{{"repeatability", c.repeatability}};
  if (c.has_operators) {
    out["operator"] = not_negative(c.operators);
    out["operator_raw"] = c.operators;
    out["interaction"] = not_negative(c.interaction);
    out["interaction_raw"] = c.interaction;
  }
  out["gauge"] = c.gauge();
  out["part"] = not_negative(c.parts);
  out["part_raw"] = c.parts;
  out["total"] = c.total();
  return out;
}

Json json_of(const ComponentIntervals& i) {
  return {{"repeatability", json_of(i.repeatability)},
          {"gauge", json_of(i.gauge)},
          {"gauge_satterthwaite", json_of(i.gauge_satterthwaite)},
          {"part", json_of(i.parts)},
          {"percent_study", json_of(i.percent_study)},
          {"categories", json_of(i.categories)}};
}

Json json_of(const GaugeTable& table) {
  Json out;
  for (const Source& s : table.sources)
    out["sources"].push_back({{"source", s.name},
                              {"df", s.df},
                              {"ss", s.ss},
                              {"ms", s.ms},
                              {"f", json_of(s.f)},
                              {"p", json_of(s.p)}});
  out["variances"] = json_of(table.components);
  out["intervals"] = json_of(table.intervals);
  return out;
}

}  // namespace

std::string gauge_text(const GaugeReport& r) {
  const GaugeSettings& s = r.settings;
  std::string text = fmt::format(
      "{} study: {} parts, {} operators, {} trials; {} readings, {} without value; mean {:.6f} {}\n",
      name_of(s.kind), r.data.parts.size(), r.data.operators.size(), r.data.trials, r.readings, r.missing,
      r.mean, r.data.unit);
  const auto limit = [](const std::optional<double>& l) {
    return l ? fmt::format("{}", *l) : std::string("none");
  };
  const std::string factor = !s.lower && !s.upper ? ""
                             : s.lower && s.upper ? fmt::format(", k of %tolerance {:g}", s.tolerance_sigmas)
                                                  : fmt::format(", k of %tolerance {:g} over |limit - mean|",
                                                                s.tolerance_sigmas / 2);
  text += fmt::format("limits {} and {}{}, alpha of pooling {:g}, confidence {:g}\n", limit(s.lower),
                      limit(s.upper), factor, s.alpha_pool, s.intervals.confidence);
  text += fmt::format("counts: {}\n\n", r.method);
  const auto block = [&](const char* title, const GaugeTable& t) {
    text +=
        fmt::format("{}\n{}\n{}\n", title, sources_text(t), components_text(r, t.components, t.intervals));
  };
  if (r.crossed) {
    block("With interaction", r.crossed->full);
    block("Interaction pooled", r.crossed->pooled);
  }
  if (r.table) block("Analysis of variance", *r.table);
  if (r.reml) {
    text += fmt::format("REML ({}, {} iterations, -2 log likelihood {:.4f})\n{}\n",
                        r.reml->converged ? "converged" : "NOT converged", r.reml->iterations,
                        r.reml->minus_two_log_likelihood, components_text(r, r.components, r.intervals));
  }
  if (r.range)
    text += fmt::format(
        "Average and range (sigma): EV {:.6f}, AV {:.6f}, GRR {:.6f}, PV {:.6f}, TV {:.6f}; %study {:.6f}; "
        "Rbar {:.6f}, Xdiff {:.6f}, Rp "
        "{:.6f}, limit of ranges {:.6f}\n",
        r.range->repeatability, r.range->reproducibility, r.range->gauge, r.range->parts, r.range->total,
        r.range->percent_study(), r.range->mean_range, r.range->difference, r.range->part_range,
        r.range->range_limit);
  const auto categories = r.categories();
  text += fmt::format("Distinct categories (ndc): {}\n",
                      categories ? fmt::format("{}", *categories) : "not resolvable");
  text += "Gauge: " + grade_of(r) + "\n";
  if (r.drift)
    text += fmt::format("Drift over the order of measurement: {:.6g} {} a reading, p {}\n", r.drift->slope,
                        r.data.unit, probability(r.drift->p));
  for (const auto* counts : {&r.missing_parts, &r.missing_operators})
    for (const MissingCount& m : *counts)
      text += fmt::format("{} {}: {} of {} readings without value\n",
                          counts == &r.missing_parts ? "part" : "operator", m.name, m.missing, m.of);
  for (const std::string& flag : r.flags) text += "! " + flag + "\n";
  return text;
}

Json gauge_json(const GaugeReport& r) {
  const GaugeSettings& s = r.settings;
  Json out{{"kind", name_of(s.kind)},
           {"unit", r.data.unit},
           {"parts", r.data.parts},
           {"operators", r.data.operators},
           {"trials", r.data.trials},
           {"readings", r.readings},
           {"missing", r.missing},
           {"mean", r.mean},
           {"alpha_pool", s.alpha_pool},
           {"confidence", s.intervals.confidence},
           {"draws", s.intervals.draws},
           {"seed", s.intervals.seed},
           {"lower", json_of(s.lower)},
           {"upper", json_of(s.upper)},
           {"tolerance_sigmas", s.tolerance_sigmas},
           {"good_percent", s.good_percent},
           {"poor_percent", s.poor_percent},
           {"method", r.method}};
  if (r.crossed) {
    out["p_interaction"] = r.crossed->p_interaction;
    out["pooled"] = r.crossed->pooled_chosen;
    out["with_interaction"] = json_of(r.crossed->full);
    out["interaction_pooled"] = json_of(r.crossed->pooled);
  }
  if (r.table) out["anova"] = json_of(*r.table);
  if (r.reml) {
    Json boundary = Json::array();
    for (const RemlComponent& c : r.reml->components)
      if (c.boundary) boundary.push_back(c.name);
    out["reml"] = {{"converged", r.reml->converged},
                   {"boundary", boundary},
                   {"minus_two_log_likelihood", r.reml->minus_two_log_likelihood}};
  }
  if (r.range)
    out["average_and_range"] = {{"repeatability", r.range->repeatability},
                                {"operator", r.range->reproducibility},
                                {"gauge", r.range->gauge},
                                {"part", r.range->parts},
                                {"total", r.range->total}};
  out["variances"] = json_of(r.components);
  out["intervals"] = json_of(r.intervals);
  out["sigma_gauge"] = r.sigma_gauge();
  out["percent_study"] = json_of(std::optional(100 * r.sigma_gauge() / r.sigma_total()));
  out["percent_tolerance"] = json_of(r.percent_tolerance(r.sigma_gauge()));
  if (s.process_sigma) out["percent_process"] = 100 * r.sigma_gauge() / *s.process_sigma;
  out["categories"] = r.categories() ? Json(*r.categories()) : Json(nullptr);
  if (r.drift) out["drift"] = {{"slope", r.drift->slope}, {"p", r.drift->p}};
  for (const auto* counts : {&r.missing_parts, &r.missing_operators})
    for (const MissingCount& m : *counts)
      out[counts == &r.missing_parts ? "missing_parts" : "missing_operators"].push_back(
          {{"name", m.name}, {"missing", m.missing}, {"of", m.of}});
  out["flags"] = r.flags;
  return out;
}

}  // namespace datum::quality
