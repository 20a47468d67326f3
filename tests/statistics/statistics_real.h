// Rows of the real board: its own dies, and its rings with a second level put under them.
#pragma once

#include <cstdint>

#include "tests/statistics/statistics_tally.h"

namespace datum::statistics {

/// The file pemtron/board.ptr below DATUM_REAL_DATA (default ../shared/data beside the tree) can be read.
bool real_board_is_here();

/// What stands in the column "body".
const Body& real_die();

/// A row's frame number `seed`; rows without anything drawn are the same for each. Throws where a file can't be read.
Tallies measure_real_frame(const Row& row, std::uint64_t seed);

}  // namespace datum::statistics
