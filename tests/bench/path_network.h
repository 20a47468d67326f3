// Sensors on the network, in threads of this program: the last byte's time is taken where it is sent.
#pragma once

#include "tests/bench/path_cell.h"

namespace datum::bench {

/// The rows of the table.
PathTimes gocator_times(const PathOptions& options);
PathTimes genicam_times(const PathOptions& options);

}  // namespace datum::bench
