#include "daemon/inspection/board/snapshot_poses.h"

#include <fmt/format.h>

#include <algorithm>

namespace datum {
namespace {

bool is_at(const SnapshotPose& p, const Pose& pose) {
  return (Eigen::Map<const Eigen::Vector3d>(pose.q_mm.data()) - p.position_mm).norm() <= p.tolerance_mm;
}

}  // namespace

std::string pose_refusal(const SnapshotPlan& plan, std::size_t number, const Pose& pose) {
  if (plan.poses.empty()) return "";
  if (!pose.used) return "the recipe names the snapshots' poses and no position came with them";
  const SnapshotPose& due = plan.poses[number];
  if (is_at(due, pose)) return "";
  const auto other = std::find_if(plan.poses.begin(), plan.poses.end(),
                                  [&](const SnapshotPose& p) { return is_at(p, pose); });
  return fmt::format(
      "snapshot {} was taken at [{:.3f}, {:.3f}, {:.3f}] mm{}, its pose is {} at [{:.3f}, {:.3f}, {:.3f}] mm",
      number + 1, pose.q_mm[0], pose.q_mm[1], pose.q_mm[2],
      other == plan.poses.end() ? "" : ", which is pose " + other->name, due.name, due.position_mm.x(),
      due.position_mm.y(), due.position_mm.z());
}

std::optional<std::size_t> pose_from(const SnapshotPlan& plan, std::size_t due, const Pose& pose) {
  for (std::size_t i = due; pose.used && i < plan.poses.size(); ++i)
    if (is_at(plan.poses[i], pose)) return i;
  return std::nullopt;
}

std::string snapshot_words(const SnapshotPlan& plan, std::size_t number) {
  return fmt::format("snapshot {} of {} ({})", number + 1, plan.count(), plan.poses[number].name);
}

SnapshotEvidence snapshot_evidence(const SnapshotPlan& plan, std::size_t number, const HeightFrame& frame,
                                   const Pose& pose) {
  SnapshotEvidence s;
  s.name = number < plan.poses.size() ? plan.poses[number].name : std::to_string(number + 1);
  s.frame_id = frame.frame_id;
  s.frame_source = frame.source;
  s.frame_sha256 = frame.content_sha256;
  s.captured = frame.captured;
  s.stamp = frame.stamp;
  s.pose = pose;
  s.stages = frame.stages;
  s.pixels = frame.size();
  s.valid = frame.count_of(PixelClass::ok);
  return s;
}

}  // namespace datum
