#include "daemon/inspection/board/body_ranks.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "gpu/board/site_pixels.h"
#include "gpu/component_height/component_height_kernels.h"
#include "gpu/component_height/component_height_math.h"
#include "gpu/core/vector_loop.h"

namespace datum {
namespace {

/// The heights in a window, and the numbers below and above it.
struct Window {
  std::vector<std::int32_t> in;
  std::int64_t below = 0, above = 0;

  bool holds(std::int64_t rank) const {
    return rank > below && rank <= below + static_cast<std::int64_t>(in.size());
  }
  /// low <= high, both inside the window.
  RankPair at(std::int64_t low, std::int64_t high) {
    const auto at_low = in.begin() + (low - below - 1), at_high = in.begin() + (high - below - 1);
    std::nth_element(in.begin(), at_low, in.end());
    if (high > low) std::nth_element(at_low + 1, at_high, in.end());
    return {*at_low, *at_high};
  }
};

Window all_of(const BodyHeights& body) {
  const BodyPixels all = pixels_of(body);
  Window w;
  w.in.resize(body.site.body_pixels);
  height::quantise_heights(all, best_isa(), w.in.data());
  w.in.erase(std::remove(w.in.begin(), w.in.end(), height::no_height), w.in.end());
  return w;
}

/// Bounds of z over the floor's row, without its slope along the row.
struct Bounds {
  float low, high;
};

/// Marks a run's pixels within bounds and counts those beyond, in pieces of fixed length, so that loops
/// vectorise without a remainder.
DATUM_HD void mark(const float* __restrict z, float per_col, float from_ref, Bounds within,
                   std::int32_t length, std::uint8_t* __restrict in, std::int32_t* lower,
                   std::int32_t* higher) {
  std::int32_t n_lower = 0, n_higher = 0;
  for (std::int32_t done = 0; done < length; done += pixel_padding) {
    for (std::int32_t i = 0; i < pixel_padding; ++i) {
      const std::int32_t k = done + i;
      const float h = z[k] - per_col * (from_ref + static_cast<float>(k));
      const std::int32_t own = k < length ? -1 : 0, low = (h < within.low ? -1 : 0) & own,
                         high = (h > within.high ? -1 : 0) & own, known = (h == h ? -1 : 0) & own;
      n_lower -= low;
      n_higher -= high;
      in[k] = static_cast<std::uint8_t>(known & ~low & ~high & 1);
    }
  }
  *lower += n_lower;
  *higher += n_higher;
}

/// Heights from `low_nm` to `high_nm`, selected in floats; their rounding widens the window.
Window window_of(const BodyHeights& body, double low_nm, double high_nm) {
  const height::FloorPass pass =
      height::floor_pass(body.site.grid.x, body.site.grid.y, body.floor.a, body.floor.b, body.floor.c);
  const std::uint32_t run_count = body.site.body_runs;
  const double per_um = 1 / pass.nm_per_um;
  const auto per_col = static_cast<float>(pass.per_col * per_um);
  std::int32_t longest = 0;
  for (std::uint32_t i = 0; i < run_count; ++i) longest = std::max(longest, body.runs[i].length);
  const std::unique_ptr<std::uint8_t[]> in(
      new std::uint8_t[static_cast<std::size_t>(longest) + pixel_padding]);
  Window w;
  std::vector<std::int32_t>& found = w.in;
  found.resize(1024);
  std::size_t n = 0;
  const float* z = body.z;
  for (std::uint32_t i = 0; i < run_count; ++i) {
    const PixelRun run = body.runs[i];
    const double row = height::floor_at_row(pass, run.row);
    const std::int32_t first = run.col - pass.col_ref;
    const double steep = std::fabs(static_cast<double>(per_col)) * (std::abs(first) + run.length);
    // five roundings of 2^-24 of all summands
    const double low_um = (low_nm + row) * per_um, high_um = (high_nm + row) * per_um;
    const double rounding = 0x1p-21 * (std::fabs(low_um) + std::fabs(high_um) + steep);
    const Bounds within{static_cast<float>(low_um - rounding), static_cast<float>(high_um + rounding)};
    std::int32_t lower = 0, higher = 0;
    vector_loop(best_isa(), [&]() DATUM_VECTOR_LOOP {
      mark(z, per_col, static_cast<float>(first), within, run.length, in.get(), &lower, &higher);
    });
    w.below += lower;
    w.above += higher;
    const std::size_t most = n + static_cast<std::size_t>(run.length);
    if (most > found.size()) found.resize(2 * most);
    for (std::int32_t k = 0; k < run.length; k += 8) {
      std::uint64_t eight = 0;
      std::memcpy(&eight, in.get() + k, sizeof eight);
      for (; eight != 0; eight &= eight - 1) {
        const std::int32_t at = k + __builtin_ctzll(eight) / 8;
        found[n++] = height::height_nm(pass, row, run.col + at, z[at]);
      }
    }
    z += run.length;
  }
  found.resize(n);
  return w;
}

}  // namespace

BodyPixels pixels_of(const BodyHeights& body) {
  BodyPixels pixels;
  pixels.runs = body.runs;
  pixels.run_count = body.site.body_runs;
  pixels.z = body.z;
  pixels.x = body.site.grid.x;
  pixels.y = body.site.grid.y;
  pixels.a = body.floor.a;
  pixels.b = body.floor.b;
  pixels.c = body.floor.c;
  return pixels;
}

RankPair heights_of_ranks(const BodyHeights& body, std::uint32_t valid, const OrderStatistic& near,
                          std::int64_t low, std::int64_t high) {
  low = std::clamp<std::int64_t>(low, 1, valid);
  high = std::clamp<std::int64_t>(high, 1, valid);
  const double ranks = std::max(1.0, static_cast<double>(near.high_rank) - near.low_rank);
  const double spacing = (static_cast<double>(near.high_nm) - near.low_nm) / ranks;
  const auto reach = [&](std::int64_t rank, double more) {
    const double away = static_cast<double>(rank) - near.rank;
    return near.nm + spacing * (1.5 * away + more);
  };
  const double slack = 3 * std::sqrt(static_cast<double>(high - low + 1));
  Window w = window_of(body, reach(std::min<std::int64_t>(low, near.rank), -slack) - 1,
                       reach(std::max<std::int64_t>(high, near.rank), slack) + 1);
  // heights too large to be measured count on neither side
  const bool complete = w.below + w.above + static_cast<std::int64_t>(w.in.size()) == valid;
  if (!complete || !w.holds(low) || !w.holds(high)) w = all_of(body);
  return w.at(low, high);
}

MissingRanks missing_ranks(const BodyHeights& body, std::uint32_t missing, const HeightStatistics& heights,
                           const WantedRanks& wanted) {
  MissingRanks ranks;
  ranks.quantiles.resize(wanted.quantiles.size());
  if (missing == 0) return ranks;
  const auto of = [&](double q, const OrderStatistic& near) {
    const std::int64_t rank = nearest_rank(q, body.site.body_pixels);
    return heights_of_ranks(body, heights.valid, near, rank - missing, rank);
  };
  if (wanted.median) ranks.median = of(0.5, heights.median_low);
  for (std::size_t i = 0; i < wanted.quantiles.size(); ++i)
    ranks.quantiles[i] = of(wanted.quantiles[i], heights.quantiles[i]);
  return ranks;
}

}  // namespace datum
