// Areas of points: what they are, and what they do not depend on.
#include "gpu/area_share/area_share.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "gpu/area_share/area_share_math.h"
#include "tests/gpu/area_scenes.h"

namespace datum {
namespace {

using namespace testing;

// A square of two patches beside each other, which are near each other, and one apart.
TEST(AreaShare, IsThePatchesAreaAmongThoseThatMarkIt) {
  AreaScene scene(0, 0);
  auto triangles = std::make_shared<TriangleModel>();
  auto lists = std::make_shared<PatchLists>();
  for (std::int32_t f = 0; f < 3; ++f) {
    const auto x = static_cast<float>(f);
    triangles->corner.push_back({{{x, 0, 0}, {x + 1, 0, 0}, {x, 1, 0}}});
    triangles->normal.push_back({{{0, 0, 1}}});
    lists->root.push_back(~f);
  }
  lists->area_mm2 = {3, 5, 7};
  lists->first_near = {0, 2, 4, 5};
  lists->near = {0, 1, 1, 0, 2};
  scene.model->triangles = triangles;
  scene.model->reaches = {lists};
  const auto on = [&](std::uint32_t facet, MatchClass kind) {
    scene.points.push_back({static_cast<float>(facet) + 0.25f, 0.25f, 0.1f});
    scene.distances.push_back({0.1f, facet, Place::face, kind});
  };
  on(0, MatchClass::face);
  on(0, MatchClass::edge);
  on(1, MatchClass::face);
  on(2, MatchClass::rim);
  on(2, MatchClass::no_data);
  const SharedAreas areas = shared_on_cpu(scene);
  EXPECT_EQ(areas.marks[0], (std::vector<std::uint32_t>{3, 3, 0}));
  const double each = 3.0 / 3 + 5.0 / 3;
  EXPECT_EQ(areas.area_mm2, (std::vector<double>{each, each, each, 0, 0}));
}

// By a second way: each point's foot in long double picks the same patch unless it lies on a cut, and marks are counted in a map.
TEST(AreaShare, CountsWhoMarksEachPatch) {
  const AreaScene scene(20000, 3);
  const SharedAreas areas = shared_on_cpu(scene, 2);
  for (std::size_t r = 0; r < scene.model->reaches.size(); ++r) {
    const PatchLists& lists = *scene.model->reaches[r];
    std::map<std::uint32_t, std::uint32_t> own;
    for (std::size_t i = 0; i < scene.points.size(); ++i) {
      const ModelDistance& d = scene.distances[i];
      if (d.kind != MatchClass::face && d.kind != MatchClass::edge) continue;
      const area::Place3d foot =
          area::foot_of(area::place_of(*scene.model->triangles, d.facet), scene.points[i], d);
      std::int32_t at = lists.root[d.facet];
      while (at >= 0) {
        const PatchCut& c = lists.cuts[static_cast<std::size_t>(at)];
        long double side = 0;
        for (std::size_t k = 0; k < 3; ++k)
          side += static_cast<long double>(c.across[k]) * (static_cast<long double>(foot.v[k]) - c.middle[k]);
        at = c.half[side * c.second > 0 ? 1 : 0];
      }
      ++own[static_cast<std::uint32_t>(~at)];
    }
    std::vector<std::uint32_t> marks(lists.area_mm2.size());
    for (std::size_t k = 0; k < marks.size(); ++k)
      for (std::uint32_t i = lists.first_near[k]; i < lists.first_near[k + 1]; ++i)
        if (const auto found = own.find(lists.near[i]); found != own.end()) marks[k] += found->second;
    EXPECT_EQ(areas.marks[r], marks) << r;
  }
}

// The foot on a face is its distance below the point, on an edge its nearest place between both ends, or the corner.
TEST(AreaShare, PutsAFootOnItsPlace) {
  const AreaScene scene(5000);
  for (std::size_t i = 0; i < scene.points.size(); ++i) {
    const ModelDistance& d = scene.distances[i];
    if (d.kind == MatchClass::no_data) continue;
    const area::FacetPlace facet = area::place_of(*scene.model->triangles, d.facet);
    const area::Place3d foot = area::foot_of(facet, scene.points[i], d);
    const double p[3] = {scene.points[i].x, scene.points[i].y, scene.points[i].z};
    const auto far = [&](const double* from) {
      return std::hypot(p[0] - from[0], p[1] - from[1], p[2] - from[2]);
    };
    if (d.place == Place::face) {
      EXPECT_NEAR(far(foot.v), std::fabs(d.distance), 1e-5) << i;  // normals of length 1 in single precision
      continue;
    }
    const auto k = static_cast<std::size_t>(d.place) - 1;
    const auto from_corner = [&](std::size_t end) {
      const float* const at = facet.corner + 3 * (end % 3);
      return std::hypot(foot.v[0] - at[0], foot.v[1] - at[1], foot.v[2] - at[2]);
    };
    if (k >= 3) {
      EXPECT_EQ(from_corner(k), 0) << i;
      continue;
    }
    const float *const u = facet.corner + 3 * k, *const v = facet.corner + 3 * ((k + 1) % 3);
    const double side = std::hypot(v[0] - u[0], v[1] - u[1], v[2] - u[2]);
    EXPECT_NEAR(from_corner(k) + from_corner(k + 1), side, 1e-6 * side) << i;  // between both ends
    // nothing of the side is nearer
    for (const double t : {0.0, 0.25, 0.5, 0.75, 1.0}) {
      const double at[3] = {u[0] + t * (v[0] - u[0]), u[1] + t * (v[1] - u[1]), u[2] + t * (v[2] - u[2])};
      EXPECT_LE(far(foot.v), far(at) * (1 + 1e-6)) << i;
    }
  }
}

TEST(AreaShare, DependsOnNeitherThreadsNorTheOrderOfPoints) {
  const AreaScene scene(30000);
  const SharedAreas expected = shared_on_cpu(scene);
  EXPECT_TRUE(expected == shared_on_cpu(scene, 3));
  AreaScene turned = scene;
  std::vector<std::size_t> order(scene.points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), std::mt19937_64(5));
  for (std::size_t i = 0; i < order.size(); ++i) {
    turned.points[i] = scene.points[order[i]];
    turned.distances[i] = scene.distances[order[i]];
  }
  const SharedAreas areas = shared_on_cpu(turned, 2);
  EXPECT_EQ(areas.marks, expected.marks);
  for (std::size_t i = 0; i < order.size(); ++i)
    ASSERT_EQ(areas.area_mm2[i], expected.area_mm2[order[i]]) << i;
}

TEST(AreaShare, RefusesListsThatNameWhatThereIsNoneOf) {
  const AreaScene good(10);
  EXPECT_NO_THROW(check(*good.model));
  const auto patches = static_cast<std::uint32_t>(good.model->reaches[0]->area_mm2.size());
  const auto refused = [&](const auto& spoil) {
    AreaModel model = *good.model;
    auto lists = std::make_shared<PatchLists>(*model.reaches[0]);
    spoil(*lists);
    model.reaches[0] = lists;
    EXPECT_THROW(check(model), std::invalid_argument);
  };
  refused([](PatchLists& l) { l.root.pop_back(); });
  refused([](PatchLists& l) { l.root[1] = static_cast<std::int32_t>(l.cuts.size()); });
  refused([&](PatchLists& l) { l.root[1] = ~static_cast<std::int32_t>(patches); });
  refused([](PatchLists& l) { l.cuts[5].half[1] = 5; });  // it would never end
  refused([&](PatchLists& l) { l.cuts[5].half[0] = ~static_cast<std::int32_t>(patches); });
  refused([&](PatchLists& l) { l.near[7] = patches; });
  refused([](PatchLists& l) { l.first_near[3] = l.first_near[5]; });
  refused([](PatchLists& l) { l.first_near.back() += 1; });
  refused([](PatchLists& l) { l.first_near = l.near = {}; });
  AreaModel none = *good.model;
  none.reaches.clear();
  EXPECT_THROW(check(none), std::invalid_argument);
  none.reaches.assign(most_reaches + 1, good.model->reaches[0]);
  EXPECT_THROW(check(none), std::invalid_argument);
}

}  // namespace
}  // namespace datum
