// MeasurementBasis: what a measurement rests on beside its frame: recipe, calibration, temperature, clock.
//
// The chosen recipe stays as it was read until reload(), or until another one is chosen. A reported temperature
// is forgotten once the computer's clock was set. On the loop's thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "daemon/cell/host_events.h"
#include "daemon/cell/utc_watch.h"
#include "daemon/inspection/recipe/recipe_store.h"
#include "daemon/inspection/recipe/sensor_fit.h"
#include "daemon/instrument/instrument.h"
#include "drivers/frame/sensor_profile.h"

namespace datum {

struct MeasurementBasisDependencies {
  std::filesystem::path recipes, calibrations;  // folders
  std::string calibration;                      // id, or "current"; empty: none is configured
  std::int64_t temperature_max_age_s;
  bool on_stage;  // a stage moves the sensor
  const SensorProfile& sensor;
  std::function<std::int64_t()> utc_ns;  // since 1970-01-01
  const config::TomlParser* parser;      // of recipes and calibrations; null: this process
  const HostEvents& events;
};

class MeasurementBasis {
 public:
  /// Reads neither recipes nor the calibration: reload() does.
  explicit MeasurementBasis(MeasurementBasisDependencies dependencies);

  /// The folder of recipes as it is now; only changed files are read.
  std::shared_ptr<const RecipeStore> read_recipes();
  const std::shared_ptr<const RecipeStore>& recipes() const { return recipes_; }
  /// Null: none is chosen.
  const std::shared_ptr<const Recipe>& recipe() const { return recipe_; }
  /// Of its file, for the store.
  const std::shared_ptr<const std::string>& recipe_text() const { return recipe_text_; }
  bool is_chosen(const std::string& name) const { return recipe_ && recipe_->name == name; }
  /// Of the folder as it is now; an empty `sha256` demands none. Throws scpi::Error: -256 no such recipe, -221 it
  /// is another file or for another sensor.
  const Recipe& find(const std::string& name, const std::optional<std::string>& sha256);
  /// One that find() gave.
  void choose(const Recipe& recipe);
  void choose_none() { recipe_.reset(); }

  enum class RecipeChange : std::uint8_t { none, changed, gone };
  /// Reads recipes and calibration again, logs what is refused, and says what became of the chosen recipe: one
  /// that is gone is chosen no longer.
  RecipeChange reload();

  /// Reads the calibration again; what is wrong with it is logged.
  void load_calibration();
  /// Null: none, or it can't be used.
  const std::shared_ptr<const Calibration>& calibration() const { return calibration_; }
  /// The current ones of positions of a rotary head; null: there are none, or one id is configured.
  const std::shared_ptr<const std::vector<Calibration>>& head_calibrations() const {
    return head_calibrations_;
  }
  /// Reads the calibration again. Throws scpi::Error -340 with why it must not be used now.
  const std::shared_ptr<const Calibration>& usable_calibration();
  /// Why the calibration must not be used now; empty: it may.
  std::string calibration_refusal() const;
  /// The same where the chosen recipe needs a calibration.
  std::string refusal_for_recipe() const;
  CalibrationStatus calibration_status() const;
  /// Throws scpi::Error where the chosen recipe can't be measured with this calibration and this sensor; logs what is
  /// probably not meant.
  void demand_measurable();
  /// Of the chosen recipe: values that are probably not meant.
  std::vector<std::string> warnings() const;

  void report_temperature(double degc);
  const std::optional<TemperatureReading>& temperature() const { return temperature_; }
  /// Once a round: notices that the computer's clock was set.
  void watch_clock(MonotonicNs now);
  const UtcWatch& utc() const { return utc_; }

 private:
  std::int64_t now_utc_s() const;
  std::string reader_refusal() const;
  SensorFit fit() const;

  MeasurementBasisDependencies deps_;
  std::shared_ptr<const RecipeStore> recipes_;
  std::shared_ptr<const Recipe> recipe_;
  std::vector<std::string> recipe_warnings_;  // as of its file when it was read
  std::shared_ptr<const std::string> recipe_text_;
  std::shared_ptr<const Calibration> calibration_;
  std::shared_ptr<const std::vector<Calibration>> head_calibrations_;
  std::string calibration_problem_;
  std::optional<TemperatureReading> temperature_;
  UtcWatch utc_;
};

}  // namespace datum
