// Data channel (TCP 3196): fixed parts of its messages. Pure.
//
// Each message begins with u32 size (of the whole) and u16 control: bit 15 marks the last message of a data
// set, the rest is the type. Attributes may be longer than the known ones: the payload begins at 8 +
// attribute size. Layouts: LMI's Gocator manuals, chapter "Gocator Protocol".
#pragma once

#include <optional>

#include "drivers/gocator/wire.h"

namespace datum::gocator {

enum class DataType : std::uint16_t {
  stamp = 1,
  uniform_surface = 8,
  surface_intensity = 9,
  measurement = 10,
  surface_point_cloud = 28,
};

struct MessageHeader {
  static constexpr std::size_t bytes = 6;
  std::size_t size = 0;
  std::uint16_t type = 0;
  bool last_of_set = false;
};
/// Throws ProtocolError for a size below the header's own or above `most_bytes`.
MessageHeader header_of(ByteView first_bytes, std::size_t most_bytes);

/// Time and encoder position of a frame.
struct Stamp {
  std::uint8_t source = 0;  // 0: the main sensor
  std::uint64_t frame_index = 0;
  std::uint64_t timestamp_us = 0;  // since power-on of the sensor
  std::int64_t encoder = 0;        // at the exposure
  std::int64_t encoder_at_z = 0;   // at the encoder's last index pulse
  std::uint64_t status = 0;        // bit 0: digital input of the sensor, bit 4: of the master
  std::uint32_t serial = 0;
  std::optional<std::uint64_t> ptp_time;  // stamps of 64 bytes
};
struct Stamps {
  std::uint32_t count = 0;
  Stamp first;  // where count > 0
};

/// Fixed part of a grid; heights (s16) or grey values (u8) follow, row by row.
struct Grid {
  std::uint32_t rows = 0, cols = 0;
  std::uint32_t x_step_nm = 0, y_step_nm = 0, z_step_nm = 0;  // z: of one count; 0 for an intensity
  std::int32_t x_offset_um = 0, y_offset_um = 0, z_offset_um = 0;
  std::uint8_t source = 0;
  std::uint32_t exposure_ns = 0;
  std::optional<std::int32_t> stream_step, stream_id;
  std::uint64_t pixels() const { return std::uint64_t{rows} * cols; }
  /// Computed by a measuring tool from another surface.
  bool is_tool_output() const { return stream_step == 8; }
};

inline constexpr std::size_t least_surface_attributes = 44, least_intensity_attributes = 32,
                             attributes_begin = 8;

/// Checks the attribute size at offset 6 against its message; returns the payload's offset. Throws
/// ProtocolError.
std::size_t payload_begin(std::size_t attribute_size, std::size_t least, std::size_t message_size);

/// `message` must reach to the payload. Both throw ProtocolError where rows, columns and message size
/// disagree.
Grid surface_of(ByteView message, std::size_t message_size);
Grid intensity_of(ByteView message, std::size_t message_size);

struct Measurement {
  std::uint16_t id = 0;
  std::int32_t value = 0;  // x 1000: um, um2 or mdeg
  std::uint8_t decision = 0;
  bool pass() const { return decision & 1; }
  int code() const { return decision >> 1; }  // 0 OK, 1 invalid value, 2 invalid anchor
};

/// `message` is complete. Throw ProtocolError where a count contradicts the size.
Stamps stamps_of(ByteView message);
std::vector<Measurement> measurements_of(ByteView message);

}  // namespace datum::gocator
