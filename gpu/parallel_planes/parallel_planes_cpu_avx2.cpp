#include <immintrin.h>

#include "gpu/parallel_planes/parallel_planes_cpu.h"

namespace datum::parallel {
namespace {

struct Avx2 {
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

}  // namespace

extern const Kernels kernels_avx2;
const Kernels kernels_avx2 = kernels_of<Avx2>();

}  // namespace datum::parallel
