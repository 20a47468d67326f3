// Block ids of GigE Vision: 16 bits that go from 65535 to 1 (0 is none), or 64 bits where the camera has extended ids.
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace datum::genicam {

class BlockCounter {
 public:
  /// Why this block may not be the one after the last, in words; empty: it is, or it is the first.
  std::string next(std::uint64_t id);
  /// A block came whose id was lost with its first packet.
  void unnamed() { ++unnamed_; }
  /// The camera counts anew.
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
