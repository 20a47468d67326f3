#include "daemon/cell/part_sequencer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "daemon/inspection/board/snapshot_poses.h"
#include "daemon/inspection/surface/surface_recipe.h"
#include "daemon/instrument/scpi_error.h"

namespace datum {

namespace {

/// The pose of the snapshot behind the last one, whether it came or not.
std::size_t due_of(const BoardOrder& order) {
  std::size_t due = 0;
  for (const TakenSnapshot& s : order.taken) due = std::max(due, s.number + 1);
  for (const LostSnapshot& s : order.lost) due = std::max(due, s.number + 1);
  return due;
}

/// Of the snapshots before by their frames, where no unit was stated; empty: they name none.
std::string unit_of(const BoardOrder& order) {
  if (!order.unit.empty()) return order.unit;
  for (const TakenSnapshot& s : order.taken)
    if (!s.frame.frame.unit_id.empty()) return s.frame.frame.unit_id;
  return "";
}

/// Its frame names another unit than those before.
std::optional<Conclusion> contradiction(const BoardOrder& order) {
  const std::string before = unit_of(order), own = order.frame->frame.unit_id;
  if (before.empty() || own.empty() || own == before) return std::nullopt;
  return Conclusion{Reason::snapshots,
                    fmt::format("{} shows unit {} by its unit_id, the snapshots before show unit {}",
                                order.claim->name(), own, before)};
}

/// Why nothing proves whose snapshot it is; empty: it is proved, or the recipe demands no unit.
std::string unnamed(const BoardOrder& order) {
  if (order.recipe->snapshots.one_board != OneBoard::unit || order.unit_stated) return "";
  const std::string before = unit_of(order), own = order.frame->frame.unit_id;
  if (!own.empty() && (order.taken.empty() || own == before)) return "";
  return "no unit was stated for it, and its frame names none of the snapshots before; state the number "
         "before each trigger (CONFigure:UNIT), or deliver it as unit_id";
}

}  // namespace

void demand_measurable_part(const Recipe& recipe, bool cmm) {
  if (!recipe.snapshots.poses.empty() && !cmm)
    throw scpi::Error(
        scpi::settings_conflict,
        "the recipe names the poses of its snapshots and no CMM is configured that measures them");
  if (!recipe.surface) return;
  std::error_code none;
  const std::filesystem::path model = recipe.surface->model.folder / recipe.surface->model.file;
  if (std::filesystem::symlink_status(model, none).type() != std::filesystem::file_type::regular)
    throw scpi::Error(scpi::mass_storage_error,
                      fmt::format("the recipe's model {} is not a file", model.string()));
}

bool PartSequencer::waits_for_touching() const {
  return part_ && part_->recipe->surface && part_->taken.size() == part_->recipe->snapshots.count();
}

std::string PartSequencer::next_snapshot() const {
  if (waits_for_touching()) {
    const std::size_t holes = part_->recipe->surface->holes.size();
    return fmt::format("the touching of {} hole{}", holes, holes == 1 ? "" : "s");
  }
  return snapshot_words(part_->recipe->snapshots, due_of(*part_));
}

std::shared_ptr<BoardOrder> PartSequencer::resume() {
  due_.reset();
  return std::exchange(part_, nullptr);
}

Conclusion PartSequencer::overdue() {
  if (waits_for_touching())
    return end_of_waiting(fmt::format(" was not triggered within {} ms of the last snapshot",
                                      part_->recipe->surface->touching.timeout_ms));
  return end_of_waiting(
      fmt::format(" was not triggered within {} ms of the one before", part_->recipe->snapshots.timeout_ms));
}

bool PartSequencer::is_of_another_unit(const std::string& unit) const {
  return part_ && !unit.empty() && unit != part_->unit;
}

Conclusion PartSequencer::other_unit(const std::string& unit) {
  return end_of_waiting(fmt::format(
      ": unit {} was stated before it was triggered, {}", unit,
      part_->unit.empty() ? "and none for the snapshots before" : "those before are of unit " + part_->unit));
}

Conclusion PartSequencer::end_of_waiting(const std::string& why) {
  if (part_->recipe->surface)
    return {waits_for_touching() ? Reason::hole_touch : Reason::snapshots, next_snapshot() + why};
  for (std::size_t due = due_of(*part_); due < part_->recipe->snapshots.count(); ++due)
    part_->lost.push_back({due, std::nullopt, {}, why.substr(why.find_first_not_of(" :"))});
  return {};
}

std::optional<Conclusion> PartSequencer::take_snapshot(std::shared_ptr<BoardOrder>& order, MonotonicNs now) {
  if (auto other = contradiction(*order)) return other;
  if (const std::string why = unnamed(*order); !why.empty()) {
    if (!order->recipe->surface) return lose_snapshot(order, {Reason::snapshots, why}, now);
    return Conclusion{Reason::snapshots, fmt::format("snapshot {}: {}", order->taken.size() + 1, why)};
  }
  if (!order->recipe->surface) return take_of_board(order, now);
  order->taken.push_back({*std::exchange(order->claim, std::nullopt),
                          *std::exchange(order->frame, std::nullopt),
                          std::exchange(order->pairing, std::nullopt), order->age, order->taken.size()});
  const std::size_t number = order->taken.size();
  const Pose pose = pose_of(order->taken.back().pairing);
  if (pose.reason != Reason::none)
    return Conclusion{pose.reason, fmt::format("snapshot {}: {}", number, pose.detail)};
  if (const std::string why = pose_refusal(order->recipe->snapshots, number - 1, pose); !why.empty())
    return Conclusion{Reason::snapshots, why};
  return keep(order, now);
}

std::optional<Conclusion> PartSequencer::take_of_board(std::shared_ptr<BoardOrder>& order, MonotonicNs now) {
  const SnapshotPlan& plan = order->recipe->snapshots;
  const Pose pose = pose_of(order->pairing);
  if (pose.reason != Reason::none) return lose_snapshot(order, {pose.reason, pose.detail}, now);
  std::size_t from = 0;  // a lost one may be taken again
  for (const TakenSnapshot& s : order->taken) from = std::max(from, s.number + 1);
  const std::size_t due = std::min(due_of(*order), plan.count() - 1);
  const std::optional<std::size_t> at = pose_from(plan, from, pose);
  order->taken.push_back({*std::exchange(order->claim, std::nullopt),
                          *std::exchange(order->frame, std::nullopt),
                          std::exchange(order->pairing, std::nullopt), order->age, at.value_or(due)});
  if (!at) return Conclusion{Reason::snapshots, pose_refusal(plan, due, pose)};
  return keep(order, now);
}

std::optional<Conclusion> PartSequencer::lose_snapshot(std::shared_ptr<BoardOrder>& order,
                                                       const Conclusion& why, MonotonicNs now) {
  const std::size_t due = due_of(*order);
  LostSnapshot& lost = order->lost.emplace_back();
  lost.number = due;
  lost.claim = std::exchange(order->claim, std::nullopt);
  lost.pose = pose_of(std::exchange(order->pairing, std::nullopt));
  lost.why = fmt::format("{}: {}", name_of(why.reason), why.detail);
  order->frame.reset();
  order->frame_error.clear();
  order->frame_reason = Reason::frame;
  events_.log(4,
              fmt::format("{} is lost: {}", snapshot_words(order->recipe->snapshots, lost.number), lost.why));
  return keep(order, now);
}

/// Until the next trigger; a conclusion: there is none to wait for.
std::optional<Conclusion> PartSequencer::keep(std::shared_ptr<BoardOrder>& order, MonotonicNs now) {
  const Recipe& recipe = *order->recipe;
  const bool complete = due_of(*order) >= recipe.snapshots.count();
  if (complete && (!recipe.surface || recipe.surface->holes.empty())) return Conclusion{};
  part_ = std::exchange(order, nullptr);
  due_ = now + (complete ? recipe.surface->touching.timeout_ms : recipe.snapshots.timeout_ms) * ns_per_ms;
  const std::string kept =
      part_->taken.empty() ? "no frame" : fmt::format("frame {}", part_->taken.back().claim.stem());
  events_.log(6, fmt::format("{} kept; {} is next", kept, next_snapshot()));
  return std::nullopt;
}

void PartSequencer::abandon(const std::string& why) {
  if (!part_) return;
  events_.log(5, "the part in progress is abandoned: " + why,
              {Event::board_abandoned, {{"DATUM_RECIPE", part_->recipe->name}, {"DATUM_REASON", why}}});
  deliveries_.abort_snapshots(*resume());
}

}  // namespace datum
