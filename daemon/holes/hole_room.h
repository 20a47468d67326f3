// Where a tip is free around a hole that was scanned, for whoever moves it there.
#pragma once

#include "calib/hybrid/hybrid_probe.h"
#include "drivers/cmm/probe_room.h"

namespace datum {

/// As the machine's own scales read it. They are out of square and off by so little (StageModel) that a bore stays one; what
/// it is bent by is taken off its room.
ProbeRoom room_in_scales(const HoleRoom& hole, const Eigen::Matrix3d& scales_from_machine,
                         double tip_radius_mm);

/// Everything above this height in machine coordinates, mm, as the scales read it. No axis of the stage leans z
/// (calib/stage.h), so that the height is a height of the scales.
ProbeRoom room_above(double z_mm, const Eigen::Matrix3d& scales_from_machine);

}  // namespace datum
