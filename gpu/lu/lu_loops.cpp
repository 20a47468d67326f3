// The CPU's factorisation, written once for every lane type and compiled once for each instruction set: halves of halves of
// the columns (Toledo 1997), so that all but eight columns at a time is done by one product of matrices.
//
// A lane type V says: Scalar, Vector, Keys (unsigned, of the same size), width, vectors x columns of the product's
// tile, fma(-a, b, c).
#include <algorithm>
#include <cstring>
#include <utility>

#include "gpu/core/isa_table.h"
#include "gpu/core/simd.h"
#include "gpu/lu/lu_kernels.h"
#include "gpu/lu/lu_math.h"

namespace datum::lu {
namespace {

using Size = std::size_t;

template <class V>
inline typename V::Vector load(const typename V::Scalar* p) {
  typename V::Vector v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

template <class V>
inline void store(typename V::Scalar* p, typename V::Vector v) {
  std::memcpy(p, &v, sizeof v);
}

/// In which order k goes through a product. Descending, a and b point to the last k.
enum Order : std::ptrdiff_t { ascending = 1, descending = -1 };

/// R vectors by C columns of c, held in registers while k goes its way. Columns of a are `step` apart.
template <class V, Order order, int R, int C>
inline void tile(const typename V::Scalar* a, Size step, const typename V::Scalar* b, typename V::Scalar* c,
                 std::uint32_t depth, Size leading, Size leading_c) {
  typename V::Vector sum[C][R];
  for (int j = 0; j < C; ++j)
    for (int r = 0; r < R; ++r) sum[j][r] = load<V>(c + j * leading_c + r * V::width);
  for (std::uint32_t i = 0; i < depth; ++i) {
    const std::ptrdiff_t k = order * static_cast<std::ptrdiff_t>(i);
    typename V::Vector l[R];
    for (int r = 0; r < R; ++r) l[r] = load<V>(a + k * static_cast<std::ptrdiff_t>(step) + r * V::width);
    for (int j = 0; j < C; ++j) {
      const typename V::Vector u = V::set(b[k + static_cast<std::ptrdiff_t>(j * leading)]);
      for (int r = 0; r < R; ++r) sum[j][r] = V::subtract_product(l[r], u, sum[j][r]);
    }
  }
  for (int j = 0; j < C; ++j)
    for (int r = 0; r < R; ++r) store<V>(c + j * leading_c + r * V::width, sum[j][r]);
}

/// `columns` <= V::columns of them.
template <class V, Order order, int R, int C = V::columns>
inline void tile_of(std::uint32_t columns, const typename V::Scalar* a, Size step,
                    const typename V::Scalar* b, typename V::Scalar* c, std::uint32_t depth, Size leading,
                    Size leading_c) {
  if (columns == C) return tile<V, order, R, C>(a, step, b, c, depth, leading, leading_c);
  if constexpr (C > 1) tile_of<V, order, R, C - 1>(columns, a, step, b, c, depth, leading, leading_c);
}

/// All columns of R vectors of rows.
template <class V, Order order, int R>
inline void strip(const Product<typename V::Scalar>& p, const typename V::Scalar* a, Size step,
                  typename V::Scalar* c) {
  const Size last = order == descending ? p.depth - 1 : 0;
  for (std::uint32_t j = 0; j < p.columns; j += V::columns)
    tile_of<V, order, R>(std::min<std::uint32_t>(V::columns, p.columns - j), a + last * step, step,
                         p.b + last + j * Size{p.leading_c}, c + j * Size{p.leading_c}, p.depth, p.leading_c,
                         p.leading_c);
}

template <class V, Order order>
inline void strips(const Product<typename V::Scalar>& p, std::uint32_t vectors, const typename V::Scalar* a,
                   Size step, typename V::Scalar* c) {
  if (vectors == V::vectors) return strip<V, order, V::vectors>(p, a, step, c);
  if constexpr (V::vectors > 2)
    if (vectors == 2) return strip<V, order, 2>(p, a, step, c);
  strip<V, order, 1>(p, a, step, c);
}

/// Fewer rows than a vector has lanes: the tile is copied.
template <class V, Order order>
inline void last_rows(const Product<typename V::Scalar>& p, const typename V::Scalar* a, Size step,
                      std::uint32_t rows, typename V::Scalar* c) {
  typename V::Scalar copy[V::columns * V::width] = {};
  const Size last = order == descending ? p.depth - 1 : 0;
  for (std::uint32_t j = 0; j < p.columns; j += V::columns) {
    const std::uint32_t columns = std::min<std::uint32_t>(V::columns, p.columns - j);
    for (std::uint32_t i = 0; i < columns; ++i)
      std::memcpy(copy + i * V::width, c + (j + i) * Size{p.leading_c}, rows * sizeof *c);
    tile_of<V, order, 1>(columns, a + last * step, step, p.b + last + j * Size{p.leading_c}, copy, p.depth,
                         p.leading_c, V::width);
    for (std::uint32_t i = 0; i < columns; ++i)
      std::memcpy(c + (j + i) * Size{p.leading_c}, copy + i * V::width, rows * sizeof *c);
  }
}

inline constexpr std::uint32_t most_depth = 256;

/// Rows of a one after the other for every k, filled up with zeros to whole vectors.
template <class V>
inline void pack(const typename V::Scalar* a, Size leading, std::uint32_t rows, std::uint32_t depth,
                 Size step, typename V::Scalar* packed) {
  for (std::uint32_t k = 0; k < depth; ++k) {
    std::memcpy(packed + k * step, a + k * leading, rows * sizeof *a);
    std::fill(packed + k * step + rows, packed + (k + 1) * step, typename V::Scalar{0});
  }
}

template <class V, Order order>
void subtract_slice(const Product<typename V::Scalar>& p) {
  using T = typename V::Scalar;
  constexpr std::uint32_t most_rows = V::vectors * V::width;
  alignas(64) T packed[most_rows * most_depth];
  const bool few = p.columns <= 2 * V::columns;  // then a copy of a costs more than it saves
  for (std::uint32_t i = 0; i < p.rows; i += most_rows) {
    const std::uint32_t rows = std::min(most_rows, p.rows - i), vectors = rows / V::width;
    const std::uint32_t rest = rows % V::width;
    const Size step = vectors * Size{V::width};
    T* const c = p.c + i;
    if (vectors != 0 && few) {
      strips<V, order>(p, vectors, p.a + i, p.leading_a, c);
    } else if (vectors != 0) {
      pack<V>(p.a + i, p.leading_a, vectors * V::width, p.depth, step, packed);
      strips<V, order>(p, vectors, packed, step, c);
    }
    if (rest == 0) continue;
    pack<V>(p.a + i + vectors * V::width, p.leading_a, rest, p.depth, V::width, packed);
    last_rows<V, order>(p, packed, V::width, rest, c + vectors * V::width);
  }
}

template <class V, Order order = ascending>
void subtract(const Product<typename V::Scalar>& whole) {
  const std::uint32_t slices = (whole.depth + most_depth - 1) / most_depth;
  for (std::uint32_t i = 0; i < slices; ++i) {
    const std::uint32_t k = (order == ascending ? i : slices - 1 - i) * most_depth;
    Product<typename V::Scalar> p = whole;
    p.a += k * Size{p.leading_a};
    p.b += k;
    p.depth = std::min(most_depth, whole.depth - k);
    subtract_slice<V, order>(p);
  }
}

/// Eight rows: a column of b is a vector or two, which the compiler sees.
template <class V>
inline void solve_eight(const typename V::Scalar* a, Size leading_a, typename V::Scalar* b,
                        std::uint32_t columns, Size leading) {
  using T = typename V::Scalar;
  T l[7][8];
  for (int k = 0; k < 7; ++k) std::memcpy(l[k], a + k * leading_a, sizeof l[k]);
  for (std::uint32_t j = 0; j < columns; ++j, b += leading) {
    T x[8];
    std::memcpy(x, b, sizeof x);
#pragma GCC unroll 7
    for (int k = 0; k < 7; ++k) {
      const T u = x[k];
#pragma GCC unroll 8
      for (int i = 0; i < 8; ++i) {
        const T less = fused(-l[k][i], u, x[i]);
        x[i] = i > k ? less : x[i];
      }
    }
    std::memcpy(b, x, sizeof x);
  }
}

template <class V>
void solve_lower(const typename V::Scalar* a, std::uint32_t leading_a, std::uint32_t depth,
                 typename V::Scalar* b, std::uint32_t columns, std::uint32_t leading_b) {
  if (depth > 8) {
    const std::uint32_t half = (depth / 2 + 7) / 8 * 8;
    solve_lower<V>(a, leading_a, half, b, columns, leading_b);
    subtract<V>({a + half, b, b + half, depth - half, half, columns, leading_a, leading_b});
    return solve_lower<V>(a + half + half * Size{leading_a}, leading_a, depth - half, b + half, columns,
                          leading_b);
  }
  if (depth == 8) return solve_eight<V>(a, leading_a, b, columns, leading_b);
  for (std::uint32_t j = 0; j < columns; ++j, b += leading_b)
    for (std::uint32_t k = 0; k + 1 < depth; ++k)
      for (std::uint32_t i = k + 1; i < depth; ++i) b[i] = fused(-a[i + k * Size{leading_a}], b[k], b[i]);
}

template <class V>
void solve_upper(const typename V::Scalar* a, std::uint32_t leading_a, std::uint32_t depth,
                 typename V::Scalar* b, std::uint32_t columns, std::uint32_t leading_b) {
  if (depth > 8) {
    const std::uint32_t half = (depth / 2 + 7) / 8 * 8;
    const typename V::Scalar* const right = a + half * Size{leading_a};
    solve_upper<V>(right + half, leading_a, depth - half, b + half, columns, leading_b);
    subtract<V, descending>({right, b + half, b, half, depth - half, columns, leading_a, leading_b});
    return solve_upper<V>(a, leading_a, half, b, columns, leading_b);
  }
  for (std::uint32_t j = 0; j < columns; ++j, b += leading_b)
    for (std::uint32_t k = depth; k-- > 0;) {
      b[k] /= a[k + k * Size{leading_a}];
      for (std::uint32_t i = 0; i < k; ++i) b[i] = fused(-a[i + k * Size{leading_a}], b[k], b[i]);
    }
}

/// The first row of the largest magnitude.
template <class V>
inline std::uint32_t pivot_row(const typename V::Scalar* column, std::uint32_t rows) {
  using Key = decltype(magnitude(typename V::Scalar{}));
  constexpr Key no_sign = ~(Key{1} << (8 * sizeof(Key) - 1));
  typename V::Keys best = {};
  std::uint32_t i = 0;
  for (; i + V::width <= rows; i += V::width) {
    typename V::Keys keys;
    std::memcpy(&keys, column + i, sizeof keys);
    keys &= no_sign;
    best = keys > best ? keys : best;
  }
  Key lanes[V::width];
  std::memcpy(lanes, &best, sizeof best);
  Key largest = 0;
  for (const Key lane : lanes) largest = std::max(largest, lane);
  for (; i < rows; ++i) largest = std::max(largest, magnitude(column[i]));
  std::uint32_t row = 0;
  while (magnitude(column[row]) != largest) ++row;
  return row;
}

template <class V>
inline void scale(typename V::Scalar* column, std::uint32_t rows) {
  using T = typename V::Scalar;
  const T pivot = column[0], reciprocal = T{1} / pivot;
  std::uint32_t i = 1;
  if (has_reciprocal(magnitude(pivot)))
    for (; i + V::width <= rows; i += V::width)
      store<V>(column + i, load<V>(column + i) * V::set(reciprocal));
  for (; i < rows; ++i) column[i] = multiplier(column[i], pivot, reciprocal);
}

/// to -= column * u below the first row.
template <class V>
inline void update(const typename V::Scalar* column, typename V::Scalar* to, std::uint32_t rows) {
  const typename V::Scalar u = to[0];
  std::uint32_t i = 1;
  for (; i + V::width <= rows; i += V::width)
    store<V>(to + i, V::subtract_product(load<V>(column + i), V::set(u), load<V>(to + i)));
  for (; i < rows; ++i) to[i] = fused(-column[i], u, to[i]);
}

template <class T>
void exchange(T* a, std::uint32_t columns, std::uint32_t leading, std::uint32_t first, std::uint32_t end,
              const std::int32_t* pivots) {
  for (std::uint32_t j = 0; j < columns; ++j, a += leading)
    for (std::uint32_t k = first; k < end; ++k) std::swap(a[k], a[pivots[k] - 1]);
}

/// A few columns, one after the other.
template <class V>
std::int32_t factor_narrow(typename V::Scalar* a, std::uint32_t rows, std::uint32_t columns, Size leading,
                           std::int32_t* pivots) {
  std::int32_t info = 0;
  for (std::uint32_t k = 0; k < columns; ++k) {
    typename V::Scalar* const column = a + k + k * leading;
    const std::uint32_t at = pivot_row<V>(column, rows - k);
    pivots[k] = static_cast<std::int32_t>(k + at + 1);
    if (!is_finite(magnitude(column[at]))) return -static_cast<std::int32_t>(k + 1);
    if (column[at] == 0 && info == 0) info = static_cast<std::int32_t>(k + 1);
    if (at != 0)
      for (std::uint32_t j = 0; j < columns; ++j) std::swap(a[k + j * leading], a[k + at + j * leading]);
    scale<V>(column, rows - k);
    for (std::uint32_t j = k + 1; j < columns; ++j) update<V>(column, a + k + j * leading, rows - k);
  }
  return info;
}

template <class V>
std::int32_t factor(typename V::Scalar* a, std::uint32_t rows, std::uint32_t columns, std::uint32_t leading,
                    std::int32_t* pivots) {
  if (columns <= 8) return factor_narrow<V>(a, rows, columns, leading, pivots);
  const std::uint32_t half = (columns / 2 + 7) / 8 * 8, rest = columns - half;
  const std::int32_t first = factor<V>(a, rows, half, leading, pivots);
  if (first < 0) return first;
  typename V::Scalar* const right = a + half * Size{leading};
  exchange(right, rest, leading, 0, half, pivots);
  solve_lower<V>(a, leading, half, right, rest, leading);
  subtract<V>({a + half, right, right + half, rows - half, half, rest, leading, leading});
  const std::int32_t second = factor<V>(right + half, rows - half, rest, leading, pivots + half);
  if (second < 0) return second - static_cast<std::int32_t>(half);
  for (std::uint32_t k = half; k < columns; ++k) pivots[k] += static_cast<std::int32_t>(half);
  exchange(a, half, leading, half, columns, pivots);
  return first != 0 ? first : (second != 0 ? second + static_cast<std::int32_t>(half) : 0);
}

template <class V>
constexpr Kernels<typename V::Scalar> kernels_of() {
  return {factor<V>, solve_lower<V>, solve_upper<V>, exchange<typename V::Scalar>, subtract<V>};
}

#if defined(DATUM_ISA_AVX512)
using Keys32 = std::uint32_t __attribute__((vector_size(64)));
using Keys64 = std::uint64_t __attribute__((vector_size(64)));
constexpr int tile_vectors = 3, tile_columns = 8;
inline __m512 broadcast(float v) { return _mm512_set1_ps(v); }
inline __m512d broadcast(double v) { return _mm512_set1_pd(v); }
inline __m512 minus_product(__m512 a, __m512 b, __m512 c) { return _mm512_fnmadd_ps(a, b, c); }
inline __m512d minus_product(__m512d a, __m512d b, __m512d c) { return _mm512_fnmadd_pd(a, b, c); }
#elif defined(DATUM_ISA_AVX2)
using Keys32 = std::uint32_t __attribute__((vector_size(32)));
using Keys64 = std::uint64_t __attribute__((vector_size(32)));
constexpr int tile_vectors = 2, tile_columns = 6;
inline __m256 broadcast(float v) { return _mm256_set1_ps(v); }
inline __m256d broadcast(double v) { return _mm256_set1_pd(v); }
inline __m256 minus_product(__m256 a, __m256 b, __m256 c) { return _mm256_fnmadd_ps(a, b, c); }
inline __m256d minus_product(__m256d a, __m256d b, __m256d c) { return _mm256_fnmadd_pd(a, b, c); }
#elif defined(DATUM_ISA_NEON)
using Keys32 = std::uint32_t __attribute__((vector_size(16)));
using Keys64 = std::uint64_t __attribute__((vector_size(16)));
constexpr int tile_vectors = 3, tile_columns = 6;
inline float32x4_t broadcast(float v) { return vdupq_n_f32(v); }
inline float64x2_t broadcast(double v) { return vdupq_n_f64(v); }
inline float32x4_t minus_product(float32x4_t a, float32x4_t b, float32x4_t c) { return vfmsq_f32(c, a, b); }
inline float64x2_t minus_product(float64x2_t a, float64x2_t b, float64x2_t c) { return vfmsq_f64(c, a, b); }
#else
using Keys32 = std::uint32_t;
using Keys64 = std::uint64_t;
constexpr int tile_vectors = 2, tile_columns = 4;
template <class T>
inline T broadcast(T v) {
  return v;
}
template <class T>
inline T minus_product(T a, T b, T c) {
  return fused(-a, b, c);
}
#endif

template <class T, class K>
struct Lanes {
  using Scalar = T;
  using Vector = decltype(broadcast(T{}));
  using Keys = K;
  static constexpr int width = sizeof(Vector) / sizeof(T), vectors = tile_vectors, columns = tile_columns;
  static inline Vector set(T v) { return broadcast(v); }
  static inline Vector subtract_product(Vector a, Vector b, Vector c) { return minus_product(a, b, c); }
};

}  // namespace

extern const Kernels<float> DATUM_OF_ISA(float);
extern const Kernels<double> DATUM_OF_ISA(double);
const Kernels<float> DATUM_OF_ISA(float) = kernels_of<Lanes<float, Keys32>>();
const Kernels<double> DATUM_OF_ISA(double) = kernels_of<Lanes<double, Keys64>>();

}  // namespace datum::lu
