#include <chrono>
#include <vector>

#include "gpu/core/cuda_support.cuh"
#include "gpu/fringe_phase/fringe_check.h"
#include "gpu/fringe_phase/fringe_phase_cuda.h"
#include "gpu/fringe_phase/fringe_samples.cuh"

namespace datum {
namespace {

using namespace cuda;
using namespace fringe;

constexpr int threads = 128, pixels = 4;  // of a thread, side by side
constexpr std::chrono::milliseconds timeout{1000};

/// Rows of images and maps begin at multiples of `pitch` samples.
struct Work {
  const unsigned char* images;
  std::size_t image_bytes;
  std::uint32_t width, pitch;
  const HeightNode* nodes;  // nullptr: no heights
  std::uint32_t cell_shift, node_columns;
  float per_cell;
  FringeMaps maps;  // on the device
  Job job;
};

template <int P>
struct Group {  // four pixels' sums and marks
  Sums<SimdScalar> sums[P][pixels];
  bool saturated[pixels];
};

template <class Samples, int P>
__device__ __forceinline__ void take_samples(const Work& w, const unsigned char* from, Group<P>* g) {
#pragma unroll
  for (int j = 0; j < pixels; ++j) g->saturated[j] = false;
#pragma unroll
  for (int i = 0; i < P; ++i) {
#pragma unroll
    for (int j = 0; j < pixels; ++j) g->sums[i][j] = {0.f, 0.f, 0.f};
#pragma unroll 4
    for (std::uint32_t k = 0; k < w.job.steps; ++k) {
      const typename Samples::Word word = Samples::load(from);
      from += w.image_bytes;
      add_sample<SimdScalar>(w.job, k, Samples::template at<0>(word), &g->sums[i][0], &g->saturated[0]);
      add_sample<SimdScalar>(w.job, k, Samples::template at<1>(word), &g->sums[i][1], &g->saturated[1]);
      add_sample<SimdScalar>(w.job, k, Samples::template at<2>(word), &g->sums[i][2], &g->saturated[2]);
      add_sample<SimdScalar>(w.job, k, Samples::template at<3>(word), &g->sums[i][3], &g->saturated[3]);
    }
  }
}

/// Four steps of bytes: the sums are differences, exact in any arithmetic.
template <int P>
__device__ __forceinline__ void take_four_steps(const Work& w, const unsigned char* from, Group<P>* g) {
  std::uint32_t word[4 * P];
#pragma unroll
  for (int k = 0; k < 4 * P; ++k) word[k] = FourBytes::load(from + k * w.image_bytes);
  const std::uint32_t marks = saturated_bytes<4 * P>(word, static_cast<std::uint32_t>(ceilf(w.job.maximum)));
#pragma unroll
  for (int j = 0; j < pixels; ++j) g->saturated[j] = (marks & (0x80u << (8 * j))) != 0;
  const bool backwards = w.job.sine[1] > 0;
#pragma unroll
  for (int i = 0; i < P; ++i) {
    const std::uint32_t* v = word + 4 * i;
    const Differences cosine{HalfBytes(v[0]), HalfBytes(v[2])};
    const Differences sine{HalfBytes(backwards ? v[1] : v[3]), HalfBytes(backwards ? v[3] : v[1])};
    const GreySums grey(v[0], v[1], v[2], v[3]);  // left out where nobody asks
    g->sums[i][0] = {cosine.at<0>(), sine.at<0>(), grey.at<0>()};
    g->sums[i][1] = {cosine.at<1>(), sine.at<1>(), grey.at<1>()};
    g->sums[i][2] = {cosine.at<2>(), sine.at<2>(), grey.at<2>()};
    g->sums[i][3] = {cosine.at<3>(), sine.at<3>(), grey.at<3>()};
  }
}

/// Coefficients at the left end of a pixel's cell, in its row, and what is added towards the right end.
struct CellEnds {
  float left[8], step[8];

  __device__ __forceinline__ CellEnds(const Work& w, std::uint32_t row, std::uint32_t col) {
    const std::uint32_t cell = 1u << w.cell_shift;
    const float down = static_cast<float>(row & (cell - 1)) * w.per_cell;
    const float4* n = reinterpret_cast<const float4*>(
        w.nodes + std::size_t{row >> w.cell_shift} * w.node_columns + (col >> w.cell_shift));
    const float4* below = n + 2 * w.node_columns;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float4 a = __ldg(n + half), b = __ldg(n + 2 + half), c = __ldg(below + half),
                   d = __ldg(below + 2 + half);
      set(4 * half, between(a.x, c.x, down), between(b.x, d.x, down));
      set(4 * half + 1, between(a.y, c.y, down), between(b.y, d.y, down));
      set(4 * half + 2, between(a.z, c.z, down), between(b.z, d.z, down));
      set(4 * half + 3, between(a.w, c.w, down), between(b.w, d.w, down));
    }
  }
  __device__ __forceinline__ void set(int i, float at_left, float at_right) {
    left[i] = at_left;
    step[i] = at_right - at_left;
  }
  __device__ __forceinline__ Coefficients<SimdScalar> at(float across) const {
    Coefficients<SimdScalar> c;
    c.centre = fmaf(across, step[0], left[0]);
    c.per_px = fmaf(across, step[1], left[1]);
#pragma unroll
    for (int i = 0; i < 4; ++i) c.height[i] = fmaf(across, step[2 + i], left[2 + i]);
    c.bend = fmaf(across, step[6], left[6]);
    return c;
  }
};

template <class T>
__device__ __forceinline__ void write_four(T* map, std::size_t at, float a, float b, float c, float d) {
  if (map) __stcs(reinterpret_cast<float4*>(map + at), make_float4(a, b, c, d));
}

template <class Samples, int P>
__device__ __forceinline__ void write_residuals(const Work& w, const unsigned char* from, const Group<P>& g,
                                                std::size_t at) {
  float worst[pixels] = {0, 0, 0, 0};
#pragma unroll
  for (int i = 0; i < P; ++i) {
    float sum[pixels] = {0, 0, 0, 0};
    for (std::uint32_t k = 0; k < w.job.steps; ++k) {
      const typename Samples::Word word = Samples::load(from);
      from += w.image_bytes;
      const float v[pixels] = {Samples::template at<0>(word), Samples::template at<1>(word),
                               Samples::template at<2>(word), Samples::template at<3>(word)};
#pragma unroll
      for (int j = 0; j < pixels; ++j)
        sum[j] = add_residual<SimdScalar>(w.job, k, v[j], g.sums[i][j], sum[j]);
    }
#pragma unroll
    for (int j = 0; j < pixels; ++j) worst[j] = fmaxf(worst[j], sum[j]);
  }
#pragma unroll
  for (int j = 0; j < pixels; ++j) worst[j] = root<SimdScalar>(worst[j] * w.job.per_freedom);
  write_four(w.maps.residual, at, worst[0], worst[1], worst[2], worst[3]);
}

template <int P, bool extras>
__device__ __forceinline__ void write_pixels(const Work& w, const Group<P>& g, std::uint32_t row,
                                             std::uint32_t col, std::size_t at) {
  Pixel<SimdScalar> p[pixels];
#pragma unroll
  for (int j = 0; j < pixels; ++j) {
    Sums<SimdScalar> sums[P];
#pragma unroll
    for (int i = 0; i < P; ++i) sums[i] = g.sums[i][j];
    p[j] = pixel_of<SimdScalar, P, extras>(w.job, sums, g.saturated[j]);
  }
  write_four(w.maps.column_px, at, p[0].column, p[1].column, p[2].column, p[3].column);
  if (extras) {
    write_four(w.maps.sigma_px, at, p[0].sigma, p[1].sigma, p[2].sigma, p[3].sigma);
    write_four(w.maps.modulation, at, p[0].modulation, p[1].modulation, p[2].modulation, p[3].modulation);
    write_four(w.maps.mean, at, p[0].mean, p[1].mean, p[2].mean, p[3].mean);
  }
  if (w.nodes) {
    Height<SimdScalar> z[pixels];
    const std::uint32_t cell = 1u << w.cell_shift;
    const bool one_cell = cell >= pixels;
    CellEnds ends(w, row, col);
    const float first = static_cast<float>(col & (cell - 1)) * w.per_cell;  // exact, as is what is added
#pragma unroll
    for (int j = 0; j < pixels; ++j) {
      float across = first + static_cast<float>(j) * w.per_cell;
      if (!one_cell) {
        const std::uint32_t here = col + j < w.width ? col + j : w.width - 1;
        if (j > 0) ends = CellEnds(w, row, here);
        across = static_cast<float>(here & (cell - 1)) * w.per_cell;
      }
      z[j] = height_of<SimdScalar>(w.job, ends.at(across), p[j], extras && w.maps.height_sigma_um);
      p[j].kind = z[j].kind;
    }
    write_four(w.maps.height, at, z[0].counts, z[1].counts, z[2].counts, z[3].counts);
    if (extras)
      write_four(w.maps.height_sigma_um, at, z[0].sigma_um, z[1].sigma_um, z[2].sigma_um, z[3].sigma_um);
  }
  const std::uint32_t low = __byte_perm(bits_of(p[0].kind), bits_of(p[1].kind), 0x0040),
                      high = __byte_perm(bits_of(p[2].kind), bits_of(p[3].kind), 0x0040);
  __stcs(reinterpret_cast<std::uint32_t*>(w.maps.classes + at), __byte_perm(low, high, 0x5410));
}

/// What a kernel is made for; each kind of map costs registers.
enum class Made { columns, extras, extras_and_residual };

template <class Samples, int P, Made made, bool four_steps>
__global__ void __launch_bounds__(threads) measure_fringes(const Work w) {
  const std::uint32_t col = (blockIdx.x * threads + threadIdx.x) * pixels, row = blockIdx.y;
  if (col >= w.width) return;
  const std::size_t at = std::size_t{row} * w.pitch + col;
  const unsigned char* from = w.images + at * (sizeof(typename Samples::Word) / pixels);
  Group<P> g;
  if constexpr (four_steps) {
    take_four_steps<P>(w, from, &g);
  } else {
    take_samples<Samples, P>(w, from, &g);
  }
  write_pixels<P, made != Made::columns>(w, g, row, col, at);
  if constexpr (made == Made::extras_and_residual) write_residuals<Samples, P>(w, from, g, at);
}

using Kernel = void (*)(Work);

template <class Samples, int P, bool four_steps>
Kernel kernel_of(Made made) {
  switch (made) {
    case Made::columns:
      return measure_fringes<Samples, P, Made::columns, four_steps>;
    case Made::extras:
      return measure_fringes<Samples, P, Made::extras, four_steps>;
    default:
      return measure_fringes<Samples, P, Made::extras_and_residual, four_steps>;
  }
}

template <int P>
Kernel kernel_of(SampleType type, Made made, bool four_steps) {
  if (type == SampleType::u16) return kernel_of<FourWords, P, false>(made);
  return four_steps ? kernel_of<FourBytes, P, true>(made) : kernel_of<FourBytes, P, false>(made);
}

Kernel kernel_of(std::uint32_t periods, SampleType type, Made made, bool four_steps) {
  switch (periods) {
    case 1:
      return kernel_of<1>(type, made, four_steps);
    case 2:
      return kernel_of<2>(type, made, four_steps);
    default:
      return kernel_of<3>(type, made, four_steps);
  }
}

Made made_for(const FringeMaps& wanted) {
  if (wanted.residual) return Made::extras_and_residual;
  return wants_extras(wanted) ? Made::extras : Made::columns;
}

}  // namespace

struct CudaFringePhase::State {
  FringeImages size;
  FringePattern pattern;
  std::uint32_t order[most_periods];
  Work work;
  Kernel kernel = nullptr;
  Buffer<unsigned char> images;
  Buffer<HeightNode> nodes;
  Buffer<float> floats[6];
  Buffer<std::int32_t> height;
  Buffer<FringeClass> classes;

  std::size_t sample_bytes() const { return size.type == SampleType::u8 ? 1 : 2; }
  template <class T>
  T* room(Buffer<T>& buffer, bool wanted) {
    if (!wanted) return nullptr;
    buffer.reserve(std::size_t{work.pitch} * size.height);
    return buffer.get();
  }
  template <class T>
  void fetch(const T* from, T* to) const {
    if (!from) return;
    cuda::check(cudaMemcpy2D(to, size.width * sizeof(T), from, work.pitch * sizeof(T), size.width * sizeof(T),
                             size.height, cudaMemcpyDeviceToHost),
                "maps of fringes");
  }
};

CudaFringePhase::CudaFringePhase() : state_(new State) {}
CudaFringePhase::~CudaFringePhase() = default;

void CudaFringePhase::prepare(const FringeImages& size, const FringePattern& pattern,
                              const FringeLimits& limits, const HeightModel* model,
                              const FringeMaps& wanted) {
  fringe::check(pattern);
  fringe::check(limits, size.type);
  fringe::check_maps(size, pattern, model, wanted);
  State& s = *state_;
  s.size = size;
  s.pattern = pattern;
  Work& w = s.work;
  w.job = job_of(pattern, limits, model, s.order);
  w.width = size.width;
  w.pitch = (size.width + 15) / 16 * 16;
  w.image_bytes = s.sample_bytes() * w.pitch * size.height;
  zeroed(s.images, w.image_bytes * pattern.periods * pattern.steps, "images of fringes");
  w.images = s.images.get();
  w.nodes = nullptr;
  if (model) {
    to_device(s.nodes,
              std::vector<HeightNode>(model->nodes, model->nodes + std::size_t{model->columns} * model->rows),
              "height model of fringes");
    w.nodes = s.nodes.get();
    w.node_columns = model->columns;
    w.cell_shift = 0;
    while ((1u << w.cell_shift) < model->cell_px) ++w.cell_shift;
    w.per_cell = 1.f / static_cast<float>(model->cell_px);
  }
  w.maps.classes = s.room(s.classes, true);
  w.maps.column_px = s.room(s.floats[0], true);
  w.maps.sigma_px = s.room(s.floats[1], wanted.sigma_px);
  w.maps.modulation = s.room(s.floats[2], wanted.modulation);
  w.maps.mean = s.room(s.floats[3], wanted.mean);
  w.maps.residual = s.room(s.floats[4], wanted.residual);
  w.maps.height = s.room(s.height, wanted.height);
  w.maps.height_sigma_um = s.room(s.floats[5], wanted.height_sigma_um);
  s.kernel = kernel_of(pattern.periods, size.type, made_for(wanted), pattern.steps == 4);
}

void CudaFringePhase::upload(CudaStream stream, const FringeImages& images) {
  State& s = *state_;
  check_images(images, s.pattern);
  if (images.type != s.size.type || images.width != s.size.width || images.height != s.size.height)
    fringe::refuse("these images differ in size or type from what was prepared");
  const std::size_t row = s.size.width * s.sample_bytes(), pitch = s.work.pitch * s.sample_bytes();
  for (std::uint32_t i = 0; i < s.pattern.periods; ++i)
    for (std::uint32_t k = 0; k < s.pattern.steps; ++k) {
      unsigned char* to = s.images.get() + (i * s.pattern.steps + k) * s.work.image_bytes;
      const void* from = images.images[s.order[i] * s.pattern.steps + k];
      cuda::check(cudaMemcpy2DAsync(to, pitch, from, row, row, s.size.height, cudaMemcpyHostToDevice, stream),
                  "upload of fringes");
    }
}

void CudaFringePhase::launch(CudaStream stream) {
  State& s = *state_;
  const dim3 grid((s.size.width + threads * pixels - 1) / (threads * pixels), s.size.height);
  s.kernel<<<grid, threads, 0, stream>>>(s.work);
  cuda::check(cudaGetLastError(), "launch of fringes");
}

void CudaFringePhase::fetch(CudaStream stream, const FringeMaps& maps) {
  State& s = *state_;
  cuda::wait(stream, timeout, "fringes");
  const FringeMaps& from = s.work.maps;
  s.fetch(from.classes, maps.classes);
  s.fetch(from.column_px, maps.column_px);
  s.fetch(from.sigma_px, maps.sigma_px);
  s.fetch(from.modulation, maps.modulation);
  s.fetch(from.mean, maps.mean);
  s.fetch(from.residual, maps.residual);
  s.fetch(from.height, maps.height);
  s.fetch(from.height_sigma_um, maps.height_sigma_um);
}

}  // namespace datum
