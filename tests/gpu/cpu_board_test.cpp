// A board on the CPU: one plan and one frame give the same records whatever the threads, instructions and
// delivery.
#include "gpu/board/cpu_board.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <stdexcept>

#include "gpu/board/site_pixels.h"
#include "gpu/component_height/component_height.h"
#include "gpu/component_height/component_height_kernels.h"
#include "gpu/floor_evidence/floor_evidence.h"
#include "tests/gpu/map_scene.h"

namespace datum {
namespace {

using namespace testing;

BoardOptions options_of(CountType type) {
  BoardOptions o;
  o.rows = 901, o.cols = 1003;
  o.type = type;
  o.quadratic_form = o.opened_maximum = true;
  return o;
}

MapScene small_board(CountType type = CountType::int16) {
  return board_map({{24, 150, 130}, {10, 31, 33}, {17, 64, 65}, {24, 200, 180}}, options_of(type));
}

/// The bytes that mean something: a fit has padding behind its status.
std::string bytes_of(const SiteRecord& r) {
  const auto text = [](const auto& v) { return std::string(reinterpret_cast<const char*>(&v), sizeof v); };
  return text(r.fit.a) + text(r.fit.b) + text(r.fit.c) + text(r.fit.rms) + text(r.fit.mean_x) +
         text(r.fit.mean_y) + text(r.fit.sxx) + text(r.fit.sxy) + text(r.fit.syy) + text(r.fit.valid) +
         text(r.fit.inliers) + text(r.fit.hypotheses) + text(r.fit.refits) + text(r.fit.status) +
         text(r.fit.fixed_point) + text(r.ring) + text(r.body);
}

std::vector<std::string> measure(const BoardPlan& plan, const FrameView& frame, const Backend& backend) {
  std::vector<SiteRecord> records(plan.site_count);
  measure_board(plan, frame, backend, records.data());
  std::vector<std::string> bytes;
  for (const SiteRecord& r : records) bytes.push_back(bytes_of(r));
  return bytes;
}

Backend backend_of(Isa isa, unsigned threads) {
  Backend b;
  b.isa = isa;
  b.threads = threads;
  return b;
}

TEST(CpuBoard, ThreadsAndInstructionsDoNotShow) {
  const MapScene map = small_board();
  const std::vector<std::string> one = measure(map.plan(), map.view(), backend_of(Isa::scalar, 1));
  EXPECT_EQ(measure(map.plan(), map.view(), backend_of(best_isa(), 1)), one);
  EXPECT_EQ(measure(map.plan(), map.view(), backend_of(best_isa(), 3)), one);
  if (best_isa() == Isa::avx512) {
    EXPECT_EQ(measure(map.plan(), map.view(), backend_of(Isa::avx2, 2)), one);
  }
}

TEST(CpuBoard, TheTypeOfTheCountsDoesNotShow) {
  const MapScene shorts = small_board(CountType::int16);
  const std::vector<std::string> first = measure(shorts.plan(), shorts.view(), cpu_backend(1));
  for (const CountType type : {CountType::int32, CountType::float32}) {
    const MapScene map = small_board(type);
    EXPECT_EQ(measure(map.plan(), map.view(), cpu_backend(1)), first);
  }
}

// A pixel without a height is told by its class as well as by its count.
TEST(CpuBoard, ClassesAndMarksAreTheSame) {
  const MapScene marked = small_board();
  const std::vector<std::string> first = measure(marked.plan(), marked.view(), cpu_backend(1));
  MapScene classed = marked;
  std::vector<std::uint8_t> classes;
  for (std::int32_t row = 0; row < marked.rows; ++row)
    for (std::int32_t col = 0; col < marked.cols; ++col) {
      std::int16_t* count =
          reinterpret_cast<std::int16_t*>(classed.memory.data()) + std::ptrdiff_t{row} * classed.pitch + col;
      classes.push_back(*count == no_count_16 ? 3 : 0);
      if (*count == no_count_16) *count = 0;
    }
  FrameView view = classed.view();
  view.classes = classes.data();
  EXPECT_EQ(measure(classed.plan(), view, cpu_backend(1)), first);
}

TEST(CpuBoard, MeasuresFloorsAndHeights) {
  const MapScene map = small_board();
  std::vector<SiteRecord> records(map.sites.size());
  measure_board(map.plan(), map.view(), cpu_backend(1), records.data());
  std::vector<PlaneFit> fits(map.sites.size());
  fit_rings(map.plan(), map.view(), cpu_backend(1), fits.data());
  const std::vector<PlaneFit> expected = fit_rings_on_cpu(map.plan(), map.view());
  for (std::size_t i = 0; i < records.size(); ++i) {
    EXPECT_EQ(records[i].fit.status, FitStatus::ok);
    EXPECT_EQ(records[i].fit.a, expected[i].a);
    EXPECT_EQ(fits[i].a, expected[i].a);
    EXPECT_EQ(fits[i].inliers, expected[i].inliers);
    // 800 um less the roof's fall of 4 um; noise 3 um over thousands of pixels
    const HeightStatistics heights = derive(records[i].body, demand_of(map.sites[i]));
    EXPECT_NEAR(heights.median_low.nm * 1e-3, 798, 1);
    EXPECT_EQ(heights.valid, heights.present);
    EXPECT_EQ(heights.quantiles.size(), map.sites[i].quantile_count);
    EXPECT_NEAR(derive(map.sites[i], records[i].fit, records[i].ring, 0, 0).noise_um, 3, 0.2);
  }
}

TEST(CpuBoard, ASiteWithoutAFloorIsLeftEmpty) {
  MapScene map = small_board();
  for (std::size_t i = 0; i < map.count(); ++i) map.clear(i);
  for (const std::string& bytes : measure(map.plan(), map.view(), cpu_backend(2))) {
    SiteRecord none;
    none.fit.status = FitStatus::too_few_points;
    EXPECT_EQ(bytes, bytes_of(none));
  }
  EXPECT_TRUE(measure(BoardPlan{}, FrameView{}, cpu_backend(1)).empty());
}

TEST(CpuBoard, SaysWhoMeasures) {
  CpuBoardMeasurer measurer(backend_of(Isa::scalar, 2));
  EXPECT_EQ(measurer.describe(), "cpu scalar x2");
  const MapScene map = small_board();
  std::vector<SiteRecord> records(map.sites.size());
  measurer.measure(map.plan(), map.view(), records.data());
  EXPECT_EQ(bytes_of(records[0]), measure(map.plan(), map.view(), cpu_backend(1))[0]);
}

/// A measurer whose pixels are elsewhere: its host reads them after the records.
class Elsewhere : public BoardMeasurer {
 public:
  using BoardMeasurer::measure;
  void measure(const BoardPlan& plan, const FrameView& frame, SiteRecord* records) override {
    measure_board(plan, frame, cpu_backend(1), records);
  }
  std::string describe() const override { return "elsewhere"; }
};

TEST(CpuBoard, TheHostWorksOnceOnEachSiteWithItsPixels) {
  MapScene map = small_board();
  const SitePlan& empty = map.sites[1];
  for (std::uint32_t i = empty.ring_run; i < empty.ring_run + empty.ring_runs; ++i)
    for (std::int32_t k = 0; k < map.runs[i].length; ++k)
      map.clear(static_cast<std::size_t>(map.runs[i].row) * map.pitch + map.runs[i].col + k);
  const std::vector<std::string> expected = measure(map.plan(), map.view(), cpu_backend(1));
  CpuBoardMeasurer here(cpu_backend(3));
  Elsewhere elsewhere;
  for (BoardMeasurer* measurer :
       {static_cast<BoardMeasurer*>(&here), static_cast<BoardMeasurer*>(&elsewhere)}) {
    std::vector<SiteRecord> records(map.sites.size());
    std::vector<std::string> seen(map.sites.size());
    std::vector<int> times(map.sites.size(), 0);
    measurer->measure(
        map.plan(), map.view(), records.data(), 3, [&](std::size_t i, const SiteHeights& heights) {
          ++times[i];
          seen[i] = bytes_of(records[i]);
          EXPECT_EQ(heights.ring == nullptr, i == 1) << measurer->describe();
          EXPECT_EQ(heights.body == nullptr, i == 1);
          if (!heights.ring || !heights.body) return;
          const SitePlan& site = map.sites[i];
          const auto ring = take_ring_z(map.plan(), site, map.view(), Isa::scalar),
                     body = take_body(map.plan(), site, map.view(), Isa::scalar);
          EXPECT_EQ(std::memcmp(heights.ring, ring.get(), site.ring_pixels * sizeof(float)), 0);
          EXPECT_EQ(std::memcmp(heights.body, body.get(), site.body_pixels * sizeof(float)), 0);
          EXPECT_NE(heights.body_nm, nullptr);
          if (!heights.body_nm) return;
          const PlaneFit& fit = records[i].fit;
          const BodyPixels pixels{map.runs.data() + site.body_run,
                                  site.body_runs,
                                  body.get(),
                                  site.grid.x,
                                  site.grid.y,
                                  fit.a,
                                  fit.b,
                                  fit.c};
          std::vector<std::int32_t> nm(site.body_pixels);
          height::quantise_heights(pixels, Isa::scalar, nm.data());
          EXPECT_EQ(std::vector<std::int32_t>(heights.body_nm, heights.body_nm + nm.size()), nm);
        });
    EXPECT_EQ(seen, expected) << measurer->describe();
    EXPECT_EQ(times, std::vector<int>(map.sites.size(), 1));
  }
}

TEST(CpuBoard, RefusesAPlanThatContradictsItself) {
  struct Wrong {
    const char* says;
    std::function<void(MapScene&)> make;
  };
  const Wrong cases[] = {
      {"do not lie in the frame", [](MapScene& m) { m.runs[0].col = m.cols - 1; }},
      {"do not lie in the frame", [](MapScene& m) { m.runs[3].row = -1; }},
      {"do not lie in the frame", [](MapScene& m) { m.runs[3].length = 0; }},
      {"do not lie in the frame", [](MapScene& m) { m.runs[3].length = INT32_MAX; }},
      {"follow each other", [](MapScene& m) { std::swap(m.runs[4], m.runs[5]); }},
      {"follow each other", [](MapScene& m) { m.runs[5] = m.runs[4]; }},
      {"the site says", [](MapScene& m) { ++m.sites[1].ring_pixels; }},
      {"the plan has", [](MapScene& m) { m.sites[3].body_run += 1; }},
      {"side 4", [](MapScene& m) { m.run_side[2] = 4; }},
      {"noise", [](MapScene& m) { m.sites[0].sigma_um = 0; }},
      {"site 2: plane fit: refit_threshold", [](MapScene& m) { m.sites[2].refit_threshold = 1; }},
      {"half width", [](MapScene& m) { m.sites[2].half_y = -1; }},
      {"confidence", [](MapScene& m) { m.confidence = 1; }},
      {"axis", [](MapScene& m) { m.sites[2].grid.z.per_index = 0; }},
      {"quantiles", [](MapScene& m) { m.sites[2].quantile_count = 9; }},
      {"quantile", [](MapScene& m) { m.sites[2].quantile_count = 1, m.sites[2].quantiles[0] = 1.5; }},
      {"highest", [](MapScene& m) { m.sites[2].top_count_count = 1, m.sites[2].top_counts[0] = 0; }},
      {"from row to row", [](MapScene& m) { m.pitch = m.cols - 1; }},
  };
  for (const Wrong& wrong : cases) {
    MapScene map = small_board();
    wrong.make(map);
    try {
      check(map.plan(), map.view());
      ADD_FAILURE() << "not refused: " << wrong.says;
    } catch (const std::invalid_argument& e) {
      EXPECT_NE(std::string(e.what()).find(wrong.says), std::string::npos) << e.what();
    }
  }
  const MapScene map = small_board();
  EXPECT_NO_THROW(check(map.plan(), map.view()));
}

}  // namespace
}  // namespace datum
