// Rows of the real board: its own dies, and its rings with an added second level.
#pragma once

#include <cstdint>

#include "tests/statistics/statistics_tally.h"

namespace datum::statistics {

/// True: the file pemtron/board.ptr below DATUM_REAL_DATA (default ../shared/data beside the tree) is readable.
bool real_board_is_here();

/// Entry of the column "body".
const Body& real_die();

/// Frame `seed` of a row; rows without random parts are equal for each seed. Throws where a file can't be read.
Tallies measure_real_frame(const Row& row, std::uint64_t seed);

}  // namespace datum::statistics
