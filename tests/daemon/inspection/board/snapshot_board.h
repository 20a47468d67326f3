// A board that is larger than the field of view, in three snapshots on a moved stage.
#pragma once

#include <Eigen/Geometry>
#include <stdexcept>

#include "daemon/inspection/board/pipeline_snapshots.h"
#include "gpu/board/cpu_board.h"
#include "tests/daemon/inspection/board/inspect_fixture.h"

namespace datum::testing {

inline constexpr std::size_t snapshot_count = 3;
inline constexpr double snapshot_step_mm = 11;  // frames are 16 mm wide: neighbours overlap by 5

/// 34 x 8 mm. U3, U6, U9 and U10 lie in two frames each; no two neighbourhoods are alike.
inline std::vector<Component> snapshot_parts() {
  return {box("U1", 3, 5, 0, 400),       box("U2", 7.5, 2.2, 30, 600), box("U3", 11.5, 4.5, 0, 500),
          box("U4", 16.5, 2.5, 90, 450), box("U5", 18.6, 6, 0, 550),   box("U6", 22.4, 3.1, 15, 480),
          box("U7", 27, 5.2, 60, 620),   box("U8", 31, 2.6, 0, 380),   box("U9", 12.2, 1.7, 0, 720),
          box("U10", 22.6, 6.2, 0, 650)};
}

/// The stage carries the sensor along x. `seen_at`: where the stage truly was, in place of the recipe's pose.
struct SnapshotBoard {
  Scene scene = make_scene();
  std::vector<HeightFrame> frames = std::vector<HeightFrame>(snapshot_count);
  std::vector<BoardSnapshot> snapshots = std::vector<BoardSnapshot>(snapshot_count);

  explicit SnapshotBoard(double squareness = 0) {
    Scene& s = scene;
    s.recipe.board_size_mm = {34, 8};
    s.recipe.components = snapshot_parts();
    s.recipe.in_machine_coordinates = true;
    s.calibrated = true;
    s.calibration.id = "C1";
    s.calibration.sensor_serial = "S1";
    s.calibration.expires_utc_s = 5000;
    s.calibration.stage.a = stage_matrix(Eigen::Vector3d(squareness, 0, 0), Eigen::Vector3d::Zero());
    s.calibration.stage_u.position_um = {1, 1, 1};
    for (std::size_t k = 0; k < snapshot_count; ++k)
      s.recipe.snapshots.poses.push_back({std::string(1, static_cast<char>('a' + k)), place(k), 0.1});
    for (std::size_t k = 0; k < snapshot_count; ++k) take(k);
  }
  static Eigen::Vector3d place(std::size_t k) { return {snapshot_step_mm * static_cast<double>(k), 0, 0}; }

  /// Exposes snapshot k with the board moved, in mm, from where the recipe has it, and turned about its middle.
  void take(std::size_t k, const Eigen::Vector3d& moved_mm = Eigen::Vector3d::Zero(), double turn_deg = 0) {
    const Eigen::Vector3d middle(17, 4, 0);
    scene.sensor_from_board =
        Eigen::Translation3d(moved_mm - scene.calibration.stage.a * place(k)) * Eigen::Translation3d(middle) *
        Eigen::AngleAxisd(turn_deg * M_PI / 180, Eigen::Vector3d::UnitZ()) * Eigen::Translation3d(-middle);
    render(scene);
    frames[k] = scene.frame;
    frames[k].frame_id = "F" + std::to_string(k);
    frames[k].content_sha256 = "beef" + std::to_string(k);
    Pose pose;
    pose.used = true;
    pose.q_mm = {place(k).x(), place(k).y(), place(k).z()};
    snapshots[k] = {&frames[k], pose, ""};
  }
  BoardVerdict inspect(unsigned threads = 1) const {
    Backend backend;
    backend.threads = threads;
    CpuBoardMeasurer measurer(backend);
    InspectionInputs in = scene.inputs();
    in.threads = threads;
    return inspect_snapshots(snapshots, in, measurer);
  }
};

inline const ComponentVerdict& row(const BoardVerdict& v, const std::string& reference) {
  for (const ComponentVerdict& c : v.components)
    if (c.reference == reference) return c;
  throw std::runtime_error("no row " + reference);
}

}  // namespace datum::testing
