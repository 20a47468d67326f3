#include <arm_neon.h>

#include "gpu/parallel_planes/parallel_planes_cpu.h"

namespace datum::parallel {
namespace {

struct Neon {
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

}  // namespace

extern const Kernels kernels_neon;
const Kernels kernels_neon = kernels_of<Neon>();

}  // namespace datum::parallel
