#include "daemon/cell/part_sequencer.h"

#include <fmt/format.h>

#include <utility>

#include "daemon/inspection/surface/surface_recipe.h"
#include "daemon/instrument/scpi_error.h"

namespace datum {

void demand_measurable_part(const SurfaceRecipe& surface, bool cmm) {
  if (!surface.poses.empty() && !cmm)
    throw scpi::Error(
        scpi::settings_conflict,
        "the recipe names the poses of its snapshots and no CMM is configured that measures them");
  std::error_code none;
  const std::filesystem::path model = surface.model.folder / surface.model.file;
  if (std::filesystem::symlink_status(model, none).type() != std::filesystem::file_type::regular)
    throw scpi::Error(scpi::mass_storage_error,
                      fmt::format("the recipe's model {} is not a file", model.string()));
}

bool PartSequencer::waits_for_touching() const {
  return part_ && part_->taken.size() == part_->recipe->surface->snapshots;
}

std::string PartSequencer::next_snapshot() const {
  const SurfaceRecipe& surface = *part_->recipe->surface;
  if (waits_for_touching())
    return fmt::format("the touching of {} hole{}", surface.holes.size(),
                       surface.holes.size() == 1 ? "" : "s");
  const std::size_t next = part_->taken.size();
  return fmt::format("snapshot {} of {} ({})", next + 1, surface.snapshots, surface.poses[next].name);
}

std::shared_ptr<BoardOrder> PartSequencer::resume() {
  due_.reset();
  return std::exchange(part_, nullptr);
}

Conclusion PartSequencer::overdue() const {
  const SurfaceRecipe& surface = *part_->recipe->surface;
  if (waits_for_touching())
    return {Reason::hole_touch, fmt::format("{} was not triggered within {} ms of the last snapshot",
                                            next_snapshot(), surface.touching.timeout_ms)};
  return {Reason::snapshots, fmt::format("{} was not triggered within {} ms of the one before",
                                         next_snapshot(), surface.snapshot_timeout_ms)};
}

std::optional<Conclusion> PartSequencer::take_snapshot(std::shared_ptr<BoardOrder>& order, MonotonicNs now) {
  const SurfaceRecipe& surface = *order->recipe->surface;
  order->taken.push_back({*std::exchange(order->claim, std::nullopt),
                          *std::exchange(order->frame, std::nullopt),
                          std::exchange(order->pairing, std::nullopt), order->age});
  const std::size_t number = order->taken.size();
  const Pose pose = pose_of(order->taken.back().pairing);
  if (pose.reason != Reason::none)
    return Conclusion{pose.reason, fmt::format("snapshot {}: {}", number, pose.detail)};
  if (const std::string why = pose_refusal(surface, number - 1, pose); !why.empty())
    return Conclusion{Reason::snapshots, why};
  const bool complete = number == surface.snapshots;
  if (complete && surface.holes.empty()) return Conclusion{};
  part_ = std::exchange(order, nullptr);
  due_ = now + (complete ? surface.touching.timeout_ms : surface.snapshot_timeout_ms) * ns_per_ms;
  events_.log(6, fmt::format("frame {} kept; {} is next", part_->taken.back().claim.stem(), next_snapshot()));
  return std::nullopt;
}

void PartSequencer::abandon(const std::string& why) {
  if (!part_) return;
  events_.log(5, "the part in progress is abandoned: " + why,
              {Event::board_abandoned, {{"DATUM_RECIPE", part_->recipe->name}, {"DATUM_REASON", why}}});
  deliveries_.abort_snapshots(*resume());
}

}  // namespace datum
