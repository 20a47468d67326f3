#include "gpu/parallel_planes/parallel_planes_cpu.h"

namespace datum::parallel {
namespace {

struct Scalar : OneLane {
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

}  // namespace

extern const Kernels kernels_scalar;
const Kernels kernels_scalar = kernels_of<Scalar>();

}  // namespace datum::parallel
