#include "tests/virtual_cell/virtual_gocator_bytes.h"

namespace datum {
namespace {

using gocator::append;

constexpr std::uint16_t surface_attributes = 60, intensity_attributes = 48;

GocatorBytes begun(gocator::DataType type, bool last) {
  GocatorBytes m;
  append(m, std::uint32_t{0});
  append(m, static_cast<std::uint16_t>(static_cast<unsigned>(type) | (last ? 0x8000u : 0u)));
  return m;
}

GocatorBytes ended(GocatorBytes m) {
  const auto size = static_cast<std::uint32_t>(m.size());
  std::memcpy(m.data(), &size, sizeof size);
  return m;
}

void append_zeros(GocatorBytes& m, std::size_t count) { m.resize(m.size() + count); }

void append_stream(GocatorBytes& m, const gocator::Grid& grid) {
  append(m, grid.stream_step.value_or(-1));
  append(m, grid.stream_id.value_or(-1));
  append(m, std::int32_t{-1});  // arrayed count and index
  append(m, std::int32_t{-1});
}

template <class T>
void append_pixels(GocatorBytes& m, std::span<const T> pixels) {
  const auto* from = reinterpret_cast<const std::uint8_t*>(pixels.data());
  m.insert(m.end(), from, from + pixels.size_bytes());
}

}  // namespace

GocatorBytes stamp_message(const gocator::Stamp& s, bool last) {
  GocatorBytes m = begun(gocator::DataType::stamp, last);
  append(m, std::uint32_t{1});
  append(m, static_cast<std::uint16_t>(s.ptp_time ? 64 : 56));
  append(m, s.source);
  append(m, std::uint8_t{0});
  append(m, s.frame_index);
  append(m, s.timestamp_us);
  append(m, s.encoder);
  append(m, s.encoder_at_z);
  append(m, s.status);
  append(m, s.serial);
  append_zeros(m, 12);
  if (s.ptp_time) append(m, *s.ptp_time);
  return ended(std::move(m));
}

GocatorBytes surface_message(const gocator::Grid& g, std::span<const std::int16_t> heights, bool last) {
  GocatorBytes m = begun(gocator::DataType::uniform_surface, last);
  append(m, surface_attributes);
  for (const std::uint32_t v : {g.rows, g.cols, g.x_step_nm, g.y_step_nm, g.z_step_nm}) append(m, v);
  for (const std::int32_t v : {g.x_offset_um, g.y_offset_um, g.z_offset_um}) append(m, v);
  append(m, g.source);
  append(m, g.exposure_ns);
  append_zeros(m, 7);
  append_stream(m, g);
  append_pixels(m, heights);
  return ended(std::move(m));
}

GocatorBytes intensity_message(const gocator::Grid& g, std::span<const std::uint8_t> grey, bool last) {
  GocatorBytes m = begun(gocator::DataType::surface_intensity, last);
  append(m, intensity_attributes);
  for (const std::uint32_t v : {g.rows, g.cols, g.x_step_nm, g.y_step_nm}) append(m, v);
  for (const std::int32_t v : {g.x_offset_um, g.y_offset_um}) append(m, v);
  append(m, g.source);
  append(m, g.exposure_ns);
  append_zeros(m, 3);
  append_stream(m, g);
  append_pixels(m, grey);
  return ended(std::move(m));
}

GocatorBytes health_message(const std::vector<gocator::Indicator>& indicators) {
  GocatorBytes m;
  append(m, std::uint32_t{0});
  append(m, std::uint16_t{0x8000});
  append(m, static_cast<std::uint32_t>(indicators.size()));
  append(m, std::uint32_t{0});  // source and reserved
  for (const gocator::Indicator& i : indicators) {
    append(m, i.id);
    append(m, i.instance);
    append(m, i.value);
  }
  return ended(std::move(m));
}

GocatorBytes reply_message(gocator::Command command, std::int32_t status, const GocatorBytes& payload) {
  GocatorBytes m;
  append(m, std::uint32_t{0});
  append(m, static_cast<std::uint16_t>(command));
  append(m, status);
  m.insert(m.end(), payload.begin(), payload.end());
  return ended(std::move(m));
}

}  // namespace datum
