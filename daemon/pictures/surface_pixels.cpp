#include "daemon/pictures/surface_pixels.h"

#include <algorithm>
#include <cmath>

#include "daemon/inspection/surface/surface_patches.h"

namespace datum {
namespace {

constexpr double same_depth_px = 3;  // depth change per pixel of a surface inclined by 70 degrees
constexpr float same_side = 0.5f;    // cosine of the largest angle between normals

struct Sum {
  std::int64_t nm = 0;
  std::uint32_t face = 0, edge = 0, rim = 0;
};

class Shower {
 public:
  Shower(const SurfaceMap& map, const SurfaceView& view, const SurfaceRaster& raster)
      : map_(map), view_(view), raster_(raster), sums_(raster.facet.size()) {}

  void add_points() {
    for (std::size_t i = 0; i < map_.points.size(); ++i) {
      const ModelDistance& d = map_.distances[i];
      if (d.kind == MatchClass::no_data) continue;
      const SurfacePlace foot = foot_of(*map_.model, map_.points[i], d);
      const Eigen::Vector3d at = raster_.at(view_, {foot[0], foot[1], foot[2]});
      const int x = static_cast<int>(std::lround(at.x())), y = static_cast<int>(std::lround(at.y()));
      if (x < 0 || y < 0 || x >= raster_.width || y >= raster_.height) continue;
      const std::size_t pixel = raster_.index(x, y);
      if (!is_seen(pixel, at.z(), d)) continue;
      Sum& sum = sums_[pixel];
      sum.face += d.kind == MatchClass::face;
      sum.edge += d.kind == MatchClass::edge;
      sum.rim += d.kind == MatchClass::rim;
      if (d.kind == MatchClass::face) sum.nm += std::llround(1e6 * d.distance);
    }
  }

  SurfacePixels show(double reach_mm) const {
    SurfacePixels out;
    out.what.assign(sums_.size(), SurfacePixel::beside);
    out.um.assign(sums_.size(), 0);
    const auto reach = ring(reach_mm / raster_.mm_per_px);
    for (int y = 0; y < raster_.height; ++y)
      for (int x = 0; x < raster_.width; ++x) {
        const std::size_t i = raster_.index(x, y);
        if (raster_.facet[i] == no_facet) continue;
        out.what[i] = SurfacePixel::no_data;
        for (const Step& step : reach) {
          const int u = x + step.x, v = y + step.y;
          if (u < 0 || v < 0 || u >= raster_.width || v >= raster_.height) continue;
          const std::size_t k = raster_.index(u, v);
          if (!tells(sums_[k]) || !is_near(i, k, step)) continue;
          take(sums_[k], i, &out);
          break;
        }
      }
    return out;
  }

 private:
  struct Step {
    int x, y;
    double length;
  };
  /// Offsets of all pixels within a radius, nearest first, equal distances by rows and columns.
  static std::vector<Step> ring(double radius_px) {
    const int n = static_cast<int>(std::clamp(radius_px, 0.0, 64.0));
    std::vector<Step> steps;
    for (int y = -n; y <= n; ++y)
      for (int x = -n; x <= n; ++x)
        if (x * x + y * y <= radius_px * radius_px || (x == 0 && y == 0))
          steps.push_back({x, y, std::hypot(x, y)});
    std::stable_sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) {
      return a.x * a.x + a.y * a.y < b.x * b.x + b.y * b.y;
    });
    return steps;
  }

  static bool tells(const Sum& s) { return s.face + s.edge + s.rim > 0; }
  void take(const Sum& s, std::size_t i, SurfacePixels* out) const {
    if (s.face > 0) {
      out->what[i] = SurfacePixel::face;
      out->um[i] = static_cast<float>(static_cast<double>(s.nm) / s.face / 1000);
    } else {
      out->what[i] = s.edge > 0 ? SurfacePixel::edge : SurfacePixel::rim;
    }
  }

  bool same_facing(std::uint32_t a, std::uint32_t b) const {
    const auto &n = map_.model->normal[a][0], &m = map_.model->normal[b][0];
    return n[0] * m[0] + n[1] * m[1] + n[2] * m[2] >= same_side;
  }
  /// A point on an edge belongs to the facets on both of its sides.
  bool is_seen(std::size_t pixel, double depth, const ModelDistance& d) const {
    const std::uint32_t shown = raster_.facet[pixel];
    return shown != no_facet &&
           std::abs(raster_.depth_mm[pixel] - depth) <= same_depth_px * raster_.mm_per_px &&
           (shown == d.facet || d.place != Place::face || same_facing(shown, d.facet));
  }
  bool is_near(std::size_t a, std::size_t b, const Step& step) const {
    return a == b || (std::abs(raster_.depth_mm[a] - raster_.depth_mm[b]) <=
                          same_depth_px * raster_.mm_per_px * std::max(1.0, step.length) &&
                      same_facing(raster_.facet[a], raster_.facet[b]));
  }

  const SurfaceMap& map_;
  const SurfaceView& view_;
  const SurfaceRaster& raster_;
  std::vector<Sum> sums_;
};

}  // namespace

SurfacePixels pixels_of(const SurfaceMap& map, const SurfaceView& view, const SurfaceRaster& raster,
                        double reach_mm) {
  Shower shower(map, view, raster);
  shower.add_points();
  return shower.show(reach_mm);
}

SurfacePixels pixels_of_facets(const SurfaceMap& map, const SurfaceRaster& raster) {
  constexpr SurfacePixel what[] = {SurfacePixel::face, SurfacePixel::edge, SurfacePixel::rim,
                                   SurfacePixel::no_data};
  SurfacePixels out;
  for (const std::uint32_t facet : raster.facet) {
    const bool none = facet == no_facet;
    out.what.push_back(none ? SurfacePixel::beside
                            : what[static_cast<std::size_t>(map.distances[facet].kind)]);
    out.um.push_back(none ? 0 : 1000 * map.distances[facet].distance);
  }
  return out;
}

}  // namespace datum
