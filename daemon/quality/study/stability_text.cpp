#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <functional>

#include "config/utc_time.h"
#include "daemon/quality/spc/run_rules.h"
#include "daemon/quality/study/stability_study.h"
#include "daemon/text/table.h"

namespace datum::quality {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t wanted_groups = 20;

std::vector<std::string> names_where(const Stability& r, const std::function<bool(const Subgroup&)>& is) {
  std::vector<std::string> names;
  for (const Subgroup& group : r.subgroups)
    if (is(group)) names.push_back(group.name);
  return names;
}
std::string listed(const std::vector<std::string>& names) {
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}
std::vector<std::string> means_out(const Stability& r) {
  return names_where(r, [](const Subgroup& g) { return g.mean_out; });
}
std::vector<std::string> spreads_out(const Stability& r) {
  return names_where(r, [](const Subgroup& g) { return g.spread_out; });
}
std::vector<std::string> cusum_out(const Stability& r) {
  return names_where(r, [](const Subgroup& g) { return g.cusum.out; });
}
std::vector<std::string> biased(const Stability& r) {
  return names_where(r, [](const Subgroup& g) { return g.bias_shown; });
}

std::string time_text(const std::optional<double>& at_s) {
  return at_s ? iso8601_from_utc(static_cast<std::int64_t>(std::floor(*at_s))) : "-";
}

Cell number(double value) { return Cell{fmt::format("{:.6f}", value)}; }

std::string table_text(const Stability& r) {
  using Align = Table::Align;
  const bool by_s = r.kind == StabilityChart::deviations;
  std::vector<Table::Column> columns{{"subgroup"},
                                     {"measured (UTC)"},
                                     {"n", Align::right},
                                     {"mean", Align::right},
                                     {"from", Align::right},
                                     {"to", Align::right},
                                     {by_s ? "s" : "range", Align::right},
                                     {"up to", Align::right},
                                     {"C+", Align::right},
                                     {"C-", Align::right}};
  const bool with_bias = r.subgroups.front().bias.has_value();
  if (with_bias) columns.insert(columns.end(), {{"bias from", Align::right}, {"to", Align::right}});
  Table table(columns);
  for (const Subgroup& g : r.subgroups) {
    std::vector<Cell> row{{g.name},
                          {time_text(g.at_s)},
                          {fmt::format("{}", g.n)},
                          number(g.mean),
                          number(g.of_mean.lower),
                          number(g.of_mean.upper),
                          g.spread ? number(*g.spread) : Cell{"-"},
                          number(g.of_spread.upper),
                          number(g.cusum.above),
                          number(g.cusum.below)};
    if (with_bias) row.insert(row.end(), {number(g.bias->lower), number(g.bias->upper)});
    table.add(row);
  }
  return table.text(false);
}

Json json_of(const Subgroup& g) {
  const auto or_null = [](const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
  };
  Json out{{"name", g.name},
           {"n", g.n},
           {"at", g.at_s ? Json(time_text(g.at_s)) : Json(nullptr)},
           {"mean", g.mean},
           {"mean_lower", g.of_mean.lower},
           {"mean_upper", g.of_mean.upper},
           {"spread", or_null(g.spread)},
           {"spread_lower", g.of_spread.lower},
           {"spread_upper", g.of_spread.upper},
           {"cusum_above", g.cusum.above},
           {"cusum_below", g.cusum.below}};
  if (g.bias) {
    out["bias"] = {g.bias->lower, g.bias->upper};
    out["bias_shown"] = g.bias_shown;
  }
  return out;
}

Json json_of(const Stability& r, const StabilitySettings& s, const std::string& unit, double length) {
  Json out{{"kind", "stability"},
           {"chart", name_of(r.kind)},
           {"unit", unit},
           {"mean", r.mean},
           {"sigma_within", r.sigma},
           {"sigma_within_df", r.df},
           {"baseline", r.baseline},
           {"sigma_between", r.sigma_between ? Json(*r.sigma_between) : Json(nullptr)},
           {"between_negative", r.between_negative},
           {"target", r.target},
           {"target_is_reference", s.reference.has_value()},
           {"u_reference", s.u_reference},
           {"confidence", s.confidence},
           {"cusum_k", s.k},
           {"cusum_h", s.h},
           {"cusum_points_to_a_false_alarm", length},
           {"means_out", means_out(r)},
           {"spreads_out", spreads_out(r)},
           {"cusum_out", cusum_out(r)},
           {"resolvable", r.resolvable()},
           {"in_control", r.in_control()}};
  if (r.drift) {
    out["drift"] = {{"per", r.drift->by_time ? "day" : "subgroup"},
                    {"slope", r.drift->slope},
                    {"interval", {r.drift->interval.lower, r.drift->interval.upper}},
                    {"p", r.drift->p},
                    {"span", r.drift->span},
                    {"shown", r.drift->shown(s.confidence)}};
  }
  if (s.reference) out["biased"] = biased(r);
  for (const Subgroup& g : r.subgroups) out["subgroups"].push_back(json_of(g));
  out["notes"] = r.notes;
  return out;
}

std::string head_text(const Stability& r, const StabilitySettings& s, const std::string& unit) {
  std::string text = fmt::format(
      "stability study: {} subgroups, {} chart with limits from the first {}\nmean "
      "{:.6f} {}, sigma within {:.6f}",
      r.subgroups.size(), name_of(r.kind), r.baseline, r.mean, unit, r.sigma);
  if (r.sigma_between)
    text += fmt::format(", between {:.6f}{}", *r.sigma_between,
                        r.between_negative ? " (raw variance negative)" : "");
  return text + fmt::format("; target {:.6f}{}\n", r.target,
                            s.reference ? fmt::format(" (reference, u {:g})", s.u_reference) : " (mean)");
}

std::string drift_text(const StabilityDrift& d, double confidence, const std::string& unit) {
  const char* per = d.by_time ? "day" : "subgroup";
  return fmt::format(
      "drift: {:.6g} {} per {}, {:g} %: {:.6g} ... {:.6g} (p {:.6f}); over the {:.6g} {}s of the study "
      "{:.6g} {}: "
      "{}\n",
      d.slope, unit, per, 100 * confidence, d.interval.lower, d.interval.upper, d.p, d.span, per,
      d.slope * d.span, unit, d.shown(confidence) ? "a drift is shown" : "no drift is shown");
}

std::string meaning_text(const Stability& r, const StabilitySettings& s, const std::string& unit) {
  const auto one_sigma = r.sigma / std::sqrt(static_cast<double>(r.subgroups.front().n));
  std::string text = fmt::format(
      "shows: whether mean and spread of this one master changed between its first and last subgroup by more "
      "than chance.\n"
      "does not show: a lasting shift of a mean by {:.6f} {} (one sigma of it) before {:.0f} subgroups have "
      "passed "
      "on average; other values of the range (linearity), other parts and operators (crossed); what comes "
      "later.\n",
      one_sigma, unit, run_length_of_cusum(s.k, s.h, 1));
  if (!s.reference)
    text += "does not show either: a bias that was there all the time, without a reference.\n";
  return text;
}

std::string conclusion_text(const Stability& r, const StabilitySettings& s) {
  if (!r.resolvable()) return "readings are equal within their subgroups: not resolvable\n";
  std::string text = r.in_control() ? "in control" : "not in control";
  if (r.drift->shown(s.confidence)) text += ", and drifts";
  if (!biased(r).empty()) text += ", and biased";
  return text + "\n";
}

}  // namespace

Told tell(const Stability& r, const StabilitySettings& s, const std::string& unit) {
  const double length = run_length_of_cusum(s.k, s.h);
  std::string text = head_text(r, s, unit) + table_text(r);
  text += fmt::format(
      "means beyond 3 sigma: {}; spreads beyond their limits: {}; CUSUM (k {:g}, h {:g}, a false alarm each "
      "{:.0f} subgroups): {}\n",
      listed(means_out(r)), listed(spreads_out(r)), s.k, s.h, length, listed(cusum_out(r)));
  if (r.drift) text += drift_text(*r.drift, s.confidence, unit);
  if (s.reference)
    text +=
        fmt::format("bias beyond its interval (all subgroups at once at {:g} %) and U of the reference: {}\n",
                    100 * s.confidence, listed(biased(r)));
  text += conclusion_text(r, s) + meaning_text(r, s, unit);
  for (const std::string& note : r.notes) text += "! " + note + "\n";
  if (r.subgroups.size() < wanted_groups)
    text += fmt::format("! {} subgroups: {} are wanted\n", r.subgroups.size(), wanted_groups);
  return {text, json_of(r, s, unit, length)};
}

}  // namespace datum::quality
