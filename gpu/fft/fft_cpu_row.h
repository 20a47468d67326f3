// The passes of one row, neighbouring butterflies in the lanes: for rows so long that the first pass fills them. Included by
// one file per instruction set and by nothing else.
//
// What S supplies beyond fft_cpu.h: load_pairs and store_pairs, values from and to words that alternate.
#pragma once

#include <utility>

#include "gpu/fft/fft_kernels.h"

namespace datum::fft {

template <class S>
struct RowLanes {
  using Word = typename S::Word;
  using V = Value<S>;
  static constexpr std::size_t width = S::width;

  static bool fills(const Plan<Word>& plan) {
    const auto radix = static_cast<std::size_t>(plan.radix[0]);
    return plan.passes > 1 && radix % width == 0 && plan.points >= width * radix;
  }

  /// Real parts of all values, then imaginary ones.
  struct Parts {
    Word *re, *im;
  };

  template <std::size_t radix>
  static void first_pass(const Word* in, std::size_t points, bool inverse, Parts out) {
    const std::size_t step = points / radix;
    V v[radix];
    for (std::size_t j = 0; j < step; j += width) {
#pragma GCC unroll 32
      for (std::size_t r = 0; r < radix; ++r) {
        S::load_pairs(in + 2 * (j + r * step), &v[r].re, &v[r].im);
        if (inverse) v[r] = swapped(v[r]);
      }
      dft<radix>(v);
#pragma GCC unroll 16
      for (std::size_t b = 0; b + width <= radix; b += width) {
        typename S::F re[width], im[width];
#pragma GCC unroll 16
        for (std::size_t r = 0; r < width; ++r) {
          re[r] = v[b + r].re;
          im[r] = v[b + r].im;
        }
        S::transpose(re);
        S::transpose(im);
#pragma GCC unroll 16
        for (std::size_t lane = 0; lane < width; ++lane) {
          S::store(out.re + (j + lane) * radix + b, re[lane]);
          S::store(out.im + (j + lane) * radix + b, im[lane]);
        }
      }
    }
  }

  template <int radix>
  static inline void turned(Parts in, std::size_t j, std::size_t step, const Word* re, const Word* im,
                            std::size_t done, V* v) {
    v[0] = {S::load(in.re + j), S::load(in.im + j)};
#pragma GCC unroll 32
    for (std::size_t r = 1; r < radix; ++r)
      v[r] = times(V{S::load(in.re + j + r * step), S::load(in.im + j + r * step)},
                   V{S::load(re + (r - 1) * done), S::load(im + (r - 1) * done)});
    dft<radix>(v);
  }

  template <int radix>
  static void pass(Parts in, std::size_t points, std::size_t done, const Word* re, const Word* im,
                   Parts out) {
    const std::size_t step = points / radix;
    V v[radix];
    for (std::size_t base = 0; base < step; base += done)
      for (std::size_t k = 0; k < done; k += width) {
        turned<radix>(in, base + k, step, re + k, im + k, done, v);
#pragma GCC unroll 32
        for (std::size_t r = 0; r < radix; ++r) {
          S::store(out.re + base * radix + k + r * done, v[r].re);
          S::store(out.im + base * radix + k + r * done, v[r].im);
        }
      }
  }

  template <int radix>
  static void last_pass(Parts in, std::size_t points, const Word* re, const Word* im, bool inverse,
                        Word* row) {
    const std::size_t step = points / radix;
    const typename S::F scale = S::set(Word(1) / static_cast<Word>(points));
    V v[radix];
    for (std::size_t k = 0; k < step; k += width) {
      turned<radix>(in, k, step, re + k, im + k, step, v);
#pragma GCC unroll 32
      for (std::size_t r = 0; r < radix; ++r) {
        if (inverse) v[r] = {scale * v[r].im, scale * v[r].re};
        S::store_pairs(row + 2 * (k + r * step), v[r].re, v[r].im);
      }
    }
  }

  /// `work`: 4 words a point.
  static void transform(const Plan<Word>& plan, bool inverse, const Word* in, Word* out, Word* work) {
    const std::size_t n = plan.points;
    Parts data{work, work + n}, other{work + 2 * n, work + 3 * n};
    auto done = static_cast<std::size_t>(plan.radix[0]);
    if (plan.radix[0] == 8) first_pass<8>(in, n, inverse, data);
    if (plan.radix[0] == 16) first_pass<16>(in, n, inverse, data);
    if (plan.radix[0] == 32) first_pass<32>(in, n, inverse, data);
    const Word *re = plan.root_re.data(), *im = plan.root_im.data();
    const int last = plan.passes - 1;
    for (int p = 1; p < last; ++p) {
      const Word *pass_re = re + plan.first[p], *pass_im = im + plan.first[p];
      if (plan.radix[p] == 8) pass<8>(data, n, done, pass_re, pass_im, other);
      if (plan.radix[p] == 16) pass<16>(data, n, done, pass_re, pass_im, other);
      if (plan.radix[p] == 32) pass<32>(data, n, done, pass_re, pass_im, other);
      std::swap(data, other);
      done *= static_cast<std::size_t>(plan.radix[p]);
    }
    re += plan.first[last];
    im += plan.first[last];
    if (plan.radix[last] == 4) last_pass<4>(data, n, re, im, inverse, out);
    if (plan.radix[last] == 8) last_pass<8>(data, n, re, im, inverse, out);
    if (plan.radix[last] == 16) last_pass<16>(data, n, re, im, inverse, out);
  }
};

}  // namespace datum::fft
