// Charts of one series, and of the boards by a package.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "daemon/quality/spc/frozen.h"
#include "daemon/quality/spc/spc_parts.h"

namespace datum::quality {
namespace {

std::string index_text(const char* name, const std::optional<Index>& index) {
  if (!index) return "";
  std::string text = fmt::format("  {} {:.6f}", name, index->value);
  if (index->interval)
    text += fmt::format(" ({:.6f} ... {:.6f})", index->interval->first, index->interval->second);
  if (index->exact)
    text += fmt::format(", one-sided by noncentral t {:.6f} ... {:.6f}", index->exact->first,
                        index->exact->second);
  return text + "\n";
}

Json rules_json(const RuleSet& set, double length, const SpcSettings& s) {
  return {{"rules", std::vector<int>(set.rules.begin(), set.rules.end())},
          {"text", s.rules},
          {"side_run", set.side_run},
          {"points_to_a_false_alarm", length}};
}

std::string capability_text(const Capability& c, const SegmentSums& sums, const SpcSettings& s,
                            const std::string& within) {
  const auto value = [](const Point& p) {
    return shown(p ? std::optional(ratio(*p, 1, series_digits)) : std::nullopt, series_digits);
  };
  std::string text = fmt::format(
      "capability ({}; {:g} % intervals; limits {} and {}, target {}): n {}, INVALID {}, INCONCLUSIVE {}, "
      "mean {:.6f}, s {:.6f}, minimum {}, maximum {}, sigma within {:.6f} by {}\n",
      name_of(c.distribution), 100 * s.confidence, shown(sums.lower), shown(sums.upper), shown(sums.nominal),
      c.n, sums.invalid, sums.inconclusive, c.mean, c.s, value(sums.lowest), value(sums.highest),
      c.sigma_within, within);
  text +=
      index_text("Cp", c.cp) + index_text("Cpk", c.cpk) + index_text("Pp", c.pp) + index_text("Ppk", c.ppk);
  text += index_text(fmt::format("Ppk_gb, guard band {:.6f} = {:g} x {:.6f},", c.guard_band.value_or(0),
                                 s.guard_k, sums.largest_u)
                         .c_str(),
                     c.ppk_gb);
  if (c.cpm_s) text += fmt::format("  Cpm {:.6f} (by s), {:.6f} (by the mean square)\n", *c.cpm_s, *c.cpm_n);
  if (c.low)
    text += fmt::format("  quantiles 0.00135, 0.5, 0.99865: {:.6f}, {:.6f}, {:.6f}\n", *c.low, *c.middle,
                        *c.high);
  if (c.fit_p)
    text += fmt::format("  fit: Anderson-Darling {:.4f}, p {:.4g}\n", *c.anderson_darling, *c.fit_p);
  for (const std::string& note : c.notes) text += "! " + note + "\n";
  return text;
}

/// Points of a segment with their sequence numbers.
struct Run {
  std::vector<std::uint64_t> sequences;
  std::vector<Point> points;

  /// The first values for the limits; all where `baseline` is 0.
  std::vector<Point> base(std::uint64_t baseline) const {
    std::vector<Point> chosen;
    std::uint64_t values = 0;
    for (const Point& p : points) {
      if (baseline > 0 && values == baseline) break;
      chosen.push_back(p);
      values += p.has_value();
    }
    return chosen;
  }
};

void add_hits(SpcReport& report, Json& out, const Run& run, const ControlLimits& limits, double sigma,
              const SpcSettings& s, int digits) {
  const RuleSet set = rule_set_of(s.rules);
  std::vector<std::optional<double>> z;
  for (const Point& p : run.points)
    z.push_back(p && sigma > 0 ? std::optional((ratio(*p, 1, digits) - limits.centre) / sigma)
                               : std::nullopt);
  const double length = run_length_of_rules(set, 5'000);
  out["rules"] = rules_json(set, length, s);
  out["hits"] = Json::array();
  report.text += fmt::format("rules {}: a false alarm each {:.0f} points\n", s.rules, length);
  for (const RuleHit& hit : rule_hits(z, set)) {
    report.text += fmt::format("  rule {} ({}): results {} to {}\n", hit.rule, rule_text(hit.rule),
                               run.sequences[hit.first], run.sequences[hit.last]);
    out["hits"].push_back(
        {{"rule", hit.rule}, {"first", run.sequences[hit.first]}, {"last", run.sequences[hit.last]}});
  }
}

void add_slow_charts(SpcReport& report, Json& out, const Run& run, double centre, double sigma,
                     const SpcSettings& s, int digits) {
  if (!(sigma > 0)) return;
  const auto ewma = ewma_chart(run.points, digits, centre, sigma, s.lambda, s.width);
  const auto cusum = cusum_chart(run.points, digits, centre, sigma, s.k, s.h, s.head_start);
  const double ewma_length = run_length_of_ewma(s.lambda, s.width),
               cusum_length = run_length_of_cusum(s.k, s.h, 0, s.head_start);
  out["ewma"] = {{"lambda", s.lambda},
                 {"width", s.width},
                 {"points_to_a_false_alarm", ewma_length},
                 {"out", Json::array()}};
  out["cusum"] = {{"k", s.k},
                  {"h", s.h},
                  {"head_start", s.head_start},
                  {"points_to_a_false_alarm", cusum_length},
                  {"out", Json::array()}};
  report.text += fmt::format("EWMA lambda {:g}, width {:g}: a false alarm each {:.0f} points\n", s.lambda,
                             s.width, ewma_length);
  for (std::size_t i = 0; i < ewma.size(); ++i) {
    if (!ewma[i] || !ewma[i]->out) continue;
    out["ewma"]["out"].push_back({{"sequence", run.sequences[i]}, {"z", ewma[i]->z}});
    if (i > 0 && ewma[i - 1] && ewma[i - 1]->out) continue;
    report.text += fmt::format("  from result {}: {:.6f}, limits {:.6f} and {:.6f}\n", run.sequences[i],
                               ewma[i]->z, ewma[i]->lower, ewma[i]->upper);
  }
  report.text += fmt::format("CUSUM k {:g}, h {:g}{}: a false alarm each {:.0f} points\n", s.k, s.h,
                             s.head_start ? ", head start" : "", cusum_length);
  for (std::size_t i = 0; i < cusum.size(); ++i) {
    if (!cusum[i] || !cusum[i]->out) continue;
    out["cusum"]["out"].push_back({{"sequence", run.sequences[i]}, {"mean", *cusum[i]->shifted_to}});
    report.text +=
        fmt::format("  result {}: the mean has shifted to {:.6f}\n", run.sequences[i], *cusum[i]->shifted_to);
  }
}

std::vector<std::vector<std::int64_t>> subgroups_of(const Run& run, int size) {
  std::vector<std::vector<std::int64_t>> groups;
  std::vector<std::int64_t> group;
  for (const Point& p : run.points) {
    if (!p) {
      group.clear();  // a subgroup lies between gaps
      continue;
    }
    group.push_back(*p);
    if (group.size() < static_cast<std::size_t>(size)) continue;
    groups.push_back(std::move(group));
    group.clear();
  }
  return groups;
}

void add_groups(SpcReport& report, Json& out, const GroupsChart& g) {
  std::size_t means = 0, spreads = 0;
  Json rows = Json::array();
  for (std::size_t i = 0; i < g.groups; ++i) {
    means += g.means[i] < g.of_means[i].lower || g.means[i] > g.of_means[i].upper;
    spreads += g.spreads[i] < g.of_spreads[i].lower || g.spreads[i] > g.of_spreads[i].upper;
    rows.push_back({{"mean", g.means[i]}, {"spread", g.spreads[i]}});
  }
  const char* chart = g.by_range ? "Xbar-R" : "Xbar-S";
  report.text += fmt::format(
      "{}: {} subgroups, mean {:.6f}, mean {} {:.6f}, sigma within {:.6f} ({:.1f} degrees of freedom), "
      "between {:.6f}{}; {} means and {} spreads beyond their limits\n",
      chart, g.groups, g.mean, g.by_range ? "range" : "s", g.mean_spread, g.sigma, g.df, g.sigma_between,
      g.between_negative ? " (raw variance negative)" : "", means, spreads);
  out["groups"] = {{"chart", chart},
                   {"mean", g.mean},
                   {"mean_spread", g.mean_spread},
                   {"sigma_within", g.sigma},
                   {"df", g.df},
                   {"sigma_between", g.sigma_between},
                   {"between_negative", g.between_negative},
                   {"rows", rows}};
  if (g.groups > 0) {
    out["groups"]["limits_of_first_mean"] = json_of(g.of_means[0]);
    out["groups"]["limits_of_first_spread"] = json_of(g.of_spreads[0]);
  }
}

void add_individuals(SpcReport& report, Json& out, const IndividualsChart& chart, const char* what) {
  report.text += fmt::format(
      "I-MR of {}: mean {:.6f}, limits {:.6f} and {:.6f}; mean moving range {:.6f}, limit {:.6f}; sigma "
      "{:.6f}\n",
      what, chart.mean, chart.values.lower, chart.values.upper, chart.mean_range, chart.ranges.upper,
      chart.sigma);
  out["individuals"] = {{"values", json_of(chart.values)},
                        {"moving_ranges", json_of(chart.ranges)},
                        {"sigma", chart.sigma},
                        {"n", chart.n}};
}

/// Of all values by their sums where removed ones are among them; what needs single values is of the kept ones.
Capability capability_of_segment(const Run& run, const Segment& segment, const SegmentSums& sums,
                                 double sigma, double df, Distribution distribution, const SpcSettings& s) {
  std::vector<std::int64_t> counts;
  for (const Point& p : run.points)
    if (p) counts.push_back(*p);
  const Specification spec = specification_of(sums);
  const bool all_kept = counts.size() == sums.values.n;
  Capability kept =
      capability_of(std::move(counts), series_digits, spec, sigma, df, distribution, s.confidence);
  if (all_kept) return kept;
  Capability c = capability_of(exact(sums.values), series_digits, spec, sigma, df, s.confidence);
  c.anderson_darling = kept.anderson_darling;
  c.fit_p = kept.fit_p;
  if (distribution != Distribution::normal) {
    kept.notes.push_back(fmt::format("quantiles, Pp and Ppk are of the {} kept values alone", kept.n));
    kept.n = c.n;
    kept.mean = c.mean;
    kept.s = c.s;
    c = std::move(kept);
  }
  c.notes.push_back(*removed_note(segment));
  return c;
}

Json points_json(const Run& run, int digits) {
  Json points = Json::array();
  for (std::size_t i = 0; i < run.points.size(); ++i)
    points.push_back(
        {run.sequences[i], run.points[i] ? Json(ratio(*run.points[i], 1, digits)) : Json(nullptr)});
  return points;
}

}  // namespace

namespace {

/// What the running cell watches.
void add_frozen(SpcReport& report, const SeriesBook& book, const SeriesKey& key, const SpcSettings& s) {
  const FrozenLimits& l = *s.frozen;
  const auto of = l.series.find(key);
  Json out{{"id", l.id},       {"at", l.at},         {"by", l.by},
           {"rules", l.rules}, {"disarm", l.disarm}, {"hits", Json::array()}};
  if (const auto& e = l.drift.ewma) out["ewma"] = {{"lambda", e->lambda}, {"width", e->width}};
  if (const auto& c = l.drift.cusum) out["cusum"] = {{"k", c->k}, {"h", c->h}, {"head_start", c->head_start}};
  report.text += fmt::format("\nlimits {}, frozen by {} at {} from results {} to {}: ", l.id, l.by, l.at,
                             l.first, l.last);
  if (of == l.series.end()) {
    report.text += "this series has none\n";
  } else {
    out["mean"] = of->second.mean;
    out["sigma"] = of->second.sigma;
    report.text +=
        fmt::format("mean {:.6f}, sigma {:.6f}, rules {}\n", of->second.mean, of->second.sigma, l.rules);
  }
  for (const ChartHit& hit : frozen_hits(book, key, l, s.acknowledged)) {
    report.text += fmt::format("  rule {} ({}): results {} to {}\n", rule_name(hit.rule), rule_text(hit.rule),
                               hit.first, hit.last);
    out["hits"].push_back({{"rule", hit.rule > 8 ? Json(rule_name(hit.rule)) : Json(hit.rule)},
                           {"first", hit.first},
                           {"last", hit.last}});
  }
  report.json["frozen"] = out;
}

}  // namespace

SpcReport spc_chart(const SeriesBook& book, const SeriesKey& key, const SpcSettings& s) {
  SpcReport report;
  begin_report(report, book);
  const Series& series = book.series().at(key);
  report.json.update({{"recipe", key.recipe},
                      {"reference", key.reference},
                      {"package", key.package},
                      {"characteristic", name_of(key.characteristic)},
                      {"parameter", key.parameter},
                      {"unit", unit_of(key.characteristic)},
                      {"segments", Json::array()}});
  for (const std::size_t index : shown_segments(book, key, s.all_segments)) {
    Run run;
    for (const SeriesPoint& p : series.points) {
      if (p.segment != index) continue;
      run.sequences.push_back(p.sequence);
      run.points.push_back(p.point);
    }
    const SegmentSums& sums = series.segments.at(index);
    Json out = segment_json(book.segments()[index], index);
    report.text += fmt::format("\n{} of recipe {} in {}\n{}", text_of(key), key.recipe,
                               unit_of(key.characteristic), segment_text(book.segments()[index], index));
    const Segment& segment = book.segments()[index];
    const bool by_sums = segment.removed > 0 && s.baseline == 0;
    const IndividualsChart chart =
        by_sums ? individuals_chart(exact(sums.values), exact(sums.ranges), series_digits)
                : individuals_chart(run.base(s.baseline), series_digits);
    if (s.baseline > 0)
      report.text +=
          fmt::format("limits from the first {}{} values\n", chart.n, segment.removed > 0 ? " kept" : "");
    if (chart.n < 25)
      report.text += fmt::format("! {} values: limits of fewer than 25 are trial limits\n", chart.n);
    out["baseline"] = s.baseline;
    add_individuals(report, out, chart, "values");
    add_hits(report, out, run, chart.values, chart.sigma, s, series_digits);
    add_slow_charts(report, out, run, chart.mean, chart.sigma, s, series_digits);
    double sigma = chart.sigma, df = moving_range_df(chart.ranges_n);
    std::string within = "the mean moving range over d2";
    if (s.subgroup > 1) {
      const GroupsChart groups = groups_chart(subgroups_of(run, s.subgroup), series_digits, s.by_range);
      add_groups(report, out, groups);
      sigma = groups.sigma;
      df = groups.df;
      within = s.by_range ? "the mean range over d2" : "the mean s over c4";
    }
    Capability c =
        capability_of_segment(run, segment, sums, sigma, df, distribution_of(s, key.characteristic), s);
    add_guarded(c, specification_of(sums), s.guard_k, sums.largest_u, s.confidence);
    refuse_for_invalid(c, sums, s);
    report.text += capability_text(c, sums, s, within);
    out["lower"] = json_of(sums.lower);
    out["upper"] = json_of(sums.upper);
    out["invalid"] = sums.invalid;
    out["invalid_per_1000"] = 1000 * sums.invalid_share();
    out["inconclusive"] = sums.inconclusive;
    out["largest_u"] = sums.largest_u;
    out.update(sums_json(sums));
    out["capability"] = capability_json(c);
    out["points"] = points_json(run, series_digits);
    report.json["segments"].push_back(out);
  }
  if (s.frozen) add_frozen(report, book, key, s);
  return report;
}

SpcReport spc_package(const SeriesBook& book, const std::string& recipe, const std::string& package,
                      Characteristic characteristic, const SpcSettings& s) {
  SpcReport report;
  begin_report(report, book);
  std::map<std::size_t, std::map<std::uint64_t, std::vector<std::int64_t>>>
      boards;  // by segment and sequence
  for (const auto& [key, series] : book.series()) {
    if (key.recipe != recipe || key.package != package || key.characteristic != characteristic) continue;
    for (const SeriesPoint& p : series.points)
      if (auto& values = boards[p.segment][p.sequence]; p.point) values.push_back(*p.point);
  }
  report.json.update({{"recipe", recipe},
                      {"package", package},
                      {"characteristic", name_of(characteristic)},
                      {"unit", unit_of(characteristic)},
                      {"segments", Json::array()}});
  if (!s.all_segments && boards.size() > 1) boards.erase(boards.begin(), std::prev(boards.end()));
  for (const auto& [index, by_board] : boards) {
    constexpr int digits_of_means = 9;
    Run means;
    std::vector<std::vector<std::int64_t>> groups;
    for (const auto& [sequence, values] : by_board) {
      means.sequences.push_back(sequence);
      means.points.push_back(
          values.empty() ? Point()
                         : Point(decimal_of(sums_of(values).mean(series_digits), digits_of_means).count));
      if (values.size() > 1) groups.push_back(values);
    }
    Json out = segment_json(book.segments()[index], index);
    report.text +=
        fmt::format("\n{} of package {}, boards of recipe {}, in {}\n{}", name_of(characteristic), package,
                    recipe, unit_of(characteristic), segment_text(book.segments()[index], index));
    if (const auto note = removed_note(book.segments()[index])) {
      report.text += "! boards' means need single values; " + *note + "\n";
      out["note"] = *note;
    }
    const IndividualsChart chart = individuals_chart(means.base(s.baseline), digits_of_means);
    add_individuals(report, out, chart, "boards' means");
    add_hits(report, out, means, chart.values, chart.sigma, s, digits_of_means);
    add_slow_charts(report, out, means, chart.mean, chart.sigma, s, digits_of_means);
    if (!groups.empty()) add_groups(report, out, groups_chart(groups, series_digits, false));
    out["points"] = points_json(means, digits_of_means);
    report.json["segments"].push_back(out);
  }
  return report;
}

}  // namespace datum::quality
