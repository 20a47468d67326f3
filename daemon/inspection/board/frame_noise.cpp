#include "daemon/inspection/board/frame_noise.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "gpu/board/site_pixels.h"
#include "gpu/core/parallel_for.h"
#include "gpu/core/vector_loop.h"
#include "gpu/floor_evidence/floor_evidence_math.h"

namespace datum {
namespace {

constexpr double least_fill = 0.625;   // least share of a block's pixels
constexpr double least_blocks = 2;     // least number for a scale's variance
constexpr double believed_sigmas = 1;  // significance of S in its standard deviations
constexpr double most_taken = 0.6;     // largest correctable share of a variance removed by the fitted planes
constexpr double growth = 1.25;        // from scale to scale, beyond which correlation has not ended

/// Sums of residuals and pixels over blocks, row by row.
struct Blocks {
  int rows = 0, cols = 0;
  std::vector<float> sum, pixels;

  void resize(int new_rows, int new_cols) {
    rows = new_rows;
    cols = new_cols;
    if (sum.size() < size()) {
      sum.resize(size());
      pixels.resize(size());
    }
  }
  std::size_t size() const { return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols); }
};

/// Each is the sum of two that are `apart`, with `step` between pairs.
DATUM_HD void add_pairs(const float* __restrict from, std::size_t apart, std::size_t step, std::size_t count,
                        float* __restrict to) {
  for (std::size_t i = 0; i < count; ++i) to[i] = from[i * step] + from[i * step + apart];
}

/// Merges pairs of rows or columns of blocks; an odd last one is dropped.
void halve(const Blocks& from, bool rows, Isa isa, Blocks& to) {
  to.resize(rows ? from.rows / 2 : from.rows, rows ? from.cols : from.cols / 2);
  const auto across = static_cast<std::size_t>(from.cols), count = static_cast<std::size_t>(to.cols),
             down = static_cast<std::size_t>(to.rows);
  vector_loop(isa, [&]() DATUM_VECTOR_LOOP {
    const float *sum = from.sum.data(), *pixels = from.pixels.data();
    float *to_sum = to.sum.data(), *to_pixels = to.pixels.data();
    if (rows) {
      for (std::size_t r = 0; r < down; ++r) {
        add_pairs(sum + 2 * r * across, across, 1, count, to_sum + r * count);
        add_pairs(pixels + 2 * r * across, across, 1, count, to_pixels + r * count);
      }
      return;
    }
    if (across % 2 == 0) {  // no pair crosses rows
      add_pairs(sum, 1, 2, down * count, to_sum);
      add_pairs(pixels, 1, 2, down * count, to_pixels);
      return;
    }
    for (std::size_t r = 0; r < down; ++r) {
      add_pairs(sum + r * across, 1, 2, count, to_sum + r * count);
      add_pairs(pixels + r * across, 1, 2, count, to_pixels + r * count);
    }
  });
}

}  // namespace

double student_ratio(double freedom) {
  const double n = std::max(1.5, freedom);
  // t of z = 2: z + (z^3 + z) / 4n + (5 z^5 + 16 z^3 + 3 z) / 96n^2 + (3 z^7 + 19 z^5 + 17 z^3 - 15 z) / 384n^3
  return 1 + (2.5 + (3.0625 + 2.8594 / n) / n) / n / 2;
}

double ShownVariance::u() const { return std::sqrt(um2) * student_ratio(freedom); }

namespace {

/// Residuals of a ring's pixels about its floor, in the order of its runs; NaN for non-inliers.
struct RingResiduals {
  std::vector<float> um;
  int fitted = 3;
};

/// A board's bow is not sensor noise. It is removed where the floor has that form, and where it is evident: a
/// quadratic that explains a quarter of the remaining variance exceeds low-frequency noise.
constexpr double plain_form = 0.25;

RingResiduals residuals_of(const BoardPlan& plan, const SitePlan& site, const float* ring_z,
                           const Floor& floor) {
  const PixelRun* runs = plan.runs + site.ring_run;
  const ring_math::RingPass pass = ring_math::ring_pass(site, floor.fit.a, floor.fit.b, floor.fit.c);
  const bool bowed = site.quadratic_form || floor.bow_explains >= plain_form;
  RingResiduals r;
  r.fitted = bowed ? 6 : 3;
  r.um.resize(site.ring_pixels);
  vector_loop(best_isa(), [&]() DATUM_VECTOR_LOOP {
    const ring_math::RingPass p = pass;
    const ring_math::Form form = bowed ? floor.bow : ring_math::Form{};
    const float* z = ring_z;
    float* um = r.um.data();
    for (std::uint32_t i = 0; i < site.ring_runs; ++i) {
      const PixelRun run = runs[i];
      const ring_math::RowForm row = ring_math::row_form(form, ring_math::cell_of(p.v, run.row));
      const float y = um_of(site.grid.y, run.row);
      for (std::int32_t k = 0; k < run.length; ++k) {
        const float left = ring_math::residual(p, um_of(site.grid.x, run.col + k), y, z[k]);
        const float bow = ring_math::height_of(row, (run.col + k - p.u.ref) >> p.u.shift);
        um[k] = std::fabs(left) <= p.refit_threshold ? left - bow : std::numeric_limits<float>::quiet_NaN();
      }
      z += run.length;
      um += run.length;
    }
  });
  return r;
}

}  // namespace

/// Accumulates rings, then evaluates them.
class NoiseScan {
 public:
  void add(const BoardPlan& plan, const SitePlan& site, const float* ring_z, const Floor& floor) {
    const RingResiduals residuals = residuals_of(plan, site, ring_z, floor);
    for (std::uint8_t side = 0; side < site_sides; ++side) add_side(plan, site, side, residuals.um);
    fitted_ += static_cast<std::size_t>(residuals.fitted);
  }
  void add(const NoiseScan& other) {
    for (std::size_t a = 0; a < FrameNoise::levels; ++a)
      for (std::size_t b = 0; b < FrameNoise::levels; ++b) sums_[a][b].add(other.sums_[a][b]);
    fitted_ += other.fitted_;
    pixels_ += other.pixels_;
  }
  FrameNoise noise() const;

 private:
  struct Sums {
    double squares = 0, pixels = 0, blocks = 0;
    void add(const Sums& s) {
      squares += s.squares;
      pixels += s.pixels;
      blocks += s.blocks;
    }
  };

  void add_side(const BoardPlan& plan, const SitePlan& site, std::uint8_t side,
                const std::vector<float>& residuals);
  void add_blocks(const Blocks& blocks, std::size_t a, std::size_t b, Isa isa);
  static void believe(FrameNoise::Scales& scales, const FrameNoise::Scale& shown, std::size_t a,
                      std::size_t b);
  static void extend(FrameNoise::Scales& scales, std::size_t a, std::size_t b);

  std::array<std::array<Sums, FrameNoise::levels>, FrameNoise::levels> sums_{};
  std::size_t fitted_ = 0, pixels_ = 0;
};

/// One side of a ring as a separate image: sides of an upright ring have no gaps.
void NoiseScan::add_side(const BoardPlan& plan, const SitePlan& site, std::uint8_t side,
                         const std::vector<float>& residuals) {
  const PixelRun* runs = plan.runs + site.ring_run;
  const std::uint8_t* sides = plan.run_side + site.ring_run;
  std::int32_t top = std::numeric_limits<std::int32_t>::max(), left = top, bottom = -1, right = -1;
  for (std::uint32_t i = 0; i < site.ring_runs; ++i) {
    if (sides[i] != side) continue;
    top = std::min(top, runs[i].row);
    bottom = std::max(bottom, runs[i].row + 1);
    left = std::min(left, runs[i].col);
    right = std::max(right, runs[i].col + runs[i].length);
  }
  if (bottom < 0) return;
  Blocks pixels;
  pixels.resize(bottom - top, right - left);
  std::size_t at = 0;
  for (std::uint32_t i = 0; i < site.ring_runs; at += static_cast<std::size_t>(runs[i].length), ++i) {
    if (sides[i] != side) continue;
    const std::size_t to =
        static_cast<std::size_t>(runs[i].row - top) * static_cast<std::size_t>(pixels.cols) +
        static_cast<std::size_t>(runs[i].col - left);
    for (std::size_t k = 0; k < static_cast<std::size_t>(runs[i].length); ++k) {
      const float r = residuals[at + k];
      const bool inlier = !std::isnan(r);
      pixels.sum[to + k] = inlier ? r : 0;
      pixels.pixels[to + k] = inlier;
      pixels_ += inlier;
    }
  }
  const Isa isa = best_isa();
  Blocks fewer_rows, blocks, fewer_cols;
  for (std::size_t a = 0; a < FrameNoise::levels && pixels.rows > 0; ++a) {
    add_blocks(pixels, a, 0, isa);
    halve(pixels, false, isa, blocks);
    for (std::size_t b = 1; b < FrameNoise::levels && blocks.cols > 0; ++b) {
      add_blocks(blocks, a, b, isa);
      halve(blocks, false, isa, fewer_cols);
      std::swap(blocks, fewer_cols);
    }
    halve(pixels, true, isa, fewer_rows);
    std::swap(pixels, fewer_rows);
  }
}

namespace {

/// Sums over blocks in a fixed number of lanes, equal on any machine.
struct Lanes {
  static constexpr std::size_t count = 8;
  double squares[count] = {}, pixels[count] = {}, blocks[count] = {};
};

/// Masks instead of branches, so that the loop vectorises.
DATUM_HD void add_filled(const float* __restrict sum, const float* __restrict pixels, std::size_t n,
                         float least, Lanes* to) {
  for (std::size_t done = 0; done + Lanes::count <= n; done += Lanes::count) {
    for (std::size_t i = 0; i < Lanes::count; ++i) {
      const std::uint32_t filled = pixels[done + i] >= least ? ~0u : 0u;
      const float s = float_of(bits_of(sum[done + i]) & filled),
                  p = float_of(bits_of(pixels[done + i]) & filled);
      to->squares[i] += static_cast<double>(s) * static_cast<double>(s);
      to->pixels[i] += static_cast<double>(p);
      to->blocks[i] += static_cast<double>(float_of(bits_of(1.f) & filled));
    }
  }
}

}  // namespace

void NoiseScan::add_blocks(const Blocks& blocks, std::size_t a, std::size_t b, Isa isa) {
  const auto least = static_cast<float>(std::max(least_fill * std::ldexp(1.0, static_cast<int>(a + b)), 0.5));
  const std::size_t n = blocks.size(), in_lanes = n / Lanes::count * Lanes::count;
  Lanes lanes;
  vector_loop(isa, [&]() DATUM_VECTOR_LOOP {
    add_filled(blocks.sum.data(), blocks.pixels.data(), in_lanes, least, &lanes);
  });
  Sums s;
  for (std::size_t i = 0; i < Lanes::count; ++i) s.add({lanes.squares[i], lanes.pixels[i], lanes.blocks[i]});
  for (std::size_t i = in_lanes; i < n; ++i)
    if (blocks.pixels[i] >= least)
      s.add({static_cast<double>(blocks.sum[i]) * blocks.sum[i], blocks.pixels[i], 1});
  sums_[a][b].add(s);
}

namespace {

/// A mean varies no more than its pixels, whose variance the planes may have reduced.
double most_sum(double pixels) { return pixels / (1 - most_taken); }

}  // namespace

/// Continues the estimate of the blocks within, unless this scale shows more.
void NoiseScan::believe(FrameNoise::Scales& scales, const FrameNoise::Scale& shown, std::size_t a,
                        std::size_t b) {
  FrameNoise::Scale& scale = scales[a][b];
  FrameNoise::Scale within{1, a + b == 0 ? shown.freedom : 0, false};
  bool grows = false;
  const auto look = [&](const FrameNoise::Scale& half, const FrameNoise::Scale* quarter) {
    if (half.sum > within.sum || (half.sum == within.sum && half.freedom > within.freedom)) within = half;
    grows = grows || (quarter && half.sum > growth * quarter->sum);
  };
  if (a > 0) look(scales[a - 1][b], a > 1 ? &scales[a - 2][b] : nullptr);
  if (b > 0) look(scales[a][b - 1], b > 1 ? &scales[a][b - 2] : nullptr);
  const double sure = grows ? 1 : 1 - believed_sigmas * std::sqrt(2 / std::max(2.0, shown.freedom));
  scale = shown.seen && shown.sum * sure > within.sum ? shown : within;
  scale.seen = shown.seen;
}

/// Extrapolates to a scale that no ring holds.
void NoiseScan::extend(FrameNoise::Scales& scales, std::size_t a, std::size_t b) {
  std::size_t a0 = a, b0 = b;
  while (a0 > 0 && !scales[a0][b].seen) --a0;
  while (b0 > 0 && !scales[a][b0].seen) --b0;
  const FrameNoise::Scale &tall = scales[a][b0], &wide = scales[a0][b], &both = scales[a0][b0];
  FrameNoise::Scale& scale = scales[a][b];
  if (!tall.seen || !wide.seen || !both.seen) return;
  const double sum =
      std::min(tall.sum * wide.sum / both.sum, most_sum(std::exp2(static_cast<double>(a + b))));
  if (sum <= scale.sum) return;
  scale.sum = sum;
  scale.freedom = std::min(tall.freedom, wide.freedom);
}

FrameNoise NoiseScan::noise() const {
  FrameNoise noise;
  noise.pixels_ = pixels_;
  const Sums& one = sums_[0][0];
  if (!(one.squares > 0)) return noise;
  const auto fitted = static_cast<double>(fitted_);
  noise.um2_ = one.squares / std::max(1.0, one.pixels - fitted);
  double largest = 1;
  for (const auto& row : sums_)
    for (const Sums& s : row)
      if (s.blocks >= least_blocks) largest = std::max(largest, s.squares / s.pixels / noise.um2_);
  for (std::size_t a = 0; a < FrameNoise::levels; ++a) {
    for (std::size_t b = 0; b < FrameNoise::levels; ++b) {
      const Sums& s = sums_[a][b];
      FrameNoise::Scale shown{1, 1, s.blocks >= least_blocks};
      if (shown.seen) {
        const double raw = s.squares / s.pixels / noise.um2_, block = s.pixels / s.blocks;
        // For each of their parameters, the planes removed the variance of a ring's mean from each block.
        const double independent = std::min(s.blocks, one.pixels * raw / (block * largest));
        const double taken = std::min(most_taken, fitted / independent);
        shown.sum = raw / (1 - taken);
        shown.freedom = std::max(1.0, independent * (1 - taken));
      }
      believe(noise.scales_, shown, a, b);
      if (!shown.seen) extend(noise.scales_, a, b);
    }
  }
  return noise;
}

FrameNoise::Scale FrameNoise::at(double rows, double cols) const {
  const auto level = [](double side) {
    return std::clamp(std::floor(std::log2(std::max(1.0, side))), 0.0, levels - 2.0);
  };
  const double a = level(rows), b = level(cols);
  const auto part = [](double side, double from) { return std::clamp(side / std::exp2(from) - 1, 0.0, 1.0); };
  const double v = part(rows, a), u = part(cols, b);
  const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
  const auto mixed = [&](double Scale::*what) {
    return (1 - v) * ((1 - u) * scales_[i][j].*what + u * scales_[i][j + 1].*what) +
           v * ((1 - u) * scales_[i + 1][j].*what + u * scales_[i + 1][j + 1].*what);
  };
  return {mixed(&Scale::sum), mixed(&Scale::freedom), true};
}

ShownVariance FrameNoise::mean_over(double rows, double cols) const {
  if (!(um2_ > 0)) return {};
  const Scale s = at(rows, cols);
  const double n = std::max(1.0, rows * cols);
  return {um2_ * std::min(s.sum, most_sum(n)) / n, s.freedom};
}

FrameNoiseScan::FrameNoiseScan(const BoardPlan& plan, std::size_t most_pixels)
    : plan_(plan), most_pixels_(most_pixels), scans_(plan.site_count) {
  for (std::size_t pixels = 0; first_ < plan.site_count && pixels < most_pixels; ++first_)
    pixels += plan.sites[first_].ring_pixels;
}

FrameNoiseScan::~FrameNoiseScan() = default;

bool FrameNoiseScan::counts(std::size_t site, const Floor& floor) const {
  return floor.reason == Reason::none && !floor.from_warp && plan_.sites[site].ring_runs > 0;
}

void FrameNoiseScan::look(std::size_t site, const Floor& floor, const float* ring_z) {
  if (site >= first_ || !counts(site, floor)) return;
  scans_[site] = std::make_unique<NoiseScan>();
  scans_[site]->add(plan_, plan_.sites[site], ring_z, floor);
}

FrameNoise FrameNoiseScan::noise(const FrameView& frame, const std::vector<Floor>& floors, unsigned threads) {
  std::vector<std::size_t> rings, unseen;
  std::size_t pixels = 0;
  for (std::size_t i = 0; i < floors.size() && pixels < most_pixels_; ++i) {
    if (!counts(i, floors[i])) continue;
    rings.push_back(i);
    if (!scans_[i]) unseen.push_back(i);
    pixels += floors[i].evidence.inliers;
  }
  parallel_for(threads, unseen.size(), [&](std::size_t k, unsigned) {
    const std::size_t i = unseen[k];
    const std::unique_ptr<float[]> z = take_ring_z(plan_, plan_.sites[i], frame, best_isa());
    scans_[i] = std::make_unique<NoiseScan>();
    scans_[i]->add(plan_, plan_.sites[i], z.get(), floors[i]);
  });
  NoiseScan all;
  for (const std::size_t i : rings) all.add(*scans_[i]);
  return all.noise();
}

}  // namespace datum
