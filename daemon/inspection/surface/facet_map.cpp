#include "daemon/inspection/surface/facet_map.h"

#include <Eigen/Geometry>
#include <cmath>

namespace datum {
namespace {

/// The model's facets about its origin: the rounded places of the search, not the file's.
RawModel raw_of(const TriangleModel& model) {
  RawModel raw;
  for (const auto& facet : model.corner) {
    const auto first = static_cast<std::uint32_t>(raw.vertices.size());
    for (const auto& c : facet) raw.vertices.push_back({c[0], c[1], c[2]});
    raw.facets.push_back({first, first + 1, first + 2});
  }
  return raw;
}

float cosine_of(double degrees) { return static_cast<float>(std::cos(degrees * M_PI / 180)); }

Eigen::Vector3f vector_of(const ModelPoint& p) { return {p.x, p.y, p.z}; }

}  // namespace

std::vector<MeasuredFacet> facets_of(const SnapshotGrid& grid, const std::vector<ModelPoint>& points,
                                     const Eigen::Vector3f& towards_sensor, double max_view_deg) {
  const float least_cosine = cosine_of(max_view_deg);
  std::vector<MeasuredFacet> facets;
  const auto add = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    if (a == no_point || b == no_point || c == no_point) return;
    const Eigen::Vector3f p = vector_of(points[a]), q = vector_of(points[b]), r = vector_of(points[c]);
    const Eigen::Vector3f normal = (q - p).cross(r - p);
    if (!(normal.dot(towards_sensor) >= least_cosine * normal.norm())) return;
    facets.push_back({{{p.x(), p.y(), p.z()}, {q.x(), q.y(), q.z()}, {r.x(), r.y(), r.z()}}});
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
                    std::span<const SurfaceShot> shots, const Backend& backend) {
  FacetMap out;
  out.settings = wanted;
  const CutModel pieces = cut(raw_of(*model.triangles), wanted.longest_mm);
  const auto made = std::make_shared<TriangleModel>(triangle_model(pieces.model));
  out.model = made;
  for (const std::uint32_t piece : made->facet)
    out.facet_in_file.push_back(model.triangles->facet[pieces.origin[piece]]);
  const ModelFacets facets = model_facets(*made);

  // the pieces' origin differs from the model's by a rounding
  const auto moved = [&](const ModelPoint& p) {
    return ModelPoint{static_cast<float>(p.x - made->origin[0]), static_cast<float>(p.y - made->origin[1]),
                      static_cast<float>(p.z - made->origin[2])};
  };
  std::vector<ModelPoint> points;
  std::vector<PointDirection> directions;
  std::vector<Eigen::Vector3f> towards;
  for (const SurfaceShot& shot : shots)
    towards.push_back(shot.model_from_sensor.rotation().col(2).cast<float>());
  for (std::size_t i = 0; i < surface.map.points.size(); ++i) {
    points.push_back(moved(surface.map.points[i]));
    const Eigen::Vector3f& t = towards[surface.map.snapshot[i]];
    directions.push_back({t.x(), t.y(), t.z()});
  }
  const float sharp = cosine_of(settings.edge_deg), view = cosine_of(settings.max_view_deg);
  PointMatchSettings by_points;
  by_points.gate = static_cast<float>(wanted.gate_mm);
  by_points.least_cosine = view;
  by_points.least = wanted.least;
  by_points.sharp_cosine = sharp;
  out.by_points.resize(facets.facet.size());
  MeasuredPoints(points.data(), directions.data(), points.size())
      .match(facets, by_points, backend, out.by_points.data());

  std::vector<MeasuredFacet> measured;
  for (std::size_t s = 0; s < shots.size(); ++s) {
    const auto some = facets_of(surface.grids[s], points, towards[s], settings.max_view_deg);
    measured.insert(measured.end(), some.begin(), some.end());
  }
  FacetMatchSettings by_surface;
  by_surface.gate = static_cast<float>(wanted.gate_mm);
  by_surface.sharp_cosine = sharp;
  out.by_surface.resize(facets.facet.size());
  MeasuredFacets(measured).match(facets, by_surface, backend, out.by_surface.data());
  return out;
}

}  // namespace datum
