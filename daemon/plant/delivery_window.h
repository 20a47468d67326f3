// Which messages a broker has not yet accepted, and up to which entry of the chain it has accepted all. It bounds messages and
// bytes, so that a broker that accepts nothing costs no memory beyond them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "daemon/plant/plant_position.h"

namespace datum {

class DeliveryWindow {
 public:
  /// Bytes that are open at most, unless one message alone has more.
  static constexpr std::size_t most_bytes = std::size_t{16} << 20;

  explicit DeliveryWindow(std::size_t most) : most_(most) {}

  bool is_full() const { return open_.size() >= most_ || bytes_ >= most_bytes; }
  std::size_t open() const { return open_.size(); }

  /// A message of this number was sent; numbers rise. `completes`: the position that is reached with it, where it is an entry's
  /// last.
  void sent(std::uint64_t number, std::size_t bytes, std::optional<PlantPosition> completes);
  /// It is open, and not accepted.
  bool has(std::uint64_t number) const;
  /// The broker accepted it. Returns the position up to which all messages are accepted now; none: that did not
  /// advance. An unknown number changes nothing.
  std::optional<PlantPosition> accepted(std::uint64_t number);
  /// The connection was lost: nothing that is open counts as sent.
  void lost();

 private:
  struct Open {
    std::uint64_t number = 0;
    std::size_t bytes = 0;
    std::optional<PlantPosition> completes;
    bool accepted = false;
  };

  std::size_t most_, bytes_ = 0;
  std::deque<Open> open_;  // oldest first
};

}  // namespace datum
