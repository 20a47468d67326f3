// The kernels of whole rows, and which shape each length has. Included by one file per word.
#pragma once

#include "gpu/core/cuda_dialect.cuh"
#include "gpu/core/cuda_launch.cuh"
#include "gpu/fft/fft_cuda.h"
#include "gpu/fft/fft_device.cuh"
#include "gpu/fft/fft_plan.h"

namespace datum {
namespace fft {

template <class S>
struct RowsOnDevice {
  using Two = typename Pair<typename S::Word>::Type;
  const Two* in;
  std::size_t in_stride;  // values from row to row
  Two* out;
  std::size_t out_stride;
  unsigned rows;
  bool inverse;
  typename S::Word scale;  // of the inverse
  const Root<typename S::Word>* root;
};

/// Lets the kernel behind this one in the stream begin, and waits for the one before, of which this one may be the early
/// beginning. Nothing is read or written before.
static __device__ __forceinline__ void begin_early() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;\n\tgriddepcontrol.wait;" ::: "memory");
#endif
}

template <class Sh, int least_blocks>
__global__ void __launch_bounds__(Sh::threads* Sh::transforms, least_blocks)
    complex_rows(const __grid_constant__ RowsOnDevice<typename Sh::S> q) {
  extern __shared__ __align__(16) unsigned char memory[];
  using Two = typename Sh::Two;
  begin_early();
  const unsigned t = Sh::thread(), row = blockIdx.x * Sh::transforms + Sh::group();
  const bool stands = Sh::transforms == 1 || row < q.rows;
  const Two* from = q.in + row * q.in_stride + t;
  typename Sh::V v[Sh::each];
#pragma unroll
  for (int i = 0; i < Sh::each; ++i) {
    const Two x = stands ? from[i * Sh::threads] : Two{0, 0};
    v[i] = {x.x, x.y};
  }
  if (q.inverse) {
#pragma unroll
    for (int i = 0; i < Sh::each; ++i) v[i] = swapped(v[i]);
  }
  transform<Sh>(v, memory + Sh::group() * Sh::shared_bytes, t, q.root);
  if (!stands) return;
  Two* to = q.out + row * q.out_stride + t;
  if (q.inverse) {
#pragma unroll
    for (int i = 0; i < Sh::each; ++i) to[i * Sh::threads] = Two{q.scale * v[i].im, q.scale * v[i].re};
  } else {
#pragma unroll
    for (int i = 0; i < Sh::each; ++i) to[i * Sh::threads] = Two{v[i].re, v[i].im};
  }
}

/// In place: bins k and n - k of each row from the two values there.
template <class S, class Two>
__global__ void __launch_bounds__(256) bins_of_pairs(Two* data, unsigned points, unsigned rows,
                                                     const Root<typename S::Word>* __restrict__ half_root) {
  const unsigned half = points / 2 + 1;
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < std::size_t(rows) * half;
       i += std::size_t(gridDim.x) * blockDim.x) {
    const unsigned k = static_cast<unsigned>(i % half);
    Two* row = data + i / half * (points + 1);
    const Two a = row[k], b = row[k == 0 ? 0 : points - k];
    const Value<S> at{a.x, a.y}, mirrored{b.x, b.y};
    const Value<S> low = real_bin(at, mirrored, half_root[k]);
    const Value<S> high = real_bin(mirrored, at, half_root[points - k]);
    row[k] = Two{low.re, low.im};
    row[points - k] = Two{high.re, high.im};
  }
}

/// The other way, to the n pairs of each row.
template <class S, class Two>
__global__ void __launch_bounds__(256) pairs_of_bins(const Two* in, Two* out, unsigned points, unsigned rows,
                                                     const Root<typename S::Word>* __restrict__ half_root) {
  for (std::size_t i = blockIdx.x * std::size_t(blockDim.x) + threadIdx.x; i < std::size_t(rows) * points;
       i += std::size_t(gridDim.x) * blockDim.x) {
    const unsigned k = static_cast<unsigned>(i % points);
    const Two* row = in + i / points * (points + 1);
    const Two a = row[k], b = row[points - k];
    const bool ends = k == 0;
    const Value<S> at{a.x, ends ? 0 : a.y}, mirrored{b.x, ends ? 0 : b.y};
    const Value<S> z = pair_of_bins(at, mirrored, half_root[k]);
    out[i] = Two{z.re, z.im};
  }
}

template <class Sh, int least_blocks>
void launch_shape(CudaStream stream, const RowsOnDevice<typename Sh::S>& q) {
  const unsigned blocks = (q.rows + Sh::transforms - 1) / Sh::transforms;
  constexpr unsigned shared = Sh::shared_bytes * Sh::transforms;
  static_assert(shared <= cuda::orin_shared_bytes);
  if (shared > 48 * 1024)
    cuda::check(cudaFuncSetAttribute(complex_rows<Sh, least_blocks>,
                                     cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)),
                "shared memory of a Fourier transform");
  cuda::launch_early(complex_rows<Sh, least_blocks>, blocks, Sh::threads * Sh::transforms, shared, stream,
                     "launch of a Fourier transform", q);
}

template <class S>
void launch(CudaStream stream, unsigned points, const RowsOnDevice<S>& q);

template <class Word>
struct ScalarOf;
template <>
struct ScalarOf<float> {
  using Type = ScalarFloat;
};
template <>
struct ScalarOf<double> {
  using Type = ScalarDouble;
};

}  // namespace fft

template <class Word>
struct CudaFft<Word>::State {
  using S = typename fft::ScalarOf<Word>::Type;
  using Two = typename fft::Pair<Word>::Type;

  explicit State(std::size_t points_) : host(points_), points(static_cast<unsigned>(points_)) {
    cuda::to_device(root, host.plan().root, "roots of unity");
    cuda::to_device(half_plan_root, host.real_plan().root, "roots of unity");
    cuda::to_device(half_root, host.real_plan().half_root, "roots of unity");
  }
  static unsigned blocks(std::size_t work) {
    return static_cast<unsigned>(std::min<std::size_t>((work + 255) / 256, 1u << 16));
  }
  static unsigned checked(std::size_t rows) {
    if (rows > 0x7FFFFFFF) throw std::invalid_argument("a Fourier transform of more than 2^31 rows");
    return static_cast<unsigned>(rows);
  }
  void whole(CudaStream stream, const Complex* in, std::size_t rows, Complex* out, bool inverse) {
    if (rows == 0) return;
    fft::launch<S>(stream, points,
                   {reinterpret_cast<const Two*>(in), points, reinterpret_cast<Two*>(out), points,
                    checked(rows), inverse, Word(1) / static_cast<Word>(points), root.get()});
  }

  Fft<Word> host;
  unsigned points;
  cuda::Buffer<fft::Root<Word>> root, half_plan_root, half_root;
};

template <class Word>
CudaFft<Word>::CudaFft(std::size_t points) : state_(new State(points)) {}
template <class Word>
CudaFft<Word>::~CudaFft() = default;

template <class Word>
void CudaFft<Word>::forward(CudaStream stream, const Complex* in, std::size_t rows, Complex* out) {
  state_->whole(stream, in, rows, out, false);
}
template <class Word>
void CudaFft<Word>::inverse(CudaStream stream, const Complex* in, std::size_t rows, Complex* out) {
  state_->whole(stream, in, rows, out, true);
}

template <class Word>
void CudaFft<Word>::forward_real(CudaStream stream, const Word* in, std::size_t rows, Complex* out) {
  if (rows == 0) return;
  State& s = *state_;
  using Two = typename fft::Pair<Word>::Type;
  auto* bins = reinterpret_cast<Two*>(out);
  const unsigned half = s.points / 2, count = State::checked(rows);
  fft::launch<typename fft::ScalarOf<Word>::Type>(
      stream, half,
      {reinterpret_cast<const Two*>(in), half, bins, half + 1, count, false, 1, s.half_plan_root.get()});
  fft::bins_of_pairs<typename fft::ScalarOf<Word>::Type>
      <<<State::blocks(rows * (half / 2 + 1)), 256, 0, stream>>>(bins, half, count, s.half_root.get());
  cuda::check(cudaGetLastError(), "launch of a real Fourier transform");
}

template <class Word>
void CudaFft<Word>::inverse_real(CudaStream stream, const Complex* in, std::size_t rows, Word* out) {
  if (rows == 0) return;
  State& s = *state_;
  using Two = typename fft::Pair<Word>::Type;
  auto* pairs = reinterpret_cast<Two*>(out);
  const unsigned half = s.points / 2, count = State::checked(rows);
  fft::pairs_of_bins<typename fft::ScalarOf<Word>::Type><<<State::blocks(rows * half), 256, 0, stream>>>(
      reinterpret_cast<const Two*>(in), pairs, half, count, s.half_root.get());
  cuda::check(cudaGetLastError(), "launch of a real Fourier transform");
  fft::launch<typename fft::ScalarOf<Word>::Type>(
      stream, half,
      {pairs, half, pairs, half, count, true, Word(0.5) / static_cast<Word>(half), s.half_plan_root.get()});
}

}  // namespace datum
