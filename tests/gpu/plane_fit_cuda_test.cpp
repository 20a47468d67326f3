// The CUDA plane fit gives the CPU's bytes, however the work is cut.
#include "gpu/plane_fit/plane_fit_cuda.h"

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "gpu/core/cuda_device.h"
#include "gpu/core/gpu_error.h"
#include "tests/gpu/ragged_scenes.h"

namespace datum {
namespace {

using namespace testing;

class PlaneFitCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    const CudaDevice device = probe_cuda_device();
    if (!device.usable) GTEST_SKIP() << device.why;
  }
};

std::vector<std::string> on_device(CudaPlaneFit& fitter, const std::vector<Scene>& scenes,
                                   const PlaneFitSettings& settings, int repeats = 1) {
  std::vector<PlanePoints> points;
  for (const Scene& s : scenes) points.push_back(s.points());
  fitter.prepare(points.data(), points.size(), settings);
  fitter.upload(nullptr);
  std::vector<std::string> bytes;
  for (int i = 0; i < repeats; ++i) {
    std::vector<PlaneFit> fits(scenes.size());
    fitter.launch(nullptr);
    fitter.fetch(nullptr, fits.data());
    std::vector<std::string> now;
    for (const PlaneFit& f : fits) now.push_back(bytes_of(f));
    if (i > 0) {
      EXPECT_EQ(now, bytes) << "repeat " << i;
    }
    bytes = now;
  }
  return bytes;
}

/// Names the first plane that differs, field by field.
void expect_same(const std::vector<std::string>& actual, const std::vector<Scene>& scenes,
                 const PlaneFitSettings& settings, const std::string& how) {
  const std::vector<PlaneFit> expected = fit_all(scenes, settings, cpu_backend(0));
  ASSERT_EQ(actual.size(), expected.size());
  int different = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (actual[i] == bytes_of(expected[i])) continue;
    if (++different > 5) continue;
    const PlaneFit& e = expected[i];
    PlaneFit a;
    std::memcpy(&a.a, actual[i].data(), 9 * sizeof(double));
    std::uint32_t n[4];
    std::memcpy(n, actual[i].data() + 72, sizeof n);
    ADD_FAILURE() << how << ": plane " << i << " of " << scenes[i].x.size() << " points, mode "
                  << int(settings.mode) << ": expected " << name_of(e.status) << " a " << e.a << " c " << e.c
                  << " valid " << e.valid << " inliers " << e.inliers << " hypotheses " << e.hypotheses
                  << " refits " << e.refits << "; got status " << int(actual[i][88]) << " a " << a.a << " c "
                  << a.c << " valid " << n[0] << " inliers " << n[1] << " hypotheses " << n[2] << " refits "
                  << n[3];
  }
  EXPECT_EQ(different, 0) << how;
}

TEST_F(PlaneFitCuda, RaggedBatchHasTheBytesOfTheCpuHoweverItIsCut) {
  const std::vector<Scene> scenes = ragged_batch();
  for (const PlaneFitSettings& settings : all_settings()) {
    for (const CudaFitOptions options :
         {CudaFitOptions{}, CudaFitOptions{256, 0, 0}, CudaFitOptions{2048, 1, 0}, CudaFitOptions{256, 7, 5},
          CudaFitOptions{512, 300, 11}, CudaFitOptions{300, 0, 12}, CudaFitOptions{64, 64, 13},
          CudaFitOptions{4096, 0, 14}}) {
      const std::string how = "mode " + std::to_string(int(settings.mode)) + ", tiles of " +
                              std::to_string(options.tile_quads) + ", blocks " +
                              std::to_string(options.blocks);
      try {
        CudaPlaneFit fitter(options);
        expect_same(on_device(fitter, scenes, settings, 3), scenes, settings, how);
      } catch (const GpuError& error) {
        FAIL() << how << ": " << error.what();
      }
    }
  }
}

TEST_F(PlaneFitCuda, PaperData) {
  for (const FitMode mode : {FitMode::exact, FitMode::screened}) {
    for (const double inliers : {0.5, 0.7, 0.9}) {
      for (const TruePlane& plane : {TruePlane{-0.1, 0.1, 3}, TruePlane{1, 2, 3}}) {
        std::vector<Scene> scenes;
        for (std::uint64_t i = 0; i < 20; ++i) scenes.push_back(paper_scene(plane, inliers, 77 + i));
        CudaPlaneFit fitter;
        expect_same(on_device(fitter, scenes, paper_settings(mode), 100), scenes, paper_settings(mode),
                    "paper");
      }
    }
  }
}

Scene line(double slope) {
  Scene s;
  s.half_x = s.half_y = 1000;
  for (int i = -500; i <= 500; ++i) s.add(2 * i, 2 * i * slope, 5, true);
  return s;
}

TEST_F(PlaneFitCuda, DegenerateInput) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  std::vector<Scene> scenes{Scene{}, line(0), line(0.7)};
  const auto filled = [](int n, double half, auto z) {
    Scene s;
    s.half_x = s.half_y = static_cast<float>(half);
    Random random(static_cast<std::uint64_t>(n));
    for (int i = 0; i < n; ++i) {
      const double x = random.between(-half, half), y = random.between(-half, half);
      s.add(x, y, z(i, x, y), true);
    }
    return s;
  };
  scenes.push_back(filled(5000, 100, [&](int, double, double) { return nan; }));
  scenes.push_back(filled(5000, 100, [&](int i, double, double) { return i % 2 ? inf : -inf; }));
  scenes.push_back(filled(5000, 100, [&](int i, double, double) { return i % 3 ? 3e38 : -3e38; }));
  scenes.push_back(filled(5000, 100, [&](int i, double x, double) { return i % 11 ? 1e6 * x : nan; }));
  scenes.push_back(filled(3000, 100, [&](int, double x, double y) { return x > -90 ? nan : 0.1 * y; }));
  scenes.push_back(
      filled(70000, 300, [&](int i, double, double) { return i % 2 ? 7.5 : -7.5; }));  // all in the boundary
  scenes.push_back(
      filled(40000, 100, [&](int i, double, double) { return i % 50 ? nan : static_cast<float>(i % 7); }));
  for (const int copies : {100, 5000}) {  // one place: all are sampled or none
    Scene same;
    same.half_x = same.half_y = 10;
    for (int i = 0; i < copies; ++i) same.add(1, 1, i % 5, true);
    for (int i = 0; i < 100; ++i) same.add(i % 10 - 5, i / 10 - 5, 0, true);
    scenes.push_back(same);
  }
  Scene stacked;  // so many at so few places that there is no room for what is sampled
  stacked.half_x = stacked.half_y = 10;
  for (int i = 0; i < 40000; ++i) stacked.add(i % 3, i % 4, 0.001 * (i % 1000), true);
  scenes.push_back(stacked);
  Scene outside = scenes[3];
  outside.z[4321] = 1;
  outside.x[4321] = 100.5f;
  scenes.push_back(outside);
  Scene flat = filled(4000, 100, [](int, double, double) { return 1.0; });
  flat.half_y = 0;
  for (float& y : flat.y) y = 0;
  scenes.push_back(flat);
  for (PlaneFitSettings settings : all_settings()) {
    CudaPlaneFit fitter;
    expect_same(on_device(fitter, scenes, settings, 3), scenes, settings, "degenerate");
    settings.max_hypotheses = 1;
    expect_same(on_device(fitter, scenes, settings), scenes, settings, "one hypothesis");
    settings.max_hypotheses = 2000;
    expect_same(on_device(fitter, scenes, settings), scenes, settings, "too many hypotheses for the device");
  }
}

TEST_F(PlaneFitCuda, ThousandRandomBatches) {
  std::mt19937_64 engine(20261121);
  const auto below = [&](std::uint64_t n) { return engine() % n; };
  const std::vector<PlaneFitSettings> settings = all_settings();
  CudaPlaneFit fitter;
  for (int batch = 0; batch < 1000; ++batch) {
    std::vector<Scene> scenes(1 + below(12));
    for (Scene& s : scenes) {
      const std::uint64_t size = below(8) == 0 ? below(20000) : below(3000);
      const double a = 1e-3 * static_cast<double>(below(200)), missing = below(3) == 0 ? 0.5 : 0.02;
      const double level = below(3) == 0 ? 35 : 0, half = below(2) ? 400 : 37;
      s.half_x = s.half_y = static_cast<float>(half);
      s.seed = engine();
      Random random(s.seed);
      for (std::uint64_t i = 0; i < size; ++i) {
        const double x = random.between(-half, half), y = random.between(-half, half), u = random.uniform();
        const double z = a * x - 0.03 * y + (u < 0.3 ? random.between(-500, 500) : x > 100 ? level : 0);
        s.add(x, y, random.uniform() < missing ? std::nan("") : z + 5 * random.gauss(), true);
      }
    }
    const PlaneFitSettings& setting = settings[below(settings.size())];
    expect_same(on_device(fitter, scenes, setting), scenes, setting, "batch " + std::to_string(batch));
    if (HasFailure()) return;
  }
}

TEST_F(PlaneFitCuda, TenThousandSmallPlanesAndOneOfMillions) {
  std::vector<Scene> scenes;
  for (std::uint64_t i = 0; i < 10000; ++i) {
    Random random(i);
    Scene s;
    s.half_x = s.half_y = 50;
    s.seed = i;
    for (std::uint64_t k = 0; k < 3 + i % 40; ++k)
      s.add(random.between(-50, 50), random.between(-50, 50), 5 * random.gauss(), true);
    scenes.push_back(s);
  }
  const PlaneFitSettings settings = all_settings().back();
  CudaPlaneFit fitter;
  expect_same(on_device(fitter, scenes, settings, 3), scenes, settings, "10,000 planes");
  Scene large;
  large.half_x = large.half_y = 20000;
  Random random(7);
  for (int i = 0; i < 4'000'000; ++i) {
    const double x = random.between(-20000, 20000), y = random.between(-20000, 20000);
    large.add(x, y, 0.001 * x + 5 * random.gauss() + (random.uniform() < 0.2 ? random.between(50, 500) : 0),
              true);
  }
  for (const PlaneFitSettings& each : all_settings())
    expect_same(on_device(fitter, {large}, each), {large}, each, "4,000,000 points");
}

/// Small enough for tools that watch every access of a kernel.
TEST_F(PlaneFitCuda, FewSmallPlanes) {
  std::vector<Scene> scenes = ragged_batch();
  scenes.erase(std::remove_if(scenes.begin(), scenes.end(), [](const Scene& s) { return s.x.size() > 1600; }),
               scenes.end());
  for (std::size_t i = 0; i + 1 < scenes.size(); ++i) scenes.erase(scenes.begin() + static_cast<long>(i));
  CudaFitOptions options;
  options.tile_quads = 128;
  options.timeout_ms = 60000;
  for (const PlaneFitSettings& settings : all_settings()) {
    CudaPlaneFit fitter(options);
    expect_same(on_device(fitter, scenes, settings, 2), scenes, settings, "few small planes");
  }
}

TEST_F(PlaneFitCuda, StreamsSideBySide) {
  const std::vector<Scene> scenes = ragged_batch();
  const PlaneFitSettings settings = all_settings().front();
  std::vector<PlanePoints> points;
  for (const Scene& s : scenes) points.push_back(s.points());
  CudaPlaneFit fitters[3];
  cudaStream_t streams[3];
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking), cudaSuccess);
    fitters[i].prepare(points.data(), points.size(), settings);
    fitters[i].upload(streams[i]);
  }
  const auto expected = bytes_of_all(scenes, settings, cpu_backend(0));
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 3; ++i) fitters[i].launch(streams[i]);
    for (int i = 0; i < 3; ++i) {
      std::vector<PlaneFit> fits(scenes.size());
      fitters[i].fetch(streams[i], fits.data());
      for (std::size_t k = 0; k < fits.size(); ++k)
        ASSERT_EQ(bytes_of(fits[k]), expected[k]) << round << " " << i;
    }
  }
  for (cudaStream_t stream : streams) cudaStreamDestroy(stream);
}

}  // namespace
}  // namespace datum
