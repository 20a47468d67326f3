// A GPU that goes wrong in every way costs no part: the CPU finds the same bytes.
#include "daemon/gpu/failover_finder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>

#include "daemon/gpu/surface_worker.h"
#include "tests/gpu/model_scenes.h"

namespace datum {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class FailoverFinderTest : public ::testing::Test {
 protected:
  ~FailoverFinderTest() override { ::unsetenv("DATUM_TEST_WORKER"); }

  void begin(const std::string& mode, SurfaceLinkSettings settings = {}) {
    ::setenv("DATUM_TEST_WORKER", mode.c_str(), 1);
    settings.program = DATUM_TEST_WORKER_PROGRAM;
    auto link = std::make_unique<SurfaceLink>(settings);
    link_ = link.get();
    finder_ = std::make_unique<FailoverFinder>(
        std::move(link), cpu_backend(2), 30s, [this] { return now_; },
        [this](bool fault, const std::string& text) { (fault ? faults_ : words_).push_back(text); });
  }
  /// Who found them; the bytes must be the CPU's.
  std::string find(const RawModel& raw, std::size_t count = 5000) {
    SearchedModel model;
    model.triangles = std::make_shared<TriangleModel>(triangle_model(raw));
    model.search = std::make_shared<ModelSearch>(model.triangles);
    return find(model, count);
  }
  std::string find(const SearchedModel& model, std::size_t count = 5000) {
    const auto points = testing::points_in_cube(count, 12, 3);
    std::vector<ModelDistance> found(count), expected(count);
    DistanceSettings settings;
    settings.search = 6;
    finder_->find(model, points.data(), count, settings, found.data());
    model.search->find(points.data(), count, settings, cpu_backend(1), expected.data());
    EXPECT_TRUE(testing::bytes_of(found) == testing::bytes_of(expected));
    return finder_->describe();
  }
  std::string cpu() const { return describe(cpu_backend(2)); }

  std::chrono::nanoseconds now_{0};
  std::vector<std::string> faults_, words_;
  SurfaceLink* link_ = nullptr;
  std::unique_ptr<FailoverFinder> finder_;
};

const RawModel box = testing::box_model(16, 12, 8, 6), ball = testing::sphere_model(9, 20);

TEST_F(FailoverFinderTest, AWorkerThatIsWellFindsAll) {
  begin("well");
  EXPECT_EQ(find(box), "cuda test device sm_00");
  EXPECT_EQ(find(ball), "cuda test device sm_00");
  SearchedModel model;
  model.triangles = std::make_shared<TriangleModel>(triangle_model(box));
  model.search = std::make_shared<ModelSearch>(model.triangles);
  for (const std::size_t count : {100, 9000, 0, 40})  // memory grows, stays, holds less
    EXPECT_EQ(find(model, count), "cuda test device sm_00");
  EXPECT_THAT(faults_, IsEmpty());
}

TEST_F(FailoverFinderTest, MorePointsThanOneOrderHolds) {
  SurfaceLinkSettings settings;
  settings.points_at_once = 1000;
  begin("well", settings);
  EXPECT_EQ(find(box, 3017), "cuda test device sm_00");
}

class FinderFaults : public FailoverFinderTest,
                     public ::testing::WithParamInterface<std::pair<const char*, const char*>> {};

TEST_P(FinderFaults, EndOnTheCpuAndAreToldOnce) {
  SurfaceLinkSettings settings;
  settings.points_patience = 300ms;
  settings.model_patience = 300ms;
  settings.start_patience = 300ms;
  begin(GetParam().first, settings);
  for (int i = 0; i < 4; ++i) find(i < 2 ? box : ball);
  EXPECT_EQ(finder_->describe(), cpu());
  ASSERT_EQ(faults_.size(), 1u);
  EXPECT_THAT(faults_[0], HasSubstr("surfaces are compared on the CPU until it is back: "));
  EXPECT_THAT(faults_[0], HasSubstr(GetParam().second));
  EXPECT_THAT(finder_->fault(), HasSubstr(GetParam().second));
  EXPECT_FALSE(link_->started());
}

INSTANTIATE_TEST_SUITE_P(
    All, FinderFaults,
    ::testing::Values(
        std::pair("fault", "an illegal memory access"), std::pair("hang", "no answer within 300 ms"),
        std::pair("killed", "was ended by signal 9"), std::pair("stopped", "no answer within 300 ms"),
        std::pair("exits", "ended with status 3"), std::pair("garbage-records", "point 0 can't be"),
        std::pair("no-records", "point 0 can't be"), std::pair("out-of-memory", "out of memory"),
        std::pair("prepare-hangs", "no answer within 300 ms"), std::pair("babbles", "nonsense"),
        std::pair("unusable", "no CUDA device"), std::pair("dies", "ended with status 7"),
        std::pair("silent", "no greeting within 300 ms"), std::pair("other-code", "0.0.9 stale")),
    [](const auto& info) {
      std::string name = info.param.first;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

TEST_F(FailoverFinderTest, ComesBackAfterItsPause) {
  begin("killed");
  EXPECT_EQ(find(box), "cuda test device sm_00");
  EXPECT_EQ(find(box), cpu());
  EXPECT_EQ(find(box), cpu());
  now_ += 1s;
  EXPECT_EQ(find(box), "cuda test device sm_00");
  EXPECT_THAT(words_, ElementsAre("the GPU measures again: test device sm_00"));
  EXPECT_EQ(finder_->fault(), "");
}

TEST(SurfaceWorker, RefusesOrdersThatTheirMemoryDoesNotHold) {
  SurfaceWorker worker([](const TriangleModel&) { return std::unique_ptr<DeviceSearch>(); });
  SurfaceOrder points;
  points.what = SurfaceOrder::What::points;
  points.count = points.capacity = 4;
  EXPECT_THAT(worker.serve(points, -1).text, HasSubstr("before any model"));
  SurfaceOrder model;
  model.count = 1000;
  model.bytes = model_bytes(999);
  for (const std::uint64_t count : {std::uint64_t{1000}, std::uint64_t{0}, most_model_facets + 1}) {
    model.count = count;
    const SharedBlock memory = SharedBlock::create(model.bytes);
    EXPECT_THAT(worker.serve(model, ::dup(memory.fd())).text, HasSubstr("does not hold the model")) << count;
  }
}

}  // namespace
}  // namespace datum
