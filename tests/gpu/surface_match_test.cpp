// Point-facet matching against all pairs, both matchings on shapes whose distances are known, and the cutting of facets.
#include "gpu/surface_match/surface_match.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <set>

#include "gpu/surface_match/surface_match_kernels.h"
#include "tests/gpu/surface_scenes.h"

namespace datum {
namespace {

using namespace testing;

std::vector<FacetDeviation> all_pairs(const ModelFacets& facets, const Measured& m,
                                      const PointMatchSettings& settings) {
  const float scale = match::scale_of(settings.gate);
  std::vector<FacetDeviation> out;
  for (const ModelFacet& f : facets.facet) {
    match::PointSums sums;
    for (std::size_t i = m.points.size(); i-- > 0;) {
      const ModelPoint& p = m.points[i];
      const auto seen = match::seen_from(f, p.x, p.y, p.z);
      if (!(std::fabs(seen.distance) <= settings.gate && seen.square <= f.radius * f.radius)) continue;
      const PointDirection& d = m.directions[i];
      if (match::dot3(f.normal, d.x, d.y, d.z) >= settings.least_cosine)
        match::add(seen.distance, scale, &sums);
    }
    out.push_back(match::deviation_of(sums, f, 1.0 / scale, settings));
  }
  return out;
}

PointMatchSettings point_settings(float gate) {
  PointMatchSettings s;
  s.gate = gate;
  return s;
}

TEST(PointMatch, FindsWhatAllPairsFind) {
  std::size_t count = 0;
  for (const std::size_t facets : {1, 13, 400})
    for (const float gate : {0.01f, 0.6f, 40.f}) {
      const TriangleModel model = triangle_model(dense_soup(facets, facets));
      const ModelFacets made = model_facets(model);
      const Measured m = measured_points(model, 3000, 0.005, 0.1, 7);
      const auto expected = all_pairs(made, m, point_settings(gate));
      for (const auto& d : expected) count += d.count;
      EXPECT_TRUE(bytes(matched(made, m, point_settings(gate))) == bytes(expected)) << facets << " " << gate;
    }
  EXPECT_GT(count, 30000u);
}

TEST(PointMatch, FarFromTheOriginAndInAPlaneToo) {
  // rows clipped by rounded places, a grid without a height, cells at both ends
  for (const double away : {0.0, 900.0, -30000.0}) {
    RawModel raw = box_model(30, 20, 0.5, 12);
    for (auto& v : raw.vertices) {
      v[1] += 1e-3 * v[2];  // no normal along an axis, some nearly
      v[2] += 2e-3 * v[0] + 1e-3 * v[1];
    }
    TriangleModel model = triangle_model(raw);
    for (auto& f : model.corner)
      for (auto& c : f)
        for (float& coordinate : c) coordinate += static_cast<float>(away);
    const ModelFacets made = model_facets(model);
    const Measured m = measured_points(model, 9000, 0, 0.02, 8);
    EXPECT_TRUE(bytes(matched(made, m, point_settings(0.3f))) ==
                bytes(all_pairs(made, m, point_settings(0.3f))))
        << away;
  }
}

TEST(PointMatch, APointOnTheCirclesRimIsNotLostToRounding) {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> unit(0, 1);
  std::size_t matches = 0;
  for (int i = 0; i < 3000; ++i) {
    const double x = 200 * unit(random), size = 1 + unit(random);
    ModelFacet f{};
    f.centre[0] = static_cast<float>(x);
    f.normal[2] = 1;
    f.radius = static_cast<float>(size);
    ModelFacets one;
    one.facet = {f};
    one.order = {0};
    one.farthest = f.centre[0];
    Measured m;
    m.points = {{static_cast<float>(x + (i % 2 ? size : -size)), 0, 0}};  // the grid is this point
    m.directions = {{0, 0, 1}};
    const auto expected = all_pairs(one, m, point_settings(1e-4f));
    EXPECT_TRUE(bytes(matched(one, m, point_settings(1e-4f))) == bytes(expected)) << i;
    matches += expected[0].count;
  }
  EXPECT_GT(matches, 1000u);
  EXPECT_LT(matches, 2900u);  // about half are outside by a rounding
}

TEST(PointMatch, GivesTheSameBytesForEveryInstructionSetThreadsAndOrder) {
  const TriangleModel model = triangle_model(sphere_model(20, 60));
  const ModelFacets made = model_facets(model);
  Measured m = measured_points(model, 50000, 0.02, 0.03, 9);
  const auto expected = matched(made, m, point_settings(0.5f));
  Backend backend = cpu_backend(3);
  EXPECT_TRUE(bytes(matched(made, m, point_settings(0.5f), backend)) == bytes(expected));
  backend.isa = Isa::scalar;
  EXPECT_TRUE(bytes(matched(made, m, point_settings(0.5f), backend)) == bytes(expected));
  std::reverse(m.points.begin(), m.points.end());
  std::reverse(m.directions.begin(), m.directions.end());
  EXPECT_TRUE(bytes(matched(made, m, point_settings(0.5f))) == bytes(expected));
}

TEST(PointMatch, TellsMeanExtremesAndScatter) {
  RawModel raw;
  raw.vertices = {{0, 0, 0}, {3, 0, 0}, {0, 3, 0}};
  raw.facets = {{0, 1, 2}};
  const TriangleModel model = triangle_model(raw);
  const ModelFacets made = model_facets(model);
  // about the middle of the box, 1.5, 1.5, 0; the centroid is at -0.5, -0.5
  Measured m;
  for (const float z : {0.10f, 0.13f, 0.16f, 0.45f}) m.points.push_back({-0.4f, -0.6f, z});
  const auto d = matched(made, m, point_settings(0.4f));
  ASSERT_EQ(d.size(), 1u);
  EXPECT_EQ(d[0].count, 3u);
  // an integer of 0.4 / 2^18 at most for each distance, rounded by half of it
  const double quantum = 0.4 / (1 << 18);
  EXPECT_NEAR(d[0].mean, 0.13, quantum);
  EXPECT_EQ(d[0].lowest, 0.10f);
  EXPECT_EQ(d[0].highest, 0.16f);
  EXPECT_NEAR(d[0].s, 0.03, 2 * quantum);
  EXPECT_EQ(d[0].kind, MatchClass::rim);
}

TEST(PointMatch, ZeroHasNoSign) {
  const ModelFacets made = model_facets(triangle_model(box_model(10, 10, 10, 1)));
  Measured m;
  for (const float z : {5.f, 5.f, 5.f}) m.points.push_back({-1, -2, z});
  m.points[1] = {1, 2, 5};
  for (const auto& d : matched(made, m, point_settings(0.5f))) {
    if (d.count == 0) continue;
    EXPECT_FALSE(std::signbit(d.lowest) || std::signbit(d.highest) || std::signbit(d.mean));
  }
  match::PointSums sums;
  match::add(-0.f, 1, &sums);
  EXPECT_FALSE(std::signbit(sums.lowest) || std::signbit(sums.highest));
}

TEST(PointMatch, SumsOfAllPointsFit) {
  for (const float gate : {1e-15f, 0.3f, 0.5f, 1.f, 7e14f, 1e15f}) {
    const double most = double{gate} * match::scale_of(gate);
    EXPECT_LE(most, 1 << 19);
    EXPECT_GE(most, 1 << 18);
    EXPECT_LE(most * most * (1 << 25), 9.3e18);  // int64
  }
}

TEST(PointMatch, NothingFoundIsNoDataNeverZero) {
  const TriangleModel model = triangle_model(box_model(10, 10, 10, 20));
  const ModelFacets made = model_facets(model);
  Measured m;
  for (const auto& d : matched(made, m, point_settings(1))) EXPECT_EQ(d.kind, MatchClass::no_data);
  m.points = {{0, 0, 5}};
  PointMatchSettings two = point_settings(1);
  two.least = 2;
  for (const auto& d : matched(made, m, two)) {
    EXPECT_EQ(d.kind, MatchClass::no_data);
    EXPECT_LE(d.count, 1u);
  }
  const float bad = std::numeric_limits<float>::quiet_NaN(), far = std::numeric_limits<float>::infinity();
  m.points = {{bad, 0, 5}, {0, far, 5}, {0, 0, -far}, {0, 0, 5}};
  std::uint32_t most = 0;
  for (const auto& d : matched(made, m, point_settings(1))) most = std::max(most, d.count);
  EXPECT_EQ(most, 1u);
}

TEST(PointMatch, AFacetAtASharpEdgeIsEdge) {
  const TriangleModel model = triangle_model(box_model(10, 10, 10, 10));
  const auto d =
      matched(model_facets(model), measured_points(model, 40000, 0, 0.001, 3), point_settings(0.2f));
  std::size_t edges = 0;
  for (std::size_t i = 0; i < d.size(); ++i) {
    bool at_edge = false;  // a corner on two sides of the box
    for (const auto& c : model.corner[i])
      at_edge = at_edge || (std::fabs(c[0]) == 5) + (std::fabs(c[1]) == 5) + (std::fabs(c[2]) == 5) > 1;
    edges += at_edge;
    EXPECT_EQ(d[i].kind, at_edge ? MatchClass::edge : MatchClass::face) << i;
  }
  EXPECT_GT(edges, 100u);
}

/// Distances of 100 um from shapes: along the normal, wherever the facet has no sharp edge.
TEST(SurfaceMatch, KnowsOffsets) {
  const struct {
    const char* name;
    RawModel raw;
  } shapes[] = {{"plane",
                 [] {
                   RawModel m;
                   add_patch(m, 50, 50, [](double u, double v) { return Place3{40 * u, 40 * v, 0}; });
                   return m;
                 }()},
                {"sphere", sphere_model(20, 200)},
                {"cone",
                 [] {  // without its tip, where a circle holds many facets
                   RawModel m;
                   add_patch(m, 60, 360, [](double u, double v) {
                     const double turn = v == 1 ? 0 : 2 * M_PI * v, ring = 10 + 10 * u;
                     return Place3{ring * std::cos(turn), ring * std::sin(turn), 30 - 1.5 * ring};
                   });
                   return m;
                 }()},
                {"box", box_model(20, 30, 10, 50)}};
  for (const auto& shape : shapes) {
    const TriangleModel model = triangle_model(shape.raw);
    const ModelFacets made = model_facets(model);
    // every facet moved along its own normal: no noise, so the mean may be off by rounding alone
    std::vector<MeasuredFacet> moved = measured_facets(model);
    for (std::size_t i = 0; i < moved.size(); ++i)
      for (auto& c : moved[i])
        for (int k = 0; k < 3; ++k) c[k] += 0.1f * model.normal[i][0][k];
    const auto pierced = matched(made, moved, facet_settings(0.3f));
    double sum = 0;
    std::size_t count = 0;
    for (const auto& p : pierced) {
      if (p.kind == MatchClass::no_data || p.kind == MatchClass::edge) continue;
      sum += p.distance;
      ++count;
    }
    EXPECT_GT(count, pierced.size() / 2) << shape.name;
    EXPECT_NEAR(sum / static_cast<double>(count), 0.1, 0.05e-3) << shape.name;

    const Measured m = measured_points(model, 200000, 0.1, 0, 5);
    double weighted = 0, points = 0;
    for (const auto& d : matched(made, m, point_settings(0.3f))) {
      if (d.kind == MatchClass::no_data || d.kind == MatchClass::edge) continue;
      EXPECT_GT(d.lowest, 0);
      weighted += double{d.mean} * d.count;
      points += d.count;
    }
    // a point of a circle's rim is over a neighbour or its neighbour, which fall away by radius * sin(turn) each
    double falls = 0;
    for (const ModelFacet& f : made.facet)
      if (f.turn > 0.866f)
        falls = std::max(falls, f.radius * std::sqrt(std::max(0.0, 1 - double{f.turn} * f.turn)));
    EXPECT_NEAR(weighted / points, 0.1, 0.05e-3 + 2 * falls) << shape.name;
  }
}

TEST(SurfaceMatch, RefusesSettingsThatMeanNothing) {
  const ModelFacets made = model_facets(triangle_model(box_model(1, 1, 1, 1)));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const float gate : {0.f, -1.f, nan, 1e16f}) {
    EXPECT_THROW(matched(made, Measured{}, point_settings(gate)), std::invalid_argument) << gate;
    EXPECT_THROW(matched(made, {}, facet_settings(gate)), std::invalid_argument) << gate;
  }
  PointMatchSettings settings = point_settings(1);
  settings.least_cosine = 1.5f;
  EXPECT_THROW(matched(made, Measured{}, settings), std::invalid_argument);
  FacetMatchSettings walk = facet_settings(1);
  walk.choice = FacetChoice::first_found;
  walk.vicinity = nan;
  EXPECT_THROW(matched(made, {}, walk), std::invalid_argument);
  walk.vicinity = 1;
  std::vector<FacetPierced> out(made.facet.size());
  EXPECT_THROW(MeasuredFacets({MeasuredFacet{}}).match(made, walk, cpu_backend(1), out.data()),
               std::invalid_argument);
}

TEST(Cut, LeavesNoLongEdgeAndKeepsTheSurface) {
  const RawModel raw = box_model(10, 4, 2, 1);
  const CutModel made = cut(raw, 0.7);
  EXPECT_EQ(made.origin.size(), made.model.facets.size());
  double area = 0, longest = 0;
  std::set<std::uint32_t> origins(made.origin.begin(), made.origin.end());
  EXPECT_EQ(origins.size(), raw.facets.size());
  const TriangleModel model = triangle_model(made.model);
  for (const auto& c : model.corner) {
    double side[3];
    for (int k = 0; k < 3; ++k) {
      const auto &p = c[k], &q = c[(k + 1) % 3];
      side[k] = std::hypot(double{p[0]} - q[0], double{p[1]} - q[1], double{p[2]} - q[2]);
      longest = std::max(longest, side[k]);
    }
    const double half = (side[0] + side[1] + side[2]) / 2;
    area += std::sqrt(half * (half - side[0]) * (half - side[1]) * (half - side[2]));
  }
  EXPECT_LE(longest, 0.7 * (1 + 1e-6));
  // Heron's formula in double on corners rounded to float: 2^-24 of each length
  EXPECT_NEAR(area, 2 * (10 * 4 + 4 * 2 + 10 * 2), 136 * 1e-6);
  EXPECT_EQ(model.faults.open_edges, 0u);
  EXPECT_EQ(model.faults.turned_edges, 0u);
  EXPECT_EQ(model.faults.branched_edges, 0u);
  EXPECT_THROW(cut(raw, 0), std::invalid_argument);
  EXPECT_THROW(cut(raw, 1e-7), std::invalid_argument);
}

TEST(ScanMatch, IsThatOfItsPointsAndFacets) {
  const Scan scan(sphere_model(20, 60));
  const ModelFacets model = model_facets(triangle_model(sphere_model(20.1, 40)));
  const ScanMatchSettings settings = scan_settings(0.3f);
  for (const unsigned threads : {1u, 3u}) {
    std::vector<FacetDeviation> by_points(model.facet.size());
    std::vector<FacetPierced> by_surface(model.facet.size());
    match_scan(model, scan.surface(), settings, cpu_backend(threads), by_points.data(), by_surface.data());
    EXPECT_TRUE(bytes(by_points) ==
                bytes(matched(model, {scan.points, scan.direction_of_points()}, settings.by_points)));
    EXPECT_TRUE(bytes(by_surface) == bytes(matched(model, scan.corners(), settings.by_surface)));
    EXPECT_GT(std::count_if(by_points.begin(), by_points.end(), [](const auto& d) { return d.count > 0; }),
              100);
  }
}

/// Of one region after the other, in the facets' order.
template <class Found, class ValueOf>
std::vector<FacetSums> summed_one_by_one(const ModelFacets& model, const std::vector<Found>& found,
                                         const ValueOf& value_of) {
  __extension__ using Int128 = __int128;
  std::vector<FacetSums> sums(model.regions->total.size());
  for (std::size_t r = 0; r < sums.size(); ++r) {
    FacetSums& s = sums[r];
    Int128 weighted = 0;
    for (std::uint32_t i = 0; i < found.size(); ++i) {
      if (model.regions->region[i] != r || found[i].kind != MatchClass::face) continue;
      const float mm = value_of(found[i]);
      if (s.count == 0 || mm > s.highest_mm) s.highest = i, s.highest_mm = mm;
      if (s.count == 0 || mm < s.lowest_mm) s.lowest = i, s.lowest_mm = mm;
      weighted += Int128{model.regions->units[i]} * std::llround(1e6 * double{mm});
      s.units += model.regions->units[i];
      ++s.count;
    }
    s.weighted = {static_cast<std::int64_t>(weighted >> 64), static_cast<std::uint64_t>(weighted)};
  }
  return sums;
}

TEST(FacetSums, AreThoseOfEachRegionsFacets) {
  const Scan scan(sphere_model(20, 200));
  const ModelFacets model = with_regions(model_facets(triangle_model(sphere_model(20.1, 150))));
  ASSERT_GT(model.facet.size(), std::size_t{2} << 14);  // more than one thread's share
  std::vector<FacetDeviation> by_points(model.facet.size());
  std::vector<FacetPierced> by_surface(model.facet.size());
  const ScanMatchSettings settings = scan_settings(0.3f);
  match_scan(model, scan.surface(), settings, cpu_backend(1), by_points.data(), by_surface.data());
  const auto of_points = summed_one_by_one(model, by_points, [](const auto& d) { return d.mean; });
  const auto of_surface = summed_one_by_one(model, by_surface, [](const auto& p) { return p.distance; });
  EXPECT_GT(of_points[0].count, 1000u);
  EXPECT_GT(of_surface[1].count, 1000u);
  EXPECT_NE(of_surface[0].weighted.high, of_surface[0].weighted.low >> 63 ? -1 : 0);  // beyond 64 bits
  EXPECT_EQ(of_points[3].count, 0u);
  for (const unsigned threads : {1u, 3u}) {
    std::vector<FacetSums> points(4), surface(4);
    sum_scan(model, scan.surface(), settings, cpu_backend(threads), points.data(), surface.data());
    EXPECT_TRUE(bytes(points) == bytes(of_points));
    EXPECT_TRUE(bytes(surface) == bytes(of_surface));
  }
}

TEST(FacetSums, OfEqualExtremesTheFirstCounts) {
  ModelFacets model;
  model.facet.resize(6);
  model.regions =
      std::make_shared<const FacetRegions>(facet_regions({0, 0, 0, 0, 0, 0}, {1, 1, 1, 1, 1, 1}, 1));
  std::vector<FacetPierced> found(6);
  const float mm[] = {-0.f, 0.5f, 0.f, 0.5f, 0.f, 9.f};
  for (std::size_t i = 0; i < 6; ++i) found[i].distance = mm[i], found[i].kind = MatchClass::face;
  found[5].kind = MatchClass::edge;
  FacetSums s;
  sum_facets(model, found.data(), 1, &s);
  EXPECT_EQ(s.highest, 1u);
  EXPECT_EQ(s.lowest, 0u);
  EXPECT_TRUE(std::signbit(s.lowest_mm));
  EXPECT_EQ(s.count, 5u);
  EXPECT_EQ(double_of(s.weighted), 1e6);
  model.regions.reset();
  EXPECT_THROW(sum_facets(model, found.data(), 1, &s), std::invalid_argument);
  EXPECT_THROW(sum_scan(model, {}, scan_settings(1), cpu_backend(1), &s, nullptr), std::invalid_argument);
}

TEST(ScanMatch, RefusesNumbersThatThereAreNoneOf) {
  const Scan good(sphere_model(20, 8));
  EXPECT_NO_THROW(check(good.surface(), scan_settings(1)));
  Scan bad = good;
  bad.view[3] = 2;
  EXPECT_THROW(check(bad.surface(), scan_settings(1)), std::invalid_argument);
  bad = good;
  bad.facets[5][1] = static_cast<std::uint32_t>(bad.points.size());
  EXPECT_THROW(check(bad.surface(), scan_settings(1)), std::invalid_argument);
  EXPECT_THROW(check(good.surface(), scan_settings(0)), std::invalid_argument);
  ScanMatchSettings walk = scan_settings(1);
  walk.by_surface.choice = FacetChoice::first_found;
  EXPECT_THROW(check(good.surface(), walk), std::invalid_argument);
}

}  // namespace
}  // namespace datum
