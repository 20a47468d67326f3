#include "daemon/report/spc_page.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <set>

#include "daemon/report/plot.h"

namespace datum {
namespace {

using Json = nlohmann::ordered_json;

struct Value {
  std::uint64_t sequence = 0;
  std::optional<double> value;
};

std::optional<double> number_of(const Json& json) {
  return json.is_number() ? std::optional(json.get<double>()) : std::nullopt;
}

std::string short_hash(const std::string& hash) { return hash.empty() ? "none" : hash.substr(0, 12); }

std::vector<Value> values_of(const Json& points) {
  std::vector<Value> values;
  for (const Json& p : points) values.push_back({p.at(0).get<std::uint64_t>(), number_of(p.at(1))});
  return values;
}

void label_places(Plot& plot, const std::vector<Value>& values) {
  constexpr std::size_t wanted = 8;
  const std::size_t step = std::max<std::size_t>(1, (values.size() + wanted - 1) / wanted);
  for (std::size_t i = 0; i < values.size(); i += step)
    plot.label(static_cast<double>(i), std::to_string(values[i].sequence));
}

/// `ended`: places at which a rule is completed.
std::string control_chart(const std::string& title, const std::vector<Value>& values, const Json& limits,
                          const std::set<std::uint64_t>& ended) {
  const double centre = limits.at("centre"), lower = limits.at("lower"), upper = limits.at("upper");
  Reach reach;
  for (const double v : {centre, lower, upper}) reach.take(v);
  for (const Value& v : values)
    if (v.value) reach.take(*v.value);
  Plot plot(title,
            "Points: values in the order of their results; a gap is INVALID. Diamonds: beyond a control "
            "limit, or a rule is hit. Dashed: "
            "control limits. The tables below have the numbers.",
            reach.axis(), values.size());
  label_places(plot, values);
  plot.centre(centre, "mean");
  plot.limit(lower, "lower control limit");
  plot.limit(upper, "upper control limit");
  std::vector<std::optional<double>> line;
  for (const Value& v : values) line.push_back(v.value);
  plot.line(line);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (const auto& v = values[i].value)
      plot.dot(static_cast<double>(i), *v, *v < lower || *v > upper || ended.count(values[i].sequence) > 0);
  return plot.html();
}

/// Of successive values; none across a gap.
std::vector<Value> moving_ranges(const std::vector<Value>& values) {
  std::vector<Value> ranges;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool both = i > 0 && values[i].value && values[i - 1].value;
    ranges.push_back(
        {values[i].sequence,
         both ? std::optional(std::abs(*values[i].value - *values[i - 1].value)) : std::nullopt});
  }
  return ranges;
}

std::string histogram(const std::string& id, const std::vector<Value>& values,
                      const std::optional<double>& lower, const std::optional<double>& upper) {
  std::vector<double> sorted;
  for (const Value& v : values)
    if (v.value) sorted.push_back(*v.value);
  if (sorted.size() < 2) return "";
  std::sort(sorted.begin(), sorted.end());
  constexpr std::size_t least_classes = 5, most_classes = 25;
  const auto classes =
      std::clamp(static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(sorted.size())))),
                 least_classes, most_classes);
  const double spread = sorted.back() - sorted.front();
  const double width = spread > 0 ? spread / static_cast<double>(classes) : 1;
  std::vector<std::size_t> counts(classes);
  for (const double v : sorted)
    ++counts[std::min(classes - 1, static_cast<std::size_t>(std::max(0.0, (v - sorted.front()) / width)))];
  Reach reach;
  reach.take(0);
  for (const std::size_t n : counts) reach.take(static_cast<double>(n));
  Plot plot("Histogram",
            "Bars: number of values of each class. Dashed: specification limits within the drawing. The "
            "table has the numbers.",
            reach.axis(), classes);
  NumberTable table(id + "_histogram", "Classes of the histogram.", {"from", "to", "values"});
  for (std::size_t i = 0; i < classes; ++i) {
    const double from = sorted.front() + width * static_cast<double>(i), place = static_cast<double>(i);
    plot.bar(place - 0.48, place + 0.48, static_cast<double>(counts[i]));
    if (i % 4 == 0) plot.label(place - 0.5, fmt::format("{:.5g}", from));
    table.row(fmt::format("{:.7g}", from)).number(from + width).number(static_cast<double>(counts[i]));
  }
  for (const auto& [limit, word] : {std::pair{lower, "lower limit"}, std::pair{upper, "upper limit"}})
    if (limit) plot.post((*limit - sorted.front()) / width - 0.5, word);
  return heading(3, "Histogram") + plot.html() + table.html();
}

std::string capability_table(const std::string& id, const Json& segment) {
  const Json& c = segment.at("capability");
  NumberTable table(
      id + "_capability",
      fmt::format("Capability, distribution {}. Intervals at the confidence of the report; INVALID {} "
                  "({:.1f} of 1,000), "
                  "INCONCLUSIVE {}.",
                  c.at("distribution").get<std::string>(), segment.at("invalid").dump(),
                  segment.at("invalid_per_1000").get<double>(), segment.at("inconclusive").dump()),
      {"index", "value", "from", "to"});
  for (const auto& [key, name] : {std::pair{"n", "n"}, std::pair{"mean", "mean"}, std::pair{"s", "s"},
                                  std::pair{"sigma_within", "sigma within"}})
    table.row(name).number(number_of(c.at(key))).number(std::nullopt).number(std::nullopt);
  for (const auto& [key, name] : {std::pair{"cp", "Cp"}, std::pair{"cpk", "Cpk"}, std::pair{"pp", "Pp"},
                                  std::pair{"ppk", "Ppk"}, std::pair{"ppk_gb", "Ppk_gb"}}) {
    const Json& index = c.at(key);
    table.row(name).number(index.is_null() ? std::nullopt : number_of(index.at("value")));
    for (const std::size_t end : {0, 1})
      table.number(index.is_object() && index.contains("interval") ? number_of(index.at("interval").at(end))
                                                                   : std::nullopt);
  }
  for (const auto& [key, name] :
       {std::pair{"guard_band", "guard band of Ppk_gb"}, std::pair{"cpm_s", "Cpm by s"},
        std::pair{"cpm_n", "Cpm by the mean square"}, std::pair{"fit_p", "p of the distribution's fit"}})
    if (c.at(key).is_number())
      table.row(name).number(number_of(c.at(key))).number(std::nullopt).number(std::nullopt);
  std::string html = table.html();
  for (const Json& note : c.at("notes")) html += paragraph("Note: " + note.get<std::string>());
  return html;
}

std::string rules_text(const std::string& id, const Json& segment) {
  const Json& rules = segment.at("rules");
  std::string html = paragraph(
      fmt::format("Rules {}: a false alarm each {:.0f} points of a process in control.",
                  rules.at("text").get<std::string>(), rules.at("points_to_a_false_alarm").get<double>()));
  if (segment.at("hits").empty()) return html + paragraph("No rule is hit.", id + "_no_hits");
  NumberTable table(id + "_hits", "Rules that are hit.", {"rule", "meaning", "first result", "last result"});
  for (const Json& hit : segment.at("hits"))
    table.row(hit.at("rule").dump())
        .text(quality::rule_text(hit.at("rule").get<int>()))
        .text(hit.at("first").dump())
        .text(hit.at("last").dump());
  return html + table.html();
}

/// EWMA and CUSUM: where they signal.
std::string slow_charts(const std::string& id, const Json& segment) {
  std::string html;
  for (const auto& [key, name, number] :
       {std::tuple{"ewma", "EWMA", "z"}, std::tuple{"cusum", "CUSUM", "mean"}}) {
    if (!segment.contains(key)) continue;
    const Json& chart = segment.at(key);
    html += paragraph(fmt::format("{}: a false alarm each {:.0f} points; {} signals.", name,
                                  chart.at("points_to_a_false_alarm").get<double>(), chart.at("out").size()));
    if (chart.at("out").empty()) continue;
    NumberTable table(id + "_" + key, fmt::format("Signals of the {} chart.", name), {"result", number});
    for (const Json& out : chart.at("out"))
      table.row(out.at("sequence").dump()).number(number_of(out.at(number)));
    html += table.html();
  }
  return html;
}

std::string segment_section(const Json& chart, const Json& segment, const std::string& id,
                            std::size_t most_values) {
  const auto word = [&](const char* key) { return segment.at(key).get<std::string>(); };
  std::string html = heading(3, fmt::format("Segment {}: results {} to {}", segment.at("segment").dump(),
                                            segment.at("first").dump(), segment.at("last").dump()));
  html += paragraph(fmt::format(
      "{} to {} (UTC); recipe {}, calibration {}, code {}. A segment ends where one of these changes.",
      word("from"), word("to"), short_hash(word("recipe_sha256")), short_hash(word("calibration_sha256")),
      word("code")));
  std::vector<Value> values = values_of(segment.at("points"));
  const std::size_t all = values.size();
  if (all > most_values) {
    values.erase(values.begin(), values.end() - static_cast<std::ptrdiff_t>(most_values));
    html += paragraph(fmt::format(
        "Drawn and listed: the newest {} of {} values; limits and indices are of all.", most_values, all));
  }
  std::set<std::uint64_t> ended;
  for (const Json& hit : segment.at("hits")) ended.insert(hit.at("last").get<std::uint64_t>());
  const std::string unit = chart.at("unit");
  html += heading(3, "Individuals, " + unit);
  const Json& individuals = segment.at("individuals");
  html += control_chart("Individuals, " + unit, values, individuals.at("values"), ended);
  html += heading(3, "Moving ranges, " + unit);
  html += control_chart("Moving ranges, " + unit, moving_ranges(values), individuals.at("moving_ranges"), {});
  NumberTable limits(id + "_limits", "Control limits.", {"chart", "centre", "lower", "upper"});
  for (const auto& [key, name] :
       {std::pair{"values", "individuals"}, std::pair{"moving_ranges", "moving ranges"}})
    limits.row(name)
        .number(number_of(individuals.at(key).at("centre")))
        .number(number_of(individuals.at(key).at("lower")))
        .number(number_of(individuals.at(key).at("upper")));
  html += limits.html() + rules_text(id, segment) + slow_charts(id, segment);
  html += capability_table(id, segment);
  html += histogram(id, values, number_of(segment.at("lower")), number_of(segment.at("upper")));
  NumberTable table(id + "_values",
                    "Values in their order, rounded to 0.000001 of their unit as limits and indices take "
                    "them. - is INVALID.",
                    {"result", "value"});
  for (const Value& v : values) table.row(std::to_string(v.sequence)).number(v.value, 9);
  return html + heading(3, "Values, " + unit) + table.html();
}

}  // namespace

std::string spc_section(const quality::SpcReport& chart, const std::string& id, std::size_t most_values) {
  const Json& json = chart.json;
  std::string html = heading(
      2, fmt::format("{} {}, {}", json.at("reference").get<std::string>(),
                     json.at("characteristic").get<std::string>(), json.at("unit").get<std::string>()));
  std::size_t n = 0;
  for (const Json& segment : json.at("segments"))
    html += segment_section(json, segment, fmt::format("{}_{}", id, ++n), most_values);
  return html;
}

std::string spc_overview(const quality::SpcReport& summary) {
  const Json& json = summary.json;
  NumberTable table(
      "series",
      fmt::format("Series of {} results; left out: {} repeats of a unit, {} of studies.",
                  json.at("results").dump(), json.at("repeats").dump(), json.at("of_studies").dump()),
      {"component", "package", "what", "unit", "segment", "n", "INVALID", "mean", "s", "sigma within", "Cp",
       "Cpk", "Pp", "Ppk", "Ppk_gb"});
  for (const Json& s : json.at("series")) {
    const Json& c = s.at("capability");
    table.row(s.at("reference"))
        .text(s.at("package"))
        .text(s.at("characteristic"))
        .text(s.at("unit"))
        .text(s.at("segment").dump());
    table.number(number_of(c.at("n"))).number(number_of(s.at("invalid")));
    for (const char* key : {"mean", "s", "sigma_within"}) table.number(number_of(c.at(key)));
    for (const char* key : {"cp", "cpk", "pp", "ppk", "ppk_gb"})
      table.number(c.at(key).is_null() ? std::nullopt : number_of(c.at(key).at("value")));
  }
  std::string html = heading(2, "Series") + table.html();
  if (json.contains("unreadable"))
    html +=
        paragraph(fmt::format("{} results can't be read and count nowhere.", json.at("unreadable").dump()));
  if (json.contains("removed")) {
    const Json& removed = json.at("removed");
    html += paragraph(
        fmt::format("{} of the results, up to result {} of {}, are removed by retention: their sums enter, "
                    "single values are not there any more.",
                    removed.at("results").dump(), removed.at("last").dump(),
                    removed.at("to").get<std::string>()),
        "removed");
  }
  if (json.contains("notes"))
    for (const Json& note : json.at("notes")) html += paragraph("Note: " + note.get<std::string>());
  return html;
}

}  // namespace datum
