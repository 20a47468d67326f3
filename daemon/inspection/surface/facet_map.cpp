#include "daemon/inspection/surface/facet_map.h"

#include <Eigen/Geometry>
#include <cmath>

#include "gpu/core/parallel_for.h"
#include "gpu/surface_match/surface_match_math.h"

namespace datum {
namespace {

float cosine_of(double degrees) { return static_cast<float>(std::cos(degrees * M_PI / 180)); }

Eigen::Vector3f vector_of(const ModelPoint& p) { return {p.x, p.y, p.z}; }

}  // namespace

std::vector<ScannedFacet> facets_of(const SnapshotGrid& grid, const std::vector<ModelPoint>& points,
                                    const Eigen::Vector3f& towards_sensor, double max_view_deg) {
  const float least_cosine = cosine_of(max_view_deg);
  std::vector<ScannedFacet> facets;
  const auto add = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    if (a == no_point || b == no_point || c == no_point) return;
    const Eigen::Vector3f p = vector_of(points[a]), q = vector_of(points[b]), r = vector_of(points[c]);
    const Eigen::Vector3f normal = (q - p).cross(r - p);
    if (!(normal.dot(towards_sensor) >= least_cosine * normal.norm())) return;
    facets.push_back({a, b, c});
  };
  for (int row = 0; row + 1 < grid.rows; ++row)
    for (int col = 0; col + 1 < grid.cols; ++col) {
      const auto at = [&](int r, int c) {
        return grid.point[static_cast<std::size_t>(r) * static_cast<std::size_t>(grid.cols) +
                          static_cast<std::size_t>(c)];
      };
      add(at(row, col), at(row, col + 1), at(row + 1, col + 1));
      add(at(row, col), at(row + 1, col + 1), at(row + 1, col));
    }
  return facets;
}

FacetMap map_facets(const SurfaceModel& model, const SurfaceSettings& settings,
                    const FacetMapSettings& wanted, const ComparedSurface& surface,
                    std::span<const SurfaceShot> shots, FacetMatcher& matcher, unsigned threads) {
  FacetMap out;
  out.settings = wanted;
  out.pieces = model.pieces;
  out.model = model.pieces->model;
  const std::size_t facets = out.model->corner.size();

  // the pieces' origin differs from the model's by a rounding
  const auto& origin = out.model->origin;
  std::vector<ModelPoint> points;
  points.reserve(surface.map.points.size());
  for (const ModelPoint& p : surface.map.points)
    points.push_back({static_cast<float>(p.x - origin[0]), static_cast<float>(p.y - origin[1]),
                      static_cast<float>(p.z - origin[2])});
  std::vector<Eigen::Vector3f> towards;
  std::vector<PointDirection> directions;
  for (const SurfaceShot& shot : shots) {
    const Eigen::Vector3f& t = towards.emplace_back(shot.model_from_sensor.rotation().col(2).cast<float>());
    directions.push_back({t.x(), t.y(), t.z()});
  }
  std::vector<std::vector<ScannedFacet>> of_shot(shots.size());
  parallel_for(threads, shots.size(), [&](std::size_t s, unsigned) {
    of_shot[s] = facets_of(surface.grids[s], points, towards[s], settings.max_view_deg);
  });
  std::vector<ScannedFacet> joined;
  for (const auto& some : of_shot) joined.insert(joined.end(), some.begin(), some.end());

  ScanMatchSettings how;
  how.by_points.gate = how.by_surface.gate = static_cast<float>(wanted.gate_mm);
  how.by_points.least_cosine = cosine_of(settings.max_view_deg);
  how.by_points.least = wanted.least;
  how.by_points.sharp_cosine = how.by_surface.sharp_cosine = cosine_of(settings.edge_deg);
  for (const ModelFacet& f : model.pieces->facets->facet)
    out.kind.push_back(match::class_of(f, how.by_points.sharp_cosine));
  out.by_points.resize(facets);
  out.by_surface.resize(facets);
  matcher.match(model.pieces->facets,
                {points.data(), surface.map.snapshot.data(), points.size(), directions.data(),
                 directions.size(), joined.data(), joined.size()},
                how, out.by_points.data(), out.by_surface.data());
  return out;
}

}  // namespace datum
