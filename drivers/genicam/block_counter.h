// Block ids of GigE Vision: 16 bits from 1 to 65535 (0 is not used), or 64 bits for cameras with extended
// ids. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace datum::genicam {

class BlockCounter {
 public:
  /// Why this block may not directly follow the last one, as text; empty: it does, or it is the first.
  std::string next(std::uint64_t id);
  /// Counts a block whose id was lost with its first packet.
  void unnamed() { ++unnamed_; }
  /// The camera restarted its count.
  void reset() {
    last_.reset();
    unnamed_ = 0;
  }
  std::uint64_t lost() const { return lost_; }

 private:
  std::optional<std::uint64_t> last_;
  std::uint64_t lost_ = 0, unnamed_ = 0;
};

}  // namespace datum::genicam
