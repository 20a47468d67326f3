// Blocks of a 3D camera: parts of any format, size and offset, with any Scan3d setup.
#include <cmath>

#include "drivers/genicam/payload.h"
#include "drivers/genicam/payload_error.h"
#include "tests/fuzz/fuzz_target.h"

using namespace datum;

namespace {

constexpr const char* modes[] = {"RectifiedC", "CalibratedABC_Grid", "RectifiedC_Linescan", "CalibratedC"};
constexpr const char* units[] = {"Millimeter", "Inch", "Pixel"};
// Supported formats, and one unsupported.
constexpr std::uint32_t formats[] = {0x011000B8, 0x012000BF, 0x023000B9, 0x023000BA, 0x026000C0, 0x026000C1,
                                     0x022000BB, 0x024000C3, 0x011000B6, 0x012000BD, 0x012000BE, 0x010800C6,
                                     0x011000C7, 0x012000C8, 0x01080001, 0x01100007, 0x010C00DA};

/// Takes numbers from the input; 0 at its end.
class Numbers {
 public:
  explicit Numbers(std::string_view bytes) : bytes_(bytes) {}
  std::uint32_t byte() { return take(1); }
  std::uint32_t word() { return take(2); }
  std::string_view rest() const { return bytes_; }

 private:
  std::uint32_t take(std::size_t count) {
    std::uint32_t value = 0;
    for (; count > 0 && !bytes_.empty(); --count, bytes_.remove_prefix(1))
      value = value << 8 | static_cast<std::uint8_t>(bytes_[0]);
    return value;
  }
  std::string_view bytes_;
};

genicam::Setup setup_of(Numbers& n) {
  genicam::Setup s;
  s.scan3d.output_mode = modes[n.byte() % std::size(modes)];
  s.scan3d.distance_unit = units[n.byte() % std::size(units)];
  for (genicam::Coordinate& c : s.scan3d.axes) {
    c.scale = (static_cast<double>(n.byte()) - 128) / 64;
    c.offset = static_cast<double>(n.byte()) - 128;
    if (n.byte() % 2 == 1) c.invalid = static_cast<double>(n.word());
  }
  return s;
}

genicam::Part part_of(Numbers& n) {
  genicam::Part part;
  const std::uint32_t format = n.byte();
  part.pixel_format = format < std::size(formats) ? formats[format] : format << 16 | n.word();
  part.width = n.byte();
  part.height = n.byte();
  if (const std::uint32_t more = n.byte(); more > 250) part.width <<= more - 227;  // beyond all memory
  part.x_padding = n.byte();
  part.y_padding = n.byte();
  part.x_offset = n.byte() / 250;
  part.begin = n.byte();
  part.size = n.word();
  return part;
}

}  // namespace

DATUM_FUZZ_TARGET(genicam_payload) {
  Numbers numbers(bytes);
  const genicam::Setup setup = setup_of(numbers);
  genicam::Payload payload;
  for (std::uint32_t parts = numbers.byte() % 5; parts > 0; --parts)
    payload.parts.push_back(part_of(numbers));
  payload.bytes.assign(numbers.rest().begin(), numbers.rest().end());
  try {
    HeightFrame frame = genicam::frame_of(payload, setup, "fuzz");
    fuzz::expect(frame.size() == frame.classes.size(), "a class for each pixel");
    fuzz::expect(frame.size() <= payload.bytes.size(), "no pixel that was not sent");
    fuzz::expect(frame.x.scale_mm > 0 && frame.y.scale_mm > 0, "x and y grow with column and row");
    frame.sensor_serial = "S";
    check(frame);
  } catch (const FrameError&) {
  }
}
