#include "daemon/report/study_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "daemon/quality/statistics/control_constants.h"
#include "daemon/report/plot.h"

namespace datum {
namespace {

using quality::GaugeData;
using quality::GaugeReport;
using quality::Trials;
using Numbers = std::vector<std::optional<double>>;

double mean_of(const Trials& counts, int digits) { return quality::sums_of(counts).mean(digits); }

/// Largest less smallest, exact; none of fewer than two.
std::optional<double> range_of(const Trials& counts, int digits) {
  if (counts.size() < 2) return std::nullopt;
  const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
  return quality::ratio(quality::Integer(*most) - *least, 1, digits);
}

Trials joined(const GaugeData& d, std::optional<std::size_t> part, std::optional<std::size_t> op) {
  Trials all;
  for (std::size_t p = 0; p < d.parts.size(); ++p)
    for (std::size_t o = 0; o < d.cells[p].size(); ++o)
      if ((!part || *part == p) && (!op || *op == o))
        all.insert(all.end(), d.cells[p][o].begin(), d.cells[p][o].end());
  return all;
}

std::string name_of_operator(const GaugeData& d, std::size_t o) {
  return o < d.operators.size() ? d.operators[o] : "-";
}

/// Cells operator by operator, the parts of each in their order.
struct Cells {
  Numbers means, ranges;
  std::vector<std::pair<std::size_t, std::size_t>> at;  // part, operator
};
Cells cells_of(const GaugeData& d) {
  Cells cells;
  const std::size_t operators = d.cells.empty() ? 0 : d.cells[0].size();
  for (std::size_t o = 0; o < operators; ++o)
    for (std::size_t p = 0; p < d.parts.size(); ++p) {
      const Trials& t = d.cells[p][o];
      cells.means.push_back(t.empty() ? std::nullopt : std::optional(mean_of(t, d.digits)));
      cells.ranges.push_back(range_of(t, d.digits));
      cells.at.emplace_back(p, o);
    }
  return cells;
}

void label_operators(Plot& plot, const GaugeData& d) {
  const double parts = static_cast<double>(d.parts.size());
  for (std::size_t o = 0; o < std::max<std::size_t>(1, d.operators.size()); ++o)
    plot.label((static_cast<double>(o) + 0.5) * parts - 0.5, name_of_operator(d, o));
}

struct Row {
  const char* name;
  double variance;
};

std::vector<Row> rows_of(const GaugeReport& r) {
  const auto& c = r.components;
  std::vector<Row> rows{{"gauge (GRR)", c.gauge()}, {"repeatability (EV)", c.repeatability}};
  if (c.has_operators)
    rows.insert(rows.end(), {{"operators (AV)", c.operators}, {"interaction (INT)", c.interaction}});
  rows.insert(rows.end(), {{"parts (PV)", c.parts}, {"total (TV)", c.total()}});
  return rows;
}

std::string variation_panel(const GaugeReport& r, const std::string& id) {
  const double total = r.sigma_total();
  const auto rows = rows_of(r);
  Plot plot("Components of variation",
            "Of each component the share of the total variance (dark) and of its standard deviation (light), "
            "in percent.",
            {0, 105, 250, 10}, rows.size());
  NumberTable table(
      id + "_variation",
      fmt::format("Components of variation by {}; a negative estimate counts as 0. Unit: {}.", r.method,
                  r.data.unit),
      {"component", "variance", "standard deviation", "% of the variance", "% study", "% tolerance"});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double variance = std::max(rows[i].variance, 0.0), sigma = std::sqrt(variance),
                 place = static_cast<double>(i);
    const double contribution = 100 * variance / (total * total), study = 100 * sigma / total;
    if (total > 0) {
      plot.bar(place - 0.35, place, contribution);
      plot.bar(place, place + 0.35, study, true);
    }
    plot.label(place, rows[i].name);
    table.row(rows[i].name)
        .number(rows[i].variance)
        .number(sigma)
        .number(contribution)
        .number(study)
        .number(r.percent_tolerance(sigma));
  }
  return heading(3, "1 Components of variation, percent") + plot.html() + table.html();
}

std::string ranges_panel(const GaugeReport& r, const Cells& cells) {
  Reach reach;
  reach.take(0);
  for (const auto& v : cells.ranges)
    if (v) reach.take(*v);
  if (r.range) reach.take(r.range->range_limit);
  Plot plot("Ranges by operator",
            "Points: range of the trials of each part, operator by operator. Dashed: D4 times the mean "
            "range. Diamonds: beyond it.",
            reach.axis(), cells.at.size());
  label_operators(plot, r.data);
  if (r.range) {
    plot.centre(r.range->mean_range, "mean range");
    plot.limit(r.range->range_limit, "limit");
  }
  for (std::size_t i = 0; i < cells.at.size(); ++i)
    if (const auto v = cells.ranges[i]) {
      const bool wide = std::any_of(r.wide.begin(), r.wide.end(), [&](const quality::WideCell& w) {
        return w.part == cells.at[i].first && w.op == cells.at[i].second;
      });
      plot.dot(static_cast<double>(i), *v, wide);
    }
  return heading(3, "2 Ranges by operator, " + r.data.unit) + plot.html();
}

std::string means_panel(const GaugeReport& r, const Cells& cells) {
  Reach reach;
  for (const auto& v : cells.means)
    if (v) reach.take(*v);
  std::optional<double> width;  // A2 times the mean range: of a mean of so many trials
  if (r.range && r.data.trials > 1)
    width = 3 * r.range->mean_range /
            (quality::range_constants(r.data.trials).d2 * std::sqrt(static_cast<double>(r.data.trials)));
  if (width)
    for (const double v : {r.mean - *width, r.mean + *width}) reach.take(v);
  Plot plot("Means by operator",
            "Points: mean of the trials of each part, operator by operator. Dashed: mean of all and A2 times "
            "the mean range. A gauge that "
            "tells the parts apart has most means beyond the limits.",
            reach.axis(), cells.at.size());
  label_operators(plot, r.data);
  plot.centre(r.mean, "mean");
  if (width) {
    plot.limit(r.mean - *width, "lower limit");
    plot.limit(r.mean + *width, "upper limit");
  }
  for (std::size_t i = 0; i < cells.at.size(); ++i)
    if (const auto v = cells.means[i]) plot.dot(static_cast<double>(i), *v);
  return heading(3, "3 Means by operator, " + r.data.unit) + plot.html();
}

/// Values by part, or by operator, with their means.
std::string values_panel(const GaugeReport& r, bool by_part, const std::string& id) {
  const GaugeData& d = r.data;
  const std::size_t groups = by_part ? d.parts.size() : std::max<std::size_t>(1, d.operators.size());
  std::vector<Trials> values;
  Reach reach;
  for (std::size_t g = 0; g < groups; ++g) {
    values.push_back(by_part ? joined(d, g, std::nullopt) : joined(d, std::nullopt, g));
    for (const std::int64_t v : values.back()) reach.take(quality::ratio(v, 1, d.digits));
  }
  const char* what = by_part ? "part" : "operator";
  Plot plot(fmt::format("Values by {}", what), "Points: all values. Line: their means.", reach.axis(),
            groups);
  NumberTable table(fmt::format("{}_by_{}", id, what), fmt::format("Values by {}. Unit: {}.", what, d.unit),
                    {what, "values", "mean", "least", "most"});
  Numbers means;
  for (std::size_t g = 0; g < groups; ++g) {
    const std::string name = by_part ? d.parts[g] : name_of_operator(d, g);
    plot.label(static_cast<double>(g), name);
    for (const std::int64_t v : values[g]) plot.dot(static_cast<double>(g), quality::ratio(v, 1, d.digits));
    table.row(name).number(static_cast<double>(values[g].size()));
    if (values[g].empty()) {
      means.push_back(std::nullopt);
      table.number(std::nullopt).number(std::nullopt).number(std::nullopt);
      continue;
    }
    means.push_back(mean_of(values[g], d.digits));
    const auto [least, most] = std::minmax_element(values[g].begin(), values[g].end());
    table.number(means.back())
        .number(quality::ratio(*least, 1, d.digits))
        .number(quality::ratio(*most, 1, d.digits));
  }
  plot.line(means);
  return heading(3, fmt::format("{} Values by {}, {}", by_part ? 4 : 5, what, d.unit)) + plot.html() +
         table.html();
}

std::string interaction_panel(const GaugeReport& r, const Cells& cells, const std::string& id) {
  const GaugeData& d = r.data;
  constexpr const char* lines[] = {"grey line", "dashed line", "dotted line", "black line"};
  Reach reach;
  for (const auto& v : cells.means)
    if (v) reach.take(*v);
  Plot plot(
      "Parts by operator",
      "A line for each operator over the parts; parallel lines: no interaction. The table has the numbers.",
      reach.axis(), d.parts.size());
  for (std::size_t p = 0; p < d.parts.size(); ++p) plot.label(static_cast<double>(p), d.parts[p]);
  NumberTable table(
      id + "_cells",
      fmt::format(
          "Trials, mean and range of each part by each operator, in the order of measurement. Unit: {}.",
          d.unit),
      {"part, operator", "drawn as", "mean", "range", "trials"});
  for (std::size_t o = 0; o * d.parts.size() < cells.at.size(); ++o) {
    const auto begin = cells.means.begin() + static_cast<std::ptrdiff_t>(o * d.parts.size());
    plot.line({begin, begin + static_cast<std::ptrdiff_t>(d.parts.size())}, static_cast<Plot::Line>(o % 4));
  }
  for (std::size_t i = 0; i < cells.at.size(); ++i) {
    const auto [p, o] = cells.at[i];
    if (cells.means[i]) plot.dot(static_cast<double>(p), *cells.means[i]);
    std::string trials;
    for (const std::int64_t v : d.cells[p][o])
      trials += (trials.empty() ? "" : "; ") + fmt::format("{}", quality::ratio(v, 1, d.digits));
    table.row(d.parts[p] + ", " + name_of_operator(d, o))
        .text(lines[o % 4])
        .number(cells.means[i])
        .number(cells.ranges[i])
        .text(trials);
  }
  return heading(3, "6 Parts by operator, " + d.unit) + plot.html() + table.html();
}

std::string anova_table(const GaugeReport& r, const std::string& id) {
  const quality::GaugeTable* table = r.crossed ? &r.crossed->chosen() : r.table ? &*r.table : nullptr;
  if (!table) return "";
  NumberTable out(
      id + "_anova",
      r.crossed ? fmt::format("Analysis of variance, interaction {} (its p-value {:.6g}, pooled above {:g}).",
                              r.crossed->pooled_chosen ? "pooled" : "kept", r.crossed->p_interaction,
                              r.settings.alpha_pool)
                : std::string("Analysis of variance."),
      {"source", "df", "SS", "MS", "F", "p"});
  for (const quality::Source& s : table->sources)
    out.row(s.name).number(s.df).number(s.ss).number(s.ms).number(s.f).number(s.p);
  return out.html();
}

std::string intervals_table(const GaugeReport& r, const std::string& id) {
  NumberTable out(
      id + "_intervals",
      fmt::format(
          "Intervals at {:g} %: variances exact (EV) and by modified large samples, ratios generalised.",
          100 * r.settings.intervals.confidence),
      {"of", "from", "to"});
  const auto& i = r.intervals;
  for (const auto& [name, interval] :
       {std::pair{"variance EV", i.repeatability}, std::pair{"variance GRR", i.gauge},
        std::pair{"variance PV", i.parts}, std::pair{"% study", i.percent_study},
        std::pair{"number of categories", i.categories}})
    if (interval) out.row(name).number(interval->lower).number(interval->upper);
  return out.empty() ? "" : out.html();
}

std::string missing_table(const GaugeReport& r, const std::string& id) {
  if (r.missing == 0) return paragraph("Each planned reading has a value.", id + "_whole");
  NumberTable out(id + "_missing",
                  fmt::format("{} of {} readings have no value (INVALID): a part or operator that misses "
                              "more is a property of the gauge.",
                              r.missing, r.readings),
                  {"part or operator", "without value", "of"});
  for (const auto* counts : {&r.missing_parts, &r.missing_operators})
    for (const quality::MissingCount& m : *counts)
      out.row(m.name).number(static_cast<double>(m.missing)).number(static_cast<double>(m.of));
  return out.html();
}

}  // namespace

std::string study_section(const std::string& title, const GaugeReport& r, const std::string& id) {
  const Cells cells = cells_of(r.data);
  const auto tolerance = r.percent_tolerance(r.sigma_gauge());
  const auto categories = r.categories();
  std::string html = heading(2, title);
  html += paragraph(
      fmt::format("{} readings of {} parts and {} operators, {} without value. GRR {:.6g} {}: {:.2f} % of "
                  "the study's variation, "
                  "{} of the tolerance; distinct categories: {}. Below {:g} % a gauge is good, above {:g} % "
                  "it is not acceptable.",
                  r.readings, r.data.parts.size(), std::max<std::size_t>(1, r.data.operators.size()),
                  r.missing, r.sigma_gauge(), r.data.unit, 100 * r.sigma_gauge() / r.sigma_total(),
                  tolerance ? fmt::format("{:.2f} %", *tolerance) : "unknown share",
                  categories ? std::to_string(*categories) : "not resolvable", r.settings.good_percent,
                  r.settings.poor_percent));
  for (const std::string& flag : r.flags) html += paragraph("Note: " + flag);
  html += missing_table(r, id) + variation_panel(r, id) + intervals_table(r, id) + anova_table(r, id);
  html += ranges_panel(r, cells) + means_panel(r, cells);
  html += values_panel(r, true, id) + values_panel(r, false, id);
  return html + interaction_panel(r, cells, id);
}

}  // namespace datum
