#include "gpu/diffusion/diffusion_cuda.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "gpu/diffusion/diffusion_cuda_kernels.cuh"
#include "gpu/diffusion/diffusion_survey.h"

namespace datum {
namespace {

using namespace cuda;
using namespace diffusion;

constexpr std::chrono::milliseconds timeout{20000};
constexpr int rows = 8, warps = 2;  // of a block in a volume: fastest of 20 shapes (gpu/README.md)
constexpr int map_warps = 4;
constexpr int map_blocks = 8;  // on a multiprocessor
constexpr int least_chunk = 8;

/// On a multiprocessor. Their warps are a multiple of its four schedulers: 10 warps take as long as 12.
constexpr int volume_blocks(bool masked) { return masked ? 6 : 4; }

__global__ void fill_with_no_counts(std::int32_t* to, std::size_t n) {
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x)
    to[i] = no_count_32;
}

unsigned parts(int n, int of) { return static_cast<unsigned>((n + of - 1) / of); }

/// Planes that a lane walks: as many blocks as the device holds at a time, so that all end together.
int chunk_of(const Volume& v, bool masked, int multiprocessors) {
  const unsigned tiles = parts(v.pitch, warp_counts) * (v.ny == 1 ? 1 : parts(v.ny, rows * warps));
  const int at_a_time = multiprocessors * (v.ny == 1 ? map_blocks * map_warps : volume_blocks(masked));
  const int chunks = std::max(1, at_a_time / static_cast<int>(tiles));
  return std::max(least_chunk, static_cast<int>(parts(v.nz, chunks)));
}

template <Conduction G, bool masked, bool gather>
void launch_volume(const Volume& v, CudaStream stream) {
  const unsigned across = parts(v.pitch, warp_counts);
  if (v.ny == 1) {
    const dim3 grid(across, parts(v.nz, v.chunk * map_warps));
    diffuse_volume<G, masked, gather, 1, map_warps, map_blocks><<<grid, 32 * map_warps, 0, stream>>>(v);
  } else {
    const dim3 grid(across, parts(v.ny, rows * warps), parts(v.nz, v.chunk));
    diffuse_volume<G, masked, gather, rows, warps, volume_blocks(masked)><<<grid, 32 * warps, 0, stream>>>(v);
  }
  cuda::check(cudaGetLastError(), "launch of the diffusion");
}

template <Conduction G>
void launch_volume(const Volume& v, bool masked, bool gather, CudaStream stream) {
  if (masked)
    gather ? launch_volume<G, true, true>(v, stream) : launch_volume<G, true, false>(v, stream);
  else
    gather ? launch_volume<G, false, true>(v, stream) : launch_volume<G, false, false>(v, stream);
}

}  // namespace

struct CudaDiffusion::State {
  const std::int32_t* counts = nullptr;
  DiffusionGrid grid;
  DiffusionSettings settings;
  DiffusionRecord record;
  bool masked = false;
  std::size_t pitch = 0, rows = 0;
  Volume volume{};
  Seams seams{};
  unsigned seam_blocks = 0;
  Buffer<std::int32_t> from, to, ends;
  Buffer<unsigned long long> sum;
  Buffer<unsigned> done;
  Buffer<double> kappa;
  Buffer<float> first_per_kappa, per_kappa;
};

CudaDiffusion::CudaDiffusion() : state_(new State) {}
CudaDiffusion::~CudaDiffusion() = default;

void CudaDiffusion::prepare(const std::int32_t* counts, const DiffusionGrid& grid,
                            const DiffusionSettings& settings, const Backend& host) {
  State& s = *state_;
  diffusion::check(grid, settings);
  const Survey found = survey(counts, grid, host);
  s.counts = counts;
  s.grid = grid;
  s.settings = settings;
  s.record.faces = found.faces;
  s.record.first_kappa = s.record.last_kappa = first_kappa(counts, grid, settings, found, host);
  s.pitch = (grid.nx + lane_counts - 1) / lane_counts * lane_counts;
  s.rows = std::size_t{grid.ny} * grid.nz;
  s.masked = found.masked(grid) || s.pitch > grid.nx;
  const std::size_t room = s.pitch * s.rows;
  for (Buffer<std::int32_t>* buffer : {&s.from, &s.to}) {
    buffer->reserve(room);
    if (s.pitch > grid.nx) fill_with_no_counts<<<1024, 256>>>(buffer->get(), room);
  }
  zeroed(s.sum, 1, "sum of gradients");
  zeroed(s.done, 1, "count of blocks");
  to_device(s.kappa, {s.record.first_kappa}, "kappa");
  to_device(s.first_per_kappa, {per_kappa(settings.conduction, s.record.first_kappa)}, "kappa");
  s.per_kappa.reserve(1);

  const bool map = grid.nz == 1;  // a map is a volume whose planes are rows
  Volume& v = s.volume;
  v = Volume{};
  v.pitch = static_cast<int>(s.pitch);
  v.ny = map ? 1 : static_cast<int>(grid.ny);
  v.nz = static_cast<int>(map ? grid.ny : grid.nz);
  v.flux = flux_settings(settings.lambda, axes_of(grid));
  v.flux.per_kappa = per_kappa(settings.conduction, s.record.first_kappa);
  int multiprocessors = 0;
  cuda::check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0), "multiprocessors");
  v.chunk = chunk_of(v, s.masked, multiprocessors);
  s.seam_blocks = static_cast<unsigned>(multiprocessors) * 8;
  if (settings.rule == KappaRule::mean_gradient)
    s.ends.reserve(static_cast<std::size_t>(
        Ends::of(v.ny, v.nz).at(static_cast<int>(parts(v.pitch, warp_counts)), false, 0)));
  v.ends = s.ends.get();
  s.seams = {nullptr,
             s.ends.get(),
             v.pitch,
             v.ny,
             v.nz,
             rows * warps,
             v.chunk,
             s.sum.get(),
             s.done.get(),
             found.faces,
             settings.conduction,
             s.kappa.get(),
             s.per_kappa.get()};
}

void CudaDiffusion::upload(CudaStream stream) {
  State& s = *state_;
  cuda::check(cudaMemcpy2DAsync(s.from.get(), s.pitch * sizeof(std::int32_t), s.counts,
                                s.grid.nx * sizeof(std::int32_t), s.grid.nx * sizeof(std::int32_t), s.rows,
                                cudaMemcpyHostToDevice, stream),
              "upload of counts");
}

void CudaDiffusion::launch(CudaStream stream) {
  State& s = *state_;
  const bool mean = s.settings.rule == KappaRule::mean_gradient;
  for (std::uint32_t i = 0; i < s.settings.iterations; ++i) {
    const bool gather = mean && i + 1 < s.settings.iterations;
    Volume v = s.volume;
    v.from = i % 2 ? s.to.get() : s.from.get();
    v.to = i % 2 ? s.from.get() : s.to.get();
    v.per_kappa = mean ? (i == 0 ? s.first_per_kappa.get() : s.per_kappa.get()) : nullptr;
    v.gradients = s.sum.get();
    s.settings.conduction == Conduction::exponential
        ? launch_volume<Conduction::exponential>(v, s.masked, gather, stream)
        : launch_volume<Conduction::rational>(v, s.masked, gather, stream);
    if (!gather) continue;
    Seams seams = s.seams;
    seams.counts = v.to;
    if (s.masked)
      gather_seams<true><<<s.seam_blocks, seam_threads, 0, stream>>>(seams);
    else
      gather_seams<false><<<s.seam_blocks, seam_threads, 0, stream>>>(seams);
    cuda::check(cudaGetLastError(), "launch of the sum of gradients");
  }
}

DiffusionRecord CudaDiffusion::fetch(CudaStream stream, std::int32_t* counts) {
  State& s = *state_;
  cuda::wait(stream, timeout, "diffusion");
  const std::int32_t* result = s.settings.iterations % 2 ? s.to.get() : s.from.get();
  cuda::check(cudaMemcpy2D(counts, s.grid.nx * sizeof(std::int32_t), result, s.pitch * sizeof(std::int32_t),
                           s.grid.nx * sizeof(std::int32_t), s.rows, cudaMemcpyDeviceToHost),
              "diffused counts");
  if (s.settings.rule == KappaRule::mean_gradient)
    cuda::check(cudaMemcpy(&s.record.last_kappa, s.kappa.get(), sizeof(double), cudaMemcpyDeviceToHost),
                "kappa");
  return s.record;
}

}  // namespace datum
