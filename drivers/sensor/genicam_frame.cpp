#include "drivers/sensor/genicam_frame.h"

#include <fmt/format.h>

#include <cmath>

#include "drivers/frame/frame_error.h"
#include "drivers/sensor/frame_hash.h"
#include "drivers/sensor/read_frame.h"

namespace datum {
namespace {

constexpr double um_per_mm = 1000;

/// The counts' scales: the same bytes with another scale are another frame.
std::string text_of(const genicam::Setup& s) {
  std::string text =
      fmt::format("{} {}x{} {} {} {} {}", s.pixel_format, s.width, s.height, s.scan3d.output_mode,
                  s.scan3d.distance_unit, s.scan3d.coordinate_system, s.scan3d.reference);
  for (const genicam::Coordinate& c : s.scan3d.axes)
    text += fmt::format(" {} {} {}", c.scale, c.offset, c.invalid ? fmt::format("{}", *c.invalid) : "-");
  return text;
}

ByteView bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace

// A fitted grid has an uncertainty of a quarter of a step over its width, an exact one that of a double.
std::string resolution_fault(const HeightFrame& frame, const std::array<double, 3>& um) {
  const std::array<double, 3> has{frame.x.scale_mm * um_per_mm, frame.y.scale_mm * um_per_mm,
                                  std::abs(frame.z.scale_mm) * um_per_mm};
  const std::array<double, 3> allowed{0.25 / frame.cols, 0.25 / frame.rows, 1e-6};
  for (std::size_t i = 0; i < has.size(); ++i)
    if (!(std::abs(has[i] - um[i]) <= allowed[i] * um[i]))
      return fmt::format(
          "its resolution is {:g} x {:g} x {:g} um, this cell's {:g} x {:g} x {:g} um: the camera's setup, "
          "its "
          "unit or sensor.genicam.resolution_um changed",
          has[0], has[1], has[2], um[0], um[1], um[2]);
  return "";
}

HeightFrame GenicamFrame::read(const SensorProfile& profile) {
  HeightFrame frame = genicam::frame_of(payload_, setup_, origin_.name);
  if (const std::string doubt = resolution_fault(frame, origin_.resolution_um); !doubt.empty())
    throw FrameError(origin_.name + ": " + doubt);
  const std::string setup = text_of(setup_);
  frame.content_sha256 =
      identity_of(profile.reading.scheme, {bytes_of(setup), bytes_of(frame.frame_id), payload_.bytes},
                  profile.reading.threads);
  frame.sensor_serial = origin_.serial;
  frame.job = origin_.job;
  frame.delivered = profile.handedness;  // GenICam does not state it
  accept_frame(frame, profile);
  return frame;
}

}  // namespace datum
