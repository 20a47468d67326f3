// One board before the virtual sensor: what is wrong with it, how it is rendered, how its frame is delivered.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/virtual_cell/virtual_sensor_cell.h"
#include "tests/virtual_cell/virtual_sensor_drop.h"

namespace datum {

struct BoardSpec {
  std::string text;                  // as given
  std::vector<std::string> defects;  // words of apply_defect
  DropFault fault = DropFault::none;
  bool artefact = false;  // the cell's artefact lies there, no board
};

/// "missing=C3,lifted=U1:80,duplicate", or "artefact" with a fault at most. Throws std::invalid_argument where a word or reference is not known.
BoardSpec parse_board(const std::string& text, const VirtualCell& cell);

struct Snapshot {
  std::uint64_t seed = 1, frame = 1;
  std::int64_t utc_ns = 0;
  DropFormat format = DropFormat::tiff16;
};

struct DeliveredBoard {
  std::string frame_id, spec, stem;
  std::uint64_t seed = 0;
  std::vector<TwinTruth> truth;
};

/// The frame of board number snapshot.seed, right-handed or as the sensor's hand demands, with its identity.
HeightFrame snapshot_of(const VirtualCell& cell, const TwinBoard& board, const Snapshot& snapshot);

/// Produces, renders and delivers as <serial>_<frame>_<UTC basic time>. Throws std::system_error.
DeliveredBoard deliver_board(const VirtualCell& cell, const BoardSpec& spec, const Snapshot& snapshot,
                             const std::filesystem::path& folder);

}  // namespace datum
