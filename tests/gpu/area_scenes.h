// Models with patches whose lists hold together, and points whose nearest places are anywhere on them.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "gpu/area_share/area_share.h"
#include "tests/gpu/model_scenes.h"

namespace datum::testing {

/// Facets whole, or cut up to three deep along chance planes; up to 30 neighbours of each patch, itself the first.
inline std::shared_ptr<const PatchLists> chance_patches(const TriangleModel& model, std::uint32_t patches,
                                                        std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(-1, 1);
  auto lists = std::make_shared<PatchLists>();
  const auto leaf = [&] { return ~static_cast<std::int32_t>(random() % patches); };
  const auto cut_here = [&](const auto& self, std::uint32_t facet, int deep) -> std::int32_t {
    if (deep == 0 || random() % 3 == 0) return leaf();
    const auto at = static_cast<std::int32_t>(lists->cuts.size());
    const auto& corner = model.corner[facet];
    PatchCut cut{};
    for (std::size_t k = 0; k < 3; ++k) {
      cut.middle[k] = (corner[0][k] + corner[1][k] + corner[2][k]) / 3.0;
      cut.across[k] = unit(random);
    }
    cut.second = unit(random);
    lists->cuts.push_back(cut);
    const std::int32_t first = self(self, facet, deep - 1), second = self(self, facet, deep - 1);
    lists->cuts[static_cast<std::size_t>(at)].half[0] = first;
    lists->cuts[static_cast<std::size_t>(at)].half[1] = second;
    return at;
  };
  for (std::uint32_t f = 0; f < model.corner.size(); ++f)
    lists->root.push_back(cut_here(cut_here, f, static_cast<int>(f % 4)));
  lists->first_near.push_back(0);
  for (std::uint32_t k = 0; k < patches; ++k) {
    lists->area_mm2.push_back(1.5 + unit(random));
    // no patch twice: 37 divides none of the numbers of patches here
    const std::uint32_t most = std::min(patches, static_cast<std::uint32_t>(1 + random() % 30));
    for (std::uint32_t j = 0; j < most; ++j) lists->near.push_back((k + 37 * j) % patches);
    lists->first_near.push_back(static_cast<std::uint32_t>(lists->near.size()));
  }
  return lists;
}

struct AreaScene {
  std::shared_ptr<AreaModel> model = std::make_shared<AreaModel>();
  std::vector<ModelPoint> points;
  std::vector<ModelDistance> distances;

  /// A ball with so many reaches, the first of which has `patches`.
  explicit AreaScene(std::size_t count, std::size_t reaches = 2, std::uint32_t patches = 700,
                     std::uint64_t seed = 1) {
    auto triangles = std::make_shared<TriangleModel>(triangle_model(sphere_model(9, 20)));
    points = points_in_cube(count, 10, seed);
    distances = find(*triangles, points, 6);
    for (std::size_t i = 0; i < count; ++i) {  // edges and corners of facets, too
      distances[i].place = static_cast<Place>((i * 7 + seed) % 7);
      if (i % 11 == 3) distances[i].kind = MatchClass::edge;
      if (i % 13 == 5) distances[i].kind = MatchClass::rim;
    }
    for (std::size_t k = 0; k < reaches; ++k)
      model->reaches.push_back(chance_patches(*triangles, patches >> k, seed + k));
    model->triangles = std::move(triangles);
  }
  JudgedPoints judged() const { return {points.data(), distances.data(), points.size()}; }
};

/// What is shared of it: filled with what no result holds.
struct SharedAreas {
  std::vector<double> area_mm2;
  std::vector<std::vector<std::uint32_t>> marks;

  explicit SharedAreas(const AreaScene& scene) : area_mm2(scene.points.size(), -1) {
    for (const auto& lists : scene.model->reaches) marks.emplace_back(lists->area_mm2.size(), no_patch);
  }
  AreaShares out() {
    AreaShares o;
    o.area_mm2 = area_mm2.data();
    for (std::size_t k = 0; k < marks.size(); ++k) o.marks[k] = marks[k].data();
    return o;
  }
  bool operator==(const SharedAreas& o) const {
    return marks == o.marks && area_mm2.size() == o.area_mm2.size() &&
           std::memcmp(area_mm2.data(), o.area_mm2.data(), area_mm2.size() * sizeof(double)) == 0;
  }
};

inline SharedAreas shared_on_cpu(const AreaScene& scene, unsigned threads = 1) {
  SharedAreas areas(scene);
  share_areas(*scene.model, scene.judged(), cpu_backend(threads), areas.out());
  return areas;
}

}  // namespace datum::testing
