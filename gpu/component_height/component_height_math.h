// The arithmetic of heights, written once for host and device: + - * / sqrt, fma and integers only. C++17.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "gpu/component_height/body_record.h"
#include "gpu/component_height/component_height.h"
#include "gpu/core/portable.h"
#include "gpu/core/wide.h"

namespace datum::height {

/// Marks a pixel without a height.
inline constexpr std::int32_t no_height = INT32_MIN;

/// Adding 1.5 * 2^52 rounds a double below 2^31 to an integer, half to even, on every machine, and leaves it
/// in the low word.
inline constexpr double round_magic = 6755399441055744.0;
DATUM_HD std::int32_t rounded(double v) {
  const double sum = v + round_magic;
  std::uint64_t bits;  // NOLINT(cppcoreguidelines-init-variables): written next
  std::memcpy(&bits, &sum, sizeof bits);
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(bits));
}

/// The floor in nm along its normal: what a pixel's place takes from its z. Places count from integers near
/// the site, so that a pixel's value does not depend on the run it lies in.
struct FloorPass {
  double nm_per_um = 0;  // of z: 1000 / sqrt(1 + a^2 + b^2)
  double at_ref = 0, per_col = 0, per_row = 0;
  std::int32_t col_ref = 0, row_ref = 0;
};

/// Floor z = a x + b y + c.
DATUM_HD FloorPass floor_pass(const AxisToUm& x, const AxisToUm& y, double a, double b, double c) {
  FloorPass p;
  p.nm_per_um = 1000.0 / ::sqrt(1.0 + a * a + b * b);
  p.at_ref = (c + a * static_cast<double>(x.rest) + b * static_cast<double>(y.rest)) * p.nm_per_um;
  p.per_col = a * static_cast<double>(x.per_index) * p.nm_per_um;
  p.per_row = b * static_cast<double>(y.per_index) * p.nm_per_um;
  p.col_ref = x.ref;
  p.row_ref = y.ref;
  return p;
}
DATUM_HD double floor_at_row(const FloorPass& p, std::int32_t row) {
  return ::fma(static_cast<double>(row - p.row_ref), p.per_row, p.at_ref);
}
/// Height of z over the floor; no_height for NaN and beyond max_height_nm. Heights up to 2^26 nm and floors
/// as high carry rounding errors of 2^-26 nm, so only the last rounding shows.
DATUM_HD std::int32_t height_nm(const FloorPass& p, double floor_row, std::int32_t col, float z) {
  const double floor = ::fma(static_cast<double>(col - p.col_ref), p.per_col, floor_row);
  const double h = ::fma(static_cast<double>(z), p.nm_per_um, -floor);
  const bool measured = ::fabs(h) <= static_cast<double>(max_height_nm);
  return measured ? rounded(h) : no_height;
}

/// Whole v > threshold is "above".
DATUM_HD std::int32_t present_threshold_nm(double present_above_um) {
  const double nm = ::floor(1000 * present_above_um), most = max_height_nm;
  return nm >= most ? max_height_nm : nm >= -1 - most ? static_cast<std::int32_t>(nm) : -1 - max_height_nm;
}

/// Nearest rank of quantile q among n: see nearest_rank.
DATUM_HD std::uint32_t quantile_rank(double q, std::uint32_t n) {
  const double product = q * n;
  const double rank = ::ceil(product - 4 * 0x1p-52 * product);
  return rank >= n ? n : rank > 1 ? static_cast<std::uint32_t>(rank) : 1;
}

/// A rank and the neighbours at which its spacing is taken.
struct Ranks {
  std::uint32_t low, rank, high;
};
DATUM_HD Ranks ranks_of(std::uint32_t rank, std::uint32_t n) {
  const double q = static_cast<double>(rank) / n;
  const double spread = ::ceil(2 * ::sqrt(static_cast<double>(n) * q * (1 - q)));
  const std::uint32_t around = spread > 1 ? static_cast<std::uint32_t>(spread) : 1;
  return Ranks{rank > around ? rank - around : 1, rank, n - rank > around ? rank + around : n};
}

/// Adds h^2 to a sum in halves; in whatever order, once the carry is folded it is the same.
DATUM_HD void add_square(HeightMoments* m, std::int64_t square) {
  m->hh_high += square >> 32;
  m->hh_low += square & 0xFFFFFFFF;
}
DATUM_HD void fold_carry(HeightMoments* m) {
  m->hh_high += m->hh_low >> 32;
  m->hh_low &= 0xFFFFFFFF;
}
// 2^24 pixels, places within 2^12 of the middle, heights up to 2^26: sums of c^2 reach 2^48, of c h 2^62, and
// the low halves of h^2 2^56.
static_assert(max_height_nm == 1 << 26 && max_body_side_px == 8192 && max_body_px == 1u << 24,
              "the sums' ranges were derived for these");

DATUM_HD std::uint64_t high_of_product(std::uint64_t a, std::uint64_t b) {
#ifdef __CUDA_ARCH__
  return __umul64hi(a, b);
#else
  __extension__ using UInt128 = unsigned __int128;
  return static_cast<std::uint64_t>((UInt128(a) * b) >> 64);
#endif
}

/// n * (high 2^32 + low) - h^2, exact, rounded once. n > 0, 0 <= low < 2^32, the result is not negative.
DATUM_HD double central_square(std::uint64_t n, std::int64_t high, std::int64_t low, std::int64_t h) {
  const std::uint64_t sum_high = static_cast<std::uint64_t>(high) >> 32,
                      sum_low = static_cast<std::uint64_t>(high) << 32 | static_cast<std::uint64_t>(low);
  const std::uint64_t size = static_cast<std::uint64_t>(h < 0 ? -h : h), square = size * size;
  const std::uint64_t product = n * sum_low;
  const std::uint64_t rest =
      n * sum_high + high_of_product(n, sum_low) - high_of_product(size, size) - (product < square);
  return double_of(static_cast<std::int64_t>(rest), product - square);
}

/// What the top plane is made of: central second moments of heights, columns and rows, and means, each over n.
enum TopSum { top_hh, top_cc, top_cr, top_rr, top_ch, top_rh, top_mean_c, top_mean_r, top_mean_h, top_sums };

/// One of them, of a record with valid > 0 or of what holds the same sums. Products are chosen, not branched to, so that
/// a device's lanes may each take another one.
template <class Record>
DATUM_HD double top_sum(const Record& s, int which) {
  const HeightMoments& m = s.moments;
  const std::int64_t h = s.sum_nm;
  const double n = static_cast<double>(s.valid);
  const std::int64_t both = which == top_cc   ? m.cc
                            : which == top_cr ? m.cr
                            : which == top_rr ? m.rr
                            : which == top_ch ? m.ch
                                              : m.rh;
  const std::int64_t one = which == top_rr || which == top_rh ? m.r : m.c;
  const std::int64_t other = which == top_cc ? m.c : which == top_cr || which == top_rr ? m.r : h;
  double sum = which == top_mean_c   ? static_cast<double>(m.c)
               : which == top_mean_r ? static_cast<double>(m.r)
                                     : static_cast<double>(h);
  if (which < top_mean_c) sum = difference_of_products(static_cast<std::int64_t>(s.valid), both, one, other);
  if (which == top_hh) sum = central_square(s.valid, m.hh_high, m.hh_low, h);
  return sum / n;
}

/// Top plane and variance from all of them: least squares on exact central moments.
DATUM_HD TopPlane top_plane_of(const double (&sums)[top_sums], std::uint32_t valid, std::int32_t row0,
                               std::int32_t col0, double* variance) {
  TopPlane t;
  const double n = static_cast<double>(valid), shh = sums[top_hh];
  *variance = valid > 1 ? shh / (n - 1) : 0;
  t.mean_col = col0 + sums[top_mean_c];
  t.mean_row = row0 + sums[top_mean_r];
  t.scc = sums[top_cc];
  t.scr = sums[top_cr];
  t.srr = sums[top_rr];
  const double sch = sums[top_ch], srh = sums[top_rh];
  const double det = t.scc * t.srr - t.scr * t.scr;
  // Places on one line have det = 0; one pixel off the line of n gives about scc.
  t.defined = valid > 3 && det > 1e-6 * t.scc * t.srr;
  if (!t.defined) return t;
  t.slope_col_nm = (sch * t.srr - srh * t.scr) / det;
  t.slope_row_nm = (srh * t.scc - sch * t.scr) / det;
  const double left = shh - t.slope_col_nm * sch - t.slope_row_nm * srh;
  t.residual_rms_nm = ::sqrt((left > 0 ? left : 0.0) / (n - 3));
  return t;
}

/// Of a record with valid > 0.
template <class Record>
DATUM_HD TopPlane top_plane(const Record& s, double* variance) {
  double sums[top_sums];
  for (int i = 0; i < top_sums; ++i) sums[i] = top_sum(s, i);
  return top_plane_of(sums, s.valid, s.row0, s.col0, variance);
}

/// Residuals about the top plane are compared in steps of its rms / 32; beyond +-255 they count as 255, so
/// that box sums of products stay exact.
inline constexpr double steps_per_rms = 32, most_steps = 255;

/// height * per_nm + at_origin + (col - col0) per_col + (row - row0) per_row: the residual in steps.
struct TopPass {
  double per_nm = 0, at_origin = 0, per_col = 0, per_row = 0;  // per_nm = 0: there is no such plane
  std::int32_t col0 = 0, row0 = 0;
};
/// A rms that is not 0 is what rounding leaves of sums of integers, so it is far above 1e-300.
DATUM_HD TopPass top_pass(const TopPlane& t, double mean_nm, std::int32_t row0, std::int32_t col0) {
  TopPass p;
  if (!t.defined || !(t.residual_rms_nm > 0)) return p;
  p.per_nm = steps_per_rms / t.residual_rms_nm;
  p.col0 = col0;
  p.row0 = row0;
  const double at_origin =
      mean_nm - t.slope_col_nm * (t.mean_col - col0) - t.slope_row_nm * (t.mean_row - row0);
  p.at_origin = -(at_origin * p.per_nm);
  p.per_col = -(t.slope_col_nm * p.per_nm);
  p.per_row = -(t.slope_row_nm * p.per_nm);
  return p;
}
DATUM_HD double top_at_row(const TopPass& p, std::int32_t row) {
  return ::fma(static_cast<double>(row - p.row0), p.per_row, p.at_origin);
}
DATUM_HD double unbounded_step(const TopPass& p, double top_row, std::int32_t col, std::int32_t nm) {
  const double top = ::fma(static_cast<double>(col - p.col0), p.per_col, top_row);
  return ::fma(static_cast<double>(nm), p.per_nm, top);
}
DATUM_HD std::int16_t residual_step(const TopPass& p, double top_row, std::int32_t col, std::int32_t nm) {
  double s = unbounded_step(p, top_row, col, nm);
#ifdef __CUDA_ARCH__
  // the conversion saturates and rounds as rounded() does, so that the bounds cost less behind it
  constexpr int most = static_cast<int>(most_steps);
  const int step = min(max(__double2int_rn(s), -most), most);
  return nm != no_height ? static_cast<std::int16_t>(step) : std::int16_t{0};
#else
  s = s > most_steps ? most_steps : s;
  s = s < -most_steps ? -most_steps : s;
  return nm != no_height ? static_cast<std::int16_t>(rounded(s)) : std::int16_t{0};
#endif
}

}  // namespace datum::height
