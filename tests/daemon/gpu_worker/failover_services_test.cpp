// Every GPU fault leaves each part measured: the CPU gives the same bytes.
#include "daemon/gpu_worker/failover_services.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>

#include "daemon/gpu_worker/service_contradictions.h"
#include "tests/daemon/gpu_worker/service_scenes.h"

namespace datum {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class FailoverServicesTest : public ::testing::Test {
 protected:
  ~FailoverServicesTest() override { ::unsetenv("DATUM_TEST_WORKER"); }

  void begin(const std::string& mode, ServiceClientSettings settings = {}) {
    ::setenv("DATUM_TEST_WORKER", mode.c_str(), 1);
    settings.program = DATUM_TEST_WORKER_PROGRAM;
    auto link = std::make_unique<ServiceClient>(settings);
    link_ = link.get();
    gpu_ = std::make_shared<GpuServices>(
        std::move(link), 30s, [this] { return now_; },
        [this](bool fault, const std::string& text) { (fault ? faults_ : words_).push_back(text); });
    finder_ = std::make_unique<FailoverFinder>(gpu_, cpu_backend(2));
    matcher_ = std::make_unique<FailoverFacetMatcher>(gpu_, cpu_backend(2), MatchCrossovers{0, 0});
    diffuser_ = std::make_unique<FailoverDiffuser>(gpu_, cpu_backend(2));
    demodulator_ = std::make_unique<FailoverDemodulator>(gpu_, cpu_backend(2));
    sharer_ = std::make_unique<FailoverSharer>(gpu_, cpu_backend(2), AreaCrossover{0});
    inverter_ = std::make_unique<FailoverInverter>(gpu_, cpu_backend(2), InvertCrossover{1});
    correlator_ = std::make_unique<FailoverCorrelator>(gpu_, cpu_backend(2), CorrelationCrossover{0});
  }
  /// Returns the executor; the bytes must equal the CPU's.
  std::string find(const RawModel& raw, std::size_t count = 5000) {
    return testing::find_by(*finder_, testing::searched(raw), count);
  }
  std::string find(const SearchedModel& model, std::size_t count) {
    return testing::find_by(*finder_, model, count);
  }
  std::string diffuse(std::uint32_t side = 40) { return testing::diffuse_by(*diffuser_, side); }
  std::string demodulate(std::uint32_t width = 37) { return testing::demodulate_by(*demodulator_, width); }
  std::string cpu() const { return describe(cpu_backend(2)); }

  const std::string device_ = "cuda test device sm_00";
  std::chrono::nanoseconds now_{0};
  std::vector<std::string> faults_, words_;
  ServiceClient* link_ = nullptr;
  std::shared_ptr<GpuServices> gpu_;
  std::unique_ptr<FailoverFinder> finder_;
  std::unique_ptr<FailoverFacetMatcher> matcher_;
  std::unique_ptr<FailoverDiffuser> diffuser_;
  std::unique_ptr<FailoverDemodulator> demodulator_;
  std::unique_ptr<FailoverInverter> inverter_;
  std::unique_ptr<FailoverSharer> sharer_;
  std::unique_ptr<FailoverCorrelator> correlator_;
};

const RawModel box = testing::box_model(16, 12, 8, 6), ball = testing::sphere_model(9, 20);

TEST_F(FailoverServicesTest, AWorkerThatIsWellDoesAll) {
  begin("well");
  EXPECT_EQ(find(box), device_);
  EXPECT_EQ(find(ball), device_);
  const SearchedModel model = testing::searched(box);
  for (const std::size_t count : {100, 9000, 0, 40})  // memory grows, stays, is only partly used
    EXPECT_EQ(find(model, count), device_);
  for (const std::uint32_t side : {40, 64, 13}) EXPECT_EQ(diffuse(side), device_);
  for (const std::uint32_t width : {37, 64, 16}) EXPECT_EQ(demodulate(width), device_);
  const auto a = testing::ball_facets(9.1), b = testing::ball_facets(8.9);
  for (const int rings : {40, 70, 0, 20}) EXPECT_EQ(testing::match_by(*matcher_, a, rings), device_);
  EXPECT_EQ(testing::match_by(*matcher_, b), device_);
  for (const int rings : {40, 0, 70}) {  // in turn with lists, which lie in the same memory
    EXPECT_EQ(testing::sum_by(*matcher_, a, rings, rings != 40), device_);
    EXPECT_EQ(testing::match_by(*matcher_, a, rings), device_);
  }
  EXPECT_EQ(testing::match_by(*matcher_, a), device_);
  for (const std::uint32_t rows : {70, 200, 1, 33}) EXPECT_EQ(testing::invert_by(*inverter_, rows), device_);
  for (const std::size_t points : {3000, 9000, 0, 40})
    EXPECT_EQ(testing::share_by(*sharer_, points), device_);
  EXPECT_EQ(testing::share_by(*sharer_, 500, most_reaches), device_);
  for (const std::uint32_t width : {300, 640, 128}) {
    EXPECT_EQ(testing::single_shot_by<std::uint8_t>(*demodulator_, width), device_);
    EXPECT_EQ(testing::single_shot_by<std::uint16_t>(*demodulator_, width, false), device_);
  }
  for (const std::uint32_t cols : {64, 128, 32})
    EXPECT_EQ(testing::correlate_by(*correlator_, cols), device_);
  EXPECT_EQ(find(model, 100), device_);  // the model is still loaded
  EXPECT_THAT(faults_, IsEmpty());
}

TEST_F(FailoverServicesTest, MorePointsThanOneOrderHolds) {
  ServiceClientSettings settings;
  settings.points_at_once = 1000;
  begin("well", settings);
  EXPECT_EQ(find(box, 3017), device_);
}

TEST_F(FailoverServicesTest, AFewFacetsAreMatchedOnTheCpuAndItSaysSo) {
  begin("well");
  const auto model = testing::ball_facets(9.1);
  const testing::Scan scan(testing::sphere_model(9, 40));
  const std::size_t size = scan.points.size() + scan.facets.size() + model->facet.size();
  const MatchCrossovers both{size, size}, one_more{size, size + 1};
  FailoverFacetMatcher at(gpu_, cpu_backend(2), both), below(gpu_, cpu_backend(2), one_more);
  EXPECT_EQ(testing::match_by(at, model), device_);
  EXPECT_EQ(testing::match_by(below, model),
            cpu() + " (" + std::to_string(size) + " values; the GPU from " + std::to_string(size + 1) + ")");
  EXPECT_THAT(faults_, IsEmpty());
}

TEST_F(FailoverServicesTest, ASmallSystemIsInvertedOnTheCpuAndItSaysSo) {
  begin("well");
  FailoverInverter at(gpu_, cpu_backend(2), InvertCrossover{70}),
      below(gpu_, cpu_backend(2), InvertCrossover{71});
  EXPECT_EQ(testing::invert_by(at), device_);
  EXPECT_EQ(testing::invert_by(below), cpu() + " (70 rows; the GPU from 71 to 4320)");
  EXPECT_THAT(faults_, IsEmpty());
}

TEST_F(FailoverServicesTest, ASmallImageIsCorrelatedOnTheCpuAndItSaysSo) {
  begin("well");
  FailoverCorrelator at(gpu_, cpu_backend(2), CorrelationCrossover{64 * 32}),
      below(gpu_, cpu_backend(2), CorrelationCrossover{64 * 32 + 1});
  EXPECT_EQ(testing::correlate_by(at), device_);
  EXPECT_EQ(testing::correlate_by(below), cpu() + " (2048 values; the GPU from 2049)");
  EXPECT_THAT(faults_, IsEmpty());
}

TEST_F(FailoverServicesTest, WhatCantBeCorrelatedIsRefusedAndNoFaultOfTheGpu) {
  begin("well");
  const std::vector<float> image(32 * 32, std::nanf(""));
  CorrelationSettings settings;
  settings.most_shift_px = 4;
  EXPECT_THROW(correlator_->find({image.data(), image.data(), 32, 32}, settings), std::invalid_argument);
  EXPECT_THROW(correlator_->find({image.data(), image.data(), 31, 32}, settings), std::invalid_argument);
  EXPECT_THAT(faults_, IsEmpty());
}

TEST_F(FailoverServicesTest, AFewPointsShareTheirAreaOnTheCpuAndItSaysSo) {
  begin("well");
  EXPECT_EQ(sharer_->declines(0), "");
  const FailoverSharer from(gpu_, cpu_backend(2), AreaCrossover{70});
  EXPECT_EQ(from.declines(70), "");
  EXPECT_EQ(from.declines(69), cpu() + " (69 points; the GPU from 70 to 4194304)");
  EXPECT_EQ(from.declines(5'000'000), cpu() + " (5000000 points; the GPU from 70 to 4194304)");
}

TEST(Crossovers, LieBetweenTheSizesWhereTheGpuBecomesFaster) {
  const std::vector<std::size_t> size{100, 200, 400};
  EXPECT_EQ(crossover_of(size, {1, 2, 4}, {3, 3, 3}), 300u);
  EXPECT_EQ(crossover_of(size, {1, 2, 4}, {1.5, 1.5, 1.5}), 150u);
  EXPECT_EQ(crossover_of(size, {1, 2, 4}, {0.5, 0.5, 0.5}), 100u);
  EXPECT_EQ(crossover_of(size, {1, 2, 4}, {5, 5, 5}), 800u);
  EXPECT_EQ(crossover_of(size, {1, 2, 4}, {0.5, 3, 3}), 300u);  // a lucky first one is not believed
  EXPECT_EQ(crossover_of(size, {1, 2, 4}, {2, 2, 2}), 200u);
}

// The test worker is a CPU behind a process, so where it wins is chance: what matters is that it is found and named.
TEST_F(FailoverServicesTest, AreMeasuredOnceBeforeTheFirstModelAndNamed) {
  begin("well");
  FailoverFacetMatcher measured(gpu_, cpu_backend(2));
  const auto model = testing::ball_facets(9.1);
  measured.prepare(model);
  measured.prepare(model);
  const std::string of_few = testing::match_by(measured, testing::ball_facets(9.1), 0);
  EXPECT_THAT(of_few,
              ::testing::AnyOf(device_, ::testing::MatchesRegex(
                                            "cpu .* \\([0-9]+ values; the GPU from [0-9]+, measured\\)")));
  FailoverSharer sharer(gpu_, cpu_backend(2));
  sharer.prepare(testing::AreaScene(1).model);
  EXPECT_THAT(sharer.declines(3),
              ::testing::MatchesRegex("cpu .* \\(3 points; the GPU from [0-9]+ to 4194304, measured\\)"));
  FailoverInverter inverter(gpu_, cpu_backend(2));
  EXPECT_THAT(testing::invert_by(inverter, 3),
              ::testing::MatchesRegex("cpu .* \\(3 rows; the GPU from [0-9]+ to 4320, measured\\)"));
  EXPECT_THAT(faults_, IsEmpty());
}

TEST_F(FailoverServicesTest, StayAsPresetWhereTheWorkerFailsMeanwhile) {
  begin("killed");
  FailoverFacetMatcher measured(gpu_, cpu_backend(2));
  const auto few =
      std::make_shared<const ModelFacets>(model_facets(triangle_model(testing::sphere_model(9.1, 10))));
  measured.prepare(few);
  EXPECT_EQ(faults_.size(), 1u);
  EXPECT_EQ(testing::match_by(measured, few, 0),
            cpu() + " (" + std::to_string(few->facet.size()) + " values; the GPU from 3000)");
}

TEST_F(FailoverServicesTest, AScanThatMeansNothingIsRefusedAndNoFaultOfTheGpu) {
  begin("well");
  testing::Scan scan(testing::sphere_model(9, 10));
  scan.facets[0][0] = 1u << 20;
  const auto model = testing::ball_facets(9.1);
  std::vector<FacetDeviation> by_points(model->facet.size());
  std::vector<FacetPierced> by_surface(model->facet.size());
  EXPECT_THROW(
      matcher_->match(model, scan.surface(), testing::scan_settings(1), by_points.data(), by_surface.data()),
      std::invalid_argument);
  EXPECT_THAT(faults_, IsEmpty());
}

// What is found lies where the last scan's was: it is not taken for this one's.
TEST_F(FailoverServicesTest, AScanOfWhichNothingIsWrittenIsNotAnsweredByTheLast) {
  for (const int rings : {40, 39}) {  // as many facets or fewer
    begin("one-scan");
    faults_.clear();
    const auto model = testing::ball_facets(9.1);
    EXPECT_NE(testing::match_by(*matcher_, model), cpu());
    EXPECT_THAT(faults_, IsEmpty());
    EXPECT_EQ(testing::match_by(*matcher_, model, rings), cpu());
    ASSERT_EQ(faults_.size(), 1u);
    EXPECT_THAT(faults_[0], HasSubstr("what matches facet 0 can't be"));
  }
}

TEST_F(FailoverServicesTest, SumsOfWhichNothingIsWrittenAreNotThoseOfTheLastScan) {
  begin("one-scan");
  const auto model = testing::ball_facets(9.1);
  EXPECT_NE(testing::sum_by(*matcher_, model), cpu());
  EXPECT_THAT(faults_, IsEmpty());
  EXPECT_EQ(testing::sum_by(*matcher_, model), cpu());
  ASSERT_EQ(faults_.size(), 1u);
  EXPECT_THAT(faults_[0], HasSubstr("the sums of region 0's facets can't be"));
}

TEST(SumsOfFacets, ThatCanNotBeAreSeen) {
  const auto model = testing::ball_facets(9.1);
  const testing::Scan scan(testing::sphere_model(9, 40));
  std::vector<FacetSums> sums(model->regions->total.size());
  sum_scan(*model, scan.surface(), testing::scan_settings(0.3f), cpu_backend(1), sums.data(), nullptr);
  const auto is_wrong = [&](std::size_t r, const auto& change) {
    FacetSums s = sums[r];
    change(s);
    return contradicts(s, *model->regions, r, 0.3f);
  };
  ASSERT_GT(sums[0].count, 1u);
  ASSERT_EQ(sums[3].count, 0u);
  for (const std::size_t r : {0, 1, 2, 3}) EXPECT_FALSE(is_wrong(r, [](FacetSums&) {}));
  EXPECT_TRUE(is_wrong(0, [&](FacetSums& s) { s.count = model->regions->total[0].count + 1; }));
  EXPECT_TRUE(is_wrong(0, [&](FacetSums& s) { s.units = model->regions->total[0].units + 1; }));
  EXPECT_TRUE(is_wrong(0, [](FacetSums& s) { s.units = -1; }));
  EXPECT_TRUE(is_wrong(0, [](FacetSums& s) { s.highest = UINT32_MAX; }));
  EXPECT_TRUE(is_wrong(0, [&](FacetSums& s) { s.lowest = sums[1].lowest; }));  // of another region
  EXPECT_TRUE(is_wrong(0, [](FacetSums& s) { std::swap(s.highest_mm, s.lowest_mm); }));
  EXPECT_TRUE(is_wrong(0, [](FacetSums& s) { s.highest_mm = 0.31f; }));
  EXPECT_TRUE(is_wrong(0, [](FacetSums& s) { s.lowest_mm = std::nanf(""); }));
  EXPECT_TRUE(is_wrong(0, [](FacetSums& s) { s.weighted.high = INT64_MAX; }));
  EXPECT_TRUE(is_wrong(0, [](FacetSums& s) { s.weighted.high = INT64_MIN; }));
  EXPECT_TRUE(is_wrong(3, [](FacetSums& s) { s.highest = 1; }));  // of nothing
  EXPECT_TRUE(is_wrong(0, [](FacetSums& s) { s.count = 0; }));
}

struct Fault {
  const char *mode, *of_points, *of_frames;  // log text
};
class ServiceFaults : public FailoverServicesTest, public ::testing::WithParamInterface<Fault> {
 protected:
  void begin_it() {
    ServiceClientSettings settings;
    settings.points_timeout = settings.scan_timeout = settings.model_timeout = settings.frame_timeout =
        settings.system_timeout = settings.start_timeout = 300ms;
    begin(GetParam().mode, settings);
  }
  void told_once(const std::string& what) {
    ASSERT_EQ(faults_.size(), 1u);
    EXPECT_THAT(faults_[0],
                HasSubstr("frames are prepared and surfaces compared on the CPU until it is back: "));
    EXPECT_THAT(faults_[0], HasSubstr(what));
    EXPECT_THAT(gpu_->fault(), HasSubstr(what));
    EXPECT_FALSE(link_->started());
  }
};

TEST_P(ServiceFaults, OfSurfacesEndOnTheCpu) {
  begin_it();
  for (int i = 0; i < 4; ++i) find(i < 2 ? box : ball);
  EXPECT_EQ(finder_->describe(), cpu());
  told_once(GetParam().of_points);
}

TEST_P(ServiceFaults, OfFacetMapsEndOnTheCpu) {
  begin_it();
  const auto model = testing::ball_facets(9.1);
  for (int i = 0; i < 3; ++i) testing::match_by(*matcher_, model);
  EXPECT_EQ(matcher_->describe(), cpu());
  told_once(GetParam().of_frames);
}

TEST_P(ServiceFaults, OfSumsOfFacetsEndOnTheCpu) {
  begin_it();
  const auto model = testing::ball_facets(9.1);
  for (int i = 0; i < 3; ++i) testing::sum_by(*matcher_, model);
  EXPECT_EQ(matcher_->describe(), cpu());
  told_once(GetParam().of_frames);
}

TEST_P(ServiceFaults, OfAreasEndOnTheCpu) {
  begin_it();
  for (int i = 0; i < 3; ++i) testing::share_by(*sharer_);
  EXPECT_EQ(sharer_->describe(), cpu());
  told_once(GetParam().of_frames);
}

TEST_P(ServiceFaults, OfDiffusionEndOnTheCpu) {
  begin_it();
  for (int i = 0; i < 3; ++i) diffuse();
  EXPECT_EQ(diffuser_->describe(), cpu());
  told_once(GetParam().of_frames);
}

TEST_P(ServiceFaults, OfFringesEndOnTheCpu) {
  begin_it();
  for (int i = 0; i < 3; ++i) demodulate();
  EXPECT_EQ(demodulator_->describe(), cpu());
  told_once(GetParam().of_frames);
}

TEST_P(ServiceFaults, OfSystemsEndOnTheCpu) {
  begin_it();
  for (int i = 0; i < 2; ++i) testing::invert_by(*inverter_);
  EXPECT_EQ(inverter_->describe(), cpu());
  told_once(GetParam().of_frames);
}

TEST_P(ServiceFaults, OfSingleShotsEndOnTheCpu) {
  begin_it();
  for (int i = 0; i < 3; ++i) testing::single_shot_by<std::uint8_t>(*demodulator_, 300);
  EXPECT_EQ(demodulator_->describe(), cpu());
  told_once(GetParam().of_frames);
}

TEST_P(ServiceFaults, OfCorrelationsEndOnTheCpu) {
  begin_it();
  testing::correlate_by(*correlator_);
  EXPECT_EQ(correlator_->describe(), cpu());
  told_once(GetParam().of_frames);
}

INSTANTIATE_TEST_SUITE_P(
    All, ServiceFaults,
    ::testing::Values(Fault{"fault", "an illegal memory access", "an illegal memory access"},
                      Fault{"hang", "no answer within 300 ms", "no answer within 300 ms"},
                      Fault{"killed", "was ended by signal 9", "was ended by signal 9"},
                      Fault{"stopped", "no answer within 300 ms", "no answer within 300 ms"},
                      Fault{"exits", "ended with status 3", "ended with status 3"},
                      Fault{"garbage-records", "point 0 can't be", "can't"},
                      Fault{"no-records", "point 0 can't be", "can't"},
                      Fault{"out-of-memory", "out of memory", "out of memory"},
                      Fault{"prepare-hangs", "no answer within 300 ms", "no answer within 300 ms"},
                      Fault{"babbles", "nonsense", "nonsense"},
                      Fault{"unusable", "no CUDA device", "no CUDA device"},
                      Fault{"dies", "ended with status 7", "ended with status 7"},
                      Fault{"silent", "no greeting within 300 ms", "no greeting within 300 ms"},
                      Fault{"other-code", "0.0.9 stale", "0.0.9 stale"}),
    [](const auto& info) {
      std::string name = info.param.mode;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

TEST_F(FailoverServicesTest, ComeBackAfterTheirPause) {
  begin("killed");
  EXPECT_EQ(find(box), device_);
  EXPECT_EQ(find(box), cpu());
  EXPECT_EQ(diffuse(), cpu());  // one worker, one pause
  now_ += 1s;
  EXPECT_EQ(find(box), device_);
  EXPECT_EQ(diffuse(), device_);
  EXPECT_THAT(words_, ElementsAre("the GPU measures again: test device sm_00"));
  EXPECT_EQ(gpu_->fault(), "");
  EXPECT_EQ(gpu_->restarts(), 1u);
}

}  // namespace
}  // namespace datum
