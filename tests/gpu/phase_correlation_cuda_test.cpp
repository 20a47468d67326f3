// Phase correlation on a CUDA device gives the CPU's bytes.
#include "gpu/phase_correlation/phase_correlation_cuda.h"

#include <gtest/gtest.h>

#include <cstring>

#include "gpu/core/cuda_device.h"
#include "tests/gpu/correlation_scenes.h"

namespace datum {
namespace {

using namespace testing;

class PhaseCorrelationCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    const CudaDevice device = probe_cuda_device();
    if (!device.usable) GTEST_SKIP() << device.why;
  }
};

TEST_F(PhaseCorrelationCuda, GivesTheBytesOfTheCpu) {
  for (const auto& [cols, rows] : {std::pair{16u, 16u}, {64u, 256u}, {512u, 128u}, {512u, 512u}}) {
    CorrelationSettings s;
    s.most_shift_px = 7;
    const auto reference = parts(cols, rows, 0, 0, 1);
    const PhaseCorrelation expected(reference.data(), cols, rows, s);
    CudaPhaseCorrelation device(reference.data(), cols, rows, s);
    for (const double shift : {0.0, 2.3, -5.6, 9.0}) {
      const auto image = parts(cols, rows, shift, -shift / 2, 1, 0.05);
      const CorrelationShift a = device.find(nullptr, image.data()),
                             b = expected.find(image.data(), cpu_backend(0));
      EXPECT_EQ(a.kind, b.kind);
      for (const auto& [x, y] :
           {std::pair{a.x_px, b.x_px}, {a.y_px, b.y_px}, {a.peak, b.peak}, {a.ratio, b.ratio}})
        EXPECT_EQ(std::memcmp(&x, &y, sizeof x), 0) << cols << 'x' << rows << ", " << shift;
    }
  }
}

}  // namespace
}  // namespace datum
