#include "daemon/view/component_chart.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/utc_time.h"
#include "daemon/report/board_page.h"
#include "daemon/report/chart.h"
#include "daemon/report/page_text.h"

namespace datum {
namespace {

constexpr double left_px = 70, right_px = 890, top_px = 10, bottom_px = 250;
constexpr int ticks_wanted = 6;
constexpr std::size_t days_told = 8;  // labels of the time axis

const Check* newest_check(const ComponentHistory& h) {
  return h.newest.empty() ? nullptr : &h.newest.front().check.check;
}

/// Over all days and the limits; none: nothing was measured.
std::optional<Axis> value_axis(const ComponentHistory& h) {
  std::optional<double> least, most;
  const auto reach = [&](double value) {
    least = std::min(least.value_or(value), value);
    most = std::max(most.value_or(value), value);
  };
  for (const SeriesDay& d : h.days)
    if (d.n > 0) {
      reach(d.least);
      reach(d.most);
    }
  if (!least) return std::nullopt;
  if (const Check* check = newest_check(h))
    for (const auto& limit : {check->lower, check->upper})
      if (limit) reach(*limit);
  return axis_over(*least, *most, bottom_px, top_px);
}

/// Days since 1970; a day that is none counts as the first.
double day_number(const std::string& day) {
  constexpr std::int64_t s_per_day = 86'400;
  return static_cast<double>(utc_from_iso8601(day + "T00:00:00Z").value_or(0) / s_per_day);
}

void set_chart(PageData& data, const ComponentHistory& h, const Axis& values) {
  const double first = day_number(h.days.front().day), last = day_number(h.days.back().day);
  const Axis time{first, std::max(last, first + 1), left_px + 40, right_px - 40};
  PageData ticks = PageData::type::list, days = PageData::type::list, labels = PageData::type::list,
           limits = PageData::type::list;
  const auto rising = ticks_of(values, ticks_wanted);
  const double step = rising.size() > 1 ? rising[1] - rising[0] : 1;
  for (const double tick : rising)
    ticks.push_back(texts({{"y", coordinate(values.at(tick))}, {"text", tick_text(tick, step)}}));
  std::string line;
  bool gap = true;
  const std::size_t told = std::max<std::size_t>(1, (h.days.size() + days_told - 1) / days_told);
  for (std::size_t i = 0; i < h.days.size(); ++i) {
    const SeriesDay& d = h.days[i];
    const std::string x = coordinate(time.at(day_number(d.day)));
    if (i % told == 0) labels.push_back(texts({{"x", x}, {"text", d.day}}));
    if (d.n == 0) {
      gap = true;
      continue;
    }
    line += fmt::format("{}{} {}", gap ? "M" : "L", x, coordinate(values.at(d.mean)));
    gap = false;
    days.push_back(texts({{"x", x},
                          {"y", coordinate(values.at(d.mean))},
                          {"y_least", coordinate(values.at(d.least))},
                          {"y_most", coordinate(values.at(d.most))}}));
  }
  if (const Check* check = newest_check(h))
    for (const auto& [limit, word] :
         {std::pair{check->lower, "lower limit"}, std::pair{check->upper, "upper limit"}})
      if (limit)
        limits.push_back(
            texts({{"y", coordinate(values.at(*limit))}, {"word", word}, {"limit", all_digits(limit)}}));
  data.set("ticks", ticks);
  data.set("labels", labels);
  data.set("limits", limits);
  data.set("marks", days);
  data.set("mean_line", line);
}

PageData days_data(const std::vector<SeriesDay>& all) {
  PageData rows = PageData::type::list;
  for (auto d = all.rbegin(); d != all.rend(); ++d) {
    const auto known = [&](double x) { return d->n > 0 ? std::optional(x) : std::nullopt; };
    rows.push_back(texts({{"day", d->day},
                          {"n", std::to_string(d->n)},
                          {"mean", all_digits(known(d->mean))},
                          {"mean_shown", rounded_by(known(d->mean), 0)},
                          {"least", all_digits(known(d->least))},
                          {"least_shown", rounded_by(known(d->least), 0)},
                          {"most", all_digits(known(d->most))},
                          {"most_shown", rounded_by(known(d->most), 0)},
                          {"pass", std::to_string(d->decisions[0])},
                          {"inconclusive", std::to_string(d->decisions[1])},
                          {"fail", std::to_string(d->decisions[2])},
                          {"invalid", std::to_string(d->decisions[3])}}));
  }
  return rows;
}

PageData values_data(const std::vector<SeriesValue>& newest) {
  PageData rows = PageData::type::list;
  for (const SeriesValue& v : newest) {
    const bool valid = v.check.decision != Decision::invalid;
    const auto known = [&](double x) { return valid ? std::optional(x) : std::nullopt; };
    PageData row = texts({{"sequence", std::to_string(v.sequence)},
                          {"measured_at", v.measured_at},
                          {"unit", v.unit_id},
                          {"value", all_digits(known(v.check.value))},
                          {"value_shown", rounded_by(known(v.check.value), 2 * v.check.u)},
                          {"u", all_digits(known(v.check.u))},
                          {"U_shown", rounded_by(known(2 * v.check.u), 2 * v.check.u)},
                          {"lower", all_digits(v.check.check.lower)},
                          {"upper", all_digits(v.check.check.upper)},
                          {"reason", v.check.reason == Reason::none
                                         ? v.check.detail
                                         : fmt::format("{} {}", name_of(v.check.reason), v.check.detail)}});
    set_decision(row, v.check.decision);
    rows.push_back(row);
  }
  return rows;
}

}  // namespace

void set_history(PageData& data, const ComponentHistory& h) {
  const auto axis = value_axis(h);
  const Check* check = newest_check(h);
  data.set("has_chart", axis.has_value());
  data.set("unit_of_values", check ? unit_of(check->characteristic) : "");
  if (axis) set_chart(data, h, *axis);
  data.set("days", days_data(h.days));
  data.set("newest", values_data(h.newest));
  data.set("any", !h.days.empty() || !h.newest.empty());
}

}  // namespace datum
