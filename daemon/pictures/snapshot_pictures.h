// Pictures of a board of several snapshots: one set for each, with the components that were measured in it.
#pragma once

#include <filesystem>
#include <span>

#include "daemon/inspection/board/pipeline_snapshots.h"

namespace datum {

/// NAME-SNAPSHOT.END and the others of write_picture(), for each snapshot in which something was measured. Needs recipe and
/// calibration of `in`. Throws as write_picture().
void write_snapshot_pictures(const std::filesystem::path& file, std::span<const BoardSnapshot> snapshots,
                             const InspectionInputs& in, const BoardVerdict& verdict);

}  // namespace datum
