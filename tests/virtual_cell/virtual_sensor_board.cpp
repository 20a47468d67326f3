#include "tests/virtual_cell/virtual_sensor_board.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "daemon/inspection/board/site_map.h"

namespace datum {
namespace {

std::string basic_time(std::int64_t utc_ns) {
  const std::time_t seconds = utc_ns / 1'000'000'000;
  return fmt::format("{:%Y%m%dT%H%M%S}Z", fmt::gmtime(seconds));
}

std::string frame_id_of(std::uint64_t frame) { return fmt::format("{:06}", frame); }

TwinBoard board_of(const VirtualCell& cell, const BoardSpec& spec, std::uint64_t seed) {
  TwinBoard board = produce(cell.nominal, cell.spread, seed);
  for (const std::string& defect : spec.defects) apply_defect(board, defect);
  return board;
}

}  // namespace

BoardSpec parse_board(const std::string& text, const VirtualCell& cell) {
  static const std::pair<const char*, DropFault> faults[] = {{"truncated", DropFault::truncated},
                                                             {"wrong-sha", DropFault::wrong_sha},
                                                             {"duplicate", DropFault::duplicate},
                                                             {"sidecar-first", DropFault::sidecar_first}};
  BoardSpec spec;
  spec.text = text;
  TwinBoard trial = cell.nominal;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    bool is_fault = false;
    for (const auto& [name, fault] : faults) {
      if (word != name) continue;
      spec.fault = fault;
      is_fault = true;
    }
    if (word == "artefact" && !cell.artefact)
      throw std::invalid_argument("'artefact': there is none; --artefact DRAWING --mount FILE");
    if (word == "artefact") spec.artefact = true;
    if (is_fault || spec.artefact) continue;
    apply_defect(trial, word);
    spec.defects.push_back(word);
  }
  return spec;
}

namespace {

HeightFrame frame_of(const VirtualCell& cell, const TwinSurface& surface, const Snapshot& snapshot) {
  TwinSensor sensor = cell.sensor;
  sensor.noise = drift(cell.sensor.noise, cell.spread, snapshot.board.value_or(snapshot.seed));
  HeightFrame frame = render(surface, cell.view, sensor, snapshot.seed);
  frame.job = cell.recipe;
  frame.frame_id = frame_id_of(snapshot.frame);
  frame.captured = {snapshot.utc_ns, ClockDomain::utc};
  frame.source = "virtual-sensor";
  return frame;
}

/// In the sensor's handedness, as its heights.
IntensityImage intensity_of(const VirtualCell& cell, std::uint64_t seed) {
  HeightFrame grid;
  grid.rows = cell.view.rows;
  grid.cols = cell.view.cols;
  grid.x = cell.view.x;
  grid.y = cell.view.y;
  const BoardView view(
      grid, Htm<Board, Sensor>(Htm<Sensor, Board>(Eigen::Matrix4d(cell.view.sensor_from_board)).inverse()));
  IntensityImage image =
      draw_grey(*cell.grey, cell.nominal.size_mm,
                {grid.rows, grid.cols, view.origin(), view.per_col(), view.per_row()}, seed);
  if (cell.sensor.left_handed)
    for (auto row = image.grey.begin(); row != image.grey.end(); row += image.cols)
      std::reverse(row, row + image.cols);
  return image;
}

HeightFrame artefact_frame(const VirtualCell& cell, const Snapshot& snapshot) {
  return frame_of(cell, look_at(*cell.artefact, cell.sensor_from_artefact, cell.view).surface, snapshot);
}

}  // namespace

HeightFrame snapshot_of(const VirtualCell& cell, const TwinBoard& board, const Snapshot& snapshot) {
  HeightFrame frame = frame_of(cell, look_at(board, cell.view), snapshot);
  if (cell.grey) frame.intensity = intensity_of(cell, snapshot.seed);
  return frame;
}

DeliveredBoard deliver_board(const VirtualCell& cell, const BoardSpec& spec, const Snapshot& snapshot,
                             const std::filesystem::path& folder) {
  const TwinBoard board = board_of(cell, spec, snapshot.board.value_or(snapshot.seed));
  const HeightFrame frame =
      spec.artefact ? artefact_frame(cell, snapshot) : snapshot_of(cell, board, snapshot);
  DeliveredBoard delivered;
  delivered.frame_id = frame.frame_id;
  delivered.spec = spec.text;
  delivered.seed = snapshot.seed;
  if (!spec.artefact) delivered.truth = truth_of(board);
  delivered.stem = fmt::format("{}_{}_{}", cell.sensor.serial, frame.frame_id, basic_time(snapshot.utc_ns));
  deliver(frame, snapshot.format, spec.fault, folder, delivered.stem);
  return delivered;
}

}  // namespace datum
