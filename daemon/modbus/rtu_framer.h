// Modbus RTU frames in a stream of bytes, after "MODBUS over Serial Line Specification and Implementation Guide" V1.02,
// 2.5.1. No descriptor, no clock.
//
// A request ends where its function code determines and its CRC matches, so that it is answered without a silence. Other
// frames to this unit end with a silence and need a matching CRC. Traffic of other units is skipped frame by frame.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace datum::modbus {

/// Appends the CRC, low byte first.
std::vector<std::uint8_t> with_crc(std::vector<std::uint8_t> frame);

class RtuFramer {
 public:
  /// `unit` 1 to 247.
  explicit RtuFramer(int unit) : unit_(static_cast<std::uint8_t>(unit)) {}

  void receive(std::span<const std::uint8_t> bytes);
  /// The next request to this unit or broadcast (0), with its address and without CRC.
  std::optional<std::vector<std::uint8_t>> next();
  /// The line was silent: the frame is complete. Returns as next().
  std::optional<std::vector<std::uint8_t>> silence();
  /// True: no unprocessed bytes.
  bool empty() const { return bytes_.empty(); }

 private:
  bool is_for_us() const { return !bytes_.empty() && (bytes_[0] == unit_ || bytes_[0] == 0); }
  std::optional<std::vector<std::uint8_t>> take(std::size_t size);

  std::uint8_t unit_;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace datum::modbus
