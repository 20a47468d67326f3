// Which messages a broker has not yet accepted, and up to which entry of the chain it has accepted all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "daemon/plant/plant_position.h"

namespace datum {

class DeliveryWindow {
 public:
  explicit DeliveryWindow(std::size_t most) : most_(most) {}

  bool is_full() const { return open_.size() >= most_; }
  std::size_t open() const { return open_.size(); }

  /// A message of this id was sent. `completes`: the position that is reached with it, where it is an entry's last.
  void sent(std::string id, std::optional<PlantPosition> completes);
  /// The broker accepted it. Returns the position up to which all messages are accepted now; none: that did not
  /// advance. An unknown id is one of before a loss, and changes nothing.
  std::optional<PlantPosition> accepted(const std::string& id);
  /// The connection was lost: nothing that is open counts as sent.
  void lost() { open_.clear(); }

 private:
  struct Open {
    std::string id;
    std::optional<PlantPosition> completes;
    bool accepted = false;
  };

  std::size_t most_;
  std::deque<Open> open_;  // oldest first
};

}  // namespace datum
