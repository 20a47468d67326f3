#include "daemon/ctl/qif_study.h"

#include <fmt/format.h>

#include <map>
#include <stdexcept>

#include "daemon/ctl/study_files.h"
#include "daemon/quality/spc/series_capability.h"

namespace datum {
namespace {

using quality::SeriesKey;

std::string index_text(const quality::Index& index) {
  return index.interval ? fmt::format("{} to {}", index.interval->first, index.interval->second) : "";
}

/// Of each series that is one characteristic of the file: its place there. A requirement that a component states twice is one series
/// of two characteristics, and has none.
std::map<SeriesKey, std::size_t> places_of(const CharacteristicTable& table) {
  std::map<SeriesKey, std::size_t> places;
  std::map<SeriesKey, int> times;
  for (std::size_t i = 0; i < table.all().size(); ++i) {
    const ExchangedCharacteristic& c = table.all()[i];
    const SeriesKey key{table.recipe(), c.reference, c.package, c.check.characteristic, c.check.parameter};
    places[key] = i;
    ++times[key];
  }
  std::erase_if(places, [&](const auto& place) { return times[place.first] > 1; });
  return places;
}

void add_values(QifStatistics& out, const quality::SeriesCapability& c, const quality::SegmentSums& sums) {
  std::uint64_t over = 0, under = 0;
  for (const quality::SeriesPoint& p : c.points) {
    if (!p.point) continue;
    const double value = quality::ratio(*p.point, 1, quality::series_digits);
    over += sums.upper && value > *sums.upper;
    under += sums.lower && value < *sums.lower;
  }
  out.counts = {{"TotalNumber", c.points.size()},
                {"EffectiveNumber", c.points.size() - out.excluded.size()},
                {"NumberOutOfTolerance", over + under},
                {"NumberOverUpperTolerance", over},
                {"NumberUnderLowerTolerance", under}};
  const quality::Capability& k = c.capability;
  if (k.n > 0) {
    const double highest = quality::ratio(*sums.highest, 1, quality::series_digits),
                 lowest = quality::ratio(*sums.lowest, 1, quality::series_digits);
    out.values = {
        {"Average", k.mean},
        {"Maximum", highest},
        {"Minimum", lowest},
        {"Range", quality::ratio(quality::Integer(*sums.highest) - *sums.lowest, 1, quality::series_digits)}};
  }
  if (k.n > 1) {
    out.values.emplace_back("AverageRange", c.mean_range);
    out.values.emplace_back("StandardDeviation", k.s);
    out.values.emplace_back("EstimatedStandardDeviation", k.sigma_within);
  }
  const std::pair<const char*, const std::optional<quality::Index>*> indices[] = {
      {"Cp", &k.cp}, {"Cpk", &k.cpk}, {"Pp", &k.pp}, {"Ppk", &k.ppk}};
  for (const auto& [name, index] : indices)
    if (*index) out.indices.emplace_back(name, (*index)->value);
  const std::pair<const char*, const std::optional<quality::Index>*> intervals[] = {
      {"Cp, interval", &k.cp}, {"Cpk, interval", &k.cpk}, {"Pp, interval", &k.pp}, {"Ppk, interval", &k.ppk}};
  for (const auto& [name, index] : intervals)
    if (*index) out.attributes.emplace_back(name, index_text(**index));
}

QifStatistics statistics_of(const quality::SeriesBook& book, const SeriesKey& key, std::size_t place,
                            const std::map<std::uint64_t, std::uint64_t>& numbers,
                            const quality::SpcSettings& settings) {
  const quality::SeriesCapability c = newest_capability(book, key, settings);
  const quality::Segment& segment = book.segments()[c.segment];
  QifStatistics out;
  out.characteristic = place;
  for (const quality::SeriesPoint& p : c.points) {
    out.results.push_back(numbers.at(p.sequence));
    if (!p.point) out.excluded.push_back(out.results.back());
  }
  std::string notes;
  for (const std::string& note : c.capability.notes) notes += (notes.empty() ? "" : "; ") + note;
  out.attributes = {{"distribution", name_of(c.capability.distribution)},
                    {"first", std::to_string(segment.first)},
                    {"last", std::to_string(segment.last)},
                    {"calibration_sha256", segment.calibration_sha256},
                    {"code", segment.code},
                    {"notes", notes}};
  add_values(out, c, book.series().at(key).segments.at(c.segment));
  return out;
}

}  // namespace

void write_qif_study(QifFile& file, const EachResult& each, const std::filesystem::path& store,
                     const std::string& store_id, const std::function<void(const std::string&)>& write) {
  quality::SeriesFilter filter;
  filter.keep_points = true;
  filter.excluded = results_of_studies(studies_folder(store, ""), store_id);
  quality::SeriesBook book(filter);
  std::map<std::uint64_t, std::uint64_t> numbers;  // by sequence
  each([&](const BoardVerdict& verdict) {
    numbers.emplace(verdict.sequence, numbers.size());
    try {
      book.add(verdict);
    } catch (const std::invalid_argument&) {  // a value that is no number: its measurement has none either
      book.add_unreadable();
    }
  });
  const auto places = places_of(file.characteristics());
  std::map<std::size_t, SeriesKey>
      chosen;  // by place, so that the file's order is that of its characteristics
  for (const auto& [key, series] : book.series())
    if (const auto place = places.find(key); place != places.end()) chosen.emplace(place->second, key);
  const quality::SpcSettings settings;
  QifStudy study;
  study.name = file.characteristics().recipe();
  study.description =
      "Capability and performance (ISO 22514-2) of each characteristic since the newest change of "
      "calibration or "
      "code. EstimatedStandardDeviation: mean moving range of two successive values over d2; Cp and Cpk are "
      "by it. "
      "AverageRange: that mean moving range. NumberOutOfTolerance: values beyond a limit, whatever their "
      "decision.";
  study.attributes = {
      {"confidence", fmt::format("{:g}", settings.confidence)},
      {"largest_invalid_share", fmt::format("{:g}", settings.largest_invalid_share)},
      {"left_out_repeats", std::to_string(book.repeats())},
      {"left_out_of_studies", std::to_string(book.excluded())},
      {"left_out_unreadable", std::to_string(book.unreadable())},
      {"left_out_stated_twice", std::to_string(file.characteristics().all().size() - chosen.size())}};
  study.samples = book.results();
  study.characteristics = chosen.size();
  write(file.begin_study(study));
  for (const auto& [place, key] : chosen)
    write(file.statistics(statistics_of(book, key, place, numbers, settings)));
}

}  // namespace datum
