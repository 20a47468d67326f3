#include "drivers/gocator/data_receiver.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "drivers/gocator/protocol_error.h"

namespace datum::gocator {
namespace {

constexpr std::size_t scratch_bytes = 65536;
// Stamps and measurements are small; a larger message contradicts its type.
constexpr std::size_t most_body_bytes = 65536;

bool is(const MessageHeader& header, DataType type) {
  return header.type == static_cast<std::uint16_t>(type);
}

}  // namespace

void DataReceiver::reset() {
  DataSet given_up = std::move(set_);
  given_up.work.reset();
  set_ = {};
  complete_.clear();
  expect(Part::header, MessageHeader::bytes);
}

void DataReceiver::expect(Part part, std::size_t bytes) {
  if (part == Part::header) head_.clear();
  part_ = part;
  have_ = 0;
  need_ = bytes;
  if (part == Part::pixels) return;
  if (part == Part::skipped)
    scratch_.resize(scratch_bytes);
  else
    head_.resize(head_.size() + bytes);
}

std::span<std::uint8_t> DataReceiver::room() {
  const std::size_t left = need_ - have_;
  switch (part_) {
    case Part::pixels:
      if (is(header_, DataType::uniform_surface))
        return {reinterpret_cast<std::uint8_t*>(set_.heights.data()) + have_, left};
      return {reinterpret_cast<std::uint8_t*>(set_.grey.data()) + set_.grey.size() + have_, left};
    case Part::skipped:
      return {scratch_.data(), std::min(left, scratch_.size())};
    default:
      return {head_.data() + head_.size() - left, left};
  }
}

void DataReceiver::received(std::size_t count) {
  have_ += count;
  if (part_ == Part::pixels && set_.work && is(header_, DataType::uniform_surface)) set_.work->arrived(have_);
  while (have_ == need_) part_ends();  // an empty part ends at once
}

void DataReceiver::part_ends() {
  switch (part_) {
    case Part::header:
      return header_ends();
    case Part::attribute_size: {
      const std::size_t attributes = at<std::uint16_t>(head_, MessageHeader::bytes);
      const std::size_t least =
          is(header_, DataType::uniform_surface) ? least_surface_attributes : least_intensity_attributes;
      return expect(Part::attributes, payload_begin(attributes, least, header_.size) - attributes_begin);
    }
    case Part::attributes:
      return attributes_end();
    case Part::body:
      return body_ends();
    case Part::pixels:
    case Part::skipped:
      return message_ends();
  }
}

bool DataReceiver::is_grid() const {
  return is(header_, DataType::uniform_surface) || is(header_, DataType::surface_intensity);
}

void DataReceiver::header_ends() {
  header_ = header_of(head_, max_message_bytes_);
  const std::size_t rest = header_.size - MessageHeader::bytes;
  if (is_grid()) {
    if (header_.size < attributes_begin)
      throw ProtocolError(Fault::too_short, fmt::format("a surface of {} bytes", header_.size));
    return expect(Part::attribute_size, attributes_begin - MessageHeader::bytes);
  }
  if (is(header_, DataType::surface_point_cloud))
    set_.refusal = "a surface point cloud, which has no uniform grid; switch Uniform Spacing on in the job";
  const bool small = is(header_, DataType::stamp) || is(header_, DataType::measurement);
  if (small && header_.size > most_body_bytes)
    throw ProtocolError(Fault::too_long,
                        fmt::format("a message of type {} of {} bytes", header_.type, header_.size));
  expect(small ? Part::body : Part::skipped, rest);
}

void DataReceiver::attributes_end() {
  const std::size_t left = header_.size - head_.size();
  const bool heights = is(header_, DataType::uniform_surface);
  const Grid grid = heights ? surface_of(head_, header_.size) : intensity_of(head_, header_.size);
  if (grid.is_tool_output()) return expect(Part::skipped, left);
  if (heights ? set_.surface.has_value() : set_.intensity.has_value()) {
    set_.refusal = "two surfaces in one data set; switch all but one off in the job's Ethernet output";
    return expect(Part::skipped, left);
  }
  if (heights) {
    set_.surface = grid;
    set_.surface_head = head_;
    set_.heights = consumer_ ? consumer_->heights(grid.pixels()) : std::vector<std::int16_t>(grid.pixels());
    if (consumer_) set_.work = consumer_->surface_begins(set_);
  } else {
    set_.intensity = grid;
    set_.intensity_head = head_;
    set_.grey.resize(grid.pixels());
  }
  expect(Part::pixels, left);
}

void DataReceiver::body_ends() {
  if (is(header_, DataType::measurement)) {
    auto measured = measurements_of(head_);
    if (set_.measurements.size() + measured.size() > most_body_bytes)
      throw ProtocolError(Fault::too_long, "more measurements in one data set than are believed");
    set_.measurements.insert(set_.measurements.end(), measured.begin(), measured.end());
    return message_ends();
  }
  const Stamps stamps = stamps_of(head_);
  if (stamps.count > 1 || set_.stamp)
    set_.refusal = "several stamps in one data set: one sensor without a buddy is read";
  if (stamps.count > 0 && !set_.stamp) {
    set_.stamp = stamps.first;
    set_.stamp_message = head_;
  }
  message_ends();
}

void DataReceiver::message_ends() {
  if (header_.last_of_set) complete_.push_back(std::exchange(set_, {}));
  expect(Part::header, MessageHeader::bytes);
}

std::optional<DataSet> DataReceiver::next() {
  if (complete_.empty()) return std::nullopt;
  DataSet set = std::move(complete_.front());
  complete_.pop_front();
  return set;
}

DataSet DataReceiver::take() { return std::exchange(set_, {}); }

}  // namespace datum::gocator
