#include "gpu/plane_fit/refinement_cpu.h"

namespace datum {

Refined refine(const PlaneKernels& kernels, const Cloud& cloud, const plane_math::Plane& start,
               float threshold, const FitRegion& region, PointList band, int limit, ValidityScan* scan) {
  Refiner refiner(start, threshold, region);
  for (;;) {
    refiner.rebase();
    band.size = 0;
    const plane_math::Moments core =
        scan ? kernels.accumulate_scanning(cloud, refiner.base(), region.half_x, region.half_y, &band, scan)
             : kernels.accumulate(cloud, refiner.base(), &band);
    if (scan && !scan->in_bounds) return Refined{};
    scan = nullptr;
    const Cloud near{band.x, band.y, band.z, band.size};
    Refiner::Next next = Refiner::Next::again;
    do {
      next = refiner.take(core + kernels.accumulate_band(near, refiner.base(), refiner.change()), limit);
    } while (next == Refiner::Next::again);
    if (next == Refiner::Next::done) return refiner.result();
  }
}

}  // namespace datum
