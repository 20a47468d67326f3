// One data set: the messages between two "last" marks, which are one exposure.
#pragma once

#include <array>
#include <string>

#include "drivers/frame/height_frame.h"
#include "drivers/gocator/data_messages.h"

namespace datum::gocator {

struct DataSet {
  std::vector<std::uint8_t> stamp_message;  // as sent
  std::optional<Stamp> stamp;

  std::vector<std::uint8_t> surface_head;  // as sent, up to the payload
  std::optional<Grid> surface;
  std::vector<std::int16_t> heights;  // rows x cols, -32768 where nothing was measured

  std::vector<std::uint8_t> intensity_head;
  std::optional<Grid> intensity;
  // rows x cols bytes as sent, in the upper half: they become 16 bits where they lie.
  std::vector<std::uint16_t> grey;

  std::vector<Measurement> measurements;
  /// Why it can't be a frame although it is by the protocol (a point cloud, two surfaces); empty: it can.
  std::string refusal;

  bool empty() const { return !stamp && !surface && measurements.empty() && refusal.empty(); }
  ByteView grey_bytes() const;
  /// All that the frame is made of, as sent: its SHA-256 is the frame's identity, its bytes are a .gdp file.
  std::array<ByteView, 5> content() const;
};

/// Heights and grey values with the axes in mm; neither mirrored nor checked. Identity, job and hand are the
/// caller's. Throws FrameError: the set's refusal, no stamp, no surface, an intensity of another size.
HeightFrame frame_of(DataSet&& set, const std::string& source);

/// The data set of a .gdp file: the bytes of the data channel. Its end ends the set. Throws ProtocolError.
DataSet data_set_of_file(ByteView bytes);

}  // namespace datum::gocator
