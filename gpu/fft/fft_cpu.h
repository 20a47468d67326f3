// The passes of the transform on a CPU, a row in each lane. Included by one file per instruction set and by nothing else:
// each has lanes of its own type, so that no copy is shared.
//
// What S supplies beyond fft_math.h: Fewer (itself, or what has fewer lanes), load, store, and transpose, which exchanges word k of lane i and word i of lane k.
#pragma once

#include <algorithm>

#include "gpu/fft/fft_cpu_row.h"
#include "gpu/fft/fft_kernels.h"

namespace datum::fft {

template <class S>
struct Lanes {
  using Word = typename S::Word;
  using V = Value<S>;
  static constexpr std::size_t width = S::width;
  static constexpr std::size_t block = width > 1 ? width / 2 : 1;  // values of a row that fill a vector

  static inline V load(const Word* data, std::size_t i) {
    return {S::load(data + 2 * i * width), S::load(data + (2 * i + 1) * width)};
  }
  static inline void store(Word* data, std::size_t i, V v) {
    S::store(data + 2 * i * width, v.re);
    S::store(data + (2 * i + 1) * width, v.im);
  }

  /// One block of values of each row, and the way back.
  static inline void take(const Word* const* row, std::size_t column, V* to) {
    if constexpr (width == 1) {
      *to = {row[0][2 * column], row[0][2 * column + 1]};
    } else {
      typename S::F m[width];
#pragma GCC unroll 16
      for (std::size_t lane = 0; lane < width; ++lane) m[lane] = S::load(row[lane] + 2 * column);
      S::transpose(m);
#pragma GCC unroll 8
      for (std::size_t c = 0; c < block; ++c) to[c] = {m[2 * c], m[2 * c + 1]};
    }
  }
  static inline void give(const V* from, std::size_t column, Word* const* row) {
    if constexpr (width == 1) {
      row[0][2 * column] = from->re;
      row[0][2 * column + 1] = from->im;
    } else {
      typename S::F m[width];
#pragma GCC unroll 8
      for (std::size_t c = 0; c < block; ++c) {
        m[2 * c] = from[c].re;
        m[2 * c + 1] = from[c].im;
      }
      S::transpose(m);
#pragma GCC unroll 16
      for (std::size_t lane = 0; lane < width; ++lane) S::store(row[lane] + 2 * column, m[lane]);
    }
  }
  /// The same for fewer values than a block.
  static void take_few(const Word* const* row, std::size_t column, std::size_t count, V* to) {
    alignas(64) Word both[2][width];
    for (std::size_t c = 0; c < count; ++c) {
      for (std::size_t lane = 0; lane < width; ++lane) {
        both[0][lane] = row[lane][2 * (column + c)];
        both[1][lane] = row[lane][2 * (column + c) + 1];
      }
      to[c] = {S::load(both[0]), S::load(both[1])};
    }
  }
  static void give_few(const V* from, std::size_t column, std::size_t count, Word* const* row) {
    alignas(64) Word both[2][width];
    for (std::size_t c = 0; c < count; ++c) {
      S::store(both[0], from[c].re);
      S::store(both[1], from[c].im);
      for (std::size_t lane = 0; lane < width; ++lane) {
        row[lane][2 * (column + c)] = both[0][lane];
        row[lane][2 * (column + c) + 1] = both[1][lane];
      }
    }
  }

  /// Pass 0, from rows.
  template <int radix, bool inverse>
  static void first_pass(const Word* const* row, std::size_t points, Word* out) {
    const std::size_t step = points / radix;
    V tile[radix][block], v[radix];
    for (std::size_t j = 0; j < step; j += block) {
      const std::size_t count = std::min(block, step - j);
      for (std::size_t r = 0; r < radix; ++r) {
        if (count == block) {
          take(row, j + r * step, tile[r]);
        } else {
          take_few(row, j + r * step, count, tile[r]);
        }
      }
      for (std::size_t c = 0; c < count; ++c) {
#pragma GCC unroll 32
        for (std::size_t r = 0; r < radix; ++r) v[r] = inverse ? swapped(tile[r][c]) : tile[r][c];
        dft<radix>(v);
#pragma GCC unroll 32
        for (std::size_t r = 0; r < radix; ++r) store(out, (j + c) * radix + r, v[r]);
      }
    }
  }

  template <int radix>
  static inline void turned(const Word* in, std::size_t points, std::size_t done, std::size_t j,
                            std::size_t k, const Root<Word>* root, V* v) {
    const std::size_t step = points / radix;
    v[0] = load(in, j);
#pragma GCC unroll 32
    for (std::size_t r = 1; r < radix; ++r) v[r] = times(load(in, j + r * step), root[(r - 1) * done + k]);
    dft<radix>(v);
  }

  /// A later pass, after passes of product `done`; 1: the first, of lanes.
  template <int radix>
  static void pass(const Word* in, std::size_t points, std::size_t done, const Root<Word>* root, Word* out) {
    V v[radix];
    const std::size_t step = points / radix;
    for (std::size_t base = 0; base < step; base += done)
      for (std::size_t k = 0; k < done; ++k) {
        if (done == 1) {
#pragma GCC unroll 32
          for (std::size_t r = 0; r < radix; ++r) v[r] = load(in, base + r * step);
          dft<radix>(v);
        } else {
          turned<radix>(in, points, done, base + k, k, root, v);
        }
#pragma GCC unroll 32
        for (std::size_t r = 0; r < radix; ++r) store(out, base * radix + k + r * done, v[r]);
      }
  }

  /// The last of several passes, to rows.
  template <int radix, bool inverse>
  static void last_pass(const Word* in, std::size_t points, const Root<Word>* root, Word* const* row) {
    const std::size_t step = points / radix;
    const typename S::F scale = S::set(Word(1) / static_cast<Word>(points));
    V tile[radix][block], v[radix];
    for (std::size_t j = 0; j < step; j += block) {
      const std::size_t count = std::min(block, step - j);
      for (std::size_t c = 0; c < count; ++c) {
        turned<radix>(in, points, step, j + c, j + c, root, v);
#pragma GCC unroll 32
        for (std::size_t r = 0; r < radix; ++r)
          tile[r][c] = inverse ? V{scale * v[r].im, scale * v[r].re} : v[r];
      }
      for (std::size_t r = 0; r < radix; ++r) {
        if (count == block) {
          give(tile[r], j + r * step, row);
        } else {
          give_few(tile[r], j + r * step, count, row);
        }
      }
    }
  }

  static void pass_of(int radix, const Word* in, std::size_t points, std::size_t done, const Root<Word>* root,
                      Word* out) {
    if (radix == 2) pass<2>(in, points, done, root, out);
    if (radix == 4) pass<4>(in, points, done, root, out);
    if (radix == 8) pass<8>(in, points, done, root, out);
    if (radix == 16) pass<16>(in, points, done, root, out);
    if (radix == 32) pass<32>(in, points, done, root, out);
  }
  template <bool inverse>
  static void first_of(int radix, const Word* const* row, std::size_t points, Word* out) {
    if (radix == 8) first_pass<8, inverse>(row, points, out);
    if (radix == 16) first_pass<16, inverse>(row, points, out);
    if (radix == 32) first_pass<32, inverse>(row, points, out);
  }
  template <bool inverse>
  static void last_of(int radix, const Word* in, std::size_t points, const Root<Word>* root,
                      Word* const* row) {
    if (radix == 2) last_pass<2, inverse>(in, points, root, row);
    if (radix == 4) last_pass<4, inverse>(in, points, root, row);
    if (radix == 8) last_pass<8, inverse>(in, points, root, row);
    if (radix == 16) last_pass<16, inverse>(in, points, root, row);
  }

  /// Passes `from` to the one before `to`, through the two halves; says where the result is.
  static Word* passes(const Plan<Word>& plan, int from, int to, Word* data, Word* other) {
    std::size_t done = 1;
    for (int p = 0; p < to; ++p) {
      if (p >= from) {
        pass_of(plan.radix[p], data, plan.points, done, plan.root.data() + plan.first[p], other);
        std::swap(data, other);
      }
      done *= static_cast<std::size_t>(plan.radix[p]);
    }
    return data;
  }
  static Word* transform_lanes(const Plan<Word>& plan, int from, Word* data, Word* other) {
    return passes(plan, from, plan.passes, data, other);
  }

  static void emit(const Word* data, std::size_t count, Word scale, bool swap, Word* const* row) {
    const typename S::F s = S::set(scale);
    V v[block];
    for (std::size_t i = 0; i < count; i += block) {
      const std::size_t some = std::min(block, count - i);
      for (std::size_t c = 0; c < some; ++c) {
        v[c] = load(data, i + c);
        v[c] = swap ? V{s * v[c].im, s * v[c].re} : V{s * v[c].re, s * v[c].im};
      }
      if (some == block) {
        give(v, i, row);
      } else {
        give_few(v, i, some, row);
      }
    }
  }

  template <bool inverse>
  static void complex_rows(const Plan<Word>& plan, const Word* const* in, Word* const* out, Word* work) {
    Word* other = work + 2 * width * plan.points;
    first_of<inverse>(plan.radix[0], in, plan.points, work);
    if (plan.passes == 1)
      return emit(work, plan.points, inverse ? Word(1) / static_cast<Word>(plan.points) : Word(1), inverse,
                  out);
    const int last = plan.passes - 1;
    Word* data = passes(plan, 1, last, work, other);
    last_of<inverse>(plan.radix[last], data, plan.points, plan.root.data() + plan.first[last], out);
  }

  static void real_rows(const Plan<Word>& plan, const Word* const* in, Word* const* out, Word* work) {
    Word* other = work + 2 * width * (plan.points + 1);
    first_of<false>(plan.radix[0], in, plan.points, work);
    Word* data = passes(plan, 1, plan.passes, work, other);
    Word* bins = data == work ? other : work;
    for (std::size_t k = 0; k <= plan.points; ++k) {
      const V at = load(data, k == plan.points ? 0 : k), mirrored = load(data, k == 0 ? 0 : plan.points - k);
      store(bins, k, real_bin(at, mirrored, plan.half_root[k]));
    }
    emit(bins, plan.points + 1, 1, false, out);
  }
  static void rows_of_bins(const Plan<Word>& plan, const Word* const* in, Word* const* out, Word* work) {
    Word* other = work + 2 * width * (plan.points + 1);
    V v[block];
    for (std::size_t i = 0; i <= plan.points; i += block) {
      const std::size_t some = std::min(block, plan.points + 1 - i);
      take_few(in, i, some, v);
      for (std::size_t c = 0; c < some; ++c) {
        if (i + c == 0 || i + c == plan.points) v[c].im = S::set(0);
        store(other, i + c, v[c]);
      }
    }
    for (std::size_t k = 0; k < plan.points; ++k)
      store(work, k, swapped(pair_of_bins(load(other, k), load(other, plan.points - k), plan.half_root[k])));
    Word* data = passes(plan, 0, plan.passes, work, other);
    emit(data, plan.points, Word(0.5) / static_cast<Word>(plan.points), true, out);
  }

  template <class T>
  static void each_row(const Rows<Word>& rows, Word* work) {
    for (std::size_t r = 0; r < rows.count; ++r)
      RowLanes<T>::transform(*rows.plan, rows.kind == Kind::inverse, rows.in + r * rows.in_stride,
                             rows.out + r * rows.out_stride, work);
  }

  static bool one_by_one(const Rows<Word>& rows) {
    return rows.kind <= Kind::inverse &&
           (RowLanes<S>::fills(*rows.plan) || RowLanes<typename S::Fewer>::fills(*rows.plan));
  }

  static void transform(const Rows<Word>& rows, Word* work) {
    const Plan<Word>& plan = *rows.plan;
    if (one_by_one(rows))
      return RowLanes<S>::fills(plan) ? each_row<S>(rows, work) : each_row<typename S::Fewer>(rows, work);
    const Word* in[width];
    Word* out[width];
    Word* spare = work + 4 * width * (plan.points + 1);
    for (std::size_t lane = 0; lane < width; ++lane) {
      const bool stands = lane < rows.count;
      in[lane] = rows.in + (stands ? lane : 0) * rows.in_stride;
      out[lane] = stands ? rows.out + lane * rows.out_stride : spare;
    }
    if (rows.kind == Kind::forward) complex_rows<false>(plan, in, out, work);
    if (rows.kind == Kind::inverse) complex_rows<true>(plan, in, out, work);
    if (rows.kind == Kind::forward_real) real_rows(plan, in, out, work);
    if (rows.kind == Kind::inverse_real) rows_of_bins(plan, in, out, work);
  }

  static constexpr Kernels<Word> kernels() { return {width, one_by_one, transform, transform_lanes}; }
};

}  // namespace datum::fft
