// Scene of the virtual sensor for the surface part: the part's true pose in the machine, stage positions, the
// sensor's true errors. datumd never reads this file.
#pragma once

#include <filesystem>
#include <vector>

#include "calib/calibration.h"
#include "tests/virtual_cell/part_scene.h"
#include "tests/virtual_cell/twin_render.h"
#include "tests/virtual_cell/virtual_sensor_drop.h"

namespace datum {

struct VirtualPartCell {
  Calibration calibration;
  Eigen::Matrix4d machine_from_part = Eigen::Matrix4d::Identity();
  std::vector<Eigen::Vector3d> positions_mm;  // of the stage, one per snapshot
  TwinView view;
  TwinSensor sensor;
  PartShape shape;
};

/// Throws config::ConfigError or CalibrationError.
VirtualPartCell load_part_cell(const std::filesystem::path& twin, const std::filesystem::path& calibration);

/// Part and stage position of a snapshot.
struct PartSnapshot {
  std::size_t position = 0;
  std::uint64_t seed = 1, frame = 1;
  std::int64_t utc_ns = 0;
};

/// The frame of one snapshot, with its identity.
HeightFrame snapshot_of(const VirtualPartCell& cell, const std::vector<PartFacet>& part,
                        const PartSnapshot& snapshot);

/// A bore of the part as the machine's scales read it: its centre on the surface.
struct ScaledBore {
  Eigen::Vector3d center_mm;
  double radius_mm = 0;
};
std::vector<ScaledBore> bores_of(const VirtualPartCell& cell, const PartDefects& defects);

/// The truth as one line of JSON: defects, the part's pose (row by row), positions of the snapshots.
std::string truth_of(const VirtualPartCell& cell, const PartDefects& defects);

}  // namespace datum
