// Facet-facet matching against all pairs, and against the walk as the thesis describes it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "gpu/surface_match/surface_match_kernels.h"
#include "tests/gpu/surface_scenes.h"

namespace datum {
namespace {

using namespace testing;

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
      float distance = 0;
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

}  // namespace
}  // namespace datum
