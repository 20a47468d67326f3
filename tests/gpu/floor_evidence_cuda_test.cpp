// The evidence that a CUDA device gives is the CPU's, byte for byte.
#include "gpu/floor_evidence/floor_evidence_cuda.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "gpu/board/cpu_board.h"
#include "gpu/core/cuda_device.h"
#include "gpu/core/cuda_support.cuh"
#include "gpu/floor_evidence/floor_evidence.h"
#include "tests/gpu/map_scene.h"

namespace datum {
namespace {

using namespace testing;
using cuda::Buffer;
using cuda::check;

class FloorEvidenceCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    const CudaDevice device = probe_cuda_device();
    if (!device.usable) GTEST_SKIP() << device.why;
  }
};

/// Records lie apart, as in a site's record, and what lies between them is nobody's.
struct Spaced {
  RingRecord record;
  std::uint64_t between;
};

/// A scene on the device.
class OnDevice {
 public:
  explicit OnDevice(const MapScene& map) {
    const BoardPlan plan = map.plan();
    image_.reserve(map.memory.size());
    check(cudaMemcpy(image_.get(), map.memory.data(), map.memory.size() * 8, cudaMemcpyHostToDevice),
          "image");
    fits_.reserve(plan.site_count);
    out_.reserve(plan.site_count);
    evidence_.prepare(plan, map.pitch);
  }

  std::vector<RingRecord> measure(const std::vector<PlaneFit>& fits) {
    const std::size_t n = fits.size();
    check(cudaMemcpy(fits_.get(), fits.data(), n * sizeof(PlaneFit), cudaMemcpyHostToDevice), "fits");
    check(cudaMemset(out_.get(), 0xA5, n * sizeof(Spaced)), "records");
    evidence_.launch(nullptr, image_.get(), fits_.get(), &out_.get()->record, sizeof(Spaced));
    check(cudaDeviceSynchronize(), "evidence");
    std::vector<Spaced> spaced(n);
    check(cudaMemcpy(spaced.data(), out_.get(), n * sizeof(Spaced), cudaMemcpyDeviceToHost), "records back");
    std::vector<RingRecord> records;
    for (const Spaced& s : spaced) {
      EXPECT_EQ(s.between, 0xA5A5A5A5A5A5A5A5u);
      records.push_back(s.record);
    }
    return records;
  }

 private:
  Buffer<std::uint64_t> image_;
  Buffer<PlaneFit> fits_;
  Buffer<Spaced> out_;
  CudaFloorEvidence evidence_;
};

RingRecord on_cpu(const MapScene& map, std::uint32_t index, const PlaneFit& fit) {
  if (fit.status != FitStatus::ok) return RingRecord{};
  const SitePlan& site = map.sites[index];
  const Scene points = ring_points(map.plan(), index, map.view());
  return measure_ring(site,
                      {map.runs.data() + site.ring_run, map.run_side.data() + site.ring_run, points.x.data(),
                       points.y.data(), points.z.data()},
                      fit, best_isa());
}

/// The CPU leaves products at 0 that its stop rule never looks at; all others are equal.
void expect_same(const RingRecord& device, const RingRecord& cpu, const std::string& where) {
  RingRecord cut = device;
  for (int k = 0; k < 5; ++k)
    if (cpu.residuals.products[k] == 0) cut.residuals.products[k] = 0;
  if (std::memcmp(&cut, &cpu, sizeof cut) == 0) return;
  ADD_FAILURE() << where << ": inliers " << device.inliers << " and " << cpu.inliers << ", on the floor "
                << device.on_floor << " and " << cpu.on_floor << ", second " << device.second << " at "
                << device.second_bin << " and " << cpu.second << " at " << cpu.second_bin << ", squares "
                << device.residuals.squares << " and " << cpu.residuals.squares << ", first product "
                << device.residuals.products[0] << " and " << cpu.residuals.products[0];
  for (int k = 0; k < 15; ++k) EXPECT_EQ(device.moments.uv[k], cpu.moments.uv[k]) << where << " moment " << k;
  for (int k = 0; k < 6; ++k) EXPECT_EQ(device.moments.r[k], cpu.moments.r[k]) << where << " r " << k;
  for (int k = 0; k < 4; ++k)
    EXPECT_EQ(device.side_inliers[k], cpu.side_inliers[k]) << where << " side " << k;
}

/// What is derived is the same to the last bit.
void expect_same_evidence(const SitePlan& site, const PlaneFit& fit, const RingRecord& device,
                          const RingRecord& cpu, const std::string& where) {
  const RingEvidence a = derive(site, fit, device, 10, -20), b = derive(site, fit, cpu, 10, -20);
  EXPECT_EQ(a.correlation.sum, b.correlation.sum) << where;
  EXPECT_EQ(a.noise_um, b.noise_um) << where;
  EXPECT_EQ(a.form_um, b.form_um) << where;
  EXPECT_EQ(a.u_floor_um, b.u_floor_um) << where;
  EXPECT_EQ(a.second_level, b.second_level) << where;
}

void compare(const MapScene& map, const std::vector<PlaneFit>& fits, const std::string& what,
             int repeats = 3) {
  OnDevice device(map);
  std::vector<RingRecord> cpu;
  for (std::uint32_t i = 0; i < map.sites.size(); ++i) cpu.push_back(on_cpu(map, i, fits[i]));
  for (int repeat = 0; repeat < repeats; ++repeat) {
    const std::vector<RingRecord> records = device.measure(fits);
    for (std::uint32_t i = 0; i < map.sites.size(); ++i) {
      const std::string where = what + " site " + std::to_string(i) + " repeat " + std::to_string(repeat);
      expect_same(records[i], cpu[i], where);
      if (fits[i].status == FitStatus::ok)
        expect_same_evidence(map.sites[i], fits[i], records[i], cpu[i], where);
    }
    if (::testing::Test::HasFailure()) return;
  }
}

std::vector<PlaneFit> fits_of(const MapScene& map) {
  std::vector<PlaneFit> fits(map.sites.size());
  fit_rings(map.plan(), map.view(), cpu_backend(0), fits.data());
  return fits;
}

std::vector<RingShape> ragged_rings() {
  return {{24, 150, 130}, {1, 3, 2},   {5, 700, 40}, {3, 33, 900}, {40, 20, 20},
          {2, 1, 1},      {7, 31, 33}, {17, 64, 65}, {1, 1, 1},    {9, 500, 500}};
}

BoardOptions options_of(CountType type, std::uint64_t seed, std::int32_t rows, std::int32_t cols) {
  BoardOptions o;
  o.rows = rows, o.cols = cols;
  o.type = type, o.seed = seed;
  o.bow = 1e-7;
  o.quadratic_form = true;
  o.gap = 0, o.erode = 0;
  return o;
}

constexpr CountType types[] = {CountType::int16, CountType::int32, CountType::float32};

std::string name(CountType type) { return "type " + std::to_string(static_cast<int>(type)); }

TEST_F(FloorEvidenceCuda, IsTheCpusOnRaggedRings) {
  for (const CountType type : types)
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const MapScene map = board_map(ragged_rings(), options_of(type, seed, 3701, 3999));
      compare(map, fits_of(map), name(type) + " seed " + std::to_string(seed));
    }
}

TEST_F(FloorEvidenceCuda, IsTheCpusOnTheWholeBoard) {
  BoardOptions o;
  o.quadratic_form = true;
  const MapScene map = board_map(paper_rings(), o);
  compare(map, fits_of(map), "board", 20);
}

// Wide rings have cells of several pixels; a ring as large as its frame touches all edges.
TEST_F(FloorEvidenceCuda, IsTheCpusOnRingsAsWideAsTheFrame) {
  for (const auto& [ring, rows, cols] :
       {std::tuple{RingShape{3, 3997, 9}, 15, 4003}, std::tuple{RingShape{3, 2, 3001}, 3007, 8},
        std::tuple{RingShape{60, 1903, 77}, 197, 2023}, std::tuple{RingShape{1, 1, 1}, 3, 3}})
    for (const CountType type : types) {
      const MapScene map = board_map({ring}, options_of(type, 9, rows, cols));
      compare(map, fits_of(map), name(type) + " of " + std::to_string(cols) + " columns");
    }
}

TEST_F(FloorEvidenceCuda, IsTheCpusOnOneRowOneColumnAndOnePixel) {
  MapScene map =
      board_map({{24, 150, 130}, {24, 150, 130}, {24, 150, 130}}, options_of(CountType::int16, 3, 600, 600));
  const std::vector<PlaneFit> fits = fits_of(map);
  const auto keep = [&](std::uint32_t site, auto wanted) {  // the runs' first pixels, if any
    SitePlan& s = map.sites[site];
    std::uint32_t kept = s.ring_run;
    for (std::uint32_t i = s.ring_run; i < s.ring_run + s.ring_runs; ++i)
      if (wanted(map.runs[i])) {
        map.run_side[kept] = map.run_side[i];
        map.runs[kept++] = map.runs[i];
      }
    s.ring_runs = kept - s.ring_run;
    s.ring_pixels = 0;
    for (std::uint32_t i = s.ring_run; i < kept; ++i)
      s.ring_pixels += static_cast<std::uint32_t>(map.runs[i].length);
  };
  const std::int32_t row = map.runs[map.sites[0].ring_run + 5].row;
  keep(0, [&](const PixelRun& run) { return run.row == row; });
  keep(1, [](PixelRun& run) { return run.length = 1, true; });
  bool first = true;
  keep(2, [&](PixelRun& run) { return run.length = 1, std::exchange(first, false); });
  compare(map, fits, "few pixels");
}

TEST_F(FloorEvidenceCuda, IsTheCpusWithoutHeightsAndWithoutFloors) {
  for (const CountType type : types) {
    MapScene map = board_map(ragged_rings(), options_of(type, 6, 3701, 3999));
    std::vector<PlaneFit> fits = fits_of(map);
    fits[1].status = FitStatus::no_consensus;
    fits[4].status = FitStatus::too_few_points;
    compare(map, fits, name(type) + " some floors");
    for (std::size_t i = 0; i < map.count(); ++i) map.clear(i);
    compare(map, fits, name(type) + " no heights");
    for (PlaneFit& fit : fits) fit.status = FitStatus::out_of_bounds;
    compare(map, fits, name(type) + " no floors");
  }
}

// A floor that comes and goes between boards leaves nothing behind.
TEST_F(FloorEvidenceCuda, BoardsDoNotShowInEachOther) {
  const MapScene map = board_map(ragged_rings(), options_of(CountType::int16, 8, 3701, 3999));
  const std::vector<PlaneFit> good = fits_of(map);
  std::vector<PlaneFit> other = good;
  for (std::size_t i = 0; i < other.size(); ++i) {
    other[i].c += 30;
    if (i % 2) other[i].status = FitStatus::no_consensus;
  }
  OnDevice device(map);
  for (int repeat = 0; repeat < 6; ++repeat) {
    const std::vector<PlaneFit>& fits = repeat % 2 ? other : good;
    const std::vector<RingRecord> records = device.measure(fits);
    for (std::uint32_t i = 0; i < map.sites.size(); ++i)
      expect_same(records[i], on_cpu(map, i, fits[i]), "site " + std::to_string(i));
  }
}

// Planes far from any floor, heights at the ends of their types, thresholds wide and narrow.
TEST_F(FloorEvidenceCuda, IsTheCpusOnExtremes) {
  for (const CountType type : types) {
    MapScene map = board_map(ragged_rings(), options_of(type, 12, 3701, 3999));
    const double ends[] = {0, 1, -1, 32767, -32767, 1e6, -1e6};
    for (std::size_t i = 0; i < map.count(); i += 5) map.put(i, ends[i / 5 % 7]);
    if (type == CountType::float32) {
      const float odd[] = {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
                           3e38f, -3e38f, 1e-40f};
      float* counts = reinterpret_cast<float*>(map.memory.data());
      for (std::size_t i = 0; i < map.count(); i += 7) counts[i] = odd[i / 7 % 5];
    }
    std::vector<PlaneFit> fits = fits_of(map);
    const double slopes[] = {0, 1e-3, -0.05, 20, -1e5};
    for (std::size_t i = 0; i < fits.size(); ++i) {
      fits[i].status = FitStatus::ok;
      fits[i].a = slopes[i % 5];
      fits[i].b = slopes[i / 2 % 5];
      SitePlan& s = map.sites[i];
      if (i % 3 == 1) s.threshold = 1e-3f, s.refit_threshold = 1e-3f;
      if (i % 3 == 2) s.threshold = 50, s.refit_threshold = 5000;
    }
    compare(map, fits, name(type) + " extremes");
  }
}

// Half of a ring on another level: the fullest window, and the lower of two as full.
TEST_F(FloorEvidenceCuda, FindsTheCpusSecondLevel) {
  for (const double share : {0.0, 0.3, 0.6}) {
    BoardOptions o = options_of(CountType::float32, 31, 2000, 2000);
    o.outliers = share;
    o.noise_um = 0;
    MapScene map = board_map({{24, 150, 130}, {40, 300, 300}, {8, 100, 700}}, o);
    for (SitePlan& s : map.sites) s.threshold = 2, s.refit_threshold = 4, s.sigma_um = 1.3;
    compare(map, fits_of(map), "share " + std::to_string(share));
  }
}

TEST_F(FloorEvidenceCuda, AnEmptyPlanAndOverlappingRuns) {
  CudaFloorEvidence evidence;
  evidence.prepare(BoardPlan{}, 8);
  evidence.launch(nullptr, nullptr, nullptr, nullptr);
  MapScene map = board_map({{4, 20, 20}}, options_of(CountType::int16, 1, 64, 64));
  map.runs[1].row = map.runs[0].row;
  EXPECT_THROW(evidence.prepare(map.plan(), map.pitch), std::invalid_argument);
}

}  // namespace
}  // namespace datum
