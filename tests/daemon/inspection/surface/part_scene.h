// The virtual part, its model with regions, and what the virtual sensor sees of it.
#pragma once

#include <Eigen/Geometry>
#include <filesystem>
#include <string>
#include <vector>

#include "daemon/inspection/surface/surface_alignment.h"
#include "tests/virtual_cell/virtual_part_cell.h"

namespace datum::testing {

/// Regions by number.
enum PartRegion : std::uint16_t { top_region, front_region, left_region, sink_region, rest_region };

struct PartScene {
  VirtualPartCell cell;
  std::vector<HeightFrame> frames;
  std::vector<PlacedFrame> placed;
  std::shared_ptr<TriangleModel> triangles;
  std::unique_ptr<ModelSearch> search;
  std::vector<std::uint16_t> region_of_facet;

  /// `every`: of so many pixels one each way, so that tests are quick.
  explicit PartScene(const std::string& defects, int every = 2, double noise = 1) {
    const std::filesystem::path folder = std::filesystem::path(DATUM_SOURCE_DIR) / "config";
    cell = load_part_cell(folder / "twins/surface.toml", folder / "calibrations/demo.toml");
    cell.sensor.left_handed = false;
    cell.sensor.noise.white_um *= noise;
    cell.sensor.noise.correlated_um *= noise;
    cell.sensor.noise.linearity_um *= noise;
    cell.view.rows /= every;
    cell.view.cols /= every;
    cell.view.x.scale_mm *= every;
    cell.view.y.scale_mm *= every;
    const auto part = part_facets(cell.shape, parse_defects(defects));
    for (std::size_t i = 0; i < cell.positions_mm.size(); ++i)
      frames.push_back(snapshot_of(cell, part, {i, 10 + i, i + 1, 0}));
    for (std::size_t i = 0; i < frames.size(); ++i)
      placed.push_back({&frames[i], cell.calibration.at(cell.positions_mm[i])});
    make_model();
  }

  RegionModel model() const { return {triangles, search.get(), region_of_facet}; }
  Htm<Machine, Model> truth() const { return Htm<Machine, Model>(cell.machine_from_part); }

 private:
  void make_model() {
    RawModel raw;
    for (const PartFacet& f : part_facets(cell.shape, {})) {
      const auto n = static_cast<std::uint32_t>(raw.vertices.size());
      for (const Eigen::Vector3d& v : f) raw.vertices.push_back({v.x(), v.y(), v.z()});
      raw.facets.push_back({n, n + 1, n + 2});
    }
    triangles = std::make_shared<TriangleModel>(triangle_model(raw));
    search = std::make_unique<ModelSearch>(triangles);
    for (const std::uint32_t f : triangles->facet) region_of_facet.push_back(region_of(raw, raw.facets[f]));
  }
  std::uint16_t region_of(const RawModel& raw, const std::array<std::uint32_t, 3>& facet) const {
    Eigen::Vector3d p[3];
    for (std::size_t k = 0; k < 3; ++k)
      p[k] = Eigen::Map<const Eigen::Vector3d>(raw.vertices[facet[k]].data());
    const Eigen::Vector3d n = (p[1] - p[0]).cross(p[2] - p[0]).normalized();
    const Eigen::Vector3d middle = (p[0] + p[1] + p[2]) / 3;
    if (n.z() > 0.99 && std::abs(middle.z()) < 1e-6) return top_region;
    const double from_hole = (middle.head<2>() - cell.shape.hole.center_mm).norm();
    if (from_hole < 7 && middle.z() > -3 && n.z() > 0.5) return sink_region;
    if (n.y() < -0.7 && n.z() > 0.7) return front_region;
    if (n.x() < -0.7 && n.z() > 0.7) return left_region;
    return rest_region;
  }
};

}  // namespace datum::testing
