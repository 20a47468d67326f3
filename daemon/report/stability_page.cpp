#include "daemon/report/stability_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/utc_time.h"
#include "daemon/report/plot.h"

namespace datum {
namespace {

using quality::Stability;
using quality::Subgroup;

void label_subgroups(Plot& plot, const Stability& r) {
  constexpr std::size_t wanted = 10;
  const std::size_t step = std::max<std::size_t>(1, (r.subgroups.size() + wanted - 1) / wanted);
  for (std::size_t i = 0; i < r.subgroups.size(); i += step)
    plot.label(static_cast<double>(i), r.subgroups[i].name);
  if (r.baseline < r.subgroups.size()) plot.post(static_cast<double>(r.baseline) - 0.5, "end of phase 1");
}

/// One number of each subgroup with its limits, which differ where subgroups differ in size.
struct Charted {
  std::optional<double> value;
  quality::ControlLimits limits;
  bool out = false;
};

std::string limits_chart(const Stability& r, const std::string& title, const std::vector<Charted>& points,
                         const std::string& centre) {
  Reach reach;
  std::vector<std::optional<double>> values, lower, upper;
  for (const Charted& p : points) {
    if (p.value) reach.take(*p.value);
    reach.take(p.limits.lower);
    reach.take(p.limits.upper);
    values.push_back(p.value);
    lower.emplace_back(p.limits.lower);
    upper.emplace_back(p.limits.upper);
  }
  Plot plot(
      title,
      "Points: subgroups in their order. Diamonds: beyond a control limit. Dashed: control limits. The table "
      "has the numbers.",
      reach.axis(), points.size());
  label_subgroups(plot, r);
  plot.centre(points.front().limits.centre, centre);
  plot.line(lower, Plot::Line::dashed);
  plot.line(upper, Plot::Line::dashed);
  plot.line(values);
  for (std::size_t i = 0; i < points.size(); ++i)
    if (points[i].value) plot.dot(static_cast<double>(i), *points[i].value, points[i].out);
  return heading(3, title) + plot.html();
}

std::string cusum_chart(const Stability& r, double limit) {
  Reach reach;
  reach.take(0);
  reach.take(limit);
  std::vector<std::optional<double>> above, below;
  for (const Subgroup& g : r.subgroups) {
    above.emplace_back(g.cusum.above);
    below.emplace_back(g.cusum.below);
    reach.take(std::max(g.cusum.above, g.cusum.below));
  }
  Plot plot(
      "CUSUM of the means",
      "Full line: sum of what lies above the target. Dotted: below it. Diamonds: a signal, behind which the "
      "sums begin anew. In standard deviations of a mean.",
      reach.axis(), r.subgroups.size());
  label_subgroups(plot, r);
  plot.limit(limit, "limit");
  plot.line(above);
  plot.line(below, Plot::Line::dotted);
  for (std::size_t i = 0; i < r.subgroups.size(); ++i) {
    const quality::CusumPoint& c = r.subgroups[i].cusum;
    plot.dot(static_cast<double>(i), std::max(c.above, c.below), c.out);
  }
  return heading(3, "CUSUM of the means") + plot.html();
}

std::string bias_chart(const Stability& r, const std::string& unit) {
  if (!r.subgroups.front().bias) return "";
  Reach reach;
  reach.take(0);
  for (const Subgroup& g : r.subgroups) {
    reach.take(g.bias->lower);
    reach.take(g.bias->upper);
  }
  const std::string title = "Bias of each subgroup, " + unit;
  Plot plot(
      title,
      "Points: mean less the certified value. Whiskers: interval by the readings, of all subgroups at once. "
      "Diamonds: a bias that chance and the reference's uncertainty do not explain.",
      reach.axis(), r.subgroups.size());
  label_subgroups(plot, r);
  plot.centre(0, "no bias");
  for (std::size_t i = 0; i < r.subgroups.size(); ++i) {
    const Subgroup& g = r.subgroups[i];
    plot.whisker(static_cast<double>(i), g.bias->lower, g.bias->upper);
    plot.dot(static_cast<double>(i), (g.bias->lower + g.bias->upper) / 2, g.bias_shown);
  }
  return heading(3, title) + plot.html();
}

std::string numbers_table(const Stability& r, const std::string& unit, const std::string& id) {
  NumberTable table(id + "_subgroups",
                    fmt::format("Subgroups in their order, with the limits of their means and "
                                "spreads. Unit: {}; CUSUM in standard deviations of a mean.",
                                unit),
                    {"subgroup", "measured (UTC)", "n", "mean", "from", "to", "spread", "up to", "C+", "C-",
                     "bias from", "to"});
  for (const Subgroup& g : r.subgroups) {
    table.row(g.name)
        .text(g.at_s ? iso8601_from_utc(static_cast<std::int64_t>(*g.at_s)) : "-")
        .count(static_cast<std::int64_t>(g.n))
        .number(g.mean)
        .number(g.of_mean.lower)
        .number(g.of_mean.upper)
        .number(g.spread)
        .number(g.of_spread.upper)
        .number(g.cusum.above)
        .number(g.cusum.below)
        .number(g.bias ? std::optional(g.bias->lower) : std::nullopt)
        .number(g.bias ? std::optional(g.bias->upper) : std::nullopt);
  }
  return table.html();
}

/// Lines of prose; those of datumctl's table stand in a table of the page.
std::string prose(const std::string& lines) {
  std::string html;
  bool in_table = false;
  for (std::size_t from = 0; from < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', from), lines.size());
    const std::string line = lines.substr(from, end - from);
    from = end + 1;
    if (line.starts_with("subgroup ")) in_table = true;
    if (line.starts_with("means beyond")) in_table = false;
    if (!in_table && !line.empty()) html += paragraph(line);
  }
  return html;
}

}  // namespace

std::string stability_section(const std::string& title, const Stability& r, const std::string& unit,
                              const std::string& lines, const std::string& id) {
  std::vector<Charted> means, spreads;
  for (const Subgroup& g : r.subgroups) {
    means.push_back({g.mean, g.of_mean, g.mean_out});
    spreads.push_back({g.spread, g.of_spread, g.spread_out});
  }
  const char* spread = r.kind == quality::StabilityChart::individuals ? "Moving ranges"
                       : r.kind == quality::StabilityChart::ranges    ? "Ranges"
                                                                      : "Standard deviations";
  return heading(2, title) + prose(lines) + limits_chart(r, "Means, " + unit, means, "mean") +
         limits_chart(r, fmt::format("{}, {}", spread, unit), spreads, "mean") +
         cusum_chart(r, r.cusum_limit) + bias_chart(r, unit) + numbers_table(r, unit, id);
}

std::string told_section(const std::string& title, const std::string& lines) {
  return heading(2, title) + prose(lines);
}

}  // namespace datum
