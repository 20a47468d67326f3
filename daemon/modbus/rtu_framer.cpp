#include "daemon/modbus/rtu_framer.h"

#include <initializer_list>
#include <string_view>

#include "daemon/text/checked_line.h"

namespace datum::modbus {
namespace {

constexpr std::size_t least_frame = 4;  // address, function, CRC
// Twice the longest request that a byte count can announce: more bytes are no valid frame.
constexpr std::size_t most_held = 528;

std::uint16_t crc_of(std::span<const std::uint8_t> bytes) {
  return crc16({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

/// Size of the request at the begin of `f`; 0: unknown or incomplete.
std::size_t request_size(std::span<const std::uint8_t> f) {
  if (f.size() < 2) return 0;
  switch (f[1]) {
    case 1:
    case 2:
    case 3:
    case 4:
    case 5:
    case 6:
    case 8:
      return 8;
    case 7:
    case 11:
    case 12:
    case 17:
      return 4;
    case 15:
    case 16:
      return f.size() > 6 ? 9u + f[6] : 0;
    case 22:
      return 10;
    case 23:
      return f.size() > 10 ? 13u + f[10] : 0;
    default:
      return 0;
  }
}

/// Size of the answer at the begin of `f`.
std::size_t answer_size(std::span<const std::uint8_t> f) {
  if (f.size() < 3) return 0;
  const int function = f[1];
  if (function >= 0x80) return 5;
  if (function == 5 || function == 6 || function == 15 || function == 16) return 8;
  return function <= 4 ? 5u + f[2] : 0;
}

bool ends_at(std::span<const std::uint8_t> f, std::size_t size) {
  return size >= least_frame && size <= f.size() &&
         crc_of(f.first(size - 2)) == (f[size - 2] | f[size - 1] << 8);
}

/// Size of a complete request or answer of any unit at the begin of `f`; 0: none.
std::size_t whole_frame(std::span<const std::uint8_t> f) {
  for (const std::size_t size : {request_size(f), answer_size(f)})
    if (ends_at(f, size)) return size;
  return 0;
}

}  // namespace

std::vector<std::uint8_t> with_crc(std::vector<std::uint8_t> frame) {
  const std::uint16_t crc = crc_of(frame);
  frame.push_back(static_cast<std::uint8_t>(crc));
  frame.push_back(static_cast<std::uint8_t>(crc >> 8));
  return frame;
}

void RtuFramer::receive(std::span<const std::uint8_t> bytes) {
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  if (bytes_.size() > most_held) bytes_.erase(bytes_.begin(), bytes_.end() - most_held);
}

std::optional<std::vector<std::uint8_t>> RtuFramer::take(std::size_t size) {
  const auto begin = bytes_.begin(), end = begin + static_cast<std::ptrdiff_t>(size);
  std::vector<std::uint8_t> frame(begin, end - 2);
  bytes_.erase(begin, end);
  return frame;
}

std::optional<std::vector<std::uint8_t>> RtuFramer::next() {
  while (bytes_.size() >= least_frame && !is_for_us()) {
    const std::size_t anothers = whole_frame(bytes_);
    if (anothers == 0) return std::nullopt;
    take(anothers);
  }
  const std::size_t size = request_size(bytes_);
  if (!is_for_us() || !ends_at(bytes_, size)) return std::nullopt;
  // The bytes behind it must be the next frame; otherwise it is not such a request.
  const std::span<const std::uint8_t> behind = std::span(bytes_).subspan(size);
  if (!behind.empty() && whole_frame(behind) == 0) return std::nullopt;
  return take(size);
}

std::optional<std::vector<std::uint8_t>> RtuFramer::silence() {
  std::optional<std::vector<std::uint8_t>> frame;
  if (is_for_us() && ends_at(bytes_, bytes_.size())) frame = take(bytes_.size());
  bytes_.clear();
  return frame;
}

}  // namespace datum::modbus
