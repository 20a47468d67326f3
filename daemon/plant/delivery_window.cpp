#include "daemon/plant/delivery_window.h"

#include <algorithm>

namespace datum {

void DeliveryWindow::sent(std::string id, std::optional<PlantPosition> completes) {
  open_.push_back({std::move(id), std::move(completes)});
}

std::optional<PlantPosition> DeliveryWindow::accepted(const std::string& id) {
  const auto found = std::find_if(open_.begin(), open_.end(), [&](const Open& o) { return o.id == id; });
  if (found == open_.end()) return std::nullopt;
  found->accepted = true;
  std::optional<PlantPosition> reached;
  while (!open_.empty() && open_.front().accepted) {
    if (open_.front().completes) reached = std::move(open_.front().completes);
    open_.pop_front();
  }
  return reached;
}

}  // namespace datum
