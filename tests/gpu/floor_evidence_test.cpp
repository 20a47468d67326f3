// A ring's evidence: sums against a loop that takes pixel after pixel, and what is derived against known
// surfaces.
#include "gpu/floor_evidence/floor_evidence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "gpu/floor_evidence/floor_evidence_math.h"
#include "gpu/floor_evidence/ring_table.h"
#include "tests/gpu/map_scene.h"

namespace datum {
namespace {

using namespace testing;
using ring_math::RingPass;

/// One site's pixels with the memory behind them.
struct Ring {
  SitePlan site;
  Scene points;
  std::vector<PixelRun> runs;
  std::vector<std::uint8_t> sides;

  Ring(const MapScene& map, std::uint32_t index)
      : site(map.sites[index]), points(ring_points(map.plan(), index, map.view())) {
    runs.assign(map.runs.begin() + site.ring_run, map.runs.begin() + site.ring_run + site.ring_runs);
    sides.assign(map.run_side.begin() + site.ring_run, map.run_side.begin() + site.ring_run + site.ring_runs);
  }
  RingPixels pixels() const {
    return {runs.data(), sides.data(), points.x.data(), points.y.data(), points.z.data()};
  }
  PlaneFit fit() const {
    PlaneFitSettings s;
    s.threshold = site.threshold, s.refit_threshold = site.refit_threshold;
    return testing::fit(points, s);
  }
  RingRecord measure(const PlaneFit& fit, Isa isa = best_isa()) const {
    return measure_ring(site, pixels(), fit, isa);
  }
};

/// The record as its definition says it, all but the products.
RingRecord slow_record(const Ring& ring, const PlaneFit& fit) {
  const RingPass p = ring_math::ring_pass(ring.site, fit.a, fit.b, fit.c);
  RingRecord record;
  std::vector<std::uint32_t> histogram(level::bins, 0);
  std::size_t at = 0;
  for (std::size_t i = 0; i < ring.runs.size(); ++i) {
    for (std::int32_t k = 0; k < ring.runs[i].length; ++k, ++at) {
      const float r = ring_math::residual(p, ring.points.x[at], ring.points.y[at], ring.points.z[at]);
      record.on_floor += std::fabs(r) <= ring.site.threshold;
      const std::int32_t bin = level::bin_of(r, p.binning.per_um);
      if (level::is_beside(bin, p.binning.excluded)) ++histogram[static_cast<std::size_t>(bin)];
      if (!(std::fabs(r) <= ring.site.refit_threshold)) continue;
      ++record.inliers;
      ++record.side_inliers[ring.sides[i]];
      const std::int64_t u = ring_math::cell_of(p.u, ring.runs[i].col + k),
                         v = ring_math::cell_of(p.v, ring.runs[i].row);
      EXPECT_LE(std::max(std::abs(u), std::abs(v)), ring_cells_max);
      const std::int64_t steps = std::lround(static_cast<double>(r) * p.steps_per_um);
      EXPECT_LE(std::abs(steps), ring_steps_max);
      const std::int64_t basis[15] = {1,
                                      u,
                                      v,
                                      u * u,
                                      u * v,
                                      v * v,
                                      u * u * u,
                                      u * u * v,
                                      u * v * v,
                                      v * v * v,
                                      u * u * u * u,
                                      u * u * u * v,
                                      u * u * v * v,
                                      u * v * v * v,
                                      v * v * v * v};
      for (int b = 0; b < 15; ++b) record.moments.uv[b] += basis[b];
      for (int b = 0; b < 6; ++b) record.moments.r[b] += ring_math::moment_step(p, r) * basis[b];
    }
  }
  const level::Fullest fullest = level::fullest_window(histogram.data(), p.binning.excluded);
  record.second = fullest.count;
  record.second_bin = fullest.end;
  return record;
}

void expect_same(const RingRecord& a, const RingRecord& b, const std::string& where) {
  EXPECT_EQ(0, std::memcmp(&a.moments, &b.moments, sizeof a.moments)) << where;
  EXPECT_EQ(0, std::memcmp(a.side_inliers, b.side_inliers, sizeof a.side_inliers)) << where;
  EXPECT_EQ(a.inliers, b.inliers) << where;
  EXPECT_EQ(a.on_floor, b.on_floor) << where;
  EXPECT_EQ(a.second, b.second) << where;
  EXPECT_EQ(a.second_bin, b.second_bin) << where;
}

std::vector<Isa> isas() {
  std::vector<Isa> all{Isa::scalar};
  if (best_isa() != Isa::scalar) all.push_back(best_isa());
  if (best_isa() == Isa::avx512) all.push_back(Isa::avx2);
  return all;
}

/// Rings of all kinds: narrow, of one pixel's width, wider than 255 cells of one pixel, of few pixels.
std::vector<RingShape> ragged_rings() {
  return {{24, 150, 130}, {1, 3, 2}, {5, 700, 40}, {3, 33, 900},
          {40, 20, 20},   {2, 1, 1}, {7, 31, 33},  {17, 64, 65}};
}

BoardOptions small_board(CountType type, std::uint64_t seed) {
  BoardOptions o;
  o.rows = o.cols = 3000;
  o.type = type;
  o.seed = seed;
  o.quadratic_form = true;
  o.gap = 0, o.erode = 0;
  return o;
}

TEST(FloorEvidence, SumsAreThoseOfALoopOverPixels) {
  for (const CountType type : {CountType::int16, CountType::int32, CountType::float32}) {
    const MapScene map = board_map(ragged_rings(), small_board(type, 5));
    for (std::uint32_t i = 0; i < map.sites.size(); ++i) {
      const Ring ring(map, i);
      const PlaneFit fit = ring.fit();
      ASSERT_EQ(fit.status, FitStatus::ok) << i;
      const RingRecord slow = slow_record(ring, fit);
      EXPECT_GT(slow.inliers, 0u);
      RingRecord first;
      for (const Isa isa : isas()) {
        const RingRecord record = ring.measure(fit, isa);
        const std::string where = "ring " + std::to_string(i) + " " + name_of(isa);
        expect_same(record, slow, where);
        if (isa == Isa::scalar) first = record;
        EXPECT_EQ(0, std::memcmp(&record.residuals, &first.residuals, sizeof first.residuals)) << where;
      }
    }
  }
}

TEST(FloorEvidence, ARingWithoutHeightsGivesNothing) {
  MapScene map = board_map({{4, 20, 20}}, small_board(CountType::int16, 1));
  for (std::size_t k = 0; k < map.count(); ++k) map.clear(k);
  const Ring ring(map, 0);
  const RingRecord record = ring.measure(PlaneFit{});
  const RingRecord nothing;
  expect_same(record, nothing, "no heights");
  EXPECT_EQ(record.residuals.squares, 0);
  const RingEvidence e = derive(ring.site, PlaneFit{}, record, 0, 0);
  EXPECT_EQ(e.second_level, 1);
  EXPECT_EQ(e.noise_um, 0);
  EXPECT_EQ(e.form_um, 0);
}

/// A frame whose heights are `um` at (x, y) from the ring's centre, in steps of 1/64 um.
template <class Surface>
MapScene surface_map(const RingShape& shape, unsigned sides, Surface surface) {
  BoardOptions o;
  o.rows = shape.outer_y(), o.cols = shape.outer_x();
  o.um_per_count = 1.0 / 64, o.pitch_um = 20, o.noise_um = 20;
  o.type = CountType::float32;
  o.sides = sides;
  MapScene map = board_map({shape}, o);
  const SitePlan& s = map.sites[0];
  for (std::int32_t row = 0; row < map.rows; ++row)
    for (std::int32_t col = 0; col < map.cols; ++col) {
      const double um = surface(um_of(s.grid.x, col), um_of(s.grid.y, row));
      const double count = (um - s.grid.z.rest) / s.grid.z.per_index + s.grid.z.ref;
      map.put(static_cast<std::size_t>(row) * map.pitch + col, count);
    }
  return map;
}

// The quadratic through a ring finds the surface under the body. Counts round heights to 1/128 um, residual
// steps to 60 / 8191 / 2 um; of some 10,000 pixels the means are far better, and the leverage at the centre
// is below 10 pixels'.
TEST(FloorEvidence, FindsTheFormUnderTheBody) {
  for (const RingShape& shape : {RingShape{24, 150, 130}, RingShape{20, 900, 60}}) {
    const double half_x = shape.outer_x() * 10.0, half_y = shape.outer_y() * 10.0;
    const auto surface = [&](double x, double y) {
      const double u = x / half_x, v = y / half_y;
      return 3 + 10 * u - 7 * v + 9 * u * u - 6 * u * v + 5 * v * v;
    };
    const MapScene map = surface_map(shape, 15, surface);
    Ring ring(map, 0);
    ring.site.quadratic_form = 1;
    const PlaneFit fit = ring.fit();
    ASSERT_EQ(fit.status, FitStatus::ok);
    ASSERT_EQ(fit.inliers, ring.points.x.size());
    const RingRecord record = ring.measure(fit);
    for (const auto& [x, y] : {std::pair{0.0, 0.0}, std::pair{0.2 * half_x, -0.3 * half_y}}) {
      const RingEvidence e = derive(ring.site, fit, record, x, y);
      EXPECT_NEAR(fit.a * x + fit.b * y + fit.c + e.form_um, surface(x, y), 0.004);
      EXPECT_EQ(e.floor_um, e.form_um);
      EXPECT_EQ(e.u_floor_um, e.u_form_um);
      EXPECT_LT(e.noise_um, 0.02 * ring.site.sigma_um);  // a step of sigma / 32 is all that is left
    }
    // As a plane, what the quadratic found stays evidence and is not part of the floor.
    ring.site.quadratic_form = 0;
    const RingEvidence plane = derive(ring.site, fit, ring.measure(fit), 0, 0);
    EXPECT_EQ(plane.form_um, derive(ring.site, fit, record, 0, 0).form_um);
    EXPECT_EQ(plane.floor_um, 0);
    EXPECT_GT(plane.noise_um, 1);
  }
}

/// at^T N^-1 at by elimination with pivots, N the sum of f f^T over the points.
double leverage_of(const std::vector<std::array<long double, 6>>& functions, std::array<long double, 6> at) {
  long double n[6][7] = {};
  for (const auto& f : functions)
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) n[i][j] += f[i] * f[j];
  for (int i = 0; i < 6; ++i) n[i][6] = at[i];
  for (int k = 0; k < 6; ++k) {
    int best = k;
    for (int i = k; i < 6; ++i) best = std::fabs(n[i][k]) > std::fabs(n[best][k]) ? i : best;
    std::swap(n[k], n[best]);
    for (int i = 0; i < 6; ++i)
      for (int j = 6; i != k && j >= k; --j) n[i][j] -= n[i][k] / n[k][k] * n[k][j];
  }
  long double sum = 0;
  for (int i = 0; i < 6; ++i) sum += at[i] * n[i][6] / n[i][i];
  return static_cast<double>(sum);
}

TEST(FloorEvidence, UncertaintyOfTheFormIsThatOfLeastSquares) {
  BoardOptions o = small_board(CountType::int16, 3);
  o.rows = o.cols = 400;
  const MapScene map = board_map({{24, 150, 130}}, o);
  const Ring ring(map, 0);
  const PlaneFit fit = ring.fit();
  const RingRecord record = ring.measure(fit);
  const RingPass pass = ring_math::ring_pass(ring.site, fit.a, fit.b, fit.c);
  const auto basis = [&](double x, double y) {
    const long double u = x / 2000, v = y / 2000;
    return std::array<long double, 6>{1, u, v, u * u, u * v, v * v};
  };
  std::vector<std::array<long double, 6>> functions;
  for (std::size_t i = 0; i < ring.points.x.size(); ++i) {
    const float x = ring.points.x[i], y = ring.points.y[i];
    if (std::fabs(ring_math::residual(pass, x, y, ring.points.z[i])) <= ring.site.refit_threshold)
      functions.push_back(basis(x, y));
  }
  ASSERT_EQ(functions.size(), record.inliers);
  for (const auto& [x, y] : {std::pair{0.0, 0.0}, std::pair{900.0, -1500.0}}) {
    const RingEvidence e = derive(ring.site, fit, record, x, y);
    const double expected = e.noise_um * std::sqrt(e.correlation.sum * leverage_of(functions, basis(x, y)));
    EXPECT_NEAR(e.u_form_um, expected, 1e-9 * expected);  // condition of some 100 times rounding
  }
}

// One side alone does not tell a bow across it from a tilt: no form is claimed. Two opposite sides do.
TEST(FloorEvidence, ClaimsNoFormThatTheRingDoesNotDetermine) {
  const auto flat = [](double, double) { return 1.0; };
  for (const auto& [shape, sides, defined] :
       {std::tuple{RingShape{1, 150, 130}, 4u, false}, std::tuple{RingShape{1, 150, 130}, 12u, false},
        std::tuple{RingShape{2, 150, 130}, 4u, false}, std::tuple{RingShape{24, 150, 130}, 4u, true},
        std::tuple{RingShape{24, 150, 130}, 15u, true}}) {
    const MapScene map = surface_map(shape, sides, flat);
    const Ring ring(map, 0);
    PlaneFit fit;
    fit.c = 1;
    const ring_math::Quadratic q = ring_math::quadratic_of(ring.measure(fit).moments, ring.site);
    EXPECT_EQ(q.defined, defined) << "width " << shape.width << ", sides " << sides;
  }
}

// What a device reads are the runs' pixels and no others, each once, with their sides.
TEST(FloorEvidence, GroupsOfADeviceAreTheRunsPixels) {
  MapScene map = board_map(ragged_rings(), small_board(CountType::int16, 2));
  map.sites[3].ring_runs = 0;
  const RingTable table = ring_table(map.plan(), map.pitch);
  using Pixel = std::tuple<std::int32_t, std::int32_t, std::uint32_t>;
  std::vector<std::vector<Pixel>> expected(map.sites.size()), found(map.sites.size());
  for (std::size_t i = 0; i < map.sites.size(); ++i) {
    const SitePlan& s = map.sites[i];
    for (std::uint32_t r = s.ring_run; r < s.ring_run + s.ring_runs; ++r)
      for (std::int32_t k = 0; k < map.runs[r].length; ++k)
        expected[i].push_back({map.runs[r].row, map.runs[r].col + k, map.run_side[r]});
  }
  std::uint32_t next = 0;
  for (const RingTile& tile : table.tiles) {
    EXPECT_EQ(tile.first, next);
    EXPECT_LE(tile.count, tile_groups);
    for (std::uint32_t g = tile.first; g < tile.first + tile.count; ++g, ++next) {
      const PixelGroup& group = table.groups[g];
      EXPECT_EQ(group.col % group_px, 0);
      EXPECT_EQ(std::int64_t{group.at} * group_px, std::int64_t{group.row} * map.pitch + group.col);
      for (std::int32_t k = 0; k < group_px; ++k)
        if (group.pixels >> k & 1)
          found[tile.site].push_back({group.row, group.col + k,
                                      (group.pixels >> (8 + k) & 1) | (group.pixels >> (16 + k) & 1) << 1});
    }
  }
  EXPECT_EQ(next, table.groups.size());
  EXPECT_EQ(found, expected);
  EXPECT_TRUE(found[3].empty());
  EXPECT_TRUE(
      std::any_of(table.tiles.begin(), table.tiles.end(), [](const RingTile& t) { return t.site == 3; }));

  map.runs[1].row = map.runs[0].row;
  EXPECT_THROW(ring_table(map.plan(), map.pitch), std::invalid_argument);
}

// Of white noise with known sigma: n_eff is about n, noise about sigma, and u that of independent
// residuals.
TEST(FloorEvidence, WhiteNoiseIsTakenAsIndependent) {
  BoardOptions o;
  o.rows = o.cols = 400;
  o.outliers = 0, o.missing = 0;
  const MapScene map = board_map({{30, 200, 200}}, o);
  const Ring ring(map, 0);
  const PlaneFit fit = ring.fit();
  const RingRecord record = ring.measure(fit);
  const RingEvidence e = derive(ring.site, fit, record, 0, 0);
  const double n = record.inliers;
  // PixelRandom's sum of four has no tail beyond 3.46 sigma, so that a cut at 3 leaves all but 1 in 500.
  EXPECT_GT(n, 0.995 * static_cast<double>(ring.points.x.size()));
  EXPECT_NEAR(e.noise_um, 3, 3 * 4 / std::sqrt(2 * n) + 0.03);
  EXPECT_NEAR(e.correlation.sum, 1, 4 * std::sqrt(2 * 9 / n));
  EXPECT_NEAR(e.u_floor_um, e.noise_um / std::sqrt(n), 0.1 * e.noise_um / std::sqrt(n));
  EXPECT_EQ(e.second_level, static_cast<double>(record.second) / record.on_floor);
}

}  // namespace
}  // namespace datum
