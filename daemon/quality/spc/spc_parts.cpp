#include "daemon/quality/spc/spc_parts.h"

#include <fmt/format.h>

#include <cmath>

namespace datum::quality {

Json json_of(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}
std::string shown(const std::optional<double>& value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : "-";
}

Json json_of(const ControlLimits& l) {
  return {{"centre", l.centre}, {"lower", l.lower}, {"upper", l.upper}};
}

Json json_of(const std::optional<Index>& index) {
  if (!index) return nullptr;
  Json out{{"value", index->value}};
  if (index->interval) out["interval"] = {index->interval->first, index->interval->second};
  if (index->exact) out["noncentral_t"] = {index->exact->first, index->exact->second};
  return out;
}

std::vector<std::size_t> shown_segments(const SeriesBook& book, const SeriesKey& key, bool all) {
  std::vector<std::size_t> shown;
  for (const auto& [index, sums] : book.series().at(key).segments) shown.push_back(index);
  if (!all && shown.size() > 1) shown.erase(shown.begin(), shown.end() - 1);
  return shown;
}

std::string segment_text(const Segment& s, std::size_t index) {
  const auto short_of = [](const std::string& hash) {
    return hash.empty() ? std::string("none") : hash.substr(0, 12);
  };
  return fmt::format("segment {}: results {} to {} ({}), {} to {}; recipe {}, calibration {}, code {}\n",
                     index + 1, s.first, s.last, s.results, s.from, s.to, short_of(s.recipe_sha256),
                     short_of(s.calibration_sha256), s.code);
}

std::optional<std::string> removed_note(const Segment& s) {
  if (s.removed == 0) return std::nullopt;
  const std::string from = s.kept_first == 0 ? "no single value is left"
                                             : fmt::format("single values are kept from result {} of {} on",
                                                           s.kept_first, s.kept_from);
  return fmt::format(
      "of {} of the {} results only sums are left: {}. Points, rules, EWMA, CUSUM, subgroups, quantiles and "
      "the "
      "test of the fit hold from there; n, mean, s, moving ranges and indices by s are of all",
      s.removed, s.results, from);
}

Json sums_json(const SegmentSums& sums) {
  const auto value = [](const Point& p) { return p ? Json(ratio(*p, 1, series_digits)) : Json(nullptr); };
  Json decisions = Json::object();
  for (std::size_t i = 0; i < sums.decisions.size(); ++i)
    decisions[name_of(static_cast<Decision>(i))] = sums.decisions[i];
  return {{"minimum", value(sums.lowest)},
          {"maximum", value(sums.highest)},
          {"decisions", decisions},
          {"reasons", sums.reasons}};
}

Json segment_json(const Segment& s, std::size_t index) {
  Json json{{"segment", index + 1},
            {"first", s.first},
            {"last", s.last},
            {"results", s.results},
            {"from", s.from},
            {"to", s.to},
            {"recipe", s.recipe},
            {"recipe_sha256", s.recipe_sha256},
            {"calibration_sha256", s.calibration_sha256},
            {"code", s.code}};
  if (s.removed > 0) {
    json["removed"] = s.removed;
    json["kept_first"] = s.kept_first > 0 ? Json(s.kept_first) : Json(nullptr);
    json["kept_from"] = s.kept_first > 0 ? Json(s.kept_from) : Json(nullptr);
  }
  return json;
}

Specification specification_of(const SegmentSums& sums) { return {sums.lower, sums.upper, sums.nominal}; }

Distribution distribution_of(const SpcSettings& s, Characteristic c) {
  return s.distribution ? *s.distribution : ends_at_zero(c) ? Distribution::lognormal : Distribution::normal;
}

void refuse_for_invalid(Capability& c, const SegmentSums& sums, const SpcSettings& s) {
  if (!(sums.invalid_share() > s.largest_invalid_share)) return;
  c.cp.reset();
  c.cpk.reset();
  c.pp.reset();
  c.ppk.reset();
  c.ppk_gb.reset();
  c.cpm_s.reset();
  c.cpm_n.reset();
  c.notes.push_back(fmt::format("{} of {} values are INVALID, above {:g} %: no index", sums.invalid,
                                sums.measured(), 100 * s.largest_invalid_share));
}

Json capability_json(const Capability& c) {
  return {{"n", c.n},
          {"mean", c.mean},
          {"s", json_of(c.s)},
          {"sigma_within", c.sigma_within},
          {"distribution", name_of(c.distribution)},
          {"cp", json_of(c.cp)},
          {"cpk", json_of(c.cpk)},
          {"pp", json_of(c.pp)},
          {"ppk", json_of(c.ppk)},
          {"ppk_gb", json_of(c.ppk_gb)},
          {"guard_band", json_of(c.guard_band)},
          {"cpm_s", json_of(c.cpm_s)},
          {"cpm_n", json_of(c.cpm_n)},
          {"quantile_00135", json_of(c.low)},
          {"quantile_5", json_of(c.middle)},
          {"quantile_99865", json_of(c.high)},
          {"anderson_darling", json_of(c.anderson_darling)},
          {"fit_p", json_of(c.fit_p)},
          {"notes", c.notes}};
}

void begin_report(SpcReport& report, const SeriesBook& book) {
  report.text =
      fmt::format("{} results; left out: {} repeats of a unit, {} of studies and reference checks\n",
                  book.results(), book.repeats(), book.excluded());
  report.json = {{"results", book.results()}, {"repeats", book.repeats()}, {"of_studies", book.excluded()}};
  if (book.unreadable() > 0) {
    report.text += fmt::format("! {} results can't be read and count nowhere\n", book.unreadable());
    report.json["unreadable"] = book.unreadable();
  }
  const SeriesBefore& before = book.before();
  if (before.last > 0) {
    report.text += fmt::format(
        "! {} of the results, up to result {} of {}, are removed by retention: their sums enter, single "
        "values "
        "are not there any more\n",
        before.counts.results, before.last, before.to);
    report.json["removed"] = {{"results", before.counts.results},
                              {"repeats", before.counts.repeats},
                              {"of_studies", before.counts.excluded},
                              {"unreadable", before.counts.unreadable},
                              {"last", before.last},
                              {"to", before.to}};
  }
  for (const std::string& note : before.notes) {
    report.text += "! " + note + "\n";
    report.json["notes"].push_back(note);
  }
}

}  // namespace datum::quality
