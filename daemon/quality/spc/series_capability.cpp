#include "daemon/quality/spc/series_capability.h"

#include "daemon/quality/spc/charts.h"
#include "daemon/quality/spc/spc_parts.h"

namespace datum::quality {

SeriesCapability newest_capability(const SeriesBook& book, const SeriesKey& key, const SpcSettings& s) {
  SeriesCapability out;
  out.segment = shown_segments(book, key, false).back();
  const Series& series = book.series().at(key);
  std::vector<Point> points;
  std::vector<std::int64_t> counts;
  for (const SeriesPoint& p : series.points) {
    if (p.segment != out.segment) continue;
    out.points.push_back(p);
    points.push_back(p.point);
    if (p.point) counts.push_back(*p.point);
  }
  const SegmentSums& sums = series.segments.at(out.segment);
  const IndividualsChart chart = individuals_chart(points, series_digits);
  out.mean_range = chart.mean_range;
  out.capability =
      capability_of(std::move(counts), series_digits, specification_of(sums), chart.sigma,
                    moving_range_df(chart.ranges_n), distribution_of(s, key.characteristic), s.confidence);
  refuse_for_invalid(out.capability, sums, s);
  return out;
}

}  // namespace datum::quality
