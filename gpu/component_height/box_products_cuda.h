// Box products of many regions at once on a CUDA device: windows that kernels fill with residual steps, and
// the launch that sums over them. C++17.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "gpu/component_height/box_products.h"
#include "gpu/component_height/box_tiles.h"
#include "gpu/core/cuda_types.h"
#include "gpu/core/pixel_run.h"
#include "gpu/core/portable.h"
#include "gpu/plane_fit/plane_fit.h"

namespace datum {

/// A step of at most 255 either way as tensor cores take it: 2 a + b, a in the low byte and b, 0 or 1, in the high one.
DATUM_HD std::uint16_t packed_step(std::int32_t step) {
  return static_cast<std::uint16_t>((step >> 1 & 0xFF) | (step & 1) << 8);
}

/// One region's residual steps in device memory, packed. Pixel (row, col) of the frame is steps[(row - row0) * pitch
/// + col - col0], 0 where there is none. Pixels outside the region's runs are 0 and must stay so.
struct ResidualWindow {
  std::uint16_t* steps = nullptr;
  std::int32_t row0 = 0, col0 = 0;  // the first pixel's, border aside; col0 is a multiple of 8
  std::int32_t pitch = 0;           // a multiple of 8
};

/// Members throw GpuError; one object is used by one thread at a time.
class CudaBoxProducts {
 public:
  CudaBoxProducts();
  ~CudaBoxProducts();

  /// Takes the windows' memory, zeroed. Every box of 64 x 64 pixels with pixels of a region costs about the
  /// same.
  void prepare(const PixelRun* runs, const RegionRuns* regions, std::size_t count);
  /// One per region, device memory; valid until the next prepare().
  const ResidualWindow* windows() const;

  /// Kernel only, asynchronous; may be captured. Writes the sums of region i to `out` + i * `stride` bytes
  /// (device or mapped memory). A region whose fit is not ok keeps its bytes there, and its window is not
  /// read; fits == nullptr: all are.
  void launch(CudaStream stream, const PlaneFit* fits, BoxProducts* out, std::size_t stride) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace datum
