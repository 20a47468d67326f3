#include "gpu/component_height/component_height.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "gpu/component_height/component_height_kernels.h"
#include "gpu/core/parallel_for.h"
#include "gpu/core/vector_loop.h"

namespace datum {
namespace {

using height::HeightMoments;
using height::no_height;
using height::RankSelector;
using height::Window;
__extension__ typedef __int128 Wide;

constexpr double steps_per_rms = 32;

[[noreturn]] void refuse(std::size_t index, const std::string& what) {
  throw std::invalid_argument("measure_heights: component " + std::to_string(index) + ": " + what);
}

std::size_t pixels_of(const BodyPixels& body) {
  std::size_t n = 0;
  for (std::uint32_t i = 0; i < body.run_count; ++i) n += static_cast<std::size_t>(body.runs[i].length);
  return n;
}

void check(const BodyPixels& body, const HeightDemand& demand, std::size_t index) {
  if (body.run_count > 0 && (!body.runs || !body.z)) refuse(index, "null pointer with a size");
  for (double v : {body.x_of_col_0, body.x_per_col, body.y_of_row_0, body.y_per_row, body.a, body.b, body.c})
    if (!std::isfinite(v)) refuse(index, "the plane or the place is not finite");
  for (std::uint32_t i = 0; i < body.run_count; ++i)
    if (body.runs[i].length <= 0) refuse(index, "a run without pixels");
  const Window w = height::window_of(body.runs, body.run_count);
  if (w.rows > max_body_side_px || w.cols > max_body_side_px || pixels_of(body) > max_body_px)
    refuse(index, "larger than 8192 x 8192 or 2^24 pixels");
  for (double q : demand.quantiles)
    if (!(q > 0 && q <= 1)) refuse(index, "a quantile must lie in (0, 1]");
  for (std::uint32_t k : demand.top_counts)
    if (k == 0) refuse(index, "the k highest need k of at least 1");
}

OrderStatistic order_statistic(RankSelector& selector, std::uint32_t rank, std::uint32_t n) {
  OrderStatistic s;
  const double q = static_cast<double>(rank) / n;
  const double spread = std::ceil(2 * std::sqrt(static_cast<double>(n) * q * (1 - q)));
  const std::uint32_t around = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(spread));
  s.rank = rank;
  s.low_rank = rank > around ? rank - around : 1;
  s.high_rank = std::min(n, rank + around);
  const std::uint32_t ranks[] = {s.low_rank, rank, s.high_rank};
  std::int32_t found[3];
  selector.at(ranks, 3, found);
  s.low_nm = found[0];
  s.nm = found[1];
  s.high_nm = found[2];
  return s;
}

void order_statistics(const std::vector<std::int32_t>& values, const HeightDemand& demand,
                      HeightStatistics* out) {
  RankSelector selector(values);
  const auto n = static_cast<std::uint32_t>(values.size());
  out->min_nm = selector.min();
  out->max_nm = selector.max();
  out->median_low = order_statistic(selector, (n + 1) / 2, n);
  out->median_high = n % 2 ? out->median_low : order_statistic(selector, n / 2 + 1, n);
  for (double q : demand.quantiles)
    out->quantiles.push_back(order_statistic(selector, nearest_rank(q, n), n));
  for (std::uint32_t k : demand.top_counts) {
    if (k > n) {
      out->top_mean_nm.push_back(std::numeric_limits<double>::quiet_NaN());
      out->top_threshold_nm.push_back(no_height);
      continue;
    }
    const std::uint32_t rank = n - k + 1;
    std::int32_t threshold = 0;
    selector.at(&rank, 1, &threshold);
    std::int64_t sum = 0, above = 0;
    for (std::int32_t v : values) {
      if (v <= threshold) continue;
      sum += v;
      ++above;
    }
    sum += (static_cast<std::int64_t>(k) - above) * threshold;
    out->top_mean_nm.push_back(static_cast<double>(sum) / k);
    out->top_threshold_nm.push_back(threshold);
  }
}

/// Exact central moment n * sum(ab) - sum(a) sum(b) over n, rounded once.
double central(std::int64_t n, Wide ab, std::int64_t a, std::int64_t b) {
  return static_cast<double>(Wide(n) * ab - Wide(a) * b) / static_cast<double>(n);
}

TopPlane top_plane(const HeightMoments& m, double row0, double col0, double* variance) {
  TopPlane t;
  const double n = static_cast<double>(m.n);
  const Wide hh = (Wide(m.hh.high) << 32) + m.hh.low;
  const double shh = central(m.n, hh, m.h, m.h);
  *variance = m.n > 1 ? shh / (n - 1) : 0;
  t.mean_col = col0 + static_cast<double>(m.c) / n;
  t.mean_row = row0 + static_cast<double>(m.r) / n;
  t.scc = central(m.n, m.cc, m.c, m.c);
  t.scr = central(m.n, m.cr, m.c, m.r);
  t.srr = central(m.n, m.rr, m.r, m.r);
  const double sch = central(m.n, m.ch, m.c, m.h), srh = central(m.n, m.rh, m.r, m.h);
  const double det = t.scc * t.srr - t.scr * t.scr;
  // Places on one line have det = 0; one pixel off the line of n gives about scc.
  t.defined = m.n > 3 && det > 1e-6 * t.scc * t.srr;
  if (!t.defined) return t;
  t.slope_col_nm = (sch * t.srr - srh * t.scr) / det;
  t.slope_row_nm = (srh * t.scc - sch * t.scr) / det;
  const double left = shh - t.slope_col_nm * sch - t.slope_row_nm * srh;
  t.residual_rms_nm = std::sqrt(std::max(0.0, left) / (n - 3));
  return t;
}

Correlation top_correlation(const BodyPixels& body, const std::vector<std::int32_t>& nm,
                            const HeightStatistics& s, Isa isa) {
  if (!s.top.defined || s.top.residual_rms_nm <= 0) return {};
  const double steps_per_nm = steps_per_rms / s.top.residual_rms_nm;
  const double mean = static_cast<double>(s.sum_nm) / s.valid;
  std::vector<std::int16_t> residuals(nm.size());
  vector_loop(isa, [&]() DATUM_VECTOR_LOOP {
    const std::int32_t* h = nm.data();
    std::int16_t* out = residuals.data();
    const double slope = s.top.slope_col_nm;
    for (std::uint32_t i = 0; i < body.run_count; ++i) {
      const PixelRun run = body.runs[i];
      const double start =
          mean + s.top.slope_row_nm * (run.row - s.top.mean_row) + slope * (run.col - s.top.mean_col);
      for (std::int32_t k = 0; k < run.length; ++k) {
        const double residual = h[k] == no_height ? 0.0 : h[k] - (start + slope * k);
        out[k] = height::residual_step(residual, steps_per_nm);
      }
      h += run.length;
      out += run.length;
    }
  });
  return residual_correlation(body.runs, body.run_count, residuals.data(), s.valid, 3, isa);
}

HeightStatistics measure(const BodyPixels& body, const HeightDemand& demand, Isa isa) {
  HeightStatistics s;
  std::vector<std::int32_t> nm(pixels_of(body));
  height::quantise_heights(body, isa, nm.data());
  std::vector<std::int32_t> valid(nm.size());
  // v > threshold for whole v
  const auto present_nm = static_cast<std::int32_t>(
      std::clamp(std::floor(1000 * demand.present_above_um), -1.0 - max_height_nm, 0.0 + max_height_nm));
  std::size_t n = 0;
  std::int64_t sum = 0;
  std::uint32_t present = 0;
  for (const std::int32_t v : nm) {
    const bool measured = v != no_height;
    valid[n] = v;  // overwritten by the next height where there is none
    n += measured;
    sum += measured ? v : 0;
    present += measured && v > present_nm;
  }
  valid.resize(n);
  s.valid = static_cast<std::uint32_t>(n);
  s.sum_nm = sum;
  s.present = present;
  if (valid.empty()) return s;
  order_statistics(valid, demand, &s);
  const Window w = height::window_of(body.runs, body.run_count);
  if (demand.opened_maximum) s.opened_max_nm = height::opened_maximum(body, nm.data(), w, &s.patches);
  const std::int32_t row0 = w.row + w.rows / 2, col0 = w.col + w.cols / 2;
  const auto mean = static_cast<std::int32_t>(s.sum_nm / s.valid);
  s.top = top_plane(height::moments(body, nm.data(), mean, row0, col0, isa), row0, col0, &s.variance_nm2);
  s.correlation = top_correlation(body, nm, s, isa);
  const double step_nm = s.top.residual_rms_nm / steps_per_rms;
  s.correlated_nm2 = (s.correlation.sum - 1) * s.correlation.mean_square * step_nm * step_nm;
  return s;
}

}  // namespace

std::uint32_t nearest_rank(double q, std::uint32_t n) {
  const double product = q * n;
  const double rank = std::ceil(product - 4 * std::numeric_limits<double>::epsilon() * product);
  return std::clamp<std::uint32_t>(static_cast<std::uint32_t>(rank), 1, n);
}

void measure_heights(const BodyPixels* bodies, const HeightDemand* demands, std::size_t count,
                     const Backend& backend, HeightStatistics* statistics) {
  if (count > 0 && (!bodies || !demands || !statistics))
    throw std::invalid_argument("measure_heights: null pointer with a size");
  for (std::size_t i = 0; i < count; ++i) check(bodies[i], demands[i], i);
  parallel_for(backend.threads, count,
               [&](std::size_t i, unsigned) { statistics[i] = measure(bodies[i], demands[i], backend.isa); });
}

}  // namespace datum
