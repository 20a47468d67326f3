// Window and angles on a CPU, a pair of rows in each lane. Compiled once for each instruction set.
#include <cstring>

#include "gpu/core/isa_table.h"
#include "gpu/core/simd.h"
#include "gpu/fft/fft_kernels.h"
#include "gpu/fourier_profilometry/fourier_kernels.h"
#include "gpu/fourier_profilometry/fourier_math.h"

namespace datum::fourier {

template <class S>
struct PairLanes {
  using V = fft::Value<S>;
  static constexpr std::size_t width = S::width;

  static inline V load(const float* data, std::size_t i) {
    return {S::load(data + 2 * i * width), S::load(data + (2 * i + 1) * width)};
  }
  static inline void store(float* data, std::size_t i, V v) {
    std::memcpy(data + 2 * i * width, &v.re, sizeof v.re);
    std::memcpy(data + (2 * i + 1) * width, &v.im, sizeof v.im);
  }

  /// The inverse's first pass, of which only the window's blocks are not 0.
  static void few_blocks(const Plan& plan, const float* bins, float* out) {
    const auto radix = static_cast<std::size_t>(plan.transform.radix[0]),
               step = plan.transform.points / radix;
    for (std::size_t j = 0; j < step; ++j)
      for (std::size_t r = 0; r < radix; ++r) {
        V sum = times(load(bins, j), plan.first_root[plan.block * r % radix]);
        for (std::size_t b = 1; b < plan.blocks; ++b)
          sum = add_product(sum, load(bins, b * step + j), plan.first_root[(plan.block + b) * r % radix]);
        store(out, j * radix + r, sum);
      }
  }

  static void row(const Plan& plan, const fft::Kernels<float>& transform, const float* bins, const Work& work,
                  float* out) {
    few_blocks(plan, bins, work.rows);
    const float* back = transform.transform_lanes(plan.transform, 1, work.rows, work.scratch);
    for (std::size_t i = 0; i < plan.width; ++i) {
      const V v = load(back, i);
      store(out, i, V{angle_of(v), square_of(v)});
    }
  }

  static void phases(const Plan& plan, Isa isa, const Work& work) {
    const fft::Kernels<float>& transform = fft::kernels<float>(isa);
    const std::size_t points = plan.transform.points;
    const std::size_t begin = plan.block * (points / static_cast<std::size_t>(plan.transform.radix[0]));
    const float* spectrum = transform.transform_lanes(plan.transform, 0, work.rows, work.scratch);
    float* second = work.bins + 2 * width * plan.gain.size();
    for (std::size_t b = 0; b < plan.gain.size(); ++b) {
      const std::size_t k = begin + b;
      const Rows<S> both = filtered(load(spectrum, k), load(spectrum, (points - k) % points), plan.gain[b]);
      store(work.bins, b, both.first);
      store(second, b, both.second);
    }
    row(plan, transform, work.bins, work, work.first);
    row(plan, transform, second, work, work.second);
  }

  static constexpr Kernels kernels() { return {width, phases}; }
};

namespace {

struct Words : Simd {
  using Word = float;
};

}  // namespace

extern const Kernels DATUM_OF_ISA(kernels);
const Kernels DATUM_OF_ISA(kernels) = PairLanes<Words>::kernels();

}  // namespace datum::fourier
