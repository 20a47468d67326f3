#include "drivers/genicam/features.h"

#include <fmt/format.h>

#include "drivers/link_error.h"

namespace datum::genicam {
namespace {

// A latched time is available with the answer; a software copy needs a moment.
constexpr MonotonicNs latch_timeout_ns = 200 * ns_per_ms;
constexpr double ns_per_s = 1e9;

bool is_refusal(const GError& error) {
  if (error.domain != ARV_DEVICE_ERROR)
    return true;  // error of the camera's description (GenICam), not of the link
  switch (error.code) {
    case ARV_DEVICE_ERROR_WRONG_FEATURE:
    case ARV_DEVICE_ERROR_FEATURE_NOT_FOUND:
    case ARV_DEVICE_ERROR_GENICAM_NOT_FOUND:
    case ARV_DEVICE_ERROR_INVALID_PARAMETER:
      return true;
    default:
      return false;
  }
}

}  // namespace

void Failure::check(const std::string& what) const {
  if (!error_) return;
  const std::string text = fmt::format("{}: {}", what, error_->message);
  if (is_refusal(*error_)) throw RefusedError(text);
  throw LostError(text);
}

bool Features::has(const char* name) const {
  const Access access(tools_, name);
  Failure failure;
  return arv_device_is_feature_available(device_, name, failure.place()) && !failure.there();
}

std::string Features::text(const char* name) const {
  const Access access(tools_, name);
  Failure failure;
  const char* value = arv_device_get_string_feature_value(device_, name, failure.place());
  failure.check(name);
  return value ? value : "";
}

std::string Features::text_or(const char* name, const std::string& otherwise) const {
  return has(name) ? text(name) : otherwise;
}

double Features::number(const char* name) const {
  const Access access(tools_, name);
  Failure failure;
  const double value = arv_device_get_float_feature_value(device_, name, failure.place());
  failure.check(name);
  return value;
}

std::int64_t Features::integer(const char* name) const {
  const Access access(tools_, name);
  Failure failure;
  const std::int64_t value = arv_device_get_integer_feature_value(device_, name, failure.place());
  failure.check(name);
  return value;
}

bool Features::flag(const char* name) const {
  const Access access(tools_, name);
  Failure failure;
  const bool value = arv_device_get_boolean_feature_value(device_, name, failure.place());
  failure.check(name);
  return value;
}

void Features::set(const char* name, const std::string& value) const {
  const Access access(tools_, name);
  Failure failure;
  arv_device_set_string_feature_value(device_, name, value.c_str(), failure.place());
  failure.check(fmt::format("{} = {}", name, value));
}

void Features::set_integer(const char* name, std::int64_t value) const {
  const Access access(tools_, name);
  Failure failure;
  arv_device_set_integer_feature_value(device_, name, value, failure.place());
  failure.check(fmt::format("{} = {}", name, value));
}

void Features::set_if_there(const char* name, const std::string& value) const {
  if (has(name)) set(name, value);
}

void Features::execute(const char* name) const {
  const Access access(tools_, name);
  Failure failure;
  arv_device_execute_command(device_, name, failure.place());
  failure.check(name);
}

namespace {

Coordinate read_coordinate(const Features& features, const char* letter, bool floats) {
  features.set("Scan3dCoordinateSelector", std::string("Coordinate") + letter);
  Coordinate c;
  c.scale = features.number("Scan3dCoordinateScale");
  c.offset = features.number("Scan3dCoordinateOffset");
  // Floats have NaN. Without a mark, an integer height can't be distinguished from a missing one.
  if (floats && !features.has("Scan3dInvalidDataFlag")) return c;
  if (features.flag("Scan3dInvalidDataFlag")) c.invalid = features.number("Scan3dInvalidDataValue");
  return c;
}

}  // namespace

Setup read_setup(const Features& features) {
  Setup s;
  s.pixel_format = features.text("PixelFormat");
  s.width = features.integer("Width");
  s.height = features.integer("Height");
  s.scan3d.output_mode = features.text("Scan3dOutputMode");
  s.scan3d.distance_unit = features.text("Scan3dDistanceUnit");
  s.scan3d.coordinate_system = features.text_or("Scan3dCoordinateSystem", "Cartesian");
  s.scan3d.reference = features.text_or("Scan3dCoordinateSystemReference", "");
  const bool floats = s.pixel_format.find("32f") != std::string::npos;
  const char* letters[] = {"A", "B", "C"};
  for (std::size_t i = 0; i < 3; ++i) s.scan3d.axes[i] = read_coordinate(features, letters[i], floats);
  return s;
}

std::optional<ClockAnswer> latch_clock(const Features& features, ArvDevice* device,
                                       const CameraTools& tools) {
  const bool ticks = !features.has("TimestampLatchValue");
  const char *latch = ticks ? "GevTimestampControlLatch" : "TimestampLatch",
             *value = ticks ? "GevTimestampValue" : "TimestampLatchValue";
  if (!features.has(latch) || !features.has(value)) return std::nullopt;
  double ns_per_tick = 1;
  if (ticks) {
    Failure failure;
    const guint64 frequency =
        arv_gv_device_get_timestamp_tick_frequency(ARV_GV_DEVICE(device), failure.place());
    if (frequency == 0) return std::nullopt;
    ns_per_tick = ns_per_s / static_cast<double>(frequency);
  }
  const std::int64_t before = features.integer(value);
  ClockAnswer answer;
  answer.sent_ns = tools.clock();
  features.execute(latch);
  do {
    const std::int64_t now = features.integer(value);
    answer.received_ns = tools.clock();
    if (now == before || now < 0) continue;
    answer.camera_ns = ticks ? static_cast<std::uint64_t>(static_cast<double>(now) * ns_per_tick)
                             : static_cast<std::uint64_t>(now);
    return answer;
  } while (answer.received_ns - answer.sent_ns < latch_timeout_ns);
  return std::nullopt;
}

}  // namespace datum::genicam
