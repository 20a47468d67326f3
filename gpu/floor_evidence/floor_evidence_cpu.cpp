#include <cstring>
#include <vector>

#include "gpu/core/vector_loop.h"
#include "gpu/floor_evidence/floor_evidence.h"
#include "gpu/floor_evidence/floor_evidence_math.h"

namespace datum {
namespace {

using namespace ring_math;

// Runs are taken in pieces of one length, so that short ones are vectors too: a piece reads and writes
// beyond its run, where the next run follows or the padding, and what it wrote there is written again.
constexpr int piece_px = 32;
// In the image of residuals what lies behind a run is cleared: up to the next one's first pixel, or in the borders.
constexpr int image_piece_px = 32;
static_assert(image_piece_px <= 2 * ResidualImage::most_reach);
constexpr std::int16_t no_step = INT16_MIN, not_beside = -1;

/// Of one ring's pixels, with room for a piece more. It is not cleared: loops write before they read.
struct Residuals {
  float* um = nullptr;
  std::int16_t* steps = nullptr;  // of RingMoments; no_step where there is no inlier
  std::int16_t* bins = nullptr;   // of other levels; not_beside where there is none
  std::uint32_t on_floor = 0;
};

Residuals residuals_of(const RingPass& pass, const RingPixels& pixels, std::size_t count, Isa isa,
                       RingScratch* scratch) {
  const std::size_t room = count + piece_px;
  Residuals out{scratch->um.of(room), scratch->steps.of(room), scratch->bins.of(room), 0};
  vector_loop(isa, [&]() DATUM_VECTOR_LOOP {
    const float *x = pixels.x, *y = pixels.y, *z = pixels.z;
    float* um = out.um;
    std::int16_t *steps = out.steps, *bins = out.bins;
    const RingPass p = pass;
    std::uint32_t on_floor = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const float r = residual(p, x[i], y[i], z[i]), far = std::fabs(r);
      um[i] = r;
      on_floor += far <= p.threshold;
      steps[i] = far <= p.refit_threshold ? static_cast<std::int16_t>(moment_step(p, r)) : no_step;
      const std::int32_t bin = level::bin_of(r, p.binning.per_um);
      bins[i] = level::is_beside(bin, p.binning.excluded) ? static_cast<std::int16_t>(bin) : not_beside;
    }
    out.on_floor = on_floor;
  });
  for (std::size_t k = 0; k < piece_px; ++k) {
    out.um[count + k] = 0;
    out.steps[count + k] = no_step;
  }
  return out;
}

/// Sums over the first `length` pixels of a piece; pixel k lies `index` + k pixels from the centre. Factors are of 16 bits, of
/// which a processor multiplies and adds pairs.
DATUM_HD PieceSums sum_piece(const std::int16_t* steps, std::int32_t length, std::int32_t index, int shift,
                             std::int32_t origin) {
  std::int16_t one[piece_px], w[piece_px], r[piece_px];
  for (std::int32_t k = 0; k < piece_px; ++k) {
    const std::int32_t in = (k < length ? -1 : 0) & (steps[k] != no_step ? -1 : 0);
    one[k] = static_cast<std::int16_t>(in & 1);
    w[k] = static_cast<std::int16_t>((((index + k) >> shift) - origin) & in);
    r[k] = static_cast<std::int16_t>(steps[k] & in);
  }
  PieceSums s;
  for (std::int32_t k = 0; k < piece_px; ++k) {
    const auto ww = static_cast<std::int16_t>(w[k] * w[k]);
    s.n += one[k] * one[k];
    s.w += w[k] * one[k];
    s.ww += w[k] * w[k];
    s.www += ww * w[k];
    s.wwww += ww * ww;
    s.r += r[k] * one[k];
    s.rw += r[k] * w[k];
    s.rww += r[k] * ww;
  }
  return s;
}
static_assert(piece_px * piece_px <= INT16_MAX, "a square of cells overflows");
static_assert(std::int64_t{piece_px} * piece_px * piece_px * ring_steps_max <= INT32_MAX,
              "sum of r w^2 overflows");

void sum_moments(const SitePlan& site, const RingPass& pass, const RingPixels& pixels,
                 const Residuals& residuals, Isa isa, RingRecord* record) {
  vector_loop(isa, [&]() DATUM_VECTOR_LOOP {
    const std::int16_t* steps = residuals.steps;
    RowSums row;
    for (std::uint32_t i = 0; i < site.ring_runs; ++i) {
      const PixelRun run = pixels.runs[i];
      std::uint32_t inliers = 0;
      for (std::int32_t done = 0; done < run.length; done += piece_px, steps += piece_px) {
        const std::int32_t index = run.col + done - pass.u.ref;
        const std::int32_t origin = (index + piece_px / 2) >> pass.u.shift;
        const PieceSums sums = sum_piece(steps, run.length - done, index, pass.u.shift, origin);
        row.add(sums, origin);
        inliers += static_cast<std::uint32_t>(sums.n);
      }
      steps += run.length - (run.length + piece_px - 1) / piece_px * piece_px;
      record->side_inliers[pixels.sides[i]] += inliers;
      record->inliers += inliers;
      if (i + 1 < site.ring_runs && pixels.runs[i + 1].row == run.row) continue;
      add_row(row, cell_of(pass.v, run.row), &record->moments);
      row = RowSums{};
    }
  });
}

/// Few pixels lie beside the floor, so four are passed over at a time.
void find_second_level(const RingPass& pass, const Residuals& residuals, std::size_t count,
                       RingRecord* record) {
  std::vector<std::uint32_t> histogram(level::bins, 0);
  const std::int16_t* bins = residuals.bins;
  const auto add = [&](std::int16_t bin) {
    if (bin != not_beside) ++histogram[static_cast<std::size_t>(bin)];
  };
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    std::uint64_t four = 0;
    std::memcpy(&four, bins + i, sizeof four);
    if (four == UINT64_MAX) continue;
    for (std::size_t k = 0; k < 4; ++k) add(bins[i + k]);
  }
  for (; i < count; ++i) add(bins[i]);
  const level::Fullest fullest = level::fullest_window(histogram.data(), pass.binning.excluded);
  record->on_floor = residuals.on_floor;
  record->second = fullest.count;
  record->second_bin = fullest.end;
}

/// Steps of the inliers' residuals over the plane and `form` on it; 0 elsewhere.
void noise_steps(const SitePlan& site, const RingPass& pass, const Form& form, const RingPixels& pixels,
                 const Residuals& residuals, Isa isa, ResidualImage* image) {
  image->clear(pixels.runs, site.ring_runs);
  vector_loop(isa, [&]() DATUM_VECTOR_LOOP {
    const float* um = residuals.um;
    const RingPass p = pass;
    for (std::uint32_t i = 0; i < site.ring_runs; ++i) {
      const PixelRun run = pixels.runs[i];
      std::int16_t* out = image->of(run);
      const RowForm row = row_form(form, cell_of(p.v, run.row));
      for (std::int32_t done = 0; done < run.length; done += image_piece_px) {
        for (std::int32_t k = 0; k < image_piece_px; ++k) {
          const float r = um[done + k];
          const float left = r - height_of(row, (run.col + done + k - p.u.ref) >> p.u.shift);
          // masks in place of choices: else the loop is no vector
          const std::int32_t in =
              (std::fabs(r) <= p.refit_threshold ? -1 : 0) & (done + k < run.length ? -1 : 0);
          out[done + k] = static_cast<std::int16_t>(noise_step(p, left) & in);
        }
      }
      um += run.length;
    }
  });
}

}  // namespace

RingRecord measure_ring(const SitePlan& site, const RingPixels& pixels, const PlaneFit& fit, Isa isa,
                        RingScratch* scratch) {
  RingRecord record;
  const RingPass pass = ring_pass(site, fit.a, fit.b, fit.c);
  const std::size_t count = site.ring_pixels;
  Residuals residuals = residuals_of(pass, pixels, count, isa, scratch);
  sum_moments(site, pass, pixels, residuals, isa, &record);
  find_second_level(pass, residuals, count, &record);
  Form form;
  int fitted = 3;
  if (site.quadratic_form) {
    const Quadratic q = quadratic_of(record.moments, site);
    form = form_of(q, pass.steps_per_um);
    if (q.defined) fitted = 6;
  }
  noise_steps(site, pass, form, pixels, residuals, isa, &scratch->residuals);
  record.residuals = box_products(scratch->residuals, record.inliers, fitted, isa);
  return record;
}

RingRecord measure_ring(const SitePlan& site, const RingPixels& pixels, const PlaneFit& fit, Isa isa) {
  RingScratch scratch;
  return measure_ring(site, pixels, fit, isa, &scratch);
}

}  // namespace datum
