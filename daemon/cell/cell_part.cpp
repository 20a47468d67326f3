// A part between its snapshots: each is triggered, paired and kept; the last one lets them be measured together.
#include <fmt/format.h>

#include "daemon/cell/cell.h"
#include "daemon/inspection/surface/surface_recipe.h"
#include "daemon/instrument/scpi_error.h"
#include "daemon/system/event_loop.h"

namespace datum {

/// What arming would only find out from INVALID parts.
void InspectionCell::refuse_unmeasurable_part() const {
  const SurfaceRecipe& surface = *recipe_->surface;
  if (!surface.poses.empty() && !parts_.cmm)
    throw scpi::Error(scpi::settings_conflict,
                      "the recipe names the poses of its snapshots and no CMM is configured to tell them");
  std::error_code none;
  const std::filesystem::path model = surface.model.folder / surface.model.file;
  if (std::filesystem::symlink_status(model, none).type() != std::filesystem::file_type::regular)
    throw scpi::Error(scpi::mass_storage_error,
                      fmt::format("the recipe's model {} is not a file", model.string()));
}

/// "snapshot 3 of 7 (left)".
std::string InspectionCell::next_snapshot() const {
  const SurfaceRecipe& surface = *part_->recipe->surface;
  const std::size_t next = part_->taken.size();
  return fmt::format("snapshot {} of {} ({})", next + 1, surface.snapshots, surface.poses[next].name);
}

void InspectionCell::resume_part() {
  board_ = std::exchange(part_, nullptr);
  part_due_.reset();
}

/// What is wrong with one snapshot is told at once: the next trigger begins a part anew, at its first pose.
void InspectionCell::snapshot_taken(MonotonicNs now) {
  BoardOrder& order = *board_;
  const SurfaceRecipe& surface = *order.recipe->surface;
  order.taken.push_back({*std::exchange(order.claim, std::nullopt), *std::exchange(order.frame, std::nullopt),
                         std::exchange(order.pairing, std::nullopt), order.age});
  const std::size_t number = order.taken.size();
  const Pose pose = pose_of(order.taken.back().pairing);
  if (pose.reason != Reason::none)
    return conclude(pose.reason, fmt::format("snapshot {}: {}", number, pose.detail));
  if (const std::string why = pose_refusal(surface, number - 1, pose); !why.empty())
    return conclude(Reason::snapshots, why);
  if (number == surface.snapshots) return conclude(Reason::none, "");
  part_ = std::exchange(board_, nullptr);
  part_due_ = now + MonotonicNs{surface.snapshot_timeout_ms} * 1'000'000;
  log(6, fmt::format("frame {} kept; {} is next", part_->taken.back().claim.stem(), next_snapshot()));
  enter(InstrumentState::armed);
}

void InspectionCell::snapshot_missing() {
  const std::string why = fmt::format("{} was not triggered within {} ms of the one before", next_snapshot(),
                                      part_->recipe->surface->snapshot_timeout_ms);
  resume_part();
  conclude(Reason::snapshots, why);
}

void InspectionCell::fail_snapshots(const BoardOrder& order) {
  for (const TakenSnapshot& s : order.taken)
    parts_.frames.failed(s.claim, "its part was aborted before a result was stored");
}

}  // namespace datum
