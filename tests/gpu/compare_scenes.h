// Snapshots of models from two sides, with noise, dents, posts, walls and pixels without a height.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "gpu/surface_compare/surface_compare_math.h"
#include "tests/gpu/area_scenes.h"

namespace datum::testing {

/// A snapshot, its lists its own. Moved, its pointers hold.
struct SceneShot {
  ShotRays rays;
  ShotHeights heights;
  std::vector<std::uint32_t> facet;
  std::vector<double> z_mm;
  std::vector<std::uint8_t> is_away, classes;
  std::vector<std::byte> counts;

  /// Seen along z, the model turned by `turn` about x.
  SceneShot(const TriangleModel& model, double turn, int rows, int cols, double pitch_mm, CountType type,
            std::uint64_t seed) {
    const double c = std::cos(turn), s = std::sin(turn);
    const double sensor_from_model[9] = {1, 0, 0, 0, c, -s, 0, s, c};
    rays.rows = rows;
    rays.cols = cols;
    rays.x = {pitch_mm, -pitch_mm * (cols - 1) / 2};
    rays.y = {pitch_mm, -pitch_mm * (rows - 1) / 2};
    for (int i = 0; i < 3; ++i)
      for (int k = 0; k < 3; ++k) {
        rays.sensor_from_model[3 * i + k] = sensor_from_model[3 * i + k];
        rays.model_from_sensor[3 * i + k] = sensor_from_model[3 * k + i];
      }
    meet(model);
    measure(type, seed);
  }
  SceneShot(SceneShot&&) = default;
  SceneShot& operator=(SceneShot&&) = default;

 private:
  /// The facets that face the sensor, the highest at each pixel; those that look away where nothing else lies there.
  void meet(const TriangleModel& model) {
    facet.assign(rays.pixels(), no_facet);
    z_mm.assign(rays.pixels(), -1e300);
    is_away.assign(rays.pixels(), 0);
    for (std::uint32_t f = 0; f < model.corner.size(); ++f) {
      compare::Place3d p[3];
      compare::corners_of(rays, model.corner[f][0].data(), p);
      const FacetPlane plane = compare::plane_of(p);
      if (!(std::fabs(plane.cosine) > 1e-6)) continue;
      const auto range = [&](const ShotAxis& axis, int i, int count) {
        const auto [low, high] = std::minmax({p[0].v[i], p[1].v[i], p[2].v[i]});
        return std::pair(std::max(0, static_cast<int>((low - axis.offset_mm) / axis.scale_mm)),
                         std::min(count - 1, static_cast<int>((high - axis.offset_mm) / axis.scale_mm) + 1));
      };
      const auto rows = range(rays.y, 1, rays.rows), cols = range(rays.x, 0, rays.cols);
      for (int row = rows.first; row <= rows.second; ++row)
        for (int col = cols.first; col <= cols.second; ++col) {
          const double x = compare::at(rays.x, col), y = compare::at(rays.y, row);
          bool inside = true;
          for (int k = 0; k < 3; ++k) {
            const auto &a = p[k].v, &b = p[(k + 1) % 3].v;
            const double side = (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
            inside &= plane.cosine > 0 ? side >= 0 : side <= 0;
          }
          const std::size_t at = static_cast<std::size_t>(row) * static_cast<std::size_t>(rays.cols) +
                                 static_cast<std::size_t>(col);
          const double z = compare::plane_mm(plane, x, y);
          if (!inside || z <= z_mm[at]) continue;
          z_mm[at] = z;
          facet[at] = f;
          is_away[at] = plane.cosine < 0;
        }
    }
    rays.facet = facet.data();
    rays.z_mm = z_mm.data();
    rays.is_away = is_away.data();
  }

  void measure(CountType type, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> noise(0, 0.02);
    heights.z = {0.001, 0.25};
    heights.edge_mm = 0.45;
    heights.type = type;
    classes.assign(rays.pixels(), 0);
    counts.resize(rays.pixels() * 4);
    double off = 0;
    for (std::size_t i = 0; i < rays.pixels(); ++i) {
      if (i % 61 == 0) off = random() % 3 == 0 ? noise(random) * 60 : 0;  // dents and posts some pixels wide
      if (random() % 23 == 0) classes[i] = static_cast<std::uint8_t>(1 + random() % 9);
      double z = facet[i] == no_facet ? -3 + (random() % 4 == 0 ? 5 * noise(random) * 50 : 0) : z_mm[i];
      z += off + noise(random);
      const double count = std::clamp(std::round((z - heights.z.offset_mm) / heights.z.scale_mm), -3e4, 3e4);
      const auto put = [&](auto value) {
        std::memcpy(counts.data() + i * sizeof value, &value, sizeof value);
      };
      if (type == CountType::int16) put(static_cast<std::int16_t>(count));
      if (type == CountType::int32) put(static_cast<std::int32_t>(count));
      if (type == CountType::float32) put(static_cast<float>(count));
    }
    heights.counts = counts.data();
    heights.classes = classes.data();
  }
};

struct CompareScene {
  ComparedModel model;
  std::vector<SceneShot> shots;
  CompareSettings settings;
  std::vector<ShotRays> rays;
  std::vector<ShotHeights> heights;
  std::vector<std::uint32_t> first;

  CompareScene(const RawModel& raw, CountType type, std::size_t count, std::uint64_t seed, int rows = 120,
               int cols = 150) {
    auto triangles = std::make_shared<const TriangleModel>(triangle_model(raw));
    auto areas = std::make_shared<AreaModel>();
    areas->triangles = triangles;
    for (const std::uint32_t patches : {700u, 350u})
      areas->reaches.push_back(chance_patches(*triangles, patches, seed + patches));
    for (std::uint32_t f = 0; f < triangles->corner.size(); ++f)
      areas->region.push_back(f % 5 == 4 ? no_region : static_cast<std::uint16_t>(f % 5));
    model = {{triangles, std::make_shared<const ModelSearch>(triangles)}, areas};
    for (std::size_t k = 0; k < count; ++k)
      shots.emplace_back(*triangles, 0.7 * static_cast<double>(k), rows + static_cast<int>(k), cols, 0.15,
                         type, seed + k);
    for (const SceneShot& shot : shots) {
      rays.push_back(shot.rays);
      heights.push_back(shot.heights);
    }
    first = first_points(rays.data(), heights.data(), shots.size(), 1);
    settings.distance.search = 0.8f;
    settings.search_mm = 0.8;
    settings.least_cosine = 0.3;
  }
  PartShots part() const { return {rays.data(), heights.data(), rays.size(), first.data(), first.back()}; }
};

/// What is found of it: filled with what no result holds.
struct Compared {
  std::vector<ModelDistance> distances;
  std::vector<PointJudgement> judgements;
  std::vector<double> area_mm2;
  std::vector<std::vector<std::uint32_t>> marks;

  explicit Compared(const CompareScene& scene)
      : distances(scene.first.back()), judgements(scene.first.back()), area_mm2(scene.first.back(), -1) {
    std::memset(static_cast<void*>(judgements.data()), 0xff, judgements.size() * sizeof judgements[0]);
    for (const auto& lists : scene.model.areas->reaches) marks.emplace_back(lists->area_mm2.size(), no_patch);
  }
  ComparedPoints out() {
    ComparedPoints o;
    o.distances = distances.data();
    o.judgements = judgements.data();
    o.areas.area_mm2 = area_mm2.data();
    for (std::size_t k = 0; k < marks.size(); ++k) o.areas.marks[k] = marks[k].data();
    return o;
  }
  std::size_t count_of(Judgement judgement) const {
    return static_cast<std::size_t>(
        std::count_if(judgements.begin(), judgements.end(),
                      [&](const PointJudgement& j) { return j.judgement == judgement; }));
  }
  bool operator==(const Compared& o) const {
    const auto same = [](const auto& a, const auto& b) {
      return a.size() == b.size() &&
             std::memcmp(static_cast<const void*>(a.data()), b.data(), a.size() * sizeof a[0]) == 0;
    };
    return same(distances, o.distances) && same(judgements, o.judgements) && same(area_mm2, o.area_mm2) &&
           marks == o.marks;
  }
};

inline Compared compared_on_cpu(const CompareScene& scene, unsigned threads = 1) {
  Compared found(scene);
  compare_shots(scene.model, scene.part(), scene.settings, cpu_backend(threads), found.out());
  return found;
}

}  // namespace datum::testing
