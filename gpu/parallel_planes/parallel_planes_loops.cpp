// The CPU loops, written once for every lane type and compiled once for each instruction set.
#include <cstring>

#include "gpu/core/isa_table.h"
#include "gpu/core/simd.h"
#include "gpu/parallel_planes/parallel_planes_kernels.h"

namespace datum::parallel {
namespace {

inline constexpr int ahead = 2048;  // bytes

/// A row of a tile, filled up with points that are not there.
struct LastRow {
  WeightedPoint point[lanes];

  LastRow(const WeightedPoint* points, std::uint64_t size, const float* centre) {
    for (int i = 0; i < lanes; ++i)
      point[i] = static_cast<std::uint64_t>(i) < size ? points[i]
                                                      : WeightedPoint{centre[0], centre[1], centre[2], 0.f};
  }
};

/// What lanes gathered in some tiles, S::width of them.
template <class S>
struct Gathered {
  typename S::Bits sum[moment_count];

  Gathered() {
    for (auto& s : sum) s = typename S::Bits{};
  }
  void into(SampleSums* sums) const {
    for (int m = 0; m < moment_count; ++m)
      for (int lane = 0; lane < S::width; ++lane) {
        const std::int64_t quanta = sum[m][lane];
        sums->high[m] += quanta >> 32;
        sums->low[m] += quanta & 0xFFFFFFFF;
      }
  }
};

template <class S>
inline void add_tile(const WeightedPoint* points, int full_rows, const WeightedPoint* last_row,
                     const typename S::Edge& edge, const Scale& scale, Gathered<S>* gathered,
                     typename S::Seen* seen) {
  using D = typename S::D;
  D sums[moment_count];
  for (int m = 0; m < moment_count; ++m) sums[m] = S::set(scale.begin[m]);
  D x, y, z, w;
  for (int row = 0; row < full_rows; ++row) {
    // the processor's own prefetch keeps too little on its way: one core reads 1.7 times as fast with this
    const WeightedPoint* const from = points + std::ptrdiff_t{row} * lanes;
    const char* later = reinterpret_cast<const char*>(from) + ahead;
    __builtin_prefetch(later);
    __builtin_prefetch(later + 64);
    S::take(from, edge, &x, &y, &z, &w, seen);
    add_point<S, D>(sums, x, y, z, w);
  }
  if (last_row) {
    S::take(last_row, edge, &x, &y, &z, &w, seen);
    add_point<S, D>(sums, x, y, z, w);
  }
  for (int m = 0; m < moment_count; ++m)
    gathered->sum[m] += S::bits(sums[m]) - S::bits(S::set(scale.begin[m]));
}

template <class S>
void add_tiles(const WeightedPoint* points, std::uint64_t size, const Limits& limits, const Scale& scale,
               SampleSums* sums) {
  constexpr std::uint64_t most = 4096;  // tiles: below 2^63 quanta in a lane
  const typename S::Edge edge(limits);
  typename S::Seen seen;
  for (std::uint64_t first = 0; first < size; first += most * tile) {
    const std::uint64_t end = first + most * tile < size ? first + most * tile : size;
    Gathered<S> gathered[lanes / S::width];
    for (std::uint64_t at = first; at < end; at += tile) {
      const std::uint64_t here = end - at < tile ? end - at : tile;
      const int full = static_cast<int>(here / lanes);
      const std::uint64_t rest = here % lanes;
      const LastRow last(points + at + (here - rest), rest, limits.centre);
      for (int group = 0; group < lanes / S::width; ++group)
        add_tile<S>(points + at + group * S::width, full, rest ? last.point + group * S::width : nullptr,
                    edge, scale, &gathered[group], &seen);
    }
    for (const auto& g : gathered) g.into(sums);
  }
  sums->points += S::points(seen);
  sums->faults |= S::faults(seen, edge);
}

template <class S>
void extremes_of(const WeightedPoint* points, std::uint64_t size, const PlaneFrame& frame,
                 PlaneExtremes* out) {
  for (std::uint64_t i = 0; i < size; ++i) {
    const WeightedPoint& p = points[i];
    if (!(p.w > 0)) continue;
    const double d = distance_of(p, frame.normal, frame.origin);
    if (d < out->lowest) out->lowest = d;
    if (d > out->highest) out->highest = d;
  }
}

template <class S>
constexpr Kernels kernels_of() {
  return {add_tiles<S>, extremes_of<S>};
}

#if defined(DATUM_ISA_AVX512)

struct Lane {
  static constexpr int width = 8;
  using D = __m512d;
  using Bits = std::int64_t __attribute__((vector_size(64)));

  DATUM_HD D set(double v) { return _mm512_set1_pd(v); }
  DATUM_HD D mul(D a, D b) { return _mm512_mul_pd(a, b); }
  DATUM_HD D add(D a, D b) { return _mm512_add_pd(a, b); }
  DATUM_HD D add_product(D a, D b, D c) { return _mm512_fmadd_pd(a, b, c); }
  DATUM_HD Bits bits(D v) { return reinterpret_cast<Bits>(v); }

  /// Lanes of floats: x of eight points, then y; z, then w.
  struct Edge {
    __m512 centre_xy, centre_z;
    __m512i size_xy, size_zw;  // masks of what is compared: |x|, |y|, |z|, and w with its sign
    __m512d x, y, z;
    std::uint32_t range, weight;
    explicit Edge(const Limits& l)
        : centre_xy(_mm512_mask_blend_ps(0xFF00, _mm512_set1_ps(l.centre[0]), _mm512_set1_ps(l.centre[1]))),
          centre_z(_mm512_mask_blend_ps(0xFF00, _mm512_set1_ps(l.centre[2]), _mm512_setzero_ps())),
          size_xy(_mm512_set1_epi32(0x7FFFFFFF)),
          size_zw(_mm512_mask_set1_epi32(_mm512_set1_epi32(0x7FFFFFFF), 0xFF00, -1)),
          x(set(l.centre[0])),
          y(set(l.centre[1])),
          z(set(l.centre[2])),
          range(bits_of(l.half_range)),
          weight(bits_of(l.max_weight)) {}
  };
  /// Largest bits: those of a NaN are above infinity's, those of a negative number above all.
  struct Seen {
    __m512i xy = _mm512_setzero_si512(), zw = _mm512_setzero_si512(), points = _mm512_setzero_si512();
  };

  DATUM_HD void take(const WeightedPoint* p, const Edge& e, D* x, D* y, D* z, D* w, Seen* seen) {
    const __m512 a = _mm512_loadu_ps(p), b = _mm512_loadu_ps(p + 4);
    const __m512i first = _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29);
    const __m512i second = _mm512_setr_epi32(2, 6, 10, 14, 18, 22, 26, 30, 3, 7, 11, 15, 19, 23, 27, 31);
    const __m512 xy = _mm512_permutex2var_ps(a, first, b), zw = _mm512_permutex2var_ps(a, second, b);
    const __m512i size_xy = _mm512_and_epi32(_mm512_castps_si512(_mm512_sub_ps(xy, e.centre_xy)), e.size_xy);
    const __m512i size_zw = _mm512_and_epi32(_mm512_castps_si512(_mm512_sub_ps(zw, e.centre_z)), e.size_zw);
    seen->xy = _mm512_max_epu32(seen->xy, size_xy);
    seen->zw = _mm512_max_epu32(seen->zw, size_zw);
    seen->points = _mm512_add_epi32(seen->points, _mm512_min_epu32(size_zw, _mm512_set1_epi32(1)));
    *x = _mm512_sub_pd(_mm512_cvtps_pd(_mm512_castps512_ps256(xy)), e.x);
    *y = _mm512_sub_pd(_mm512_cvtps_pd(_mm512_extractf32x8_ps(xy, 1)), e.y);
    *z = _mm512_sub_pd(_mm512_cvtps_pd(_mm512_castps512_ps256(zw)), e.z);
    *w = _mm512_cvtps_pd(_mm512_extractf32x8_ps(zw, 1));
  }
  static std::uint64_t points(const Seen& s) {
    return static_cast<std::uint32_t>(_mm512_mask_reduce_add_epi32(0xFF00, s.points));
  }
  static std::uint32_t faults(const Seen& s, const Edge& e) {
    const bool outside =
        _mm512_reduce_max_epu32(s.xy) > e.range || _mm512_mask_reduce_max_epu32(0x00FF, s.zw) > e.range;
    const bool weight = _mm512_mask_reduce_max_epu32(0xFF00, s.zw) > e.weight;
    return (outside ? fault_range : 0) | (weight ? fault_weight : 0);
  }
};

#elif defined(DATUM_ISA_AVX2)

struct Lane {
  static constexpr int width = 4;
  using D = __m256d;
  using Bits = std::int64_t __attribute__((vector_size(32)));

  DATUM_HD D set(double v) { return _mm256_set1_pd(v); }
  DATUM_HD D mul(D a, D b) { return _mm256_mul_pd(a, b); }
  DATUM_HD D add(D a, D b) { return _mm256_add_pd(a, b); }
  DATUM_HD D add_product(D a, D b, D c) { return _mm256_fmadd_pd(a, b, c); }
  DATUM_HD Bits bits(D v) { return reinterpret_cast<Bits>(v); }

  /// Lanes of floats as in memory: x, y, z, w of one point.
  struct Edge {
    __m128 centre, range;
    __m128i weight;
    __m256d x, y, z;
    explicit Edge(const Limits& l)
        : centre(_mm_setr_ps(l.centre[0], l.centre[1], l.centre[2], 0.f)),
          range(_mm_set1_ps(l.half_range)),
          weight(_mm_set1_epi32(static_cast<int>(bits_of(l.max_weight)))),
          x(set(l.centre[0])),
          y(set(l.centre[1])),
          z(set(l.centre[2])) {}
  };
  struct Seen {
    __m128 outside = _mm_setzero_ps();     // lanes x, y, z count
    __m128i weight = _mm_setzero_si128();  // lane w counts: largest bits
    __m128i empty = _mm_setzero_si128();   // lane w counts: minus the points without a weight
    std::uint64_t taken = 0;
  };

  DATUM_HD void take(const WeightedPoint* p, const Edge& e, D* x, D* y, D* z, D* w, Seen* seen) {
    __m128 r[4];
    const __m128 sign = _mm_set1_ps(-0.f);
    for (int i = 0; i < 4; ++i) {
      r[i] = _mm_loadu_ps(&p[i].x);
      seen->outside = _mm_or_ps(
          seen->outside, _mm_cmp_ps(_mm_andnot_ps(sign, _mm_sub_ps(r[i], e.centre)), e.range, _CMP_NLE_UQ));
    }
    _MM_TRANSPOSE4_PS(r[0], r[1], r[2], r[3]);
    seen->weight = _mm_max_epu32(seen->weight, _mm_castps_si128(r[3]));
    seen->empty = _mm_add_epi32(seen->empty, _mm_cmpeq_epi32(_mm_castps_si128(r[3]), _mm_setzero_si128()));
    seen->taken += 4;
    *x = _mm256_sub_pd(_mm256_cvtps_pd(r[0]), e.x);
    *y = _mm256_sub_pd(_mm256_cvtps_pd(r[1]), e.y);
    *z = _mm256_sub_pd(_mm256_cvtps_pd(r[2]), e.z);
    *w = _mm256_cvtps_pd(r[3]);
  }
  static std::uint64_t points(const Seen& s) {
    alignas(16) std::int32_t empty[4];
    _mm_store_si128(reinterpret_cast<__m128i*>(empty), s.empty);
    return s.taken + static_cast<std::uint64_t>(std::int64_t{empty[0]} + empty[1] + empty[2] + empty[3]);
  }
  static std::uint32_t faults(const Seen& s, const Edge& e) {
    const bool weight =
        _mm_movemask_epi8(_mm_cmpeq_epi32(_mm_max_epu32(s.weight, e.weight), e.weight)) != 0xFFFF;
    return (_mm_movemask_ps(s.outside) & 7 ? fault_range : 0) | (weight ? fault_weight : 0);
  }
};

#elif defined(DATUM_ISA_NEON)

struct Lane {
  static constexpr int width = 2;
  using D = float64x2_t;
  using Bits = int64x2_t;

  DATUM_HD D set(double v) { return vdupq_n_f64(v); }
  DATUM_HD D mul(D a, D b) { return vmulq_f64(a, b); }
  DATUM_HD D add(D a, D b) { return vaddq_f64(a, b); }
  DATUM_HD D add_product(D a, D b, D c) { return vfmaq_f64(c, a, b); }
  DATUM_HD Bits bits(D v) { return vreinterpretq_s64_f64(v); }

  using Edge = Limits;
  struct Seen {
    std::uint64_t points = 0;
    std::uint32_t faults = 0;
  };

  DATUM_HD void take(const WeightedPoint* p, const Edge& e, D* x, D* y, D* z, D* w, Seen* seen) {
    for (int i = 0; i < 2; ++i) {
      seen->faults |= faults_of(p[i], e.centre, e.half_range, e.max_weight);
      seen->points += bits_of(p[i].w) != 0;
    }
    const float32x2x4_t q = vld4_f32(&p->x);
    *x = vsubq_f64(vcvt_f64_f32(q.val[0]), set(e.centre[0]));
    *y = vsubq_f64(vcvt_f64_f32(q.val[1]), set(e.centre[1]));
    *z = vsubq_f64(vcvt_f64_f32(q.val[2]), set(e.centre[2]));
    *w = vcvt_f64_f32(q.val[3]);
  }
  static std::uint64_t points(const Seen& s) { return s.points; }
  static std::uint32_t faults(const Seen& s, const Edge&) { return s.faults; }
};

#else

struct Lane : OneLane {
  static constexpr int width = 1;
  using D = double;
  struct Bits {  // as a vector of one
    std::int64_t value = 0;
    std::int64_t operator[](int) const { return value; }
    Bits operator-(Bits other) const { return {value - other.value}; }
    Bits& operator+=(Bits other) {
      value += other.value;
      return *this;
    }
  };

  DATUM_HD D set(double v) { return v; }
  DATUM_HD Bits bits(D v) { return {gathered(v, 0.0)}; }

  using Edge = Limits;
  struct Seen {
    std::uint64_t points = 0;
    std::uint32_t faults = 0;
  };

  DATUM_HD void take(const WeightedPoint* p, const Edge& e, D* x, D* y, D* z, D* w, Seen* seen) {
    seen->faults |= faults_of(*p, e.centre, e.half_range, e.max_weight);
    seen->points += bits_of(p->w) != 0;
    *x = static_cast<double>(p->x) - static_cast<double>(e.centre[0]);
    *y = static_cast<double>(p->y) - static_cast<double>(e.centre[1]);
    *z = static_cast<double>(p->z) - static_cast<double>(e.centre[2]);
    *w = static_cast<double>(p->w);
  }
  static std::uint64_t points(const Seen& s) { return s.points; }
  static std::uint32_t faults(const Seen& s, const Edge&) { return s.faults; }
};

#endif

}  // namespace

extern const Kernels DATUM_OF_ISA(kernels);
const Kernels DATUM_OF_ISA(kernels) = kernels_of<Lane>();

}  // namespace datum::parallel
