// Bodies on the device give the CPU's records.
#include "gpu/component_height/component_height_cuda.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "gpu/component_height/component_height.h"
#include "gpu/core/cuda_device.h"
#include "tests/gpu/device_copy.h"
#include "tests/gpu/map_scene.h"

namespace datum {
namespace {

using namespace testing;

class ComponentHeightCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    const CudaDevice device = probe_cuda_device();
    if (!device.usable) GTEST_SKIP() << device.why;
  }
};

/// What the CPU makes of one body.
BodyRecord record_of(const BoardPlan& plan, const SitePlan& site, const FrameView& frame,
                     const PlaneFit& fit) {
  if (fit.status != FitStatus::ok) return {};
  SitePlan ring = site;  // ring_points reads rings
  ring.ring_run = site.body_run, ring.ring_runs = site.body_runs, ring.ring_pixels = site.body_pixels;
  BoardPlan one = plan;
  one.sites = &ring, one.site_count = 1;
  const Scene points = ring_points(one, 0, frame);
  BodyPixels body;
  body.runs = plan.runs + site.body_run, body.run_count = site.body_runs;
  body.z = points.z.data();
  body.x = site.grid.x, body.y = site.grid.y;
  body.a = fit.a, body.b = fit.b, body.c = fit.c;
  return measure_body(body, demand_of(site), best_isa());
}

void append(std::vector<double>* all, const OrderStatistic& s) {
  for (const double v :
       {0. + s.rank, 0. + s.low_rank, 0. + s.high_rank, 0. + s.nm, 0. + s.low_nm, 0. + s.high_nm})
    all->push_back(v);
}

/// Every number that is derived; the integers among them fit a double.
std::vector<double> numbers_of(const HeightStatistics& s) {
  std::vector<double> all{0. + s.valid,   0. + static_cast<double>(s.sum_nm),
                          0. + s.min_nm,  0. + s.max_nm,
                          0. + s.patches, 0. + s.opened_max_nm,
                          0. + s.present, s.variance_nm2};
  append(&all, s.median_low);
  append(&all, s.median_high);
  for (const OrderStatistic& q : s.quantiles) append(&all, q);
  for (const double v : s.top_mean_nm) all.push_back(std::isnan(v) ? -1e300 : v);
  for (const std::int32_t v : s.top_threshold_nm) all.push_back(v);
  const TopPlane& t = s.top;
  for (const double v : {0. + t.defined, t.slope_col_nm, t.slope_row_nm, t.mean_col, t.mean_row, t.scc, t.scr,
                         t.srr, t.residual_rms_nm, s.correlation.sum, s.correlation.lags,
                         s.correlation.neighbour, s.correlation.mean_square, s.correlated_nm2})
    all.push_back(v);
  return all;
}

void expect_same(const BodyRecord& actual, const BodyRecord& expected, const HeightDemand& demand,
                 const std::string& where) {
  BodyRecord known = actual;
  for (int k = 0; k < 5; ++k)  // the CPU leaves reaches that nobody looks at
    if (expected.residuals.products[k] == 0) known.residuals.products[k] = 0;
  const std::vector<double> a = numbers_of(derive(actual, demand)), e = numbers_of(derive(expected, demand));
  const bool same = a.size() == e.size() && std::memcmp(a.data(), e.data(), a.size() * sizeof(double)) == 0;
  EXPECT_TRUE(same) << where << ": derived numbers differ";
  const HeightMoments &m = actual.moments, &n = expected.moments;
  EXPECT_EQ(std::memcmp(&known, &expected, sizeof known), 0)
      << where << ": valid " << actual.valid << "/" << expected.valid << " sum " << actual.sum_nm << "/"
      << expected.sum_nm << " present " << actual.present << "/" << expected.present << " min "
      << actual.min_nm << "/" << expected.min_nm << " max " << actual.max_nm << "/" << expected.max_nm
      << " patches " << actual.patches << "/" << expected.patches << " opened " << actual.opened_max_nm << "/"
      << expected.opened_max_nm << " origin " << actual.row0 << "," << actual.col0 << "/" << expected.row0
      << "," << expected.col0 << " moments " << (std::memcmp(&m, &n, sizeof m) == 0) << " median "
      << actual.median_low.low_nm << "," << actual.median_low.nm << "," << actual.median_low.high_nm << "/"
      << expected.median_low.low_nm << "," << expected.median_low.nm << "," << expected.median_low.high_nm
      << " quantiles " << (std::memcmp(actual.quantiles, expected.quantiles, sizeof actual.quantiles) == 0)
      << " top " << actual.top[0].threshold_nm << "," << actual.top[0].above << ","
      << actual.top[0].sum_above_nm << "/" << expected.top[0].threshold_nm << "," << expected.top[0].above
      << "," << expected.top[0].sum_above_nm << " squares " << actual.residuals.squares << "/"
      << expected.residuals.squares << " reach 1 " << actual.residuals.products[0] << "/"
      << expected.residuals.products[0];
}

/// Launches on each frame in turn and compares every record with the CPU's, `repeats` times over.
void expect_cpu_records(const MapScene& layout, const std::vector<std::vector<std::uint64_t>>& frames,
                        const std::vector<std::vector<PlaneFit>>& fits, int repeats = 3) {
  const BoardPlan plan = layout.plan();
  CudaComponentHeights heights;
  heights.prepare(plan, layout.pitch);
  std::vector<std::vector<BodyRecord>> expected;
  for (std::size_t f = 0; f < frames.size(); ++f) {
    expected.emplace_back();
    for (std::uint32_t i = 0; i < plan.site_count; ++i)
      expected.back().push_back(
          record_of(plan, plan.sites[i], FrameView{frames[f].data(), nullptr, layout.pitch}, fits[f][i]));
  }
  BodyRecord poison;
  std::memset(static_cast<void*>(&poison), 0xAB, sizeof poison);
  for (int repeat = 0; repeat < repeats; ++repeat) {
    for (std::size_t f = 0; f < frames.size(); ++f) {
      const DeviceCopy<std::uint64_t> image(frames[f]);
      const DeviceCopy<PlaneFit> device_fits(fits[f]);
      const DeviceCopy<BodyRecord> out(std::vector<BodyRecord>(plan.site_count, poison));
      heights.launch(nullptr, image.get(), device_fits.get(), out.get());
      const std::vector<BodyRecord> records = out.download();
      for (std::uint32_t i = 0; i < plan.site_count; ++i)
        expect_same(records[i], expected[f][i], demand_of(plan.sites[i]),
                    "repeat " + std::to_string(repeat) + ", frame " + std::to_string(f) + ", site " +
                        std::to_string(i) + " of " + std::to_string(plan.sites[i].body_pixels) + " pixels");
      if (::testing::Test::HasFailure()) return;
    }
  }
}

/// Random numbers that one seed fixes on every machine.
class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  int below(int n) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(n)); }
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }

 private:
  std::mt19937_64 engine_;
};

/// Adds a body of random shape whose window is rows x cols; `holes`: share of its pixels that are left out.
void add_body(MapScene* m, std::int32_t row0, std::int32_t col0, std::int32_t rows, std::int32_t cols,
              double holes, double um_per_count, Dice* dice) {
  SitePlan s;
  s.grid.x = axis_to_um(20, -20.0 * col0 - 7.3, col0 + cols / 2);
  s.grid.y = axis_to_um(-20, 20.0 * row0 + 3.1, row0 + rows / 2);
  s.grid.z = axis_to_um(um_per_count, -0.4, 3);
  s.body_run = static_cast<std::uint32_t>(m->runs.size());
  for (std::int32_t r = 0; r < rows; ++r) {
    for (std::int32_t c = 0; c < cols;) {
      const std::int32_t length = holes > 0 ? std::min(cols - c, 1 + dice->below(40)) : cols;
      if (holes == 0 || dice->uniform() >= holes) {
        m->runs.push_back(PixelRun{row0 + r, col0 + c, length});
        m->run_side.push_back(0);
        s.body_pixels += static_cast<std::uint32_t>(length);
      }
      c += length + (holes > 0);
    }
  }
  s.body_runs = static_cast<std::uint32_t>(m->runs.size()) - s.body_run;
  s.sigma_um = 3;
  s.present_above_um = 100 * dice->uniform();
  s.opened_maximum = dice->below(2) == 0;
  s.quantile_count = static_cast<std::uint32_t>(dice->below(9));
  s.top_count_count = static_cast<std::uint32_t>(dice->below(9));
  for (double& q : s.quantiles) q = dice->below(5) ? 1 - dice->uniform() : 1;
  for (std::uint32_t& k : s.top_counts) k = 1 + static_cast<std::uint32_t>(dice->below(1 << dice->below(16)));
  m->sites.push_back(s);
}

/// Heights of one kind: 0 noise about a tilted top, 1 all equal, 2 none, 3 anything a count can be, 4 half
/// missing, 5 two levels far apart, 6 a smooth wave, 7 a single pixel.
double height_um(int kind, std::int32_t row, std::int32_t col, Dice* dice) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  const double noise = 3 * (dice->uniform() + dice->uniform() + dice->uniform() - 1.5);
  if (kind == 1) return 50;
  if (kind == 2) return none;
  if (kind == 3) return (dice->uniform() - 0.5) * 200000;
  if (kind == 4) return dice->below(2) ? none : 80 + noise;
  if (kind == 5) return (dice->below(2) ? 30000 : -30000) + noise;
  if (kind == 6) return 60 + 10 * std::sin(row * 0.1) * std::cos(col * 0.07) + noise;
  if (kind == 7) return row % 37 == 11 && col % 41 == 13 ? 70 : none;
  return dice->below(50) ? 80 + 0.05 * col - 0.02 * row + noise : none;
}

std::vector<std::uint64_t> frame_of(MapScene m, int kind, double um_per_count, unsigned seed) {
  Dice dice(seed);
  for (std::int32_t r = 0; r < m.rows; ++r)
    for (std::int32_t c = 0; c < m.cols; ++c) {
      const std::size_t i =
          static_cast<std::size_t>(r) * static_cast<std::size_t>(m.pitch) + static_cast<std::size_t>(c);
      const double um = height_um(kind, r, c, &dice);
      std::isnan(um) ? m.clear(i) : m.put(i, um / um_per_count);
    }
  return m.memory;
}

std::vector<PlaneFit> random_fits(std::size_t count, Dice* dice) {
  std::vector<PlaneFit> fits(count);
  for (PlaneFit& f : fits) {
    f.status = dice->below(8) ? FitStatus::ok : FitStatus::too_few_points;
    const double steep = dice->below(4) ? 0.002 : 3;
    f.a = steep * (dice->uniform() - 0.5), f.b = steep * (dice->uniform() - 0.5), f.c = 20 * dice->uniform();
  }
  return fits;
}

TEST_F(ComponentHeightCuda, RaggedBodiesHaveTheRecordsOfTheCpu) {
  for (const CountType type : {CountType::int16, CountType::int32, CountType::float32}) {
    const double um_per_count = type == CountType::int16 ? 4 : type == CountType::int32 ? 0.01 : 1;
    Dice dice(11);
    MapScene m;
    m.take_frame(type, 300, 1003);
    for (const std::int32_t side : {1, 2, 3, 5, 31, 63, 64, 65, 127, 130})
      for (const double holes : {0.0, 0.3})
        add_body(&m, dice.below(170), dice.below(870), side, 1 + dice.below(133), holes, um_per_count, &dice);
    add_body(&m, 7, 0, 1, 1003, 0, um_per_count, &dice);      // one row, the widest
    add_body(&m, 0, 1002, 300, 1, 0, um_per_count, &dice);    // one column, the last
    add_body(&m, 0, 0, 300, 1003, 0.5, um_per_count, &dice);  // everything
    add_body(&m, 299, 1002, 1, 1, 0, um_per_count, &dice);
    add_body(&m, 5, 5, 0, 5, 0, um_per_count, &dice);  // no pixels
    std::vector<std::vector<std::uint64_t>> frames;
    std::vector<std::vector<PlaneFit>> fits;
    for (int kind = 0; kind < 8; ++kind) {
      frames.push_back(frame_of(m, kind, um_per_count, static_cast<unsigned>(kind) + 5));
      fits.push_back(random_fits(m.sites.size(), &dice));
    }
    expect_cpu_records(m, frames, fits);
    if (HasFailure()) return;
  }
}

TEST_F(ComponentHeightCuda, ABoardOfRingsAndBodies) {
  BoardOptions options;
  options.opened_maximum = true;
  const MapScene m = board_map(paper_rings(), options);
  Dice dice(3);
  std::vector<PlaneFit> fits(m.sites.size());
  for (std::size_t i = 0; i < fits.size(); ++i) {
    fits[i].status = FitStatus::ok;
    fits[i].a = m.truth[i].a, fits[i].b = m.truth[i].b, fits[i].c = m.truth[i].c + dice.uniform();
  }
  expect_cpu_records(m, {m.memory}, {fits}, 100);
}

TEST_F(ComponentHeightCuda, TheLargestBody) {
  Dice dice(4);
  MapScene m;
  m.take_frame(CountType::int16, 2048, 8192);
  add_body(&m, 0, 0, 2048, 8192, 0, 4, &dice);
  m.sites[0].opened_maximum = 1;
  std::vector<PlaneFit> fits(1);
  fits[0].status = FitStatus::ok;
  const std::vector<std::uint64_t> noise = frame_of(m, 0, 4, 1), extremes = frame_of(m, 3, 4, 2);
  expect_cpu_records(m, {noise, extremes}, {fits, fits}, 2);
}

TEST_F(ComponentHeightCuda, RefusesWhatItCannotMeasure) {
  Dice dice(5);
  MapScene m;
  m.take_frame(CountType::int16, 40, 48);
  add_body(&m, 0, 0, 20, 20, 0, 4, &dice);
  CudaComponentHeights heights;
  EXPECT_THROW(heights.prepare(m.plan(), 50), std::invalid_argument);
  EXPECT_THROW(heights.prepare(m.plan(), 40), std::invalid_argument);
  m.sites[0].quantile_count = 9;
  EXPECT_THROW(heights.prepare(m.plan(), 48), std::invalid_argument);
  m.sites[0].quantile_count = 0;
  m.runs[0].length = 9000;
  EXPECT_THROW(heights.prepare(m.plan(), 48), std::invalid_argument);
}

}  // namespace
}  // namespace datum
