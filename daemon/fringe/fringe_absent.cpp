// What a first demo says in place of raw fringe images, whose reader it leaves out (DATUM_OFFLINE).
#include "calib/htm.h"
#include "daemon/fringe/load_sensor.h"
#include "drivers/profile/sensor_profile_file.h"

namespace datum {
namespace {

constexpr const char* absent =
    "fringe: a first demo reads no raw fringe images; ./datum demo --fringe, test or install builds it";

}  // namespace

SensorProfile load_sensor(const std::filesystem::path& file, std::shared_ptr<FringeDemodulator>) {
  return load_sensor(file, 0);
}

SensorProfile load_sensor(const std::filesystem::path& file, unsigned) {
  SensorProfile sensor = config::load_sensor_profile(file);
  if (sensor.fringe) throw CalibrationError(file.string() + ": " + absent);
  return sensor;
}

std::vector<std::string> fringe_faults(const SensorProfile&, std::int64_t) { return {absent}; }

}  // namespace datum
