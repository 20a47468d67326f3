#include "daemon/fringe/load_sensor.h"

#include "daemon/fringe/fringe_frames.h"
#include "drivers/profile/sensor_profile_file.h"
#include "gpu/fringe_phase/unwrap_plan.h"

namespace datum {

SensorProfile load_sensor(const std::filesystem::path& file, std::shared_ptr<FringeDemodulator> demodulator) {
  SensorProfile sensor = config::load_sensor_profile(file);
  if (!sensor.fringe) return sensor;
  PhaseCalibration calibration = load_phase_calibration(sensor.fringe->calibration);
  const std::string why = mismatch(calibration, sensor.serial, *sensor.fringe);
  if (!why.empty()) throw CalibrationError(why);
  sensor.reader =
      std::make_shared<FringeFrames>(*sensor.fringe, std::move(calibration), std::move(demodulator));
  return sensor;
}

SensorProfile load_sensor(const std::filesystem::path& file, unsigned threads) {
  return load_sensor(file, cpu_fringe_demodulator(threads));
}

std::vector<std::string> fringe_faults(const SensorProfile& sensor, std::int64_t now_utc_s) {
  try {
    const bool single = sensor.fringe->steps == 1;
    if (!single) plan_unwrapping(pattern_of(*sensor.fringe), static_cast<float>(sensor.fringe->agreement_px));
    const PhaseCalibration phase = load_phase_calibration(sensor.fringe->calibration);
    std::string why = mismatch(phase, sensor.serial, *sensor.fringe);
    const CellMoment now{now_utc_s,
                         phase.temperature ? std::optional(phase.temperature->measured_degc) : std::nullopt,
                         now_utc_s, 1};
    if (why.empty()) why = refusal(phase, now);
    if (!why.empty()) return {"fringe.calibration: " + why};
    if (single) SingleShot(*sensor.fringe, phase);
  } catch (const std::invalid_argument& error) {
    return {std::string("fringe: ") + error.what()};
  } catch (const CalibrationError& error) {
    return {std::string("fringe: ") + error.what()};
  }
  return {};
}

}  // namespace datum
