// One board under the virtual sensor: its defects, rendering and delivery.
#pragma once

#include <Eigen/Geometry>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tests/virtual_cell/virtual_sensor_cell.h"
#include "tests/virtual_cell/virtual_sensor_drop.h"

namespace datum {

struct BoardSpec {
  std::string text;                  // as given
  std::vector<std::string> defects;  // defects of apply_defect
  DropFault fault = DropFault::none;
  bool artefact = false;  // the cell's artefact instead of a board
  Eigen::Isometry3d placed =
      Eigen::Isometry3d::Identity();  // from the recipe's place, in board coordinates, mm
};

/// "missing=C3,lifted=U1:80,duplicate", or "artefact" with at most one fault. "placed=X:Y:DEG": the board lies shifted by X, Y mm and
/// turned by DEG about its middle. Throws std::invalid_argument for an unknown defect or reference.
BoardSpec parse_board(const std::string& text, const VirtualCell& cell);

struct Snapshot {
  std::uint64_t seed = 1, frame = 1;
  std::int64_t utc_ns = 0;
  DropFormat format = DropFormat::tiff16;
  std::optional<std::uint64_t> board{};  // seed of the board, where several snapshots show one; else `seed`
};

struct DeliveredBoard {
  std::string frame_id, spec, stem;
  std::uint64_t seed = 0;
  std::vector<TwinTruth> truth;
};

/// The frame of board number snapshot.seed, in the sensor's handedness, with its identity.
HeightFrame snapshot_of(const VirtualCell& cell, const TwinBoard& board, const Snapshot& snapshot);

/// Produces, renders and delivers as <serial>_<frame>_<UTC basic time>. Throws std::system_error.
DeliveredBoard deliver_board(const VirtualCell& cell, const BoardSpec& spec, const Snapshot& snapshot,
                             const std::filesystem::path& folder);

}  // namespace datum
