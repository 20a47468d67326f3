#include "daemon/plant/delivery_window.h"

#include <algorithm>
#include <utility>

namespace datum {

void DeliveryWindow::sent(std::uint64_t number, std::size_t bytes, std::optional<PlantPosition> completes) {
  open_.push_back({number, bytes, std::move(completes)});
  bytes_ += bytes;
}

bool DeliveryWindow::has(std::uint64_t number) const {
  const auto found = std::lower_bound(open_.begin(), open_.end(), number,
                                      [](const Open& o, std::uint64_t n) { return o.number < n; });
  return found != open_.end() && found->number == number && !found->accepted;
}

std::optional<PlantPosition> DeliveryWindow::accepted(std::uint64_t number) {
  const auto found = std::lower_bound(open_.begin(), open_.end(), number,
                                      [](const Open& o, std::uint64_t n) { return o.number < n; });
  if (found == open_.end() || found->number != number) return std::nullopt;
  found->accepted = true;
  std::optional<PlantPosition> reached;
  while (!open_.empty() && open_.front().accepted) {
    if (open_.front().completes) reached = std::move(open_.front().completes);
    bytes_ -= open_.front().bytes;
    open_.pop_front();
  }
  return reached;
}

void DeliveryWindow::lost() {
  open_.clear();
  bytes_ = 0;
}

}  // namespace datum
