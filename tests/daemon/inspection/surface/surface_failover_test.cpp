// A part whose GPU worker is lost in the middle has the verdict that the CPU alone gives, and the map's bytes.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <cstring>
#include <tuple>

#include "daemon/gpu_worker/failover_services.h"
#include "tests/daemon/inspection/surface/surface_scan.h"

namespace datum::surface_failover_test {
namespace {

using namespace std::chrono_literals;
using testing::check;

/// `more`: a check.
std::string regions(const std::string& more) {
  return testing::region("top", "normal = [0, 0, 1]\n",
                         check("\"profile\"\nupper_um = 500") + check("\"flatness\"\nupper_um = 500") +
                             check("\"deviation_percentile\"\nquantile = 0.7\nupper_um = 500") +
                             check("\"pfm_maximum\"\nupper_um = 500") +
                             check("\"" + more + "\"\nupper_um = 500")) +
         "[facet_map]\nlongest_mm = 1.2\ngate_mm = 1\nleast_points = 4\n";
}

struct SeenBox : testing::SurfaceScene {
  SeenBox() : SurfaceScene(testing::box_model(14, 11, 6, 5)) {
    size = "14, 11, 6";
    surface_keys = "max_noise_sigmas = 1e6\n";
    scan([](const Eigen::Vector3d& middle) { return 0.02 + 0.001 * middle.x(); });
  }
};

template <class List>
bool same(const List& a, const List& b) {
  return a.size() == b.size() &&
         std::memcmp(static_cast<const void*>(a.data()), b.data(), a.size() * sizeof a[0]) == 0;
}

/// But for who measured.
std::string text_of(BoardVerdict v) {
  v.backend.clear();
  return to_json(v);
}

void expect_same(const SurfaceInspection& a, const SurfaceInspection& b) {
  EXPECT_EQ(text_of(a.verdict), text_of(b.verdict));
  ASSERT_TRUE(a.map && b.map && a.facets && b.facets);
  EXPECT_TRUE(same(a.map->distances, b.map->distances));
  EXPECT_TRUE(same(a.map->area_mm2, b.map->area_mm2));
  EXPECT_TRUE(same(a.facets->by_points, b.facets->by_points));
  EXPECT_TRUE(same(a.facets->by_surface, b.facets->by_surface));
  EXPECT_TRUE(same(a.facets->sums_by_points, b.facets->sums_by_points));
}

/// What the worker does, and whether it compares parts in one order.
class SurfaceFailover : public ::testing::TestWithParam<std::tuple<const char*, bool>> {
 protected:
  ~SurfaceFailover() override { ::unsetenv("DATUM_TEST_WORKER"); }
};

// The worker is well for the first part and is lost while it measures the second; the third comes while it is away.
TEST_P(SurfaceFailover, GivesTheBytesOfTheCpu) {
  SeenBox scene;
  const auto [mode, in_one_order] = GetParam();
  // Facets are summed behind the comparison where points alone are asked of them.
  const Recipe recipe = scene.recipe(regions(in_one_order ? "pfm_mean" : "ffm_mean"));
  const SurfaceInspection alone = scene.inspect(recipe, 3);
  ASSERT_EQ(alone.verdict.components.at(0).checks.size(), 5u);
  for (const CheckVerdict& check : alone.verdict.components[0].checks)
    EXPECT_EQ(check.reason, Reason::none) << check.detail;
  ::setenv("DATUM_TEST_WORKER", mode, 1);
  ServiceClientSettings settings;
  settings.program = DATUM_TEST_WORKER_PROGRAM;
  settings.points_timeout = settings.scan_timeout = 2s;
  std::vector<std::string> faults;
  const auto gpu = std::make_shared<GpuServices>(
      std::make_unique<ServiceClient>(settings), 30s, [] { return 0ns; },
      [&](bool, const std::string& text) { faults.push_back(text); });
  FailoverFinder finder(gpu, cpu_backend(3));
  FailoverFacetMatcher matcher(gpu, cpu_backend(3), MatchCrossovers{0, 0});
  FailoverSharer sharer(gpu, cpu_backend(3), AreaCrossover{1});
  GpuComparer comparer(gpu, 3);
  if (in_one_order) scene.comparer = &comparer;
  scene.sharer = &sharer;
  scene.finder = &finder;
  scene.matcher = &matcher;
  const SurfaceInspection well = scene.inspect(recipe, 3);
  EXPECT_EQ(well.verdict.backend, "cuda test device sm_00");
  EXPECT_TRUE(faults.empty());
  expect_same(well, alone);
  expect_same(scene.inspect(recipe, 3), alone);
  EXPECT_EQ(faults.size(), 1u);
  const SurfaceInspection away = scene.inspect(recipe, 3);
  expect_same(away, alone);
  EXPECT_EQ(away.verdict.backend, describe(cpu_backend(3)));
}

/// Ends without a result: before the snapshots are sent, behind that, or with some points taken.
class LostComparer final : public SurfaceComparer {
 public:
  explicit LostComparer(int steps) : steps_(steps) {}
  bool takes(const PartShots&, std::size_t) const override { return true; }
  bool compare(const ComparedModel&, const PartToCompare& part, const CompareSettings&,
               const ComparedTaken& out) override {
    if (steps_ > 0) out.sent();
    if (steps_ > 1) {
      const ComparedPoints to = out.room();
      const std::size_t some = part.shots.points / 2;
      std::fill_n(to.judgements, some, PointJudgement{0, 0, Judgement::beyond, 0});
      out.taken(0, some);
    }
    return false;
  }
  std::string describe() const override { return "nobody"; }

 private:
  const int steps_;
};

TEST(SurfaceComparison, ThatIsLostIsDoneByOtherMeans) {
  SeenBox scene;
  const Recipe recipe = scene.recipe(regions("pfm_mean"));
  const SurfaceInspection alone = scene.inspect(recipe, 3);
  CpuAreaSharer sharer(cpu_backend(2));
  scene.sharer = &sharer;
  for (const int steps : {0, 1, 2}) {
    LostComparer lost(steps);
    scene.comparer = &lost;
    const SurfaceInspection found = scene.inspect(recipe, 3);
    EXPECT_EQ(text_of(found.verdict), text_of(alone.verdict)) << steps;
    EXPECT_EQ(found.verdict.backend, describe(cpu_backend(3)) + "; areas: " + sharer.describe());
    expect_same(found, alone);
  }
}

INSTANTIATE_TEST_SUITE_P(OfAWorker, SurfaceFailover,
                         ::testing::Combine(::testing::Values("killed", "hang", "stopped", "fault", "exits",
                                                              "garbage-records"),
                                            ::testing::Bool()),
                         [](const auto& of) {
                           std::string name = std::get<0>(of.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name + (std::get<1>(of.param) ? "_in_one_order" : "");
                         });

}  // namespace
}  // namespace datum::surface_failover_test
