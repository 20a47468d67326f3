#include "daemon/batch/batch_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <fstream>
#include <set>
#include <stdexcept>

#include "calib/calibration_store.h"
#include "config/toml_reader.h"
#include "config/utc_time.h"
#include "daemon/batch/archive_scan.h"
#include "daemon/batch/trial.h"
#include "daemon/fringe/load_sensor.h"
#include "daemon/inspection/surface/surface_recipe.h"
#include "daemon/system/durable_file.h"
#include "gpu/core/numeric_contract.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t page = 32;  // results in memory at once

std::string file_text(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(in), {});
  if (!in) throw std::runtime_error(file.string() + ": can't be read");
  return text;
}

class Planner {
 public:
  explicit Planner(const BatchPlanOptions& options)
      : o_(options), sensor_(load_sensor(options.sensor, options.threads)) {
    if (fs::exists(o_.batch / "manifest.jsonl"))
      throw std::invalid_argument(fmt::format("{}: has a manifest; name a new folder", o_.batch.string()));
    head_.backend = o_.backend;
    head_.code = measuring_code();
    head_.contract = numeric_contract;
    head_.frames = fs::absolute(o_.frames).lexically_normal();
    head_.sensor_sha256 = sensor_.sha256;
    // Its calibration of phases lies beside it.
    if (sensor_.fringe) head_.sensor = fs::absolute(o_.sensor).lexically_normal();
    if (o_.recipe) recipe_ = load_recipe(*o_.recipe);
    if (o_.calibration) calibration_ = load_calibration(*o_.calibration);
    head_.calibration_replaced = calibration_.has_value() && !o_.store.empty();
  }

  BatchPlanReport plan() {
    fs::create_directories(o_.batch / "recipes");
    fs::create_directories(o_.batch / "calibrations");
    if (o_.store.empty())
      plan_archive();
    else
      plan_store();
    if (head_.sensor.is_relative()) write_file_durably(o_.batch / head_.sensor, file_text(o_.sensor));
    if (const std::string before = before_text(units_); !before.empty()) {
      head_.before_sha256 = config::sha256_hex(before);
      write_file_durably(o_.batch / "before.txt", before);
    }
    write_file_durably(o_.batch / "manifest.jsonl", manifest_text(head_, units_, unmeasurable_));
    return {Manifest::load(o_.batch).size(), unmeasurable_};
  }

 private:
  void plan_store() {
    auto store = ResultStore::read_only(o_.store);
    std::deque<BatchUnit> units;
    ResultFilter filter = o_.results;
    for (;;) {
      const auto results = store.list(filter, page, ResultOrder::oldest_first);
      for (const StoredResult& result : results) {
        if (auto unit = unit_of(result, store)) units.push_back(*std::move(unit));
        if (o_.newest && units.size() > *o_.newest) units.pop_front();
      }
      if (results.size() < page) break;
      filter.after = results.back().sequence;
    }
    units_.assign(std::make_move_iterator(units.begin()), std::make_move_iterator(units.end()));
    if (units_.empty() && unmeasurable_.empty())
      throw std::invalid_argument(
          fmt::format("{}: no result measured a frame, of those that were asked for", o_.store.string()));
  }

  /// None: nothing was measured then, or it can't be measured now, which is noted.
  std::optional<BatchUnit> unit_of(const StoredResult& result, ResultStore& store) {
    try {
      const BoardVerdict then = result.verdict();
      if (!has_measurement(then)) return std::nullopt;
      if (then.sensor_profile_sha256 != sensor_.sha256)
        throw std::runtime_error(
            fmt::format("the sensor's profile was {}, is {}", then.sensor_profile_sha256, sensor_.sha256));
      BatchUnit unit;
      unit.asked = inputs_of_result(then);
      unit.before = then;
      const Recipe recipe = recipe_of(then, store);
      complete(unit.asked, recipe, [&] { return calibration_of_then(then); });
      unit.key = key_of(unit.asked);
      keep_compact(*unit.before);
      return unit;
    } catch (const std::exception& error) {
      unmeasurable_.push_back({fmt::format("result {}", result.sequence), error.what()});
      return std::nullopt;
    }
  }

  /// The evidence of a board takes a hundred times as much.
  static void keep_compact(BoardVerdict& before) { before = before_from_json(before_to_json(before)); }

  Recipe recipe_of(const BoardVerdict& then, ResultStore& store) {
    if (recipe_) return *recipe_;
    const auto text = store.recipe_text(then.recipe_sha256);
    if (!text)
      throw std::runtime_error(
          fmt::format("the store keeps no text of recipe '{}' of then; --recipe names one", then.recipe));
    config::Problems problems;
    Recipe recipe = recipe_from_text(*text, then.recipe + " in the result store", problems);
    if (!problems.errors().empty()) throw std::runtime_error(problems.errors().front().what());
    if (recipe.surface)
      throw std::runtime_error(
          "the store keeps no model of a part; --recipe names the recipe beside its model");
    kept_.emplace(recipe.sha256, *text);
    return recipe;
  }

  Calibration calibration_of_then(const BoardVerdict& then) {
    Calibration found = CalibrationStore(o_.calibrations).find(then.calibration);
    if (found.sha256 != then.calibration_sha256)
      throw std::runtime_error(fmt::format("calibration {} was {}, is {}", then.calibration,
                                           then.calibration_sha256, found.sha256));
    return found;
  }

  /// Recipe, calibration, code and backend of a unit, and their copies in the batch.
  template <class OfThen>
  void complete(BoardVerdict& asked, const Recipe& recipe, const OfThen& of_then) {
    asked.recipe = recipe.name;
    asked.recipe_sha256 = recipe.sha256;
    asked.code = head_.code;
    asked.backend = head_.backend;
    asked.calibration = "none";
    asked.calibration_sha256.clear();
    if (recipe.in_machine_coordinates) {
      const Calibration c = calibration_ ? *calibration_ : of_then();
      asked.calibration = c.id;
      asked.calibration_sha256 = c.sha256;
      if (copied_.insert("calibration " + c.sha256).second)
        write_file_durably(o_.batch / "calibrations" / (c.id + ".toml"), file_text(c.file));
    }
    if (copied_.insert("recipe " + recipe.sha256).second) copy(recipe);
  }

  void copy(const Recipe& recipe) {
    const auto kept = kept_.find(recipe.sha256);
    write_file_durably(o_.batch / "recipes" / (recipe.sha256 + ".toml"),
                       kept != kept_.end() ? kept->second : file_text(*o_.recipe));
    if (!recipe.surface) return;
    const SurfaceModelSettings& model = recipe.surface->model;
    const fs::path to = o_.batch / "recipes" / model.file;
    fs::create_directories(to.parent_path());
    fs::copy_file(model.folder / model.file, to, fs::copy_options::overwrite_existing);
  }

  void plan_archive() {
    if (!recipe_) throw std::invalid_argument("an archive needs --recipe");
    if (recipe_->takes_snapshots())
      throw std::invalid_argument(
          fmt::format("recipe '{}' takes several frames a part, and an archive does not say which; name the "
                      "--store of its results",
                      recipe_->name));
    if (recipe_->in_machine_coordinates && !calibration_)
      throw std::invalid_argument(
          fmt::format("recipe '{}' is in machine coordinates, and needs --calibration", recipe_->name));
    std::map<std::string, StagePosition> positions;
    if (o_.positions) positions = positions_from_text(file_text(*o_.positions), o_.positions->string());
    for (const ArchivedFrame& frame : scan_archive(head_.frames, sensor_, o_.threads, unmeasurable_)) {
      BatchUnit unit;
      if (o_.positions) {
        const auto at = positions.find(frame.file);
        if (at == positions.end()) {
          unmeasurable_.push_back({frame.file, o_.positions->string() + " states no position of it"});
          continue;
        }
        place(unit.asked.pose, at->second);
      }
      ask(unit.asked, frame);
      complete(unit.asked, *recipe_, [] { return Calibration(); });
      unit.key = key_of(unit.asked);
      units_.push_back(std::move(unit));
    }
    if (units_.empty() && unmeasurable_.empty())
      throw std::invalid_argument(fmt::format("{}: no frame lies there", head_.frames.string()));
  }

  /// As the operator states it; no measurement before and after the exposure confirms it.
  static void place(Pose& pose, const StagePosition& at) {
    pose.used = true;
    pose.q_mm = at.mm;
    for (ProbePoint* point : {&pose.before, &pose.after}) {
      point->position_mm = at.mm;
      point->head_deg = at.head_deg;
      point->state = ProbeState::ok;
      point->detail = "as given by --positions";
    }
  }

  void ask(BoardVerdict& asked, const ArchivedFrame& frame) const {
    asked.frame_id = frame.frame_id;
    asked.frame_sha256 = frame.sha256;
    asked.frame_source = frame.file;
    asked.unit_id = frame.unit_id;
    asked.sensor_serial = sensor_.serial;
    asked.sensor_profile_sha256 = sensor_.sha256;
    // A frame that states no time is asked about the calibration's own.
    const std::int64_t utc_s = frame.utc_s ? *frame.utc_s : calibration_ ? calibration_->made_utc_s : 0;
    asked.measured_at = iso8601_from_utc(utc_s);
  }

  const BatchPlanOptions& o_;
  const SensorProfile sensor_;
  ManifestHead head_;
  std::optional<Recipe> recipe_;
  std::optional<Calibration> calibration_;
  std::map<std::string, std::string> kept_;  // texts of recipes in the store, by SHA-256
  std::set<std::string> copied_;
  std::vector<BatchUnit> units_;
  std::vector<Unmeasurable> unmeasurable_;
};

}  // namespace

BatchPlanReport plan_batch(const BatchPlanOptions& options) { return Planner(options).plan(); }

}  // namespace datum
