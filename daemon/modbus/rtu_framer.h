// Frames of Modbus RTU in a stream of bytes, after "MODBUS over Serial Line" V1.02, 2.5.1. No descriptor, no clock.
//
// A request ends where its function says so and its CRC is right there, so that it is answered without a silence; anything else
// that is meant for this unit ends with a silence and counts where the CRC of all of it is right. What others on the line ask and
// answer is passed over, frame by frame.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace datum::modbus {

/// CRC of RTU, appended low byte first.
std::vector<std::uint8_t> with_crc(std::vector<std::uint8_t> frame);

class RtuFramer {
 public:
  /// `unit` 1 to 247.
  explicit RtuFramer(int unit) : unit_(static_cast<std::uint8_t>(unit)) {}

  void receive(std::span<const std::uint8_t> bytes);
  /// The next request to this unit or to all (0), its address first and without its CRC.
  std::optional<std::vector<std::uint8_t>> next();
  /// The line was silent: what has come ended there. As next().
  std::optional<std::vector<std::uint8_t>> silence();
  /// Nothing has come that is not yet passed over.
  bool empty() const { return bytes_.empty(); }

 private:
  bool is_for_us() const { return !bytes_.empty() && (bytes_[0] == unit_ || bytes_[0] == 0); }
  std::optional<std::vector<std::uint8_t>> take(std::size_t size);

  std::uint8_t unit_;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace datum::modbus
