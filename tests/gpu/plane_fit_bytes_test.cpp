// Same bytes: for every instruction set, thread count, batch size and order of the points.
#include <gtest/gtest.h>

#include <numeric>

#include "tests/gpu/plane_fit_scene.h"

namespace datum {
namespace {

using namespace testing;

/// Sizes around the widths of vectors, tiles and subsets; thirds without a height, second levels, nothing at
/// all.
std::vector<Scene> ragged_batch() {
  std::vector<Scene> scenes;
  std::uint64_t seed = 1;
  for (const int n :
       {0,   1,   2,   3,   4,   5,    15,   16,   17,   31,   32,   33,   63,   64,    65,    383,
        384, 385, 511, 512, 513, 1535, 1536, 1537, 2047, 2049, 4095, 4096, 4097, 20011, 65536, 66528}) {
    for (const int kind : {0, 1, 2}) {
      Random random(seed);
      Scene s;
      s.half_x = 400, s.half_y = 300;
      s.seed = seed++;
      for (int i = 0; i < n; ++i) {
        const double x = random.between(-400, 400), y = random.between(-300, 300), u = random.uniform();
        const double level = u < 0.2 ? random.between(-500, 500) : kind == 1 && x > 100 ? 35 : 0;
        const bool missing = kind == 2 && i % 3 == 0;
        s.add(x, y, missing ? std::nan("") : 0.02 * x - 0.03 * y + level + 5 * random.gauss(), true);
      }
      scenes.push_back(s);
    }
  }
  return scenes;
}

std::vector<PlaneFitSettings> all_settings() {
  std::vector<PlaneFitSettings> all;
  for (const FitMode mode : {FitMode::exact, FitMode::screened}) {
    for (const Residual residual : {Residual::vertical, Residual::perpendicular}) {
      PlaneFitSettings s;
      s.mode = mode;
      s.residual = residual;
      s.threshold = 7.5f;
      s.refit_threshold = 17;
      s.max_hypotheses = 100;
      all.push_back(s);
    }
  }
  return all;
}

std::vector<std::string> bytes_of_all(const std::vector<Scene>& scenes, const PlaneFitSettings& settings,
                                      const Backend& backend) {
  std::vector<std::string> bytes;
  for (const PlaneFit& f : fit_all(scenes, settings, backend)) bytes.push_back(bytes_of(f));
  return bytes;
}

Backend backend_of(Isa isa, unsigned threads) { return Backend{BackendKind::cpu, isa, threads, ""}; }

TEST(PlaneFitBytes, SameForEveryInstructionSetAndThreadCount) {
  const std::vector<Scene> scenes = ragged_batch();
  for (const PlaneFitSettings& settings : all_settings()) {
    const auto expected = bytes_of_all(scenes, settings, backend_of(Isa::scalar, 1));
    for (const Isa isa : runnable_isas())
      for (const unsigned threads : {1u, 2u, 5u})
        EXPECT_EQ(bytes_of_all(scenes, settings, backend_of(isa, threads)), expected)
            << name_of(isa) << " x" << threads;
  }
}

TEST(PlaneFitBytes, SameForEveryBatch) {
  const std::vector<Scene> scenes = ragged_batch();
  for (const PlaneFitSettings& settings : all_settings()) {
    const auto expected = bytes_of_all(scenes, settings, cpu_backend(2));
    for (std::size_t i = 0; i < scenes.size(); ++i)
      EXPECT_EQ(bytes_of(fit(scenes[i], settings)), expected[i]) << "plane " << i << " alone";
    std::vector<Scene> reversed(scenes.rbegin(), scenes.rend());
    auto backwards = bytes_of_all(reversed, settings, cpu_backend(2));
    std::reverse(backwards.begin(), backwards.end());
    EXPECT_EQ(backwards, expected);
  }
}

TEST(PlaneFitBytes, SameForEveryOrderOfThePoints) {
  const std::vector<Scene> scenes = ragged_batch();
  std::vector<Scene> shuffled;
  std::mt19937_64 engine(3);
  for (const Scene& s : scenes) {
    std::vector<std::size_t> order(s.x.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), engine);
    Scene t = s;
    for (std::size_t i = 0; i < order.size(); ++i)
      t.x[i] = s.x[order[i]], t.y[i] = s.y[order[i]], t.z[i] = s.z[order[i]];
    shuffled.push_back(t);
  }
  for (const PlaneFitSettings& settings : all_settings())
    EXPECT_EQ(bytes_of_all(shuffled, settings, cpu_backend(2)),
              bytes_of_all(scenes, settings, cpu_backend(2)));
}

TEST(PlaneFitBytes, AnotherSeedSamplesOtherPlanes) {  // else the tests above could not see an order
  Scene s = paper_scene({-0.1, 0.1, 3}, 0.5, 1);
  const PlaneFit one = fit(s, paper_settings(FitMode::exact));
  s.seed = 2;
  const PlaneFit two = fit(s, paper_settings(FitMode::exact));
  EXPECT_NE(one.hypotheses, two.hypotheses);
  EXPECT_EQ(one.inliers, two.inliers);
}

}  // namespace
}  // namespace datum
