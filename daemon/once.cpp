#include "daemon/once.h"

#include <fmt/format.h>

#include "config/sensor_profile_file.h"
#include "daemon/backend_choice.h"
#include "daemon/cell/board.h"
#include "daemon/pipeline.h"
#include "daemon/report/picture.h"
#include "daemon/report/table.h"
#include "drivers/sensor/read_frame.h"

namespace datum {

int measure_once(const OnceOptions& options, std::int64_t utc_ns) {
  const Recipe recipe = load_recipe(options.recipe);
  const SensorProfile sensor = config::load_sensor_profile(options.sensor);
  std::optional<Calibration> calibration;
  if (options.calibration) calibration = load_calibration(*options.calibration);
  const HeightFrame frame = read_frame(options.frame, sensor);

  InspectionInputs inputs;
  inputs.recipe = &recipe;
  inputs.sensor = &sensor;
  inputs.calibration = calibration ? &*calibration : nullptr;
  inputs.measured_at = iso8601(utc_ns);
  inputs.now_utc_s = utc_ns / 1'000'000'000;
  if (options.temperature_degc)
    inputs.temperature = TemperatureReading{*options.temperature_degc, inputs.now_utc_s};
  inputs.unit_id = options.unit;
  inputs.threads = options.backend.threads;
  const BackendChoice backend =
      choose_backend(options.backend, Patience::of_one_frame,
                     [](bool, const std::string& text) { fmt::print(stderr, "backend: {}\n", text); });
  const BoardVerdict verdict = inspect(frame, inputs, *backend.measurer);
  if (options.json) {
    fmt::print("{}\n", to_json(verdict));
  } else {
    fmt::print("{}", component_table(verdict).text(wants_colour(stdout)));
    fmt::print("board: {}{}\n", name_of(verdict.decision),
               verdict.reason == Reason::none
                   ? ""
                   : fmt::format(" {}: {}", name_of(verdict.reason), verdict.detail));
  }
  if (!options.picture) return exit_status(verdict.decision);
  try {
    write_picture(*options.picture, frame, recipe, verdict, board_from_sensor(inputs).inverse());
  } catch (const CalibrationError& error) {  // the verdict says so too; it stands without a picture
    fmt::print(stderr, "no picture: {}\n", error.what());
  }
  return exit_status(verdict.decision);
}

}  // namespace datum
