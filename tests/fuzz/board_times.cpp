// Kept times of a board: whatever is read is written and read again.
#include "daemon/metrics/board_times.h"
#include "tests/fuzz/fuzz_target.h"

using namespace datum;

DATUM_FUZZ_TARGET(board_times) {
  std::vector<BoardStep> steps;
  try {
    steps = steps_from_json(std::string(bytes));
  } catch (const std::runtime_error&) {
    return;
  }
  for (BoardStep& step : steps) step.name = "read";  // datumd writes its own names alone
  fuzz::expect(steps_from_json(to_json(steps)).size() == steps.size(), "the same when it is read again");
}
