#include "daemon/cell/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "calib/calibration_store.h"
#include "config/toml_reader.h"
#include "config/utc_time.h"
#include "daemon/inspection/board/pipeline_snapshots.h"
#include "daemon/inspection/verdict/panel_refusal.h"
#include "daemon/instrument/scpi_error.h"
#include "drivers/sensor/file_bytes.h"
#include "drivers/sensor/read_frame.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

/// Files of a frame's name are tried until one has the very bytes of then.
class FrameSearch {
 public:
  FrameSearch(const Replay& replay, std::string sha256)
      : replay_(replay), sha256_(std::move(sha256)), as_then_(with_scheme_of(*replay.sensor, sha256_)) {}

  /// None: it is not there, or has other bytes, which is noted.
  std::optional<HeightFrame> in(const fs::path& file) {
    std::error_code none;
    if (!fs::exists(file, none)) return std::nullopt;
    there_ = true;
    HeightFrame frame = read_frame(file, as_then_);
    if (frame.content_sha256 == sha256_) return frame;
    if (other_.empty())
      other_ = fmt::format("; {} has other bytes, sha256 {}", file.string(), frame.content_sha256);
    return std::nullopt;
  }
  /// Of those that were delivered under this name.
  std::optional<HeightFrame> delivered_as(const std::string& delivery, const fs::path& name) {
    for (int copy = 1;; ++copy) {
      there_ = false;
      auto frame = in(replay_.frames / (delivery + (copy > 1 ? fmt::format("~{}", copy) : "")) / name);
      if (frame || !there_) return frame;
    }
  }
  const std::string& other() const { return other_; }

 private:
  const Replay& replay_;
  const std::string sha256_;
  const SensorProfile as_then_;
  bool there_ = false;
  std::string other_;  // one of the name with other bytes
};

/// A later delivery may have had its name. Throws FrameError.
HeightFrame stored_frame(const Replay& replay, const std::string& id, const std::string& source,
                         const std::string& sha256) {
  FrameSearch search(replay, sha256);
  if (stays_below(source) && fs::path(source).has_parent_path())
    if (auto frame = search.in(replay.frames / source)) return *std::move(frame);
  const fs::path name = fs::path(source).filename();
  const std::string stem = name.stem().string();
  if (auto frame = search.in(replay.frames / name)) return *std::move(frame);
  if (auto frame = search.delivered_as(stem, name)) return *std::move(frame);
  if (stem.ends_with("_z")) {  // STEM_z.tif was delivered by the sidecar STEM.json
    if (auto frame = search.delivered_as(stem.substr(0, stem.size() - 2), name)) return *std::move(frame);
  }
  throw std::runtime_error(fmt::format("frame {} with sha256 {} is no longer in {}{}", id, sha256,
                                       replay.frames.string(), search.other()));
}

/// The calibration held then, so it is asked about that time; the temperature of then is not stored and can only
/// have refused it, not changed a number.
InspectionInputs inputs_of(const Replay& replay) {
  InspectionInputs inputs;
  inputs.recipe = replay.recipe;
  inputs.sensor = replay.sensor;
  inputs.calibration = replay.calibration ? &*replay.calibration : nullptr;
  inputs.pose = replay.verdict.pose;
  inputs.measured_at = replay.verdict.measured_at;
  inputs.now_utc_s = utc_from_iso8601(replay.verdict.measured_at.substr(0, 19) + "Z").value_or(0);
  if (replay.as_of_calibration && replay.calibration) inputs.now_utc_s = replay.calibration->made_utc_s;
  if (replay.calibration && replay.calibration->temperature)
    inputs.temperature = TemperatureReading{replay.calibration->temperature->measured_degc, inputs.now_utc_s};
  else if (const auto& reader = replay.sensor->reader; reader && reader->good_at_degc())
    inputs.temperature = TemperatureReading{*reader->good_at_degc(), inputs.now_utc_s};
  inputs.unit_id = replay.verdict.unit_id;
  inputs.threads = replay.threads;
  inputs.finder = replay.means.finder;
  inputs.matcher = replay.means.matcher;
  inputs.sharer = replay.means.sharer;
  inputs.comparer = replay.means.comparer;
  inputs.diffuser = replay.means.diffuser;
  inputs.inverter = replay.means.inverter;
  inputs.correlator = replay.means.correlator;
  inputs.planner = replay.means.planner;
  return inputs;
}

/// Numbers of a panel's boards: a host may have stated them.
void restate_serials(const BoardVerdict& v, HeightFrame& frame) {
  std::vector<std::string> serials;
  for (const PanelBoard& board : v.boards) serials.push_back(board.unit_id);
  if (std::all_of(serials.begin(), serials.end(), [](const std::string& s) { return s.empty(); })) return;
  if (!frame.panel) frame.panel.emplace();
  frame.panel->serials = std::move(serials);
}

/// Which number a board of a panel has, and how often it came, is not in its heights.
void restate_boards(const Replay& replay, BoardVerdict& again) {
  const std::vector<PanelBoard>& then = replay.verdict.boards;
  if (!replay.recipe->panel || again.boards.size() != then.size()) return;
  for (std::size_t i = 0; i < then.size(); ++i) {
    if (then[i].reason == Reason::serial) refuse_board(again, i, Reason::serial, then[i].detail);
    again.boards[i].attempt = then[i].attempt;
  }
}

/// A snapshot without a frame is as it was then.
BoardVerdict snapshots_again(Replay& replay) {
  if (!replay.read.empty()) restate_serials(replay.verdict, replay.read.front());
  std::vector<BoardSnapshot> snapshots;
  auto frame = replay.read.begin();
  for (const SnapshotEvidence& s : replay.verdict.snapshots) {
    if (s.frame_sha256.empty())
      snapshots.push_back({nullptr, s.pose, s.missing.value_or("")});
    else
      snapshots.push_back({&*frame++, s.pose, {}});
  }
  BoardVerdict again = inspect_snapshots(snapshots, inputs_of(replay), *replay.measurer);
  restate_boards(replay, again);
  return again;
}

BoardVerdict board_again(Replay& replay) {
  const BoardVerdict& v = replay.verdict;
  if (!v.snapshots.empty()) return snapshots_again(replay);
  HeightFrame& frame = replay.read.front();
  restate_serials(v, frame);
  BoardVerdict again = inspect(frame, inputs_of(replay), *replay.measurer);
  restate_boards(replay, again);
  return again;
}

BoardVerdict part_again(const Replay& replay) {
  std::vector<SurfaceFrame> snapshots;
  for (std::size_t i = 0; i < replay.read.size(); ++i)
    snapshots.push_back({&replay.read[i], replay.verdict.surface->snapshots[i].pose});
  std::vector<HoleEvidence> holes;  // touched then; a probe does not come back
  for (const ComponentVerdict& c : replay.verdict.components)
    if (c.hole) holes.push_back(*c.hole);
  InspectionInputs inputs = inputs_of(replay);
  inputs.holes = holes;
  SurfaceModels own(replay.models);
  SurfaceModels& models = replay.means.models ? *replay.means.models : own;
  return inspect_surface(snapshots, inputs, models, cpu_backend(replay.threads)).verdict;
}

nlohmann::json compared(const BoardVerdict& verdict) {
  const auto all = nlohmann::json::parse(to_json(verdict));
  nlohmann::json part;
  for (const char* key : {"decision", "reason", "detail", "components"}) part[key] = all.at(key);
  for (const char* key : {"stages", "boards"})  // what made the frame's heights; the boards of a panel
    if (all.contains(key)) part[key] = all.at(key);
  return part;
}

[[noreturn]] void refuse_changed(const char* what, const std::string& name, const std::string& then,
                                 const std::string& now) {
  throw scpi::Error(scpi::data_corrupt_or_stale, fmt::format("{} {} was {}, is {}", what, name, then, now));
}

/// None: none is kept. Throws scpi::Error where the kept one can't be read.
std::optional<Recipe> archived_recipe(const BoardVerdict& v, const ReplayPlaces& places) {
  std::optional<std::string> text;
  try {
    if (places.recipe_text) text = places.recipe_text(v.recipe_sha256);
  } catch (const std::exception& error) {
    throw scpi::Error(scpi::data_corrupt_or_stale, error.what());
  }
  if (!text) return std::nullopt;
  config::Problems problems;
  Recipe recipe =
      recipe_from_text(*text, fmt::format("{} in the result store", v.recipe), problems, places.texts);
  if (!problems.errors().empty())
    throw scpi::Error(scpi::data_corrupt_or_stale, problems.errors().front().what());
  recipe.file = places.recipes / (v.recipe + ".toml");  // a part's model lies beside it
  return recipe;
}

void find_recipe(Replay& replay, const ReplayPlaces& places) {
  const BoardVerdict& v = replay.verdict;
  replay.recipes = std::make_shared<const RecipeStore>(places.recipes, nullptr, 0, places.texts);
  replay.recipe = replay.recipes->find(v.recipe);
  if (replay.recipe && replay.recipe->sha256 == v.recipe_sha256) return;
  const Recipe* edited = replay.recipe;
  replay.archived = archived_recipe(v, places);
  if (replay.archived) {
    replay.recipe = &*replay.archived;
    return;
  }
  if (!edited) throw scpi::Error(scpi::file_name_not_found, fmt::format("no recipe '{}' any more", v.recipe));
  refuse_changed("recipe", v.recipe, v.recipe_sha256, edited->sha256);
}

Calibration calibration_of(const BoardVerdict& v, const ReplayPlaces& places) {
  try {
    return CalibrationStore(places.calibrations, places.texts).find(v.calibration);
  } catch (const CalibrationError& error) {
    throw scpi::Error(scpi::file_name_not_found, error.what());
  }
}

}  // namespace

std::shared_ptr<Replay> prepare_replay(const BoardVerdict& v, const ReplayPlaces& places,
                                       const SensorProfile& sensor, BoardMeasurer& measurer,
                                       unsigned threads) {
  if (v.frame_sha256.empty())
    throw scpi::Error(scpi::file_name_not_found,
                      fmt::format("result {} has no frame: {}", v.sequence, name_of(v.reason)));
  // What made it INVALID is not in its frame.
  if (v.reason == Reason::reference_check || v.reason == Reason::serial)
    throw scpi::Error(scpi::file_name_not_found,
                      fmt::format("result {} was not measured: {}", v.sequence, name_of(v.reason)));
  auto replay = std::make_shared<Replay>();
  replay->verdict = v;
  if (places.deliveries.empty())
    throw scpi::Error(scpi::file_name_not_found,
                      "this cell does not keep its frames; see the sensor's table in datumd.toml");
  replay->frames = places.deliveries / "done";
  replay->models = places.models;
  if (places.instead)
    replay->recipe = places.instead;
  else
    find_recipe(*replay, places);
  if (replay->recipe->in_machine_coordinates) {
    replay->calibration =
        places.calibration_instead ? *places.calibration_instead : calibration_of(v, places);
    if (replay->calibration->sha256 != v.calibration_sha256)
      refuse_changed("calibration", v.calibration, v.calibration_sha256, replay->calibration->sha256);
  }
  if (sensor.sha256 != v.sensor_profile_sha256)
    refuse_changed("sensor profile", sensor.serial, v.sensor_profile_sha256, sensor.sha256);
  replay->sensor = &sensor;
  replay->measurer = &measurer;
  replay->threads = threads;
  return replay;
}

std::string first_difference(const BoardVerdict& then, const BoardVerdict& now) {
  const nlohmann::json a = compared(then), b = compared(now);
  const auto steps = nlohmann::json::diff(a, b);
  if (steps.empty()) return "";
  const nlohmann::json& step = steps.front();
  const std::string where = step.at("path");
  const nlohmann::json::json_pointer at(where);
  const auto told = [&](const nlohmann::json& of) { return of.contains(at) ? of.at(at).dump() : "nothing"; };
  return fmt::format("{}: {}, now {}", where, told(a), told(b));
}

void load(Replay& replay) {
  const BoardVerdict& v = replay.verdict;
  replay.read.clear();
  const auto& several = v.surface ? v.surface->snapshots : v.snapshots;
  for (const SnapshotEvidence& s : several)
    if (v.surface || !s.frame_sha256.empty())
      replay.read.push_back(stored_frame(replay, s.frame_id, s.frame_source, s.frame_sha256));
  if (!v.surface && several.empty())
    replay.read.push_back(stored_frame(replay, v.frame_id, v.frame_source, v.frame_sha256));
  replay.loaded = true;
}

BoardVerdict measure_again(Replay& replay) {
  if (!replay.loaded) load(replay);
  return replay.verdict.surface ? part_again(replay) : board_again(replay);
}

void run(Replay& replay) {
  try {
    replay.now = measure_again(replay);
    replay.detail = first_difference(replay.verdict, *replay.now);
    if (!replay.detail.empty() && replay.now->code != replay.verdict.code)
      replay.detail += fmt::format("; datumd was {}, is {}", replay.verdict.code, replay.now->code);
  } catch (const std::exception& error) {
    replay.failed = true;
    replay.detail = error.what();
  }
}

}  // namespace datum
