// The whole board on the device: frame in pinned memory to records in host memory.
#pragma once

#include "tests/gpu/map_scene.h"

namespace datum::bench {

/// Prints median, 90th and 99th percentile of SlotMeasurer::measure over frames in three slots, of frames that are whole
/// and of frames whose bands arrived before, screened and exact. Returns whether fits and ring evidence are the CPU backend's.
bool run_board_rows(const testing::MapScene& board, int repetitions);

}  // namespace datum::bench
