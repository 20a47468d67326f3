// Point-facet and facet-facet matching against all pairs, against the walk as the thesis describes it, and on shapes whose
// distances are known.
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

/// Facets of about 1 in a cube of 5, most of them over each other.
RawModel dense_soup(std::size_t facets, std::uint64_t seed) {
  RawModel raw = soup_model(facets, seed);
  for (auto& v : raw.vertices)
    for (double& c : v) c /= 4;
  for (std::size_t i = 0; i < raw.facets.size(); ++i)  // four times as large again, about their first corner
    for (std::size_t k = 1; k < 3; ++k)
      for (std::size_t axis = 0; axis < 3; ++axis) {
        double& c = raw.vertices[3 * i + k][axis];
        c += 3 * (c - raw.vertices[3 * i][axis]);
      }
  return raw;
}

PointMatchSettings point_settings(float gate) {
  PointMatchSettings s;
  s.gate = gate;
  return s;
}

FacetMatchSettings facet_settings(float gate) {
  FacetMatchSettings s;
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

std::vector<FacetPierced> all_pierced(const ModelFacets& facets, const std::vector<MeasuredFacet>& measured,
                                      const FacetMatchSettings& settings) {
  std::vector<FacetPierced> out;
  for (const ModelFacet& f : facets.facet) {
    match::Best best;
    for (std::uint32_t i = 0; i < measured.size(); ++i) {
      match::Corners c;
      std::memcpy(c.at, measured[i].data(), sizeof c.at);
      const Place3 ab{double{c.at[1][0]} - c.at[0][0], double{c.at[1][1]} - c.at[0][1],
                      double{c.at[1][2]} - c.at[0][2]},
          ac{double{c.at[2][0]} - c.at[0][0], double{c.at[2][1]} - c.at[0][1],
             double{c.at[2][2]} - c.at[0][2]};
      const Place3 n{ab[1] * ac[2] - ab[2] * ac[1], ab[2] * ac[0] - ab[0] * ac[2],
                     ab[0] * ac[1] - ab[1] * ac[0]};
      const double per = 1 / std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
      for (int k = 0; k < 3; ++k) c.normal[k] = static_cast<float>(n[k] * per);
      float distance;
      if (match::matches(f, c, {settings.gate, settings.least_cosine}, &distance))
        match::keep_nearest(distance, i, &best);
    }
    out.push_back(match::pierced_of(best, f, settings.sharp_cosine));
  }
  return out;
}

TEST(FacetMatch, FindsWhatAllPairsFind) {
  std::size_t pierced = 0;
  for (const std::size_t count : {1, 30, 900})
    for (const float gate : {0.05f, 2.f, 40.f}) {
      const ModelFacets made = model_facets(triangle_model(dense_soup(count, count)));
      RawModel other = dense_soup(count, count + 1);
      for (std::size_t i = 0; i < other.vertices.size(); i += 97)  // a few long ones: more levels of size
        for (double& c : other.vertices[i]) c *= 3;
      const auto measured = measured_facets(triangle_model(other));
      const auto expected = all_pierced(made, measured, facet_settings(gate));
      for (const auto& p : expected) pierced += p.kind != MatchClass::no_data;
      EXPECT_TRUE(bytes(matched(made, measured, facet_settings(gate))) == bytes(expected))
          << count << " " << gate;
      Backend backend = cpu_backend(2);
      backend.isa = Isa::scalar;
      EXPECT_TRUE(bytes(matched(made, measured, facet_settings(gate), backend)) == bytes(expected));
    }
  EXPECT_GT(pierced, 300u);
}

TEST(FacetMatch, AClosedSurfaceIsPiercedBesideEveryEdge) {
  // each model facet's normal passes exactly through an edge or corner of the measured surface
  const TriangleModel model = triangle_model(box_model(8, 8, 8, 8));
  const ModelFacets made = model_facets(model);
  RawModel shifted = box_model(8, 8, 8, 8);
  for (auto& v : shifted.vertices)
    for (double& c : v) c += 1.0 / 3;  // centroids of the facets come to lie on edges' ends and on diagonals
  TriangleModel measured = triangle_model(shifted);
  for (auto& f : measured.corner)
    for (auto& c : f)
      for (int k = 0; k < 3; ++k) c[k] += 1.f / 3;
  std::size_t found = 0;
  for (const auto& p : matched(made, measured.corner, facet_settings(0.5f))) {
    if (p.kind == MatchClass::no_data) continue;
    ++found;
    EXPECT_NEAR(std::fabs(p.distance), 1.0 / 3, 1e-6);  // coordinates of 4: an ulp of 2.4e-7 in each of three
  }
  // all but the strip that the other box does not cover: of each side of 8 x 8 cells at least 7 x 7
  EXPECT_GE(found, std::size_t{6} * 7 * 7 * 2);
}

/// The thesis' algorithm, in double loops over the sorted facets.
FacetPierced walked(const ModelFacet& f, const std::vector<MeasuredFacet>& measured,
                    const FacetMatchSettings& settings) {
  std::vector<float> distance;
  for (const auto& m : measured) {
    float c[3];
    for (int k = 0; k < 3; ++k) c[k] = static_cast<float>((double{m[0][k]} + m[1][k] + m[2][k]) / 3);
    distance.push_back(match::from_origin(c[0], c[1], c[2]));
  }
  std::vector<std::uint32_t> sorted(measured.size());
  std::iota(sorted.begin(), sorted.end(), 0u);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return distance[a] < distance[b]; });
  const float own = match::from_origin(f.centre[0], f.centre[1], f.centre[2]);
  std::size_t start = 0;
  for (std::size_t i = 1; i < sorted.size(); ++i)
    if (std::fabs(distance[sorted[i]] - own) < std::fabs(distance[sorted[start]] - own)) start = i;
  const auto n = static_cast<std::ptrdiff_t>(sorted.size());
  for (std::ptrdiff_t step = 0; step < 2 * n; ++step) {
    const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(start) + (step % 2 ? step / 2 + 1 : -step / 2);
    if (at < 0 || at >= n) continue;
    const std::uint32_t i = sorted[static_cast<std::size_t>(at)];
    if (std::fabs(distance[i] - distance[sorted[start]]) > settings.vicinity) continue;
    FacetMatchSettings nearest = settings;
    nearest.choice = FacetChoice::nearest;
    ModelFacets one;
    one.facet = {f};
    const FacetPierced p = all_pierced(one, {measured[i]}, nearest)[0];
    if (p.kind == MatchClass::no_data) continue;
    FacetPierced out = p;
    out.facet = i;
    return out;
  }
  return {};
}

TEST(FacetMatch, TheFirstFoundIsTheThesisWalks) {
  const TriangleModel model = triangle_model(sphere_model(2, 12));
  const ModelFacets made = model_facets(model);
  const RawModel raw = dense_soup(600, 4);
  auto measured = measured_facets(triangle_model(raw));
  measured.push_back(measured.front());  // the same distance from the origin twice
  FacetMatchSettings settings = facet_settings(6);
  settings.choice = FacetChoice::first_found;
  std::size_t found = 0, other = 0;
  const auto nearest = matched(made, measured, facet_settings(6));
  for (const float vicinity : {0.05f, 1.f, 100.f}) {
    settings.vicinity = vicinity;
    const auto pierced = matched(made, measured, settings);
    for (std::size_t i = 0; i < pierced.size(); ++i) {
      const FacetPierced expected = walked(made.facet[i], measured, settings);
      EXPECT_EQ(pierced[i].kind, expected.kind) << i;
      EXPECT_EQ(pierced[i].facet, expected.facet) << i;
      EXPECT_EQ(pierced[i].distance, expected.distance) << i;
      found += expected.kind != MatchClass::no_data;
      other += expected.kind != MatchClass::no_data && nearest[i].distance != expected.distance;
    }
  }
  EXPECT_GT(found, 100u);
  EXPECT_GT(other, 20u);
}

TEST(FacetMatch, AWalkGoesUpFirstAndStartsAtTheLowerOfTwo) {
  ModelFacet f{};
  f.centre[2] = 5;
  f.normal[2] = 1;
  f.radius = 1;
  ModelFacets one;
  one.facet = {f};
  one.order = {0};
  one.farthest = 5;
  const auto level = [](float x, float z) -> MeasuredFacet {
    return {{{x - 1, -1, z}, {x + 1, -1, z}, {x, 2, z}}};
  };
  FacetMatchSettings settings = facet_settings(1);
  settings.choice = FacetChoice::first_found;
  settings.vicinity = 2;
  // the start, 5 away from the origin, is not pierced
  EXPECT_EQ(matched(one, {level(0, 4.75f), level(3, 4), level(0, 5.25f)}, settings)[0].distance, 0.25f);
  EXPECT_EQ(matched(one, {level(0, 5.25f), level(0, 4.75f)}, settings)[0].distance, -0.25f);
}

TEST(FacetMatch, DegenerateFacetsAreNeverPierced) {
  const ModelFacets made = model_facets(triangle_model(box_model(10, 10, 10, 4)));
  const float bad = std::numeric_limits<float>::quiet_NaN();
  const std::vector<MeasuredFacet> measured{
      {{{0, 0, 5}, {0, 0, 5}, {0, 0, 5}}},
      {{{-9, 0, 5}, {0, 0, 5}, {9, 0, 5}}},
      {{{-9, -9, 5}, {9, -9, 5}, {bad, 9, 5}}},
      {{{-9, -9, 5}, {0, 9, 5}, {9, -9, 5}}},  // looks the other way
  };
  for (const auto& p : matched(made, measured, facet_settings(1))) EXPECT_EQ(p.kind, MatchClass::no_data);
  for (const auto& p : matched(made, {}, facet_settings(1))) EXPECT_EQ(p.kind, MatchClass::no_data);
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

}  // namespace
}  // namespace datum
