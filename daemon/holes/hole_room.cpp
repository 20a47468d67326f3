#include "daemon/holes/hole_room.h"

namespace datum {

ProbeRoom room_in_scales(const HoleRoom& hole, const Eigen::Matrix3d& scales_from_machine,
                         double tip_radius_mm) {
  const Eigen::Vector3d surface_mm = scales_from_machine * hole.surface_mm;
  const Eigen::Vector3d axis = (scales_from_machine * hole.normal).normalized();
  const double bent = (scales_from_machine - Eigen::Matrix3d::Identity()).norm();
  const double bent_mm = bent * (hole.touch_mm + hole.depth_mm + hole.clear_mm);
  ProbeRoom room;
  room.surface_mm = {surface_mm.x(), surface_mm.y(), surface_mm.z()};
  room.axis = {axis.x(), axis.y(), axis.z()};
  room.free_mm = hole.free_mm - bent_mm;
  room.touch_mm = hole.touch_mm + bent_mm;
  room.depth_mm = hole.depth_mm;
  room.clear_mm = hole.clear_mm + bent_mm;
  room.tip_radius_mm = tip_radius_mm;
  return room;
}

ProbeRoom room_above(double z_mm, const Eigen::Matrix3d& scales_from_machine) {
  ProbeRoom room;
  room.surface_mm = {0, 0, scales_from_machine(2, 2) * z_mm};
  return room;
}

}  // namespace datum
