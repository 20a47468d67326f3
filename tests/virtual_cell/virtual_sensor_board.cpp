#include "tests/virtual_cell/virtual_sensor_board.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <numbers>
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

/// "1.5:-0.2:0.5": mm along the board's x and y, and degrees about its middle.
Eigen::Isometry3d place_of(const std::string& text, const Eigen::Vector2d& size_mm) {
  double x = 0, y = 0, deg = 0;
  char more = 0;
  if (std::sscanf(text.c_str(), "%lf:%lf:%lf%c", &x, &y, &deg, &more) != 3)
    throw std::invalid_argument("'placed=" + text + "': placed=X:Y:DEG, in mm and degrees");
  const Eigen::Vector3d middle(size_mm.x() / 2, size_mm.y() / 2, 0);
  return Eigen::Translation3d(middle + Eigen::Vector3d(x, y, 0)) *
         Eigen::AngleAxisd(deg * std::numbers::pi / 180, Eigen::Vector3d::UnitZ()) *
         Eigen::Translation3d(-middle);
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
    const bool is_place = word.starts_with("placed=");
    if (is_place) spec.placed = place_of(word.substr(7), cell.nominal.size_mm);
    if (is_fault || is_place || spec.artefact) continue;
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
  VirtualCell here = cell;
  here.view.sensor_from_board = cell.view.sensor_from_board * spec.placed.matrix();
  const HeightFrame frame =
      spec.artefact ? artefact_frame(cell, snapshot) : snapshot_of(here, board, snapshot);
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
