// Arithmetic of the fringes, written once for every backend: lanes of floats, S, or one of a device's threads. C++17.
//
// Samples are whole numbers of at most 16 bits and the sums are taken in the order of the steps; with N = 4 the weights
// are 0, 1 and -1 and the sums exact. A sum that cancels is +0, never -0, since it begins with +0: the angle of no
// modulation is not a matter of the backend.
#pragma once

#include <type_traits>

#include "gpu/core/arctangent.h"
#include "gpu/core/quotient.h"
#include "gpu/fringe_phase/fringe_phase.h"

namespace datum::fringe {

struct Level {
  float factor[most_periods];
  float period, per_px;
};

/// All numbers that a pixel needs; periods in ascending order.
struct Job {
  std::uint32_t steps, periods, levels;
  float cosine[most_steps], sine[most_steps];  // weights; sine: sign and direction included
  float maximum;
  float least_power;  // of hypot^2 of the sums
  float zero;
  float per_step, two_per_step, per_freedom;                              // 1 / N, 2 / N, 1 / (N - 3)
  float period[most_periods], per_px[most_periods], agree[most_periods];  // px, 1 / px, px
  float weight[most_periods];                                             // of a period's column, sum 1
  float variance[most_periods];  // of the column, px^2, per sigma_I^2 / hypot^2
  float noise, noise_per_sum;    // sigma_I^2 of a dark sample, and per grey of the N samples' sum
  float middle, half_width;      // columns that are the projector's
  Level level[2];
  float counts_per_um;
};

constexpr float magic = 12582912.f;  // 1.5 * 2^23: adding it rounds to whole numbers, |v| < 2^22

template <class S>
struct Sums {
  typename S::F cosine, sine, grey;
};

/// What a pixel's samples say, before heights.
template <class S>
struct Pixel {
  typename S::F kind;  // FringeClass in its bits
  typename S::F column, sigma, modulation, mean;
  typename S::M ok;
};

/// Only chosen and stored, never reckoned with.
template <class S>
DATUM_HD typename S::F bits_of_class(FringeClass c) {
  return S::set(float_of(static_cast<std::uint32_t>(c)));
}

template <class S>
DATUM_HD typename S::F rounded(typename S::F v) {
  return (v + S::set(magic)) - S::set(magic);
}

template <class S>
DATUM_HD void add_sample(const Job& job, std::uint32_t k, typename S::F v, Sums<S>* sums,
                         typename S::M* saturated) {
  sums->cosine = S::fma(v, S::set(job.cosine[k]), sums->cosine);
  sums->sine = S::fma(v, S::set(job.sine[k]), sums->sine);
  sums->grey = sums->grey + v;
  *saturated = S::either(*saturated, S::le(S::set(job.maximum), v));
}

/// The column nearest to `near` at which a phase of `turns` and this period is met.
template <class S>
DATUM_HD typename S::F nearest_column(typename S::F near, typename S::F turns, float period, float per_px) {
  const typename S::F order = rounded<S>(S::fma(near, S::set(per_px), -turns));
  return S::fma(S::set(period), order, S::set(period) * turns);
}

/// The square root; 0 of what is below 2^-100.
template <class S>
DATUM_HD typename S::F root(typename S::F v) {
  const auto some = S::le(S::set(0x1p-100f), v);
  const typename S::F safe = S::select(some, v, S::set(1.f));
  if constexpr (std::is_same<S, SimdScalar>::value)
    return S::select(some, square_root(safe), S::set(0.f));
  else
    return S::select(some, S::sqrt(safe), S::set(0.f));
}

/// sums of P periods to class and column; `extras`: sigma, modulation and mean too.
template <class S, int P, bool extras>
DATUM_HD Pixel<S> pixel_of(const Job& job, const Sums<S>* sums, typename S::M saturated) {
  using F = typename S::F;
  F turns[P], power[P];
  F least = S::set(0.f);
  for (int i = 0; i < P; ++i) {
    turns[i] = atan2_turns<S>(sums[i].sine, sums[i].cosine) - S::set(job.zero);
    power[i] = S::fma(sums[i].sine, sums[i].sine, sums[i].cosine * sums[i].cosine);
    least = i == 0 ? power[0] : S::min(power[i], least);
  }
  F near = S::set(job.middle);
  for (std::uint32_t l = 0; l < 2; ++l) {
    if (l == job.levels) break;
    F combined = turns[0] * S::set(job.level[l].factor[0]);
    for (int i = 1; i < P; ++i) combined = S::fma(turns[i], S::set(job.level[l].factor[i]), combined);
    near = nearest_column<S>(near, combined, job.level[l].period, job.level[l].per_px);
  }
  const F first = nearest_column<S>(near, turns[0], job.period[0], job.per_px[0]);
  F column = first;
  auto good = S::le(S::abs(first - S::set(job.middle)), S::set(job.half_width));
  for (int i = 1; i < P; ++i) {
    const F apart = nearest_column<S>(near, turns[i], job.period[i], job.per_px[i]) - first;
    good = S::both(good, S::le(S::abs(apart), S::set(job.agree[i])));
    column = S::fma(apart, S::set(job.weight[i]), column);
  }
  const auto bright = S::le(S::set(job.least_power), least);
  Pixel<S> out;
  out.ok = S::first_only(S::both(good, bright), saturated);
  out.kind = S::select(good, S::set(0.f), bits_of_class<S>(FringeClass::unwrap));
  out.kind = S::select(bright, out.kind, bits_of_class<S>(FringeClass::low_modulation));
  out.kind = S::select(saturated, bits_of_class<S>(FringeClass::saturated), out.kind);
  out.column = S::select(out.ok, column, S::set(0.f));
  if (!extras) return out;
  F variance = S::set(0.f);
  for (int i = 0; i < P; ++i) {
    const F noise = S::fma(sums[i].grey, S::set(job.noise_per_sum), S::set(job.noise));
    variance = S::fma(quotient(noise, power[i]), S::set(job.variance[i]), variance);
  }
  out.sigma = S::select(out.ok, root<S>(variance), S::set(0.f));
  out.modulation = root<S>(least) * S::set(job.two_per_step);
  out.mean = sums[0].grey * S::set(job.per_step);
  return out;
}

/// Square of a sample's distance from the sine of its period, onto `sum`.
template <class S>
DATUM_HD typename S::F add_residual(const Job& job, std::uint32_t k, typename S::F v, const Sums<S>& sums,
                                    typename S::F sum) {
  using F = typename S::F;
  const F mean = sums.grey * S::set(job.per_step), scale = S::set(job.two_per_step);
  const F wave = S::fma(sums.sine, S::set(job.sine[k]), sums.cosine * S::set(job.cosine[k]));
  const F apart = S::fma(wave, -scale, v - mean);
  return S::fma(apart, apart, sum);
}

/// Coefficients of a pixel, in the order of HeightNode.
template <class S>
struct Coefficients {
  typename S::F centre, per_px, height[4], bend;
};

template <class S>
struct Height {
  typename S::F counts;  // bits of a 32-bit integer
  typename S::F kind;
  typename S::F sigma_um;
};

/// height_model.h's formula in um; where |t| > 1 or not a number, whatever comes out.
template <class S>
DATUM_HD typename S::F height_at(const Coefficients<S>& c, typename S::F t) {
  typename S::F z = S::fma(c.height[3], t, c.height[2]);
  z = S::fma(z, t, c.height[1]);
  z = S::fma(z, t, c.height[0]);
  return quotient(z, S::fma(c.bend, t, S::set(1.f)));
}

/// Its derivative to u, um per px; z the height at t.
template <class S>
DATUM_HD typename S::F slope_at(const Coefficients<S>& c, typename S::F t, typename S::F z) {
  typename S::F slope = S::fma(c.height[3] * S::set(3.f), t, c.height[2] * S::set(2.f));
  slope = S::fma(slope, t, c.height[1]);
  return quotient(S::fma(-z, c.bend, slope), S::fma(c.bend, t, S::set(1.f))) * c.per_px;
}

/// `sigma`: sigma_um is wanted.
template <class S>
DATUM_HD Height<S> height_of(const Job& job, const Coefficients<S>& c, const Pixel<S>& pixel, bool sigma) {
  using F = typename S::F;
  const F zero = S::set(0.f), t = (pixel.column - c.centre) * c.per_px;
  const auto inside = S::le(S::abs(t), S::set(1.f)), ok = S::both(pixel.ok, inside);
  const F z = S::select(ok, height_at<S>(c, t), zero);
  const F whole = S::fma(z, S::set(job.counts_per_um), S::set(magic));
  const F counts = S::from_bits(S::bits(whole) - S::bits(S::set(magic)));
  Height<S> out;
  out.counts = S::select(ok, counts, S::set(-0.f));  // no_count_32 has the bits of -0
  out.kind =
      S::select(S::first_only(pixel.ok, inside), bits_of_class<S>(FringeClass::out_of_range), pixel.kind);
  out.sigma_um = sigma ? S::select(ok, S::abs(slope_at<S>(c, t, z)) * pixel.sigma, zero) : zero;
  return out;
}

/// Between two numbers, `part` of the way.
DATUM_HD float between(float a, float b, float part) { return ::fmaf(part, b - a, a); }

static_assert(sizeof(HeightNode) == 8 * sizeof(float), "coefficients are taken by their number");

/// Coefficient i of HeightNode's, interpolated: at a pixel, and at the nodes' column on the way there.
float coefficient_at(const HeightModel& model, std::uint32_t row, std::uint32_t col, std::uint32_t i);
float coefficient_of_row(const HeightModel& model, std::uint32_t row, std::uint32_t column, std::uint32_t i);

/// Maps beyond classes, columns and heights are wanted.
DATUM_HD bool wants_extras(const FringeMaps& m) {
  return m.sigma_px || m.modulation || m.mean || m.residual || m.height_sigma_um;
}

/// All numbers of a job; pattern, limits and model have been checked. order[i]: which of the pattern's periods is the i-th
/// shortest.
Job job_of(const FringePattern& pattern, const FringeLimits& limits, const HeightModel* model,
           std::uint32_t* order);

}  // namespace datum::fringe
