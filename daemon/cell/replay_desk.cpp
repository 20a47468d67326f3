#include "daemon/cell/replay_desk.h"

#include <fmt/format.h>

#include "calib/calibration_store.h"
#include "daemon/report/scpi_error.h"

namespace datum {
namespace {

using scpi::Error;

[[noreturn]] void refuse_changed(const char* what, const std::string& name, const std::string& then,
                                 const std::string& now) {
  throw Error(scpi::data_corrupt_or_stale, fmt::format("{} {} was {}, is {}", what, name, then, now));
}

Calibration calibration_of(const BoardVerdict& v, const std::filesystem::path& folder) {
  try {
    return CalibrationStore(folder).find(v.calibration);
  } catch (const CalibrationError& error) {
    throw Error(scpi::file_name_not_found, error.what());
  }
}

}  // namespace

std::shared_ptr<Replay> ReplayDesk::prepared(const BoardVerdict& v) const {
  if (v.frame_sha256.empty())
    throw Error(scpi::file_name_not_found,
                fmt::format("result {} has no frame: {}", v.sequence, name_of(v.reason)));
  auto replay = std::make_shared<Replay>();
  replay->verdict = v;
  if (parts_.deliveries.empty())
    throw Error(scpi::file_name_not_found,
                "this cell does not keep its frames; see the sensor's table in datumd.toml");
  replay->frames = parts_.deliveries / "done";
  replay->recipes = std::make_shared<const RecipeStore>(parts_.recipes);
  replay->recipe = replay->recipes->find(v.recipe);
  if (!replay->recipe)
    throw Error(scpi::file_name_not_found, fmt::format("no recipe '{}' any more", v.recipe));
  if (replay->recipe->sha256 != v.recipe_sha256)
    refuse_changed("recipe", v.recipe, v.recipe_sha256, replay->recipe->sha256);
  if (replay->recipe->in_machine_coordinates) {
    replay->calibration = calibration_of(v, parts_.calibrations);
    if (replay->calibration->sha256 != v.calibration_sha256)
      refuse_changed("calibration", v.calibration, v.calibration_sha256, replay->calibration->sha256);
  }
  if (parts_.sensor.sha256 != v.sensor_profile_sha256)
    refuse_changed("sensor profile", parts_.sensor.serial, v.sensor_profile_sha256, parts_.sensor.sha256);
  replay->sensor = &parts_.sensor;
  replay->measurer = &parts_.measurer;
  replay->threads = parts_.threads;
  return replay;
}

void ReplayDesk::start(std::uint64_t sequence) {
  if (running_)
    throw Error(scpi::settings_conflict, fmt::format("result {} is being replayed", outcome_.sequence));
  parts_.check_idle();
  const auto stored = parts_.reader.get(sequence);
  if (!stored) {
    const StoreExtent have = parts_.reader.extent();
    throw Error(scpi::data_out_of_range, fmt::format("result {}; {} are stored, {} to {}", sequence,
                                                     have.count, have.first, have.last));
  }
  running_ = prepared(stored->verdict());
  outcome_ = {sequence, "RUNNING", ""};
  parts_.worker.submit([replay = running_] { run(*replay); }, [this, replay = running_] { finish(replay); });
}

void ReplayDesk::finish(const std::shared_ptr<Replay>& replay) {
  if (replay != running_) return;  // aborted
  running_.reset();
  outcome_.state = replay->failed ? "FAILED" : replay->detail.empty() ? "SAME" : "DIFFERENT";
  outcome_.detail = replay->detail;
  parts_.changed();
}

void ReplayDesk::abort() {
  if (!std::exchange(running_, nullptr)) return;
  outcome_.state = "FAILED";
  outcome_.detail = "a host aborted it";
}

}  // namespace datum
