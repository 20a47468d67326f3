#include "gpu/core/cuda_support.cuh"
#include "gpu/fft/fft_cuda.h"
#include "gpu/phase_correlation/correlation_plan.h"
#include "gpu/phase_correlation/phase_correlation_cuda.h"

namespace datum {

using namespace correlation;
using Complex = std::complex<float>;

namespace {

constexpr unsigned threads = 256, tile = 32;
constexpr std::chrono::milliseconds timeout{2000};
using V = fft::Value<fft::ScalarFloat>;

unsigned blocks_of(std::size_t count) { return static_cast<unsigned>((count + threads - 1) / threads); }

__global__ void __launch_bounds__(threads)
    window(float* image, const float* along_x, const float* along_y, unsigned cols, unsigned count) {
  const unsigned i = blockIdx.x * threads + threadIdx.x;
  if (i < count) image[i] *= along_x[i % cols] * along_y[i / cols];
}

/// rows x cols values to cols x rows.
__global__ void __launch_bounds__(tile * 8)
    transpose(const float2* in, float2* out, unsigned rows, unsigned cols) {
  __shared__ float2 square[tile][tile + 1];
  for (unsigned k = threadIdx.y; k < tile; k += 8) {
    const unsigned x = blockIdx.x * tile + threadIdx.x, y = blockIdx.y * tile + k;
    if (x < cols && y < rows) square[k][threadIdx.x] = in[std::size_t{y} * cols + x];
  }
  __syncthreads();
  for (unsigned k = threadIdx.y; k < tile; k += 8) {
    const unsigned x = blockIdx.x * tile + k, y = blockIdx.y * tile + threadIdx.x;
    if (x < cols && y < rows) out[std::size_t{x} * rows + y] = square[threadIdx.x][k];
  }
}

__global__ void __launch_bounds__(threads)
    phases(float2* columns, const float2* reference, const float* gain_x, const float* gain_y, unsigned rows,
           unsigned count) {
  const unsigned i = blockIdx.x * threads + threadIdx.x;
  if (i >= count) return;
  const unsigned x = i / rows, y = i % rows;
  const float2 v = columns[i], r = reference[i];
  const V q = phase_of(V{v.x, v.y}, V{r.x, r.y}, gain_of(gain_x[x], gain_y[y], x, y, rows));
  columns[i] = float2{q.re, q.im};
}

/// The highest place to keys[0], then, apart from it, to keys[1].
template <bool second>
__global__ void __launch_bounds__(threads)
    highest(const float* surface, unsigned cols, unsigned rows, unsigned lobe, unsigned long long* keys) {
  const unsigned count = cols * rows, from = second ? peak_of(keys[0]).index : 0;
  unsigned long long best = 0;
  for (unsigned i = blockIdx.x * threads + threadIdx.x; i < count; i += gridDim.x * threads)
    if (!second || apart(i, from, cols, rows, lobe))
      best = max(best, static_cast<unsigned long long>(key_of(surface[i], i)));
  for (int step = 16; step > 0; step /= 2) best = max(best, __shfl_xor_sync(0xFFFFFFFFu, best, step));
  if (threadIdx.x % 32 == 0) atomicMax(keys + (second ? 1 : 0), best);
}

/// The peak's neighbours: left, right, above, below.
__global__ void neighbours(const float* surface, unsigned cols, unsigned rows, const unsigned long long* keys,
                           float* near) {
  const unsigned index = peak_of(keys[0]).index, x = index % cols, y = index / cols;
  const unsigned left = (x - 1) & (cols - 1), right = (x + 1) & (cols - 1), above = (y - 1) & (rows - 1),
                 below = (y + 1) & (rows - 1);
  near[0] = surface[y * cols + left];
  near[1] = surface[y * cols + right];
  near[2] = surface[above * cols + x];
  near[3] = surface[below * cols + x];
}

}  // namespace

struct CudaPhaseCorrelation::State {
  State(const float* reference_, std::uint32_t cols, std::uint32_t rows, const CorrelationSettings& settings)
      : plan(plan_of(reference_, cols, rows, settings)), along_rows(cols), along_cols(rows) {
    cuda::to_device(window_x, plan.window_x, "window");
    cuda::to_device(window_y, plan.window_y, "window");
    cuda::to_device(gain_x, plan.gain_x, "low-pass");
    cuda::to_device(gain_y, plan.gain_y, "low-pass");
    cuda::to_device(reference, plan.reference, "reference of a phase correlation");
    image.reserve(std::size_t{cols} * rows);
    by_rows.reserve(std::size_t{plan.bins} * rows);
    by_columns.reserve(std::size_t{plan.bins} * rows);
    keys.reserve(2);
    near.reserve(4);
  }
  void turn(CudaStream stream, const Complex* in, Complex* out, unsigned rows, unsigned cols) const {
    transpose<<<dim3((cols + tile - 1) / tile, (rows + tile - 1) / tile), dim3(tile, 8), 0, stream>>>(
        reinterpret_cast<const float2*>(in), reinterpret_cast<float2*>(out), rows, cols);
  }

  Plan plan;
  CudaFft<float> along_rows, along_cols;
  cuda::Buffer<float> window_x, window_y, gain_x, gain_y, image, near;
  cuda::Buffer<Complex> reference, by_rows, by_columns;
  cuda::Buffer<unsigned long long> keys;
};

CudaPhaseCorrelation::CudaPhaseCorrelation(const float* reference, std::uint32_t cols, std::uint32_t rows,
                                           const CorrelationSettings& settings)
    : state_(new State(reference, cols, rows, settings)) {}
CudaPhaseCorrelation::~CudaPhaseCorrelation() = default;

CorrelationShift CudaPhaseCorrelation::find(CudaStream stream, const float* image) {
  State& s = *state_;
  const Plan& p = s.plan;
  const unsigned count = p.cols * p.rows, spectrum = p.bins * p.rows;
  check_values(image, count, "the image");
  cuda::check(cudaMemcpyAsync(s.image.get(), image, count * sizeof *image, cudaMemcpyHostToDevice, stream),
              "image");
  window<<<blocks_of(count), threads, 0, stream>>>(s.image.get(), s.window_x.get(), s.window_y.get(), p.cols,
                                                   count);
  s.along_rows.forward_real(stream, s.image.get(), p.rows, s.by_rows.get());
  s.turn(stream, s.by_rows.get(), s.by_columns.get(), p.rows, p.bins);
  s.along_cols.forward(stream, s.by_columns.get(), p.bins, s.by_columns.get());
  phases<<<blocks_of(spectrum), threads, 0, stream>>>(reinterpret_cast<float2*>(s.by_columns.get()),
                                                      reinterpret_cast<const float2*>(s.reference.get()),
                                                      s.gain_x.get(), s.gain_y.get(), p.rows, spectrum);
  s.along_cols.inverse(stream, s.by_columns.get(), p.bins, s.by_columns.get());
  s.turn(stream, s.by_columns.get(), s.by_rows.get(), p.bins, p.rows);
  s.along_rows.inverse_real(stream, s.by_rows.get(), p.rows, s.image.get());
  cuda::check(cudaMemsetAsync(s.keys.get(), 0, 2 * sizeof(unsigned long long), stream), "peaks");
  const unsigned blocks = std::min(blocks_of(count), 264u);
  highest<false><<<blocks, threads, 0, stream>>>(s.image.get(), p.cols, p.rows, p.lobe, s.keys.get());
  highest<true><<<blocks, threads, 0, stream>>>(s.image.get(), p.cols, p.rows, p.lobe, s.keys.get());
  neighbours<<<1, 1, 0, stream>>>(s.image.get(), p.cols, p.rows, s.keys.get(), s.near.get());
  cuda::check(cudaGetLastError(), "launch of a phase correlation");
  cuda::wait(stream, timeout, "phase correlation");
  unsigned long long keys[2];
  float near[4];
  cuda::check(cudaMemcpy(keys, s.keys.get(), sizeof keys, cudaMemcpyDeviceToHost), "peaks");
  cuda::check(cudaMemcpy(near, s.near.get(), sizeof near, cudaMemcpyDeviceToHost), "peaks");
  return shift_of(p, peak_of(keys[0]), peak_of(keys[1]), near);
}

}  // namespace datum
