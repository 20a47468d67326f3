#include "daemon/single_shot.h"

#include <fmt/format.h>

#include "daemon/cell/board.h"
#include "daemon/controller/state_reader.h"
#include "daemon/fringe/load_sensor.h"
#include "daemon/gpu_worker/backend_choice.h"
#include "daemon/inspection/board/pipeline.h"
#include "daemon/inspection/board/pipeline_alignment.h"
#include "daemon/inspection/board/pipeline_snapshots.h"
#include "daemon/inspection/board/snapshot_poses.h"
#include "daemon/inspection/surface/pipeline_surface.h"
#include "daemon/inspection/verdict/plain_reason.h"
#include "daemon/inspection/verdict/verdict_table.h"
#include "daemon/pictures/part_files.h"
#include "daemon/pictures/picture.h"
#include "daemon/pictures/snapshot_pictures.h"
#include "daemon/text/table.h"
#include "drivers/sensor/file_bytes.h"
#include "drivers/sensor/read_frame.h"

namespace datum {

namespace {

/// The parsed input files: recipe, sensor, calibration.
struct Read {
  Recipe recipe;
  SensorProfile sensor;
  std::optional<Calibration> calibration;
  std::vector<HeightFrame> frames;
};

Read read_files(const SingleShotOptions& options) {
  Read read{load_recipe(options.recipe), {}, std::nullopt, {}};
  if (options.calibration) read.calibration = load_calibration(*options.calibration);
  if (!options.positions_mm.empty() && options.positions_mm.size() != options.frames.size())
    throw RefusedError(
        fmt::format("--position is given {} times for {} frames; give it once for each, or not at all",
                    options.positions_mm.size(), options.frames.size()));
  if (!read.recipe.takes_snapshots() && options.frames.size() > 1)
    throw RefusedError("recipe '" + read.recipe.name + "' is of a board, which is one frame");
  if (read.recipe.is_board_of_snapshots() && options.frames.size() > read.recipe.snapshots.count())
    throw RefusedError(fmt::format("recipe '{}' has {} snapshots, {} frames are given", read.recipe.name,
                                   read.recipe.snapshots.count(), options.frames.size()));
  return read;
}

void read_frames(const SingleShotOptions& options, const BackendChoice& backend, Read& read) {
  read.sensor = load_sensor(options.sensor, backend.demodulator);
  for (const auto& file : options.frames) read.frames.push_back(read_frame(link_followed(file), read.sensor));
}

InspectionInputs inputs_of(const SingleShotOptions& options, const Read& read, std::int64_t utc_ns) {
  InspectionInputs inputs;
  inputs.recipe = &read.recipe;
  inputs.sensor = &read.sensor;
  inputs.calibration = read.calibration ? &*read.calibration : nullptr;
  inputs.measured_at = iso8601(utc_ns);
  inputs.now_utc_s = utc_ns / 1'000'000'000;
  if (options.temperature_degc)
    inputs.temperature = TemperatureReading{*options.temperature_degc, inputs.now_utc_s};
  inputs.unit_id = options.unit;
  inputs.threads = options.backend.threads;
  return inputs;
}

/// The pose from the operator's stage position; no measurement before and after the exposure confirms it.
Pose pose_of(const SingleShotOptions& options, std::size_t i) {
  Pose pose;
  if (options.positions_mm.empty()) return pose;
  pose.used = true;
  pose.q_mm = options.positions_mm[i];
  for (ProbePoint* point : {&pose.before, &pose.after}) {
    point->position_mm = pose.q_mm;
    point->head_deg = options.head_deg;
    point->state = ProbeState::ok;
    point->detail = "as given by --position";
  }
  return pose;
}

void print(const SingleShotOptions& options, BoardVerdict verdict) {
  verdict.controller = StateReader().read();
  if (!verdict.controller->gpu) verdict.controller->gpu_absent = "not asked for one frame";
  if (options.json) {
    fmt::print("{}\n", to_json(verdict));
    return;
  }
  fmt::print("{}", boards_text(verdict, wants_colour(stdout)));
  fmt::print("{}", component_table(verdict).text(wants_colour(stdout)));
  fmt::print("{}: {}{}\n",
             verdict.surface          ? "part"
             : verdict.boards.empty() ? "board"
                                      : "panel",
             name_of(verdict.decision),
             verdict.decision == Decision::pass ? "" : ": " + plain_reason(verdict));
}

int measure_board(const SingleShotOptions& options, const Read& read, InspectionInputs inputs,
                  BoardMeasurer& measurer) {
  inputs.pose = pose_of(options, 0);
  const HeightFrame& frame = read.frames.front();
  const BoardVerdict verdict = inspect(frame, inputs, measurer);
  print(options, verdict);
  if (!options.picture) return exit_status(verdict.decision);
  try {
    const auto stretched = stretched_recipe(read.recipe, verdict.stages);
    write_picture(*options.picture, frame, stretched ? *stretched : read.recipe, verdict,
                  moved(board_from_sensor(inputs), verdict.stages).inverse());
  } catch (const CalibrationError& error) {  // the verdict states it too; it stands without a picture
    fmt::print(stderr, "no picture: {}\n", error.what());
  }
  return exit_status(verdict.decision);
}

/// The snapshots in the order of the recipe's poses; those that --position shows to be passed over are missing.
std::vector<BoardSnapshot> snapshots_of(const SingleShotOptions& options, const Read& read) {
  const SnapshotPlan& plan = read.recipe.snapshots;
  std::vector<BoardSnapshot> snapshots(plan.count(), {nullptr, {}, "it is not given"});
  std::size_t due = 0;
  for (std::size_t i = 0; i < read.frames.size(); ++i) {
    const Pose pose = pose_of(options, i);
    const std::optional<std::size_t> at = pose_from(plan, due, pose);
    if (due >= plan.count() || (pose.used && !at))
      throw RefusedError(
          fmt::format("frame {}: {}", i + 1, pose_refusal(plan, std::min(due, plan.count() - 1), pose)));
    snapshots[at.value_or(due)] = {&read.frames[i], pose, {}};
    due = at.value_or(due) + 1;
  }
  return snapshots;
}

int measure_snapshots(const SingleShotOptions& options, const Read& read, const InspectionInputs& inputs,
                      BoardMeasurer& measurer) {
  const std::vector<BoardSnapshot> snapshots = snapshots_of(options, read);
  const BoardVerdict verdict = inspect_snapshots(snapshots, inputs, measurer);
  print(options, verdict);
  if (options.picture) write_snapshot_pictures(*options.picture, snapshots, inputs, verdict);
  return exit_status(verdict.decision);
}

int measure_part(const SingleShotOptions& options, const Read& read, const InspectionInputs& inputs) {
  std::vector<SurfaceFrame> frames;
  for (std::size_t i = 0; i < read.frames.size(); ++i)
    frames.push_back({&read.frames[i], pose_of(options, i)});
  SurfaceModels models;
  const SurfaceInspection part =
      inspect_surface(frames, inputs, models, cpu_backend(options.backend.threads));
  print(options, part.verdict);
  if (options.picture && part.map) {
    write_part_files(*options.picture, *read.recipe.surface, *part.map, part.cover, part.facets.get(),
                     part.verdict);
  } else if (options.picture) {
    fmt::print(stderr, "no picture: nothing was compared\n");
  }
  return exit_status(part.verdict.decision);
}

}  // namespace

int measure_single_shot(const SingleShotOptions& options, std::int64_t utc_ns) {
  Read read = read_files(options);  // errors in the files are reported before a GPU is started
  const BackendChoice backend =
      choose_backend(options.backend, Timeout::of_one_frame,
                     [](bool, const std::string& text) { fmt::print(stderr, "backend: {}\n", text); });
  read_frames(options, backend, read);
  InspectionInputs inputs = inputs_of(options, read, utc_ns);
  inputs.finder = backend.finder.get();
  inputs.matcher = backend.matcher.get();
  inputs.sharer = backend.sharer.get();
  inputs.comparer = backend.comparer.get();
  inputs.diffuser = backend.diffuser.get();
  inputs.inverter = backend.inverter.get();
  inputs.correlator = backend.correlator.get();
  if (read.recipe.is_board_of_snapshots()) return measure_snapshots(options, read, inputs, *backend.measurer);
  return read.recipe.surface ? measure_part(options, read, inputs)
                             : measure_board(options, read, inputs, *backend.measurer);
}

}  // namespace datum
