#include "drivers/sensor/genicam_frame.h"

#include <fmt/format.h>

#include <cmath>

#include "drivers/frame/frame_error.h"
#include "drivers/sensor/frame_hash.h"
#include "drivers/sensor/frame_pass.h"
#include "drivers/sensor/leaf_pass.h"
#include "drivers/sensor/pixel_pass.h"
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

std::string GenicamFrame::identity_with(HashedPart&& payload, const HeightFrame& frame) const {
  const std::string setup = text_of(setup_);
  return tree_identity(
      {hashed_part({bytes_of(setup)}, 1), hashed_part({bytes_of(frame.frame_id)}, 1), std::move(payload)});
}

/// Hashes, converts and classes the heights, by several threads.
HashedPart GenicamFrame::pass_over(const genicam::PlainHeights& plain, HeightFrame& frame,
                                   const SensorProfile& profile) {
  const StoredNumber number = number_of(plain);
  make_room(frame, number, profile.reading);
  const auto pixels = pixel_pass_of(plain, frame, profile, origin_.name);
  const ByteView heights = ByteView(payload_.bytes).subspan(plain.begin, frame.size() * number.bytes);
  LeafPass leaves({payload_.bytes}, {plain.begin, heights, number.bytes}, pixels.get());
  parallel_for(profile.reading.threads, leaves.leaves(),
               [&](std::size_t leaf, unsigned) { leaves.pass(leaf); });
  pixels->finish();
  return leaves.take_hash();
}

/// `frame` is described. Throws FrameError for a height that the general reader refuses.
HeightFrame GenicamFrame::read_plainly(const genicam::PlainHeights& plain, HeightFrame&& frame,
                                       const SensorProfile& profile) {
  auto* const block = dynamic_cast<ArrivingBlock*>(work_.get());
  HashedPart hash;
  if (block && block->has_pixels(plain, frame, profile)) {
    hash = block->take_hash(payload_.bytes);
    block->give_pixels(frame);
  } else {
    hash = pass_over(plain, frame, profile);
  }
  frame.content_sha256 = identity_with(std::move(hash), frame);
  return std::move(frame);
}

HeightFrame GenicamFrame::read_generally(const SensorProfile& profile) {
  HeightFrame frame = genicam::frame_of(payload_, setup_, origin_.name);
  check_resolution(frame);
  const ReadSettings& reading = profile.reading;
  auto* const block = dynamic_cast<ArrivingBlock*>(work_.get());
  if (block && reading.scheme == HashScheme::tree) {
    frame.content_sha256 = identity_with(block->take_hash(payload_.bytes), frame);
    return frame;
  }
  const std::string setup = text_of(setup_);
  frame.content_sha256 = identity_of(
      reading.scheme, {bytes_of(setup), bytes_of(frame.frame_id), payload_.bytes}, reading.threads);
  return frame;
}

HeightFrame GenicamFrame::read(const SensorProfile& profile) {
  std::optional<HeightFrame> plain_frame;
  if (profile.reading.scheme == HashScheme::tree) {
    HeightFrame described;
    if (const auto plain = genicam::plain_heights(payload_, setup_, origin_.name, described)) {
      check_resolution(described);
      try {
        plain_frame = read_plainly(*plain, std::move(described), profile);
      } catch (const FrameError&) {
        work_.reset();  // the general reader names the pixel
      }
    }
  }
  HeightFrame frame = plain_frame ? std::move(*plain_frame) : read_generally(profile);
  frame.sensor_serial = origin_.serial;
  frame.job = origin_.job;
  frame.delivered = profile.handedness;  // GenICam does not state it
  plain_frame ? accept_passed_frame(frame, profile) : accept_frame(frame, profile);
  work_.reset();
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
