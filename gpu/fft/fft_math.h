// The arithmetic of the transform, once for hosts and devices: which radices a length is made of, what one pass does to
// the values of one butterfly. Stockham's autosort form: a pass of radix R after passes of product s reads the values
// j + r n/R of butterfly j, turns each by the root of unity (j mod s) r / (s R), transforms them, and writes value r to
// (j div s) s R + j mod s + r s. Who does which butterfly shows in no bit of the result. C++17.
#pragma once

#include <cmath>

#include "gpu/core/portable.h"

namespace datum::fft {

/// One value at a time: the reference that every vector of lanes equals.
struct ScalarFloat {
  using Word = float;
  using F = float;
  static constexpr int width = 1;
  DATUM_HD F set(Word v) { return v; }
  DATUM_HD F fma(F a, F b, F c) { return ::fmaf(a, b, c); }
};
struct ScalarDouble {
  using Word = double;
  using F = double;
  static constexpr int width = 1;
  DATUM_HD F set(Word v) { return v; }
  DATUM_HD F fma(F a, F b, F c) { return ::fma(a, b, c); }
};

template <class S>
struct Value {
  typename S::F re, im;
};

/// A root of unity: cos and -sin of its angle.
template <class Word>
struct Root {
  Word re, im;
};

template <class S>
DATUM_HD Value<S> operator+(Value<S> a, Value<S> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class S>
DATUM_HD Value<S> operator-(Value<S> a, Value<S> b) {
  return {a.re - b.re, a.im - b.im};
}
template <class S>
DATUM_HD Value<S> times(Value<S> a, Value<S> w) {
  return {S::fma(-a.im, w.im, a.re * w.re), S::fma(a.im, w.re, a.re * w.im)};
}
template <class S>
DATUM_HD Value<S> times(Value<S> a, Root<typename S::Word> w) {
  return times(a, Value<S>{S::set(w.re), S::set(w.im)});
}
/// sum + a w
template <class S>
DATUM_HD Value<S> add_product(Value<S> sum, Value<S> a, Root<typename S::Word> w) {
  const typename S::F re = S::set(w.re), im = S::set(w.im);
  return {S::fma(-a.im, im, S::fma(a.re, re, sum.re)), S::fma(a.im, re, S::fma(a.re, im, sum.im))};
}
template <class S>
DATUM_HD Value<S> times_minus_i(Value<S> a) {
  return {a.im, -a.re};
}
template <class S>
DATUM_HD Value<S> swapped(Value<S> a) {
  return {a.im, a.re};
}
/// a times the 8th root: (1 - i) / sqrt 2
template <class S>
DATUM_HD Value<S> times_eighth(Value<S> a) {
  const typename S::F half = S::set(static_cast<typename S::Word>(0.70710678118654752440));
  return {half * (a.re + a.im), half * (a.im - a.re)};
}
/// a times its cube: -(1 + i) / sqrt 2
template <class S>
DATUM_HD Value<S> times_three_eighths(Value<S> a) {
  const typename S::F half = S::set(static_cast<typename S::Word>(0.70710678118654752440));
  return {half * (a.im - a.re), -half * (a.re + a.im)};
}

template <class S>
DATUM_HD void exchange(Value<S>& a, Value<S>& b) {
  const Value<S> t = a;
  a = b;
  b = t;
}

// v[k] becomes the sum over i of v[i] exp(-2 pi i k / R), in natural order.
template <class S>
DATUM_HD void dft2(Value<S>& a, Value<S>& b) {
  const Value<S> t = a - b;
  a = a + b;
  b = t;
}
template <class S>
DATUM_HD void dft4(Value<S>& a, Value<S>& b, Value<S>& c, Value<S>& d) {
  const Value<S> s0 = a + c, s1 = a - c, s2 = b + d, s3 = times_minus_i(b - d);
  a = s0 + s2;
  b = s1 + s3;
  c = s0 - s2;
  d = s1 - s3;
}
template <class S>
DATUM_HD void dft8(Value<S>& a, Value<S>& b, Value<S>& c, Value<S>& d, Value<S>& e, Value<S>& f, Value<S>& g,
                   Value<S>& h) {
  dft4(a, c, e, g);
  dft4(b, d, f, h);
  const Value<S> o1 = times_eighth(d), o2 = times_minus_i(f), o3 = times_three_eighths(h);
  const Value<S> e0 = a, e1 = c, e2 = e, e3 = g, o0 = b;
  a = e0 + o0;
  b = e1 + o1;
  c = e2 + o2;
  d = e3 + o3;
  e = e0 - o0;
  f = e1 - o1;
  g = e2 - o2;
  h = e3 - o3;
}
template <class S>
DATUM_HD void dft16(Value<S>* v) {
  using Word = typename S::Word;
  constexpr Word c = static_cast<Word>(0.92387953251128675613), s = static_cast<Word>(0.38268343236508977173);
  dft4(v[0], v[4], v[8], v[12]);
  dft4(v[1], v[5], v[9], v[13]);
  dft4(v[2], v[6], v[10], v[14]);
  dft4(v[3], v[7], v[11], v[15]);
  v[5] = times(v[5], Root<Word>{c, -s});
  v[6] = times_eighth(v[6]);
  v[7] = times(v[7], Root<Word>{s, -c});
  v[9] = times_eighth(v[9]);
  v[10] = times_minus_i(v[10]);
  v[11] = times_three_eighths(v[11]);
  v[13] = times(v[13], Root<Word>{s, -c});
  v[14] = times_three_eighths(v[14]);
  v[15] = times(v[15], Root<Word>{-c, s});
  dft4(v[0], v[1], v[2], v[3]);
  dft4(v[4], v[5], v[6], v[7]);
  dft4(v[8], v[9], v[10], v[11]);
  dft4(v[12], v[13], v[14], v[15]);
  exchange(v[1], v[4]);
  exchange(v[2], v[8]);
  exchange(v[3], v[12]);
  exchange(v[6], v[9]);
  exchange(v[7], v[13]);
  exchange(v[11], v[14]);
}
/// Root k of 32, k below 16.
template <class Word>
DATUM_HD Root<Word> root_of_32(int k) {
  constexpr Word c1 = static_cast<Word>(0.98078528040323044913),
                 s1 = static_cast<Word>(0.19509032201612826785),
                 c2 = static_cast<Word>(0.92387953251128675613),
                 s2 = static_cast<Word>(0.38268343236508977173),
                 c3 = static_cast<Word>(0.83146961230254523708),
                 s3 = static_cast<Word>(0.55557023301960222474),
                 h = static_cast<Word>(0.70710678118654752440);
  const bool beyond = k > 8;
  const int m = beyond ? 16 - k : k;
  const bool steep = m > 4;
  const int n = steep ? 8 - m : m;
  const Word large = n == 0 ? 1 : n == 1 ? c1 : n == 2 ? c2 : n == 3 ? c3 : h;
  const Word small = n == 0 ? 0 : n == 1 ? s1 : n == 2 ? s2 : n == 3 ? s3 : h;
  const Word re = steep ? small : large, im = steep ? large : small;
  return {beyond ? -re : re, -im};
}
/// Bins k and k + 16 of 32 from bin k of the even and of the odd values.
template <int k, class S>
DATUM_HD void join(const Value<S>* even, const Value<S>* odd, Value<S>* v) {
  Value<S> o = odd[k];
  if constexpr (k == 4) {
    o = times_eighth(o);
  } else if constexpr (k == 8) {
    o = times_minus_i(o);
  } else if constexpr (k == 12) {
    o = times_three_eighths(o);
  } else if constexpr (k != 0) {
    o = times(o, root_of_32<typename S::Word>(k));
  }
  v[k] = even[k] + o;
  v[k + 16] = even[k] - o;
}
template <class S>
DATUM_HD void dft32(Value<S>* v) {
  Value<S> even[16] = {v[0],  v[2],  v[4],  v[6],  v[8],  v[10], v[12], v[14],
                       v[16], v[18], v[20], v[22], v[24], v[26], v[28], v[30]};
  Value<S> odd[16] = {v[1],  v[3],  v[5],  v[7],  v[9],  v[11], v[13], v[15],
                      v[17], v[19], v[21], v[23], v[25], v[27], v[29], v[31]};
  dft16(even);
  dft16(odd);
  join<0>(even, odd, v);
  join<1>(even, odd, v);
  join<2>(even, odd, v);
  join<3>(even, odd, v);
  join<4>(even, odd, v);
  join<5>(even, odd, v);
  join<6>(even, odd, v);
  join<7>(even, odd, v);
  join<8>(even, odd, v);
  join<9>(even, odd, v);
  join<10>(even, odd, v);
  join<11>(even, odd, v);
  join<12>(even, odd, v);
  join<13>(even, odd, v);
  join<14>(even, odd, v);
  join<15>(even, odd, v);
}
template <int radix, class S>
DATUM_HD void dft(Value<S>* v) {
  if constexpr (radix == 2) dft2(v[0], v[1]);
  if constexpr (radix == 4) dft4(v[0], v[1], v[2], v[3]);
  if constexpr (radix == 8) dft8(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]);
  if constexpr (radix == 16) dft16(v);
  if constexpr (radix == 32) dft32(v);
}

/// Bins k and n/2 - k of n real values, from the transform z of their n/2 pairs; `w` is root k of n. At k = 0 both are
/// asked of z[0].
template <class S>
DATUM_HD Value<S> real_bin(Value<S> at, Value<S> mirrored, Root<typename S::Word> w) {
  const typename S::F half = S::set(static_cast<typename S::Word>(0.5));
  const Value<S> even{half * (at.re + mirrored.re), half * (at.im - mirrored.im)};
  const Value<S> odd{half * (at.im + mirrored.im), half * (mirrored.re - at.re)};
  return add_product(even, odd, w);
}
/// Twice the pair k of which the bins k and n/2 - k of real values are the transform.
template <class S>
DATUM_HD Value<S> pair_of_bins(Value<S> at, Value<S> mirrored, Root<typename S::Word> w) {
  const Value<S> even{at.re + mirrored.re, at.im - mirrored.im};
  const Value<S> odd =
      times(Value<S>{at.re - mirrored.re, at.im + mirrored.im}, Root<typename S::Word>{w.re, -w.im});
  return {even.re - odd.im, even.im + odd.re};
}

constexpr int most_passes = 4;

/// Passes of a power of two from 8 to 16384: sixteens, at the end what is left of 4 or 8, at the start 32 for what is left of
/// 2. Two lengths are faster on a device (gpu/README.md) otherwise.
DATUM_HD constexpr int radices_of(unsigned points, int* radix) {
  int passes = 0;
  if (points == 512) {
    for (; passes < 3; ++passes) radix[passes] = 8;
    return passes;
  }
  int bits = 0;
  while ((1u << bits) < points) ++bits;
  for (int thirty_twos = points == 16384 ? 2 : bits % 4 == 1 ? 1 : 0; passes < thirty_twos; bits -= 5)
    radix[passes++] = 32;
  for (; bits >= 4; bits -= 4) radix[passes++] = 16;
  if (bits > 0) radix[passes++] = 1 << bits;
  return passes;
}

}  // namespace datum::fft
