#include "daemon/cell/measurement_basis.h"

#include <fmt/format.h>

#include <algorithm>

#include "calib/calibration_store.h"
#include "config/suggestion.h"
#include "config/utc_time.h"
#include "daemon/instrument/scpi_error.h"
#include "daemon/system/event_loop.h"

namespace datum {

namespace {

LogEvent refused_calibration(const std::string& id, const std::string& why) {
  return {Event::calibration_refused, {{"DATUM_CALIBRATION", id}, {"DATUM_REASON", why}}};
}

}  // namespace

MeasurementBasis::MeasurementBasis(MeasurementBasisDependencies dependencies)
    : deps_(std::move(dependencies)) {
  utc_.observe(EventLoop::now(), deps_.utc_ns());
}

std::shared_ptr<const RecipeStore> MeasurementBasis::read_recipes() {
  return recipes_ =
             std::make_shared<const RecipeStore>(deps_.recipes, recipes_.get(), deps_.utc_ns(), deps_.parser);
}

const Recipe& MeasurementBasis::find(const std::string& name, const std::optional<std::string>& sha256) {
  read_recipes();
  const Recipe* found = recipes_->find(name);
  if (!found) {
    config::Words names;
    for (const std::string& known : recipes_->names()) names.insert(known);
    const std::string meant = config::nearest(name, names);
    std::string why = "no recipe '" + name + "'" + (meant.empty() ? "" : "; did you mean '" + meant + "'?");
    for (const std::string& problem : recipes_->problems()) why += "; refused: " + problem;
    throw scpi::Error(scpi::file_name_not_found, why);
  }
  if (sha256 && *sha256 != found->sha256)
    throw scpi::Error(scpi::settings_conflict, "the recipe's file is " + found->sha256);
  if (found->sensor_serial != deps_.sensor.serial)
    throw scpi::Error(scpi::settings_conflict, fmt::format("the recipe is for sensor {}, this cell has {}",
                                                           found->sensor_serial, deps_.sensor.serial));
  return *found;
}

void MeasurementBasis::choose(const Recipe& recipe) {
  recipe_ = std::shared_ptr<const Recipe>(recipes_, &recipe);
  recipe_warnings_ = recipes_->warnings_of(recipe);
  recipe_text_ = recipes_->text_of(recipe);
  deps_.events.log(6, fmt::format("recipe {} chosen, sha256 {}", recipe.name, recipe.sha256),
                   {Event::recipe_chosen, {{"DATUM_RECIPE", recipe.name}}});
}

MeasurementBasis::RecipeChange MeasurementBasis::reload() {
  read_recipes();
  for (const std::string& problem : recipes_->problems())
    deps_.events.log(4, "recipe refused: " + problem, {Event::recipe_refused, {{"DATUM_REASON", problem}}});
  load_calibration();
  if (!recipe_) return RecipeChange::none;
  const Recipe* found = recipes_->find(recipe_->name);
  if (found && found->sha256 == recipe_->sha256) return RecipeChange::none;
  recipe_ = found ? std::shared_ptr<const Recipe>(recipes_, found) : nullptr;
  if (found) {
    recipe_warnings_ = recipes_->warnings_of(*found);
    recipe_text_ = recipes_->text_of(*found);
  }
  return found ? RecipeChange::changed : RecipeChange::gone;
}

void MeasurementBasis::load_calibration() {
  calibration_.reset();
  head_calibrations_.reset();
  calibration_problem_.clear();
  if (deps_.calibration.empty()) return;
  try {
    const CalibrationStore store(deps_.calibrations, deps_.parser);
    calibration_ = std::make_shared<const Calibration>(store.choose(deps_.calibration, deps_.sensor.serial));
    if (deps_.calibration != "current") return;
    std::vector<std::string> refused;
    auto heads = store.heads(deps_.sensor.serial, refused);
    for (const std::string& why : refused)
      deps_.events.log(3, "calibration of a " + why, refused_calibration(deps_.calibration, why));
    if (!heads.empty())
      head_calibrations_ = std::make_shared<const std::vector<Calibration>>(std::move(heads));
  } catch (const std::exception& error) {
    calibration_problem_ = error.what();
    deps_.events.log(3, fmt::format("calibration '{}' can't be used: {}", deps_.calibration, error.what()),
                     refused_calibration(deps_.calibration, error.what()));
  }
}

const std::shared_ptr<const Calibration>& MeasurementBasis::usable_calibration() {
  load_calibration();  // a file may have been changed since the start
  if (const std::string why = calibration_refusal(); !why.empty())
    throw scpi::Error(scpi::calibration_failed, why);
  return calibration_;
}

/// A clock that is set back makes nothing valid again.
std::int64_t MeasurementBasis::now_utc_s() const {
  return std::max(deps_.utc_ns(), utc_.latest_utc_ns(EventLoop::now())) / 1'000'000'000;
}

std::string MeasurementBasis::calibration_refusal() const {
  if (deps_.calibration.empty())
    return "none is configured; set inspection.calibration, or use a recipe in sensor coordinates";
  if (!calibration_) return calibration_problem_;
  const std::int64_t utc_s = now_utc_s();
  const std::string why = refusal(*calibration_, deps_.sensor.serial, utc_s);
  if (!why.empty()) return why;
  return temperature_refusal(*calibration_, temperature_, utc_s, deps_.temperature_max_age_s);
}

std::string MeasurementBasis::refusal_for_recipe() const {
  return recipe_ && recipe_->in_machine_coordinates ? calibration_refusal() : "";
}

/// Of a sensor whose frames datumd makes itself.
std::string MeasurementBasis::reader_refusal() const {
  if (!deps_.sensor.reader) return "";
  CellMoment now{now_utc_s(), std::nullopt, 0, deps_.temperature_max_age_s};
  if (temperature_) {
    now.temperature_degc = temperature_->degc;
    now.temperature_utc_s = temperature_->utc_s;
  }
  return deps_.sensor.reader->refusal(now);
}

void MeasurementBasis::demand_measurable() {
  if (recipe_->in_machine_coordinates) {
    load_calibration();  // a file may have been changed since the start
    if (const std::string why = calibration_refusal(); !why.empty()) {
      deps_.events.log(4, "calibration refused: " + why, refused_calibration(deps_.calibration, why));
      throw scpi::Error(scpi::calibration_failed, why);
    }
  }
  if (const std::string why = reader_refusal(); !why.empty())
    throw scpi::Error(scpi::calibration_failed, why);
  if (const SensorFit f = fit(); !f.refusals.empty())
    throw scpi::Error(scpi::settings_conflict, f.refusals.front());
  for (const std::string& warning : warnings()) deps_.events.log(4, warning);
}

SensorFit MeasurementBasis::fit() const {
  return sensor_fit(*recipe_, deps_.sensor, deps_.on_stage ? nullptr : calibration_.get());
}

std::vector<std::string> MeasurementBasis::warnings() const {
  if (!recipe_) return {};
  std::vector<std::string> lines = recipe_warnings_;
  for (const std::string& doubt : fit().doubts) lines.push_back(recipe_->file.string() + ": " + doubt);
  return lines;
}

CalibrationStatus MeasurementBasis::calibration_status() const {
  CalibrationStatus status;
  if (!recipe_ || !recipe_->in_machine_coordinates) return status;
  status.id = calibration_ ? calibration_->id : deps_.calibration;
  status.refusal = calibration_refusal();
  if (!calibration_) return status;
  status.sha256 = calibration_->sha256;
  status.expires = iso8601_from_utc(calibration_->expires_utc_s);
  status.residual_rms_um = calibration_->residual_rms_um;
  return status;
}

void MeasurementBasis::report_temperature(double degc) {
  temperature_ = TemperatureReading{degc, deps_.utc_ns() / 1'000'000'000};
  deps_.events.log(6, fmt::format("a host reports the cell's temperature: {} degC", degc));
}

void MeasurementBasis::watch_clock(MonotonicNs now) {
  const auto step_ns = utc_.observe(now, deps_.utc_ns());
  if (!step_ns) return;
  std::string text =
      fmt::format("this computer's clock was set by {:+.3f} s", static_cast<double>(*step_ns) * 1e-9);
  if (*step_ns < 0)
    text += "; what expires is judged by the time that it showed before, until datumd is started again";
  if (temperature_) text += "; the cell's temperature must be reported again";
  temperature_.reset();
  deps_.events.log(4, text, {Event::clock_set, {{"DATUM_REASON", text}}});
}

}  // namespace datum
