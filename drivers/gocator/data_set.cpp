#include "drivers/gocator/data_set.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "drivers/frame/frame_error.h"
#include "drivers/gocator/data_receiver.h"
#include "drivers/gocator/protocol_error.h"

namespace datum::gocator {
namespace {

constexpr std::size_t max_file_message_bytes = std::size_t{1} << 31;

AxisScale axis(std::uint32_t step_nm, std::int32_t offset_um) { return {step_nm / 1e6, offset_um / 1e3}; }

std::vector<PixelClass> classes_of(const std::vector<std::int16_t>& heights) {
  constexpr std::int16_t nothing = std::numeric_limits<std::int16_t>::min();
  std::vector<PixelClass> classes(heights.size());
  for (std::size_t i = 0; i < heights.size(); ++i)
    classes[i] = heights[i] == nothing ? PixelClass::no_data : PixelClass::ok;
  return classes;
}

/// In place from the front: the byte of pixel i is at n + i, never below the destination of pixel i.
void widen(std::vector<std::uint16_t>& grey) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(grey.data()) + grey.size();
  for (std::size_t i = 0; i < grey.size(); ++i) {
    const std::uint16_t value = bytes[i];
    grey[i] = value;
  }
}

}  // namespace

ByteView DataSet::grey_bytes() const {
  return {reinterpret_cast<const std::uint8_t*>(grey.data()) + grey.size(), grey.size()};
}

std::array<ByteView, 5> DataSet::content() const {
  const ByteView height_bytes(reinterpret_cast<const std::uint8_t*>(heights.data()),
                              heights.size() * sizeof(std::int16_t));
  return {stamp_message, surface_head, height_bytes, intensity_head, grey_bytes()};
}

AxisScale height_axis(const Grid& surface) { return axis(surface.z_step_nm, surface.z_offset_um); }

HeightFrame frame_without_heights(DataSet& set, const std::string& source) {
  const auto refuse = [&](const std::string& what) { throw FrameError(source + ": " + what); };
  if (!set.refusal.empty()) refuse(set.refusal);
  if (!set.stamp) refuse("a surface without a stamp; switch the stamp on in the job's Ethernet output");
  if (!set.surface) refuse("no surface; switch uniform surfaces on in the job's Ethernet output");
  const Grid& s = *set.surface;
  if (set.intensity && (set.intensity->rows != s.rows || set.intensity->cols != s.cols))
    refuse("the intensity has another size than the surface");
  if (s.rows > INT32_MAX || s.cols > INT32_MAX) refuse("the surface is too large");
  if (set.stamp->timestamp_us > INT64_MAX / 1000)
    refuse("the stamp's time is none: no sensor has run so long");
  HeightFrame frame;
  frame.rows = static_cast<int>(s.rows);
  frame.cols = static_cast<int>(s.cols);
  frame.x = axis(s.x_step_nm, s.x_offset_um);
  frame.y = axis(s.y_step_nm, s.y_offset_um);
  frame.z = height_axis(s);
  if (set.intensity) {
    widen(set.grey);
    frame.intensity = IntensityImage{frame.rows, frame.cols, std::move(set.grey), 8};
  }
  const Stamp& stamp = *set.stamp;
  frame.sensor_serial = std::to_string(stamp.serial);
  frame.frame_id = std::to_string(stamp.frame_index) + "@" + std::to_string(stamp.timestamp_us);
  frame.captured.clock = ClockDomain::sensor;
  frame.captured.ns = static_cast<std::int64_t>(stamp.timestamp_us) * 1000;
  frame.stamp = SensorStamp{stamp.frame_index, stamp.encoder, stamp.encoder_at_z, stamp.status};
  frame.source = source;
  return frame;
}

HeightFrame frame_of(DataSet&& set, const std::string& source) {
  HeightFrame frame = frame_without_heights(set, source);
  frame.classes = classes_of(set.heights);
  frame.counts = std::move(set.heights);
  return frame;
}

DataSet data_set_of_file(ByteView bytes) {
  DataReceiver receiver(max_file_message_bytes);
  while (!bytes.empty()) {
    const auto room = receiver.room();
    const std::size_t n = std::min(room.size(), bytes.size());
    std::copy_n(bytes.begin(), n, room.begin());
    receiver.received(n);
    bytes = bytes.subspan(n);
    if (auto set = receiver.next()) {
      if (bytes.empty()) return std::move(*set);
      throw ProtocolError(Fault::size_mismatch, "several data sets in one file; one is read");
    }
  }
  if (receiver.within_message()) throw ProtocolError(Fault::unfinished, "the file ends within a message");
  return receiver.take();
}

}  // namespace datum::gocator
