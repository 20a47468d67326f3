#include "tests/bench/diffusion_paper.h"

#include "gpu/core/cuda_support.cuh"

namespace datum::bench {
namespace {

__device__ __forceinline__ float flux(float d, float per_square) { return __expf(-d * d * per_square) * d; }

struct Volume {
  int nx, ny, nz;
  float per_square, lambda;
};

/// Outside the volume a neighbour equals the voxel.
__global__ void by_cache(const Volume v, const float* __restrict__ from, float* __restrict__ to) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
            z = blockIdx.z;
  const std::size_t row = v.nx, plane = row * v.ny, i = z * plane + y * row + x;
  const float u = from[i];
  float sum = flux((x > 0 ? from[i - 1] : u) - u, v.per_square);
  sum += flux((x + 1 < v.nx ? from[i + 1] : u) - u, v.per_square);
  sum += flux((y > 0 ? from[i - row] : u) - u, v.per_square);
  sum += flux((y + 1 < v.ny ? from[i + row] : u) - u, v.per_square);
  sum += flux((z > 0 ? from[i - plane] : u) - u, v.per_square);
  sum += flux((z + 1 < v.nz ? from[i + plane] : u) - u, v.per_square);
  to[i] = u + v.lambda * sum;
}

/// The plane's tile and its rim in shared memory; the planes below and above are read once anyhow.
__global__ void by_shared(const Volume v, const float* __restrict__ from, float* __restrict__ to) {
  extern __shared__ float tile[];
  const int side = blockDim.x + 2, tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
            z = blockIdx.z;
  const std::size_t row = v.nx, plane = row * v.ny, i = z * plane + y * row + x;
  const float u = from[i];
  tile[ty * side + tx] = u;
  if (tx == 1) tile[ty * side] = x > 0 ? from[i - 1] : u;
  if (tx + 2 == side) tile[ty * side + tx + 1] = x + 1 < v.nx ? from[i + 1] : u;
  if (ty == 1) tile[tx] = y > 0 ? from[i - row] : u;
  if (ty + 2 == side) tile[(ty + 1) * side + tx] = y + 1 < v.ny ? from[i + row] : u;
  __syncthreads();
  float sum = flux(tile[ty * side + tx - 1] - u, v.per_square);
  sum += flux(tile[ty * side + tx + 1] - u, v.per_square);
  sum += flux(tile[(ty - 1) * side + tx] - u, v.per_square);
  sum += flux(tile[(ty + 1) * side + tx] - u, v.per_square);
  sum += flux((z > 0 ? from[i - plane] : u) - u, v.per_square);
  sum += flux((z + 1 < v.nz ? from[i + plane] : u) - u, v.per_square);
  to[i] = u + v.lambda * sum;
}

}  // namespace

void paper_iteration(CUstream_st* stream, const PaperDiffusion& s, Neighbours by, const float* from,
                     float* to) {
  const Volume v{static_cast<int>(s.grid.nx), static_cast<int>(s.grid.ny), static_cast<int>(s.grid.nz),
                 1 / (s.kappa * s.kappa), s.lambda};
  const auto side = static_cast<unsigned>(s.side);
  const dim3 blocks(s.grid.nx / side, s.grid.ny / side, s.grid.nz), threads(side, side);
  if (by == Neighbours::cache) {
    by_cache<<<blocks, threads, 0, stream>>>(v, from, to);
  } else {
    by_shared<<<blocks, threads, (side + 2) * (side + 2) * sizeof(float), stream>>>(v, from, to);
  }
  cuda::check(cudaGetLastError(), "launch of the paper's diffusion");
}

}  // namespace datum::bench
