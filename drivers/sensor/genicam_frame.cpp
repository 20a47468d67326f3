#include "drivers/sensor/genicam_frame.h"

#include <fmt/format.h>

#include <cmath>

#include "drivers/frame/frame_error.h"
#include "drivers/sensor/frame_hash.h"
#include "drivers/sensor/frame_pass.h"
#include "drivers/sensor/leaf_pass.h"
#include "drivers/sensor/read_frame.h"
#include "gpu/core/parallel_for.h"

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

void GenicamFrame::check_resolution(const HeightFrame& frame) const {
  if (const std::string doubt = resolution_fault(frame, origin_.resolution_um); !doubt.empty())
    throw FrameError(origin_.name + ": " + doubt);
}

/// Hashes, converts and classes the heights, by several threads.
void GenicamFrame::pass_over(const genicam::PlainHeights& plain, HeightFrame& frame,
                             const SensorProfile& profile) {
  constexpr StoredNumber number{StoredNumber::Kind::natural, sizeof(std::uint16_t)};
  make_room(frame, number, profile.reading);
  const InvalidMark mark = plain.mark ? InvalidMark{InvalidMark::Kind::value, *plain.mark} : InvalidMark{};
  const bool reversed = plain.reversed != (profile.handedness == Handedness::left);
  const auto pixels = pixel_pass(frame, number, false, {mark, &profile, reversed}, origin_.name);
  const ByteView heights = ByteView(payload_.bytes).subspan(plain.begin, frame.size() * number.bytes);
  LeafPass leaves({payload_.bytes}, {plain.begin, heights, number.bytes}, *pixels);
  parallel_for(profile.reading.threads, leaves.leaves(),
               [&](std::size_t leaf, unsigned) { leaves.pass(leaf); });
  const std::string setup = text_of(setup_);
  frame.content_sha256 = tree_identity(
      {hashed_part({bytes_of(setup)}, 1), hashed_part({bytes_of(frame.frame_id)}, 1), leaves.take_hash()});
}

HeightFrame GenicamFrame::read(const SensorProfile& profile) {
  HeightFrame frame;
  const bool is_tree = profile.reading.scheme == HashScheme::tree;
  const auto plain = is_tree ? genicam::plain_heights(payload_, setup_, origin_.name, frame) : std::nullopt;
  if (!plain) frame = genicam::frame_of(payload_, setup_, origin_.name);
  check_resolution(frame);
  if (plain) {
    pass_over(*plain, frame, profile);
  } else {
    const std::string setup = text_of(setup_);
    frame.content_sha256 =
        identity_of(profile.reading.scheme, {bytes_of(setup), bytes_of(frame.frame_id), payload_.bytes},
                    profile.reading.threads);
  }
  frame.sensor_serial = origin_.serial;
  frame.job = origin_.job;
  frame.delivered = profile.handedness;  // GenICam does not state it
  plain ? accept_passed_frame(frame, profile) : accept_frame(frame, profile);
  if (profile.reading.buffers) profile.reading.buffers->give(std::move(payload_.bytes));
  return frame;
}

std::string GenicamFrame::late_fault() {
  if (!setup_change_.valid()) return "";
  try {
    const std::string& change = setup_change_.get();
    return change.empty() ? "" : "the camera's setup changed: " + change;
  } catch (const std::future_error&) {
    return "the camera was lost before its setup was read again";
  }
}

}  // namespace datum
