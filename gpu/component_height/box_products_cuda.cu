#include "gpu/component_height/box_products_cuda.h"

#include <algorithm>
#include <string>
#include <vector>

#include "gpu/component_height/box_products_device.cuh"
#include "gpu/core/cuda_support.cuh"

namespace datum {
namespace {

using namespace cuda;

/// All zero between two launches.
struct BoxWork {
  unsigned long long sums[box_sums];
  unsigned int arrived, unused;
};

struct Work {
  const ResidualWindow* windows;
  const BoxTile* tiles;
  const unsigned int* tiles_of;  // per region
  BoxWork* work;
  const PlaneFit* fits;
  unsigned char* out;
  unsigned long long stride;
};

__global__ void __launch_bounds__(box_threads) sum_boxes(Work all) {
  __shared__ BoxShared shared;
  __shared__ int flag;
  const BoxTile tile = all.tiles[blockIdx.x];
  if (all.fits && all.fits[tile.region].status != FitStatus::ok) return;
  BoxWork& work = all.work[tile.region];
  fetch_steps(all.windows[tile.region], tile, shared);
  wait_for_steps();
  add_box_sums(tile, shared, work.sums);
  if (!arrives_last(&work.arrived, all.tiles_of[tile.region], &flag)) return;
  BoxProducts* const out = reinterpret_cast<BoxProducts*>(all.out + tile.region * all.stride);
  if (threadIdx.x < box_sums) {
    const long long sum = static_cast<long long>(__ldcg(&work.sums[threadIdx.x]));
    (threadIdx.x == 0 ? out->squares : out->products[threadIdx.x - 1]) = sum;
    work.sums[threadIdx.x] = 0;
  }
  if (threadIdx.x == 0) work.arrived = 0;
}

}  // namespace

struct CudaBoxProducts::State {
  Buffer<std::uint16_t> steps;
  Buffer<ResidualWindow> windows;
  Buffer<BoxTile> tiles;
  Buffer<unsigned int> tiles_of;
  Buffer<BoxWork> work;
  std::size_t tile_count = 0;
};

CudaBoxProducts::CudaBoxProducts() : state_(new State) {}
CudaBoxProducts::~CudaBoxProducts() = default;

void CudaBoxProducts::prepare(const PixelRun* runs, const RegionRuns* regions, std::size_t count) {
  State& s = *state_;
  const BoxLayout layout = lay_out_boxes(runs, regions, count);
  s.tile_count = layout.tiles.size();
  zeroed(s.steps, layout.size, "residual windows");
  std::vector<ResidualWindow> windows;
  std::vector<unsigned int> tiles_of;
  for (const RegionWindow& w : layout.windows) {
    windows.push_back(ResidualWindow{s.steps.get() + w.first, w.row0, w.col0, w.pitch});
    tiles_of.push_back(w.tiles);
  }
  to_device(s.windows, windows, "residual windows");
  to_device(s.tiles, layout.tiles, "tiles of residual windows");
  to_device(s.tiles_of, tiles_of, "tiles of residual windows");
  zeroed(s.work, count, "sums of residuals");
}

const ResidualWindow* CudaBoxProducts::windows() const { return state_->windows.get(); }

void CudaBoxProducts::launch(CudaStream stream, const PlaneFit* fits, BoxProducts* out,
                             std::size_t stride) const {
  const State& s = *state_;
  if (s.tile_count == 0) return;
  const Work work{s.windows.get(), s.tiles.get(), s.tiles_of.get(),
                  s.work.get(),    fits,          reinterpret_cast<unsigned char*>(out),
                  stride};
  sum_boxes<<<static_cast<unsigned>(s.tile_count), box_threads, 0, stream>>>(work);
  check(cudaGetLastError(), "launch of the box products");
}

}  // namespace datum
