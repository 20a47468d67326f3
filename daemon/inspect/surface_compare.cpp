#include "daemon/inspect/surface_compare.h"

#include <cmath>
#include <stdexcept>

namespace datum {
namespace {

constexpr std::size_t most_points = std::size_t{1} << 28;

Eigen::Vector3d origin_of(const SurfaceModel& model) {
  return Eigen::Map<const Eigen::Vector3d>(model.triangles->origin.data());
}

/// Every pixel with a height, in the order of rows and columns.
void add_points(const SurfaceShot& shot, const Eigen::Vector3d& origin, std::uint16_t number,
                ComparedSurface& out) {
  const HeightFrame& f = *shot.frame;
  const Eigen::Matrix3d r = shot.model_from_sensor.rotation();
  const Eigen::Vector3d t = shot.model_from_sensor.translation_mm() - origin;
  SnapshotGrid& grid = out.grids.emplace_back();
  grid.rows = f.rows;
  grid.cols = f.cols;
  grid.point.assign(f.size(), no_point);
  std::visit(
      [&](const auto& counts) {
        std::size_t i = 0;
        for (int row = 0; row < f.rows; ++row) {
          for (int col = 0; col < f.cols; ++col, ++i) {
            if (f.classes[i] != PixelClass::ok) continue;
            const Eigen::Vector3d sensor(f.x.at(col), f.y.at(row), f.z.at(static_cast<double>(counts[i])));
            const Eigen::Vector3f p = (r * sensor + t).cast<float>();
            grid.point[i] = static_cast<std::uint32_t>(out.map.points.size());
            out.map.points.push_back({p.x(), p.y(), p.z()});
          }
        }
      },
      f.counts);
  out.map.snapshot.resize(out.map.points.size(), number);
}

class Sight {
 public:
  Sight(const SurfaceModel& model, const SurfaceSettings& settings, std::span<const SurfaceShot> shots)
      : model_(*model.triangles),
        least_cosine_(static_cast<float>(std::cos(settings.max_view_deg * M_PI / 180))) {
    for (const SurfaceShot& shot : shots)
      towards_.push_back(shot.model_from_sensor.rotation().col(2).cast<float>());
  }
  /// Whether the sensor of this snapshot can have seen the place.
  bool sees(const ModelDistance& place, std::uint16_t snapshot) const {
    const auto& n = model_.normal[place.facet][static_cast<std::size_t>(place.place)];
    const Eigen::Vector3f& v = towards_[snapshot];
    return n[0] * v.x() + n[1] * v.y() + n[2] * v.z() >= least_cosine_;
  }

 private:
  const TriangleModel& model_;
  float least_cosine_;
  std::vector<Eigen::Vector3f> towards_;  // from the part to the sensor, model coordinates
};

/// Points about the part that nothing was found for: a part torn away or bent must not count as not seen.
std::vector<std::uint32_t> unexplained(const SurfaceModel& model, const SurfaceSettings& settings,
                                       const SurfaceMap& map) {
  const Eigen::Vector3d origin = origin_of(model);
  const Eigen::Vector3f low =
      (model.low_mm - origin).cast<float>().array() - static_cast<float>(settings.search_mm);
  const Eigen::Vector3f high =
      (model.high_mm - origin).cast<float>().array() + static_cast<float>(settings.search_mm);
  std::vector<std::uint32_t> found;
  for (std::size_t i = 0; i < map.points.size(); ++i) {
    const ModelPoint& p = map.points[i];
    const bool near = p.x >= low.x() && p.x <= high.x() && p.y >= low.y() && p.y <= high.y() &&
                      p.z >= low.z() && p.z <= high.z();
    if (near && map.distances[i].kind == MatchClass::no_data) found.push_back(static_cast<std::uint32_t>(i));
  }
  return found;
}

DistanceSettings distance_settings(const SurfaceSettings& settings, double search_mm) {
  DistanceSettings d;
  d.search = static_cast<float>(search_mm);
  d.sharp_cosine = static_cast<float>(std::cos(settings.edge_deg * M_PI / 180));
  return d;
}

void explain(const SurfaceModel& model, const SurfaceSettings& settings, const Sight& sight,
             DistanceFinder& finder, ComparedSurface& out) {
  const std::vector<std::uint32_t> which = unexplained(model, settings, out.map);
  out.beyond = which.size();
  out.beyond_region.assign(out.map.points.size(), no_region);
  std::vector<ModelPoint> points;
  for (const std::uint32_t i : which) points.push_back(out.map.points[i]);
  std::vector<ModelDistance> found(points.size());
  const double anywhere = 2 * (model.high_mm - model.low_mm).norm() + 2 * settings.search_mm;
  finder.find({model.triangles, model.search}, points.data(), points.size(),
              distance_settings(settings, anywhere), found.data());
  for (std::size_t k = 0; k < which.size(); ++k) {
    const ModelDistance& d = found[k];
    if (d.kind == MatchClass::face && sight.sees(d, out.map.snapshot[which[k]]))
      out.beyond_region[which[k]] = model.region_of_facet[d.facet];
  }
}

}  // namespace

ComparedSurface compare_with_model(const SurfaceModel& model, const SurfaceSettings& settings,
                                   std::span<const SurfaceShot> shots, DistanceFinder& finder) {
  std::size_t pixels = 0;
  for (const SurfaceShot& shot : shots) pixels += shot.frame->size();
  if (pixels > most_points) throw std::invalid_argument("the snapshots have more than 2^28 pixels together");
  ComparedSurface out;
  SurfaceMap& map = out.map;
  map.model = model.triangles;
  map.regions = model.regions;
  map.region_of_facet = model.region_of_facet;
  for (std::size_t s = 0; s < shots.size(); ++s)
    add_points(shots[s], origin_of(model), static_cast<std::uint16_t>(s), out);
  map.distances.resize(map.points.size());
  finder.find({model.triangles, model.search}, map.points.data(), map.points.size(),
              distance_settings(settings, settings.search_mm), map.distances.data());
  const Sight sight(model, settings, shots);
  explain(model, settings, sight, finder, out);
  out.face_region.assign(map.points.size(), no_region);
  for (std::size_t i = 0; i < map.points.size(); ++i) {
    ModelDistance& d = map.distances[i];
    if (d.kind == MatchClass::no_data) continue;
    if (!sight.sees(d, map.snapshot[i])) {
      d = ModelDistance{};
      ++out.hidden;
    } else if (d.kind == MatchClass::face) {
      out.face_region[i] = model.region_of_facet[d.facet];
    }
  }
  return out;
}

}  // namespace datum
