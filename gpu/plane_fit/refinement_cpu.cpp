#include "gpu/plane_fit/refinement_cpu.h"

namespace datum {

Refined refine(const PlaneKernels& kernels, const Cloud& cloud, const plane_math::Plane& start,
               float threshold, const FitRegion& region, PointList boundary, int limit, ValidityScan* scan) {
  Refiner refiner(start, threshold, region);
  for (;;) {
    refiner.rebase();
    boundary.size = 0;
    const plane_math::Moments always = scan
                                           ? kernels.accumulate_scanning(cloud, refiner.base(), region.half_x,
                                                                         region.half_y, &boundary, scan)
                                           : kernels.accumulate(cloud, refiner.base(), &boundary);
    if (scan && !scan->in_bounds) return Refined{};
    scan = nullptr;
    const Cloud candidates{boundary.x, boundary.y, boundary.z, boundary.size};
    Refiner::Next next = Refiner::Next::again;
    do {
      next = refiner.advance(
          always + kernels.accumulate_boundary(candidates, refiner.base(), refiner.change()), limit);
    } while (next == Refiner::Next::again);
    if (next == Refiner::Next::done) return refiner.result();
  }
}

}  // namespace datum
