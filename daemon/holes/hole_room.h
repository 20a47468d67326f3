// Where a tip is free around a hole that was scanned, for whoever moves it there.
#pragma once

#include "calib/hybrid/hybrid_probe.h"
#include "drivers/cmm/probe_room.h"

namespace datum {

/// As the machine's own scales read it. They are out of square and off by so little (StageModel) that a bore stays one; what
/// it is bent by is taken off its room.
ProbeRoom room_in_scales(const HoleRoom& hole, const Eigen::Matrix3d& scales_from_machine,
                         double tip_radius_mm);

}  // namespace datum
