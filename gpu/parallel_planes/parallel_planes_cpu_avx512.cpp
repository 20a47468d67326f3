#include <immintrin.h>

#include "gpu/parallel_planes/parallel_planes_cpu.h"

namespace datum::parallel {
namespace {

struct Avx512 {
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

}  // namespace

extern const Kernels kernels_avx512;
const Kernels kernels_avx512 = kernels_of<Avx512>();

}  // namespace datum::parallel
