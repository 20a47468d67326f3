#include "daemon/quality/spc/spc_report.h"

#include <fmt/format.h>

#include <set>

#include "daemon/quality/spc/spc_parts.h"
#include "daemon/text/table.h"

namespace datum::quality {

bool ends_at_zero(Characteristic c) {
  switch (c) {
    case Characteristic::tilt:
    case Characteristic::profile:
    case Characteristic::flatness:
    case Characteristic::parallelism:
    case Characteristic::bow:
    case Characteristic::twist:
    case Characteristic::peak_to_valley:
    case Characteristic::board_flatness:
    case Characteristic::coplanarity:
    case Characteristic::coplanarity_regression:
    case Characteristic::terminal_range:
      return true;
    default:
      return false;
  }
}

SpcReport spc_summary(const SeriesBook& book, const SpcSettings& s) {
  SpcReport report;
  begin_report(report, book);
  Table table({{"recipe", Table::Align::left},
               {"ref", Table::Align::left},
               {"package", Table::Align::left},
               {"what", Table::Align::left},
               {"unit", Table::Align::left},
               {"seg", Table::Align::right},
               {"n", Table::Align::right},
               {"INVALID", Table::Align::right},
               {"mean", Table::Align::right},
               {"s", Table::Align::right},
               {"sigma w", Table::Align::right},
               {"Cp", Table::Align::right},
               {"Cpk", Table::Align::right},
               {"Pp", Table::Align::right},
               {"Ppk", Table::Align::right},
               {"Ppk_gb", Table::Align::right}});
  report.json["series"] = Json::array();
  std::set<std::size_t> segments;
  for (const auto& [key, series] : book.series()) {
    for (const std::size_t index : shown_segments(book, key, s.all_segments)) {
      const SegmentSums& sums = series.segments.at(index);
      const ExactSums values = exact(sums.values);
      const IndividualsChart chart = individuals_chart(values, exact(sums.ranges), series_digits);
      Capability c = capability_of(values, series_digits, specification_of(sums), chart.sigma,
                                   moving_range_df(chart.ranges_n), s.confidence);
      add_guarded(c, specification_of(sums), s.guard_k, sums.largest_u, s.confidence);
      if (distribution_of(s, key.characteristic) != Distribution::normal) {
        for (auto* index : {&c.cp, &c.cpk, &c.pp, &c.ppk, &c.ppk_gb}) index->reset();
        c.notes = {fmt::format("{}: indices by quantiles, with --component {}",
                               name_of(distribution_of(s, key.characteristic)), key.reference)};
      }
      refuse_for_invalid(c, sums, s);
      const auto value = [](const std::optional<Index>& i) {
        return shown(i ? std::optional(i->value) : std::nullopt);
      };
      const std::string text = text_of(key);
      table.add({{key.recipe},
                 {key.reference},
                 {key.package},
                 {text.substr(key.reference.size() + 1)},
                 {unit_of(key.characteristic)},
                 {fmt::format("{}", index + 1)},
                 {fmt::format("{}", c.n)},
                 {fmt::format("{}", sums.invalid)},
                 {shown(c.n > 0 ? std::optional(c.mean) : std::nullopt)},
                 {shown(c.n > 1 ? std::optional(c.s) : std::nullopt)},
                 {shown(chart.sigma)},
                 {value(c.cp)},
                 {value(c.cpk)},
                 {value(c.pp)},
                 {value(c.ppk)},
                 {value(c.ppk_gb)}});
      Json row{{"recipe", key.recipe},
               {"reference", key.reference},
               {"package", key.package},
               {"characteristic", name_of(key.characteristic)},
               {"parameter", key.parameter},
               {"unit", unit_of(key.characteristic)},
               {"segment", index + 1},
               {"invalid", sums.invalid},
               {"inconclusive", sums.inconclusive},
               {"largest_u", sums.largest_u},
               {"capability", capability_json(c)}};
      row.update(sums_json(sums));
      report.json["series"].push_back(row);
      segments.insert(index);
    }
  }
  report.text += table.text(false);
  report.json["segments"] = Json::array();
  for (const std::size_t index : segments) {
    report.text += segment_text(book.segments()[index], index);
    report.json["segments"].push_back(segment_json(book.segments()[index], index));
  }
  return report;
}

}  // namespace datum::quality
