// Snapshots of a virtual artefact, and verification of their segmentation.
#pragma once

#include <gtest/gtest.h>

#include "calib/artefact/segmentation.h"
#include "tests/calib/artefact/artefact_poses.h"
#include "tests/refusal.h"
#include "tests/virtual_cell/twin_artefact.h"
#include "tests/virtual_cell/twin_render.h"

namespace datum::testing {

struct Snapshot {
  HeightFrame frame;
  std::vector<std::optional<Face>> truth;
};

/// A sensor with a field of view of 100 mm x 90 mm and an optical sensor's dropouts, speckle and outliers.
inline TwinSensor sensor_of(double white_um) {
  TwinSensor sensor;
  sensor.serial = "S7";
  sensor.noise.white_um = white_um;
  sensor.noise.dropout_ratio = 0.01;
  sensor.noise.speckle_ratio = 0.002;
  sensor.noise.outlier_ratio = 0.002;
  return sensor;
}

inline Snapshot snapshot(const TwinArtefact& artefact, const Htm<Sensor, Artefact>& pose, std::uint64_t seed,
                         double pitch_mm, const TwinSensor& sensor) {
  TwinView view;
  view.rows = static_cast<int>(90 / pitch_mm);
  view.cols = static_cast<int>(100 / pitch_mm);
  view.x = {pitch_mm, -45};
  view.y = {pitch_mm, -40};
  TwinArtefactView seen = look_at(artefact, pose, view);
  Snapshot s{render(seen.surface, view, sensor, seed), std::move(seen.face)};
  s.frame.frame_id = std::to_string(seed);
  return s;
}

inline Snapshot snapshot(const TwinArtefact& artefact, const Htm<Sensor, Artefact>& pose, std::uint64_t seed,
                         double pitch_mm = 0.25, double white_um = 10) {
  return snapshot(artefact, pose, seed, pitch_mm, sensor_of(white_um));
}

/// Number of points assigned to a face other than their own.
inline std::size_t wrong(const Segmentation& found, const std::vector<std::optional<Face>>& truth) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (found.face_of[i] < 0) continue;
    n += !truth[i] || static_cast<int>(index_of(*truth[i])) != found.face_of[i];
  }
  return n;
}

inline std::vector<Eigen::Vector3d> points_of(const HeightFrame& frame) {
  std::vector<Eigen::Vector3d> points;
  for (int row = 0; row < frame.rows; ++row) {
    for (int col = 0; col < frame.cols; ++col) {
      if (frame.class_at(row, col) == PixelClass::ok)
        points.emplace_back(frame.x.at(col), frame.y.at(row), frame.z_mm(row, col));
    }
  }
  return points;
}

/// The refusal of segment(); "(accepted)" if there is none.
template <class Data>
std::string refusal_of(const Data& data, const ArtefactDrawing& drawing) {
  return testing::refusal_of<SegmentationRefused>([&] { segment(data, drawing); });
}

}  // namespace datum::testing
