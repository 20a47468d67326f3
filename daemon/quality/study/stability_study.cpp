#include "daemon/quality/study/stability_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "daemon/quality/spc/run_rules.h"
#include "daemon/text/table.h"

namespace datum::quality {
namespace {

constexpr std::size_t least_groups = 10, wanted_groups = 20;
constexpr int digits_of_z = 9;

std::string listed(const std::vector<std::string>& names) {
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

bool beyond(double value, const ControlLimits& limits) {
  return value < limits.lower || value > limits.upper;
}

}  // namespace

Stability stability_study(const StudyTable& table, const StabilitySettings& s) {
  Stability r;
  std::vector<std::vector<std::int64_t>> groups;
  const int digits = table.digits();
  for (const Reading& reading : table.readings) {
    if (reading.part != table.readings.front().part)
      throw StudyRefused(fmt::format("parts '{}' and '{}': a stability study has one master",
                                     table.readings.front().part, reading.part));
    if (r.names.empty() || r.names.back() != reading.op) {
      if (std::find(r.names.begin(), r.names.end(), reading.op) != r.names.end())
        throw StudyRefused(fmt::format(
            "operator '{}' has readings before and after those of '{}': each shift is a subgroup with a "
            "name of its own, measured without interruption",
            reading.op, r.names.back()));
      r.names.push_back(reading.op);
      groups.emplace_back();
    }
    if (reading.value) groups.back().push_back(count_at(*reading.value, digits));
  }
  if (groups.size() < least_groups)
    throw StudyRefused(
        fmt::format("{} subgroups (operators) of a stability study: at least {} are needed, {} wanted",
                    groups.size(), least_groups, wanted_groups));
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].size() < 2)
      throw StudyRefused(
          fmt::format("subgroup '{}' has {} values: at least two are needed", r.names[i], groups[i].size()));
    r.sizes.push_back(groups[i].size());
  }
  r.chart = groups_chart(groups, digits, false);
  r.target = s.reference.value_or(r.chart.mean);
  if (!r.resolvable()) return r;
  std::vector<Point> z;
  for (std::size_t i = 0; i < groups.size(); ++i)
    z.emplace_back(
        decimal_of((r.chart.means[i] - r.target) * std::sqrt(static_cast<double>(r.sizes[i])) / r.chart.sigma,
                   digits_of_z)
            .count);
  for (const auto& point : cusum_chart(z, digits_of_z, 0, 1, s.k, s.h, false)) r.cusum.push_back(*point);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (beyond(r.chart.means[i], r.chart.of_means[i])) r.means_out.push_back(r.names[i]);
    if (beyond(r.chart.spreads[i], r.chart.of_spreads[i])) r.spreads_out.push_back(r.names[i]);
    if (r.cusum[i].out) r.cusum_out.push_back(r.names[i]);
  }
  return r;
}

Told tell(const Stability& r, const StabilitySettings& s, const std::string& unit) {
  const double length = run_length_of_cusum(s.k, s.h);
  Told out{fmt::format("stability study: {} subgroups, mean {:.6f} {}, sigma within {:.6f}, between "
                       "{:.6f}{}; target {:.6f}{}\n",
                       r.names.size(), r.chart.mean, unit, r.chart.sigma, r.chart.sigma_between,
                       r.chart.between_negative ? " (raw variance negative)" : "", r.target,
                       s.reference ? " (reference)" : " (mean of all)"),
           {{"kind", "stability"},
            {"unit", unit},
            {"mean", r.chart.mean},
            {"sigma_within", r.chart.sigma},
            {"sigma_between", r.chart.sigma_between},
            {"between_negative", r.chart.between_negative},
            {"target", r.target},
            {"target_is_reference", s.reference.has_value()},
            {"cusum_k", s.k},
            {"cusum_h", s.h},
            {"cusum_points_to_a_false_alarm", length},
            {"means_out", r.means_out},
            {"spreads_out", r.spreads_out},
            {"cusum_out", r.cusum_out},
            {"resolvable", r.resolvable()},
            {"in_control", r.in_control()}}};
  Table table({{"subgroup"},
               {"n", Table::Align::right},
               {"mean", Table::Align::right},
               {"from", Table::Align::right},
               {"to", Table::Align::right},
               {"s", Table::Align::right},
               {"up to", Table::Align::right},
               {"C+", Table::Align::right},
               {"C-", Table::Align::right}});
  for (std::size_t i = 0; i < r.names.size(); ++i) {
    const ControlLimits &means = r.chart.of_means[i], &spreads = r.chart.of_spreads[i];
    const CusumPoint sum = r.resolvable() ? r.cusum[i] : CusumPoint{};
    const auto number = [](double value) { return Cell{fmt::format("{:.6f}", value)}; };
    table.add({{r.names[i]},
               {fmt::format("{}", r.sizes[i])},
               number(r.chart.means[i]),
               number(means.lower),
               number(means.upper),
               number(r.chart.spreads[i]),
               number(spreads.upper),
               number(sum.above),
               number(sum.below)});
    out.json["subgroups"].push_back({{"name", r.names[i]},
                                     {"n", r.sizes[i]},
                                     {"mean", r.chart.means[i]},
                                     {"mean_lower", means.lower},
                                     {"mean_upper", means.upper},
                                     {"s", r.chart.spreads[i]},
                                     {"s_lower", spreads.lower},
                                     {"s_upper", spreads.upper},
                                     {"cusum_above", sum.above},
                                     {"cusum_below", sum.below}});
  }
  out.text += table.text(false);
  out.text += fmt::format(
      "means beyond 3 sigma: {}; s beyond its limits: {}; CUSUM (k {:g}, h {:g}, a false alarm each {:.0f} "
      "subgroups): {}\n{}\n",
      listed(r.means_out), listed(r.spreads_out), s.k, s.h, length, listed(r.cusum_out),
      !r.resolvable()  ? "readings are equal within their subgroups: not resolvable"
      : r.in_control() ? "in control"
                       : "not in control");
  if (r.names.size() < wanted_groups)
    out.text += fmt::format("! {} subgroups: {} are wanted\n", r.names.size(), wanted_groups);
  return out;
}

}  // namespace datum::quality
