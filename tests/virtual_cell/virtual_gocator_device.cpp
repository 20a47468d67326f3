#include "tests/virtual_cell/virtual_gocator_device.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace datum {
namespace {

using gocator::append;
using gocator::Command;

constexpr std::size_t job_bytes = 64, attribute_size_at = 6;
// Of LMI's SDK 6.1, which rejects a sensor with another major version as incompatible.
constexpr std::uint8_t protocol_major = 101, protocol_minor = 11;
constexpr std::int32_t invalid_command = -998, invalid_state = -1000;
constexpr std::uint32_t exposure_ns = 2'500'000;
constexpr std::uint64_t a_minute_us = 60'000'000;

std::int64_t whole(double mm, double unit, const char* what) {
  const double exact = mm * unit;
  if (std::abs(exact - std::round(exact)) > 1e-6)
    throw std::invalid_argument(std::string(what) + " is not a whole number of the protocol's unit");
  return std::llround(exact);
}

gocator::Grid grid_of(const HeightFrame& f) {
  gocator::Grid g;
  g.rows = static_cast<std::uint32_t>(f.rows);
  g.cols = static_cast<std::uint32_t>(f.cols);
  g.x_step_nm = static_cast<std::uint32_t>(whole(f.x.scale_mm, 1e6, "x step"));
  g.y_step_nm = static_cast<std::uint32_t>(whole(f.y.scale_mm, 1e6, "y step"));
  g.z_step_nm = static_cast<std::uint32_t>(whole(f.z.scale_mm, 1e6, "z step"));
  g.x_offset_um = static_cast<std::int32_t>(whole(f.x.offset_mm, 1e3, "x offset"));
  g.y_offset_um = static_cast<std::int32_t>(whole(f.y.offset_mm, 1e3, "y offset"));
  g.z_offset_um = static_cast<std::int32_t>(whole(f.z.offset_mm, 1e3, "z offset"));
  g.exposure_ns = exposure_ns;
  g.stream_step = 3;
  g.stream_id = 0;
  return g;
}

void mirror(std::vector<std::int16_t>& heights, int cols) {
  for (auto row = heights.begin(); row != heights.end(); row += cols) std::reverse(row, row + cols);
}

}  // namespace

std::optional<GocatorFault> gocator_fault_named(const std::string& word) {
  static constexpr std::pair<const char*, GocatorFault> faults[] = {
      {"skip", GocatorFault::skip},       {"stall", GocatorFault::stall},   {"reset", GocatorFault::reset},
      {"corrupt", GocatorFault::corrupt}, {"twice", GocatorFault::twice},   {"back", GocatorFault::back},
      {"units", GocatorFault::units},     {"mirror", GocatorFault::mirror}, {"old", GocatorFault::old},
      {"late", GocatorFault::late}};
  for (const auto& [name, fault] : faults)
    if (word == name) return fault;
  return std::nullopt;
}

GocatorBytes VirtualGocatorDevice::loaded_job() const {
  GocatorBytes payload(job_bytes);
  std::copy_n(job_.begin(), std::min(job_.size(), job_bytes), payload.begin());
  payload.push_back(modified_ ? 1 : 0);
  return payload;
}

GocatorBytes VirtualGocatorDevice::states(std::uint64_t now_us) const {
  constexpr std::uint32_t count = 11;
  GocatorBytes payload;
  append(payload, count);
  for (std::uint32_t i = 0; i < count; ++i) {
    std::int32_t value = 0;
    if (i == 0) value = running_ ? 1 : 0;
    if (i == 6) value = static_cast<std::int32_t>(now_us / 1'000'000);
    if (i == 7) value = static_cast<std::int32_t>(now_us % 1'000'000);
    append(payload, value);
  }
  return payload;
}

GocatorBytes VirtualGocatorDevice::answer(gocator::ByteView request, std::uint64_t now_us) {
  if (silent_) return {};
  const auto command = static_cast<Command>(gocator::at<std::uint16_t>(request, 4));
  const auto with = [&](const GocatorBytes& payload) {
    return reply_message(command, gocator::status_ok, payload);
  };
  GocatorBytes number;
  switch (command) {
    case Command::get_version:
      return with({protocol_major, protocol_minor});
    case Command::get_states:
      return with(states(now_us));
    case Command::get_loaded_job:
      return with(loaded_job());
    case Command::get_timestamp:
      append(number, now_us);
      return with(number);
    case Command::get_encoder:
      append(number, std::int64_t{0});
      return with(number);
    case Command::start:
      running_ = true;
      return with({});
    case Command::stop:
      running_ = false;
      return with({});
    case Command::trigger:
      if (!running_) return reply_message(command, invalid_state);
      triggered_ = true;
      return with({});
    case Command::protocol_version:
      break;
  }
  return reply_message(command, invalid_command);
}

GocatorPayload VirtualGocatorDevice::expose(const HeightFrame& frame, std::uint64_t now_us) {
  GocatorPayload out;
  out.fault = std::exchange(fault_, GocatorFault::none);
  out.index = ++frames_;
  gocator::Stamp stamp;
  stamp.frame_index = out.fault == GocatorFault::back ? out.index - 2 : out.index;
  stamp.timestamp_us = out.fault == GocatorFault::old ? now_us - std::min(now_us, a_minute_us) : now_us;
  stamp.serial = serial_;
  stamp.ptp_time = 0;
  gocator::Grid grid = grid_of(frame);
  auto heights = std::get<std::vector<std::int16_t>>(frame.counts);
  if (out.fault == GocatorFault::mirror) mirror(heights, frame.cols);
  if (out.fault == GocatorFault::units)
    for (std::uint32_t* step : {&grid.x_step_nm, &grid.y_step_nm, &grid.z_step_nm})
      *step = std::max<std::uint32_t>(1, *step / 1000);
  out.bytes = stamp_message(stamp, false);
  const std::size_t surface_at = out.bytes.size();
  const GocatorBytes surface = surface_message(grid, heights, !frame.intensity);
  out.bytes.insert(out.bytes.end(), surface.begin(), surface.end());
  if (frame.intensity) {
    const std::vector<std::uint8_t> grey(frame.intensity->grey.begin(), frame.intensity->grey.end());
    const GocatorBytes intensity = intensity_message(grid, grey, true);
    out.bytes.insert(out.bytes.end(), intensity.begin(), intensity.end());
  }
  if (out.fault == GocatorFault::corrupt) out.bytes[surface_at + attribute_size_at] ^= 8;
  return out;
}

GocatorBytes VirtualGocatorDevice::health() const {
  std::vector<gocator::Indicator> indicators{{1003, 0, 0}, {2002, 0, 41'500}};
  for (const std::uint32_t id : {2201u, 21000u, 21005u, 21010u, 21011u, 21016u}) {
    const auto found = drops_.find(id);
    indicators.push_back({id, 0, found == drops_.end() ? 0 : found->second});
  }
  return health_message(indicators);
}

void VirtualGocatorDevice::restart() {
  running_ = modified_ = silent_ = triggered_ = false;
  frames_ = 0;
  drops_.clear();
  fault_ = GocatorFault::none;
}

}  // namespace datum
