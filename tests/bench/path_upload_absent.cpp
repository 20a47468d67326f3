#include "tests/bench/path_floor.h"

namespace datum::bench {

std::vector<FloorRow> upload_rows(std::size_t, int) { return {}; }

}  // namespace datum::bench
