#include "drivers/gocator/data_messages.h"

#include <fmt/format.h>

#include "drivers/gocator/protocol_error.h"

namespace datum::gocator {
namespace {

// A stamp's size counts from offset 14, after source and a reserved byte.
constexpr std::size_t stamps_begin = 12, first_stamp = 14, least_stamp_bytes = 56, ptp_stamp_bytes = 64;
constexpr std::size_t measurements_begin = 14, measurement_bytes = 8;

void demand_count(const char* what, std::size_t count, std::size_t item, std::size_t begin,
                  std::size_t size) {
  if (count <= (size - begin) / item) return;
  throw ProtocolError(Fault::size_mismatch,
                      fmt::format("{} announces {} items in {} bytes", what, count, size));
}

void demand_size(const char* what, std::size_t size, std::size_t least) {
  if (size < least)
    throw ProtocolError(Fault::too_short, fmt::format("{} of {} bytes; at least {}", what, size, least));
}

/// Fields that both kinds of grid have at the same distance from the fixed part's end.
void read_stream(Grid& grid, ByteView message, std::size_t attribute_size, std::size_t offset) {
  if (attributes_begin + attribute_size < offset + 8) return;
  grid.stream_step = at<std::int32_t>(message, offset);
  grid.stream_id = at<std::int32_t>(message, offset + 4);
}

void check_pixels(const char* what, const Grid& grid, std::size_t begin, std::size_t pixel_bytes,
                  std::size_t message_size) {
  const std::uint64_t room = message_size - begin;
  // rows x cols is below 2^64; the product with the pixel size may overflow.
  if (grid.pixels() <= room && grid.pixels() * pixel_bytes == room) return;
  throw ProtocolError(Fault::size_mismatch,
                      fmt::format("{} of {} x {} pixels in {} bytes", what, grid.rows, grid.cols, room));
}

}  // namespace

MessageHeader header_of(ByteView bytes, std::size_t most_bytes) {
  MessageHeader header;
  header.size = at<std::uint32_t>(bytes, 0);
  const auto control = at<std::uint16_t>(bytes, 4);
  header.type = control & 0x7FFF;
  header.last_of_set = (control & 0x8000) != 0;
  demand_size("a data message", header.size, MessageHeader::bytes);
  if (header.size > most_bytes)
    throw ProtocolError(Fault::too_long,
                        fmt::format("a data message of {} bytes; this cell reads up to {}: see "
                                    "max_message_mib",
                                    header.size, most_bytes));
  return header;
}

Stamps stamps_of(ByteView message) {
  demand_size("a stamp", message.size(), stamps_begin);
  const std::size_t count = at<std::uint32_t>(message, 6), size = at<std::uint16_t>(message, 10);
  Stamps stamps;
  stamps.count = static_cast<std::uint32_t>(count);
  if (count == 0) return stamps;
  if (size < least_stamp_bytes)
    throw ProtocolError(Fault::attribute_size, fmt::format("stamps of {} bytes; at least 56", size));
  demand_count("a stamp message", count, size, stamps_begin, message.size());
  demand_size("a stamp message", message.size(), first_stamp + size);
  Stamp& s = stamps.first;
  s.source = at<std::uint8_t>(message, 12);
  s.frame_index = at<std::uint64_t>(message, 14);
  s.timestamp_us = at<std::uint64_t>(message, 22);
  s.encoder = at<std::int64_t>(message, 30);
  s.encoder_at_z = at<std::int64_t>(message, 38);
  s.status = at<std::uint64_t>(message, 46);
  s.serial = at<std::uint32_t>(message, 54);
  if (size >= ptp_stamp_bytes) s.ptp_time = at<std::uint64_t>(message, 70);
  return stamps;
}

std::size_t payload_begin(std::size_t attribute_size, std::size_t least, std::size_t message_size) {
  if (attribute_size < least || attributes_begin + attribute_size > message_size)
    throw ProtocolError(Fault::attribute_size,
                        fmt::format("attributes of {} bytes in a message of {}; at least {}", attribute_size,
                                    message_size, least));
  return attributes_begin + attribute_size;
}

Grid surface_of(ByteView message, std::size_t message_size) {
  const std::size_t attributes = at<std::uint16_t>(message, 6);
  const std::size_t begin = payload_begin(attributes, least_surface_attributes, message_size);
  Grid g;
  g.rows = at<std::uint32_t>(message, 8);
  g.cols = at<std::uint32_t>(message, 12);
  g.x_step_nm = at<std::uint32_t>(message, 16);
  g.y_step_nm = at<std::uint32_t>(message, 20);
  g.z_step_nm = at<std::uint32_t>(message, 24);
  g.x_offset_um = at<std::int32_t>(message, 28);
  g.y_offset_um = at<std::int32_t>(message, 32);
  g.z_offset_um = at<std::int32_t>(message, 36);
  g.source = at<std::uint8_t>(message, 40);
  g.exposure_ns = at<std::uint32_t>(message, 41);
  read_stream(g, message, attributes, 52);
  check_pixels("a surface", g, begin, sizeof(std::int16_t), message_size);
  return g;
}

Grid intensity_of(ByteView message, std::size_t message_size) {
  const std::size_t attributes = at<std::uint16_t>(message, 6);
  const std::size_t begin = payload_begin(attributes, least_intensity_attributes, message_size);
  Grid g;
  g.rows = at<std::uint32_t>(message, 8);
  g.cols = at<std::uint32_t>(message, 12);
  g.x_step_nm = at<std::uint32_t>(message, 16);
  g.y_step_nm = at<std::uint32_t>(message, 20);
  g.x_offset_um = at<std::int32_t>(message, 24);
  g.y_offset_um = at<std::int32_t>(message, 28);
  g.source = at<std::uint8_t>(message, 32);
  g.exposure_ns = at<std::uint32_t>(message, 33);
  read_stream(g, message, attributes, 40);
  check_pixels("an intensity", g, begin, 1, message_size);
  return g;
}

std::vector<Measurement> measurements_of(ByteView message) {
  demand_size("a measurement", message.size(), measurements_begin);
  const std::size_t count = at<std::uint32_t>(message, 6);
  demand_count("a measurement message", count, measurement_bytes, measurements_begin, message.size());
  std::vector<Measurement> measurements;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t offset = measurements_begin + i * measurement_bytes;
    measurements.push_back({at<std::uint16_t>(message, 12), at<std::int32_t>(message, offset),
                            at<std::uint8_t>(message, offset + 4)});
  }
  return measurements;
}

}  // namespace datum::gocator
