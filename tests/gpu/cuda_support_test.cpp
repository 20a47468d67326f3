// Waits for a device end, one way or the other.
#include <gtest/gtest.h>

#include <atomic>

#include "gpu/core/cuda_device.h"
#include "gpu/core/cuda_support.cuh"

namespace datum {
namespace {

using std::chrono::milliseconds;

/// A stream whose work lasts until somebody lets it go.
class HeldStream {
 public:
  HeldStream() {
    cuda::check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream");
    cuda::check(cudaLaunchHostFunc(stream_, hold, &held_), "held work");
  }
  ~HeldStream() {
    let_go();
    cudaStreamSynchronize(stream_);
    cudaStreamDestroy(stream_);
  }
  HeldStream(const HeldStream&) = delete;
  HeldStream& operator=(const HeldStream&) = delete;
  void let_go() { held_.store(false); }
  operator cudaStream_t() const { return stream_; }

 private:
  static void hold(void* held) {
    while (static_cast<std::atomic<bool>*>(held)->load()) {
    }
  }
  cudaStream_t stream_ = nullptr;
  std::atomic<bool> held_{true};
};

class CudaSupport : public ::testing::Test {
 protected:
  void SetUp() override {
    const CudaDevice device = probe_cuda_device();
    if (!device.usable) GTEST_SKIP() << device.why;
  }
};

TEST_F(CudaSupport, AWaitEndsWhenItsTimeIsOver) {
  const HeldStream held;
  try {
    cuda::wait(held, milliseconds(5), "held work");
    ADD_FAILURE() << "waited for nothing";
  } catch (const GpuError& error) {
    EXPECT_TRUE(error.lost);
    EXPECT_STREQ(error.what(), "CUDA: held work was not done within 5 ms");
  }
}

TEST_F(CudaSupport, AnUnfinishedStreamIsNoErrorOfWhatFollows) {
  HeldStream held;
  int looks = 0;
  cuda::wait_until([&] { return ++looks > 100000; }, held, milliseconds(10000), "held work");
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  held.let_go();
  cuda::wait(held, milliseconds(10000), "held work");
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(CudaSupport, AStreamThatEndsWithoutAnAnswer) {
  HeldStream held;
  held.let_go();
  EXPECT_THROW(cuda::wait_until([] { return false; }, held, milliseconds(10000), "held work"), GpuError);
}

}  // namespace
}  // namespace datum
