#include "daemon/batch/batch_inputs.h"

#include <fmt/format.h>

#include <stdexcept>

#include "calib/calibration_store.h"
#include "daemon/fringe/load_sensor.h"

namespace datum {

namespace fs = std::filesystem;

BatchInputs::BatchInputs(const fs::path& batch, const ManifestHead& head, const fs::path& frames,
                         std::size_t boards)
    : frames_(frames.empty() ? head.frames : frames),
      calibration_replaced_(head.calibration_replaced),
      sensor_(load_sensor(batch / head.sensor, 1)) {
  if (sensor_.sha256 != head.sensor_sha256)
    throw std::runtime_error(
        fmt::format("{}: SHA-256 {}, the manifest names {}; bring that file back, or make the "
                    "manifest anew",
                    (batch / head.sensor).string(), sensor_.sha256, head.sensor_sha256));
  if (!fs::is_directory(frames_))
    throw std::runtime_error(fmt::format(
        "{}: no such folder; --frames names the folder of the frames on this machine", frames_.string()));
  sensor_.reading.buffers = std::make_shared<FrameBuffers>(boards);
  for (const auto& entry : fs::directory_iterator(batch / "recipes")) {
    if (entry.path().extension() != ".toml") continue;
    Recipe recipe = load_recipe(entry.path());
    const std::string sha256 = recipe.sha256;
    recipes_.emplace(sha256, std::move(recipe));
  }
  if (!fs::exists(batch / "calibrations")) return;
  const CalibrationStore calibrations(batch / "calibrations");
  for (const Calibration& c : calibrations.all()) calibrations_.emplace(c.id, c);
}

std::shared_ptr<Replay> BatchInputs::prepare(const BatchUnit& unit, BoardMeasurer& measurer) const {
  const BoardVerdict& asked = unit.asked;
  const auto recipe = recipes_.find(asked.recipe_sha256);
  if (recipe == recipes_.end())
    throw std::runtime_error(
        fmt::format("recipe '{}' with SHA-256 {} is not in the batch", asked.recipe, asked.recipe_sha256));
  ReplayPlaces places;
  places.deliveries = frames_;
  places.instead = &recipe->second;
  if (recipe->second.in_machine_coordinates) {
    const auto calibration = calibrations_.find(asked.calibration);
    if (calibration == calibrations_.end())
      throw std::runtime_error(fmt::format("calibration '{}' is not in the batch", asked.calibration));
    places.calibration_instead = &calibration->second;
  }
  const auto replay = prepare_replay(asked, places, sensor_, measurer, 1);
  replay->frames = frames_;
  replay->as_of_calibration = calibration_replaced_;
  return replay;
}

void BatchInputs::release(Replay& replay) const {
  for (HeightFrame& frame : replay.read) sensor_.reading.buffers->give(std::move(frame));
  replay.read.clear();
}

}  // namespace datum
