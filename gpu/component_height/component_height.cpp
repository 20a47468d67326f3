#include "gpu/component_height/component_height.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>

#include "gpu/component_height/component_height_kernels.h"
#include "gpu/core/parallel_for.h"
#include "gpu/core/vector_loop.h"

namespace datum {
namespace {

using height::no_height;
using height::pixels_of;
using height::Ranks;
using height::RankSelector;
using height::Window;

[[noreturn]] void refuse(std::size_t index, const std::string& what) {
  throw std::invalid_argument("measure_heights: component " + std::to_string(index) + ": " + what);
}

void check(const BodyPixels& body, const HeightDemand& demand, std::size_t index) {
  if (body.run_count > 0 && (!body.runs || !body.z)) refuse(index, "null pointer with a size");
  for (double v :
       {static_cast<double>(body.x.per_index), static_cast<double>(body.x.rest),
        static_cast<double>(body.y.per_index), static_cast<double>(body.y.rest), body.a, body.b, body.c})
    if (!std::isfinite(v)) refuse(index, "the plane or the place is not finite");
  for (std::uint32_t i = 0; i < body.run_count; ++i)
    if (body.runs[i].length <= 0) refuse(index, "a run without pixels");
  const Window w = height::window_of(body.runs, body.run_count);
  if (w.rows > max_body_side_px || w.cols > max_body_side_px || pixels_of(body) > max_body_px)
    refuse(index, "larger than 8192 x 8192 or 2^24 pixels");
  if (demand.quantiles.size() > max_quantiles || demand.top_counts.size() > max_top_counts)
    refuse(index, std::to_string(demand.quantiles.size()) + " quantiles and " +
                      std::to_string(demand.top_counts.size()) +
                      " top counts are asked for; at most 8 of each are measured");
  for (double q : demand.quantiles)
    if (!(q > 0 && q <= 1)) refuse(index, "a quantile must lie in (0, 1]");
  for (std::uint32_t k : demand.top_counts)
    if (k == 0) refuse(index, "the k highest need k of at least 1");
}

/// Both medians in one pass: their neighbours lie side by side.
void set_medians(RankSelector& selector, std::uint32_t n, BodyRecord* out) {
  const Ranks low = height::ranks_of((n + 1) / 2, n), high = height::ranks_of(n / 2 + 1, n);
  const std::uint32_t of_low[] = {low.low, low.rank, low.high}, of_high[] = {high.low, high.rank, high.high};
  std::uint32_t ranks[6];
  std::merge(of_low, of_low + 3, of_high, of_high + 3, ranks);
  std::int32_t found[6];
  selector.at(ranks, 6, found);
  const auto at = [&](std::uint32_t rank) { return found[std::find(ranks, ranks + 6, rank) - ranks]; };
  out->median_low = {at(low.low), at(low.rank), at(low.high)};
  out->median_high = {at(high.low), at(high.rank), at(high.high)};
}

RankedHeights heights_at(RankSelector& selector, std::uint32_t rank, std::uint32_t n) {
  const Ranks r = height::ranks_of(rank, n);
  const std::uint32_t ranks[] = {r.low, r.rank, r.high};
  std::int32_t found[3];
  selector.at(ranks, 3, found);
  return {found[0], found[1], found[2]};
}

TopHeights top_heights(RankSelector& selector, const std::int32_t* nm, std::size_t count, std::uint32_t n,
                       std::uint32_t k) {
  TopHeights top;
  top.threshold_nm = no_height;
  if (k > n) return top;
  const std::uint32_t rank = n - k + 1;
  selector.at(&rank, 1, &top.threshold_nm);
  for (std::size_t i = 0; i < count; ++i) {
    if (nm[i] <= top.threshold_nm) continue;
    top.sum_above_nm += nm[i];
    ++top.above;
  }
  return top;
}

void order_statistics(const std::int32_t* nm, std::size_t count, const HeightDemand& demand, Isa isa,
                      height::HeightChoice* choice, BodyRecord* out) {
  const std::uint32_t n = out->valid;
  RankSelector selector(nm, count, n, isa, choice);
  set_medians(selector, n, out);
  for (std::size_t i = 0; i < demand.quantiles.size(); ++i)
    out->quantiles[i] = heights_at(selector, nearest_rank(demand.quantiles[i], n), n);
  for (std::size_t i = 0; i < demand.top_counts.size(); ++i)
    out->top[i] = top_heights(selector, nm, count, n, demand.top_counts[i]);
}

/// Number, sum, extremes and presence of the heights. Two loops of one width each are what compilers turn into vectors.
void survey(const std::int32_t* nm, std::size_t count, std::int32_t present_nm, Isa isa, BodyRecord* out) {
  vector_loop(isa, [&]() DATUM_VECTOR_LOOP {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += nm[i] != no_height ? nm[i] : 0;
    std::int32_t valid = 0, present = 0, low = INT32_MAX, high = no_height;
    for (std::size_t i = 0; i < count; ++i) {
      const std::int32_t h = nm[i];
      const auto less = static_cast<std::int32_t>(static_cast<std::uint32_t>(h) - 1);  // no_height: INT32_MAX
      valid += h != no_height;
      present += h > present_nm;  // no_height is below all
      low = less < low ? less : low;
      high = h > high ? h : high;
    }
    out->sum_nm = sum;
    out->valid = static_cast<std::uint32_t>(valid);
    out->present = static_cast<std::uint32_t>(present);
    out->min_nm = static_cast<std::int32_t>(static_cast<std::uint32_t>(low) + 1);
    out->max_nm = high;
  });
}

constexpr std::int32_t piece_px = 32;

/// Steps of a piece of which `in_run` pixels are of the run; 0 behind them. Compilers turn loops of one bound and of one width
/// each into vectors of half the instructions.
DATUM_HD void piece_steps(const height::TopPass& p, double row, std::int32_t col,
                          const std::int32_t* __restrict nm, std::int32_t in_run,
                          std::int16_t* __restrict out) {
  double steps[piece_px];
  for (std::int32_t k = 0; k < piece_px; ++k) {
    const double s = height::unbounded_step(p, row, col + k, nm[k]);
    steps[k] = s > height::most_steps ? height::most_steps : s;
  }
  for (std::int32_t k = 0; k < piece_px; ++k) {
    const double s = steps[k];
    steps[k] = (s < -height::most_steps ? -height::most_steps : s) + height::round_magic;
  }
  std::int64_t bits[piece_px];  // the step is in the low word
  std::memcpy(bits, steps, sizeof bits);
  for (std::int32_t k = 0; k < piece_px; ++k) {
    const std::int32_t has = (nm[k] != no_height ? -1 : 0) & (k < in_run ? -1 : 0);
    out[k] = static_cast<std::int16_t>(static_cast<std::int32_t>(bits[k]) & has);
  }
}

BoxProducts top_products(const BodyPixels& body, const BodyRecord& record, Isa isa, BodyScratch* scratch) {
  double variance = 0;
  const height::TopPass pass =
      height::top_pass(height::top_plane(record, &variance),
                       static_cast<double>(record.sum_nm) / record.valid, record.row0, record.col0);
  if (pass.per_nm == 0) return {};
  ResidualImage& image = scratch->residuals;
  const std::size_t count = pixels_of(body);
  image.clear(body.runs, body.run_count);
  vector_loop(isa, [&]() DATUM_VECTOR_LOOP {
    const std::int32_t* h = scratch->nm.get();
    const std::int32_t* const end = h + count;
    const height::TopPass p = pass;
    for (std::uint32_t i = 0; i < body.run_count; ++i) {
      const PixelRun run = body.runs[i];
      std::int16_t* out = image.of(run);
      const double row = height::top_at_row(p, run.row);
      std::int32_t done = 0;
      for (; done < run.length && end - h - done >= piece_px; done += piece_px)
        piece_steps(p, row, run.col + done, h + done, run.length - done, out + done);
      for (; done < run.length; ++done) out[done] = height::residual_step(p, row, run.col + done, h[done]);
      h += run.length;
    }
  });
  return box_products(image, record.valid, 3, isa);
}

OrderStatistic statistic_of(const RankedHeights& heights, std::uint32_t rank, std::uint32_t n) {
  const Ranks r = height::ranks_of(rank, n);
  return {r.rank, r.low, r.high, heights.nm, heights.low_nm, heights.high_nm};
}

}  // namespace

HeightDemand demand_of(const SitePlan& site) {
  HeightDemand d;
  d.quantiles.assign(site.quantiles, site.quantiles + site.quantile_count);
  d.top_counts.assign(site.top_counts, site.top_counts + site.top_count_count);
  d.present_above_um = site.present_above_um;
  d.opened_maximum = site.opened_maximum;
  return d;
}

BodyRecord measure_body(const BodyPixels& body, const HeightDemand& demand, Isa isa, BodyScratch* scratch) {
  BodyRecord s;
  const std::size_t count = pixels_of(body);
  const std::int32_t* nm = scratch->nm.of(count);
  height::quantise_heights(body, isa, scratch->nm.get());
  survey(nm, count, height::present_threshold_nm(demand.present_above_um), isa, &s);
  if (s.valid == 0) return BodyRecord{};
  order_statistics(nm, count, demand, isa, &scratch->choice, &s);
  const Window w = height::window_of(body.runs, body.run_count);
  if (demand.opened_maximum) s.opened_max_nm = height::opened_maximum(body, nm, w, &s.patches);
  s.row0 = w.row + w.rows / 2;
  s.col0 = w.col + w.cols / 2;
  s.moments = height::moments(body, nm, s.row0, s.col0, isa);
  s.residuals = top_products(body, s, isa, scratch);
  return s;
}

BodyRecord measure_body(const BodyPixels& body, const HeightDemand& demand, Isa isa) {
  BodyScratch scratch;
  return measure_body(body, demand, isa, &scratch);
}

HeightStatistics derive(const BodyRecord& r, const HeightDemand& demand) {
  HeightStatistics s;
  s.valid = r.valid;
  s.sum_nm = r.sum_nm;
  s.present = r.present;
  const std::uint32_t n = r.valid;
  if (n == 0) return s;
  s.min_nm = r.min_nm;
  s.max_nm = r.max_nm;
  s.patches = r.patches;
  s.opened_max_nm = r.opened_max_nm;
  s.median_low = statistic_of(r.median_low, (n + 1) / 2, n);
  s.median_high = statistic_of(r.median_high, n / 2 + 1, n);
  for (std::size_t i = 0; i < demand.quantiles.size(); ++i)
    s.quantiles.push_back(statistic_of(r.quantiles[i], nearest_rank(demand.quantiles[i], n), n));
  for (std::size_t i = 0; i < demand.top_counts.size(); ++i) {
    const TopHeights& top = r.top[i];
    const std::uint32_t k = demand.top_counts[i];
    const std::int64_t sum =
        top.sum_above_nm + (static_cast<std::int64_t>(k) - top.above) * std::int64_t{top.threshold_nm};
    s.top_mean_nm.push_back(k > n ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(sum) / k);
    s.top_threshold_nm.push_back(top.threshold_nm);
  }
  s.top = height::top_plane(r, &s.variance_nm2);
  s.correlation = correlation_of(r.residuals, n, 3);
  const double step_nm = s.top.residual_rms_nm / height::steps_per_rms;
  s.correlated_nm2 = (s.correlation.sum - 1) * s.correlation.mean_square * step_nm * step_nm;
  return s;
}

std::uint32_t nearest_rank(double q, std::uint32_t n) { return height::quantile_rank(q, n); }

void measure_heights(const BodyPixels* bodies, const HeightDemand* demands, std::size_t count,
                     const Backend& backend, HeightStatistics* statistics) {
  if (count > 0 && (!bodies || !demands || !statistics))
    throw std::invalid_argument("measure_heights: null pointer with a size");
  for (std::size_t i = 0; i < count; ++i) check(bodies[i], demands[i], i);
  std::vector<BodyScratch> scratch(std::max(1u, backend.threads));
  parallel_for(backend.threads, count, [&](std::size_t i, unsigned slot) {
    statistics[i] = derive(measure_body(bodies[i], demands[i], backend.isa, &scratch[slot]), demands[i]);
  });
}

}  // namespace datum
