// Memory exhaustion at the n-th allocation, once or many times in a row, while a board is read, measured, stored and
// announced. The daemon ends, or reports INVALID, or gives a correct result; it then restarts without a fault.
#include <signal.h>

#include <random>

#include "tests/faults/disk_control.h"
#include "tests/faults/faults.h"
#include "tests/faults/load.h"
#include "tests/faults/memory_control.h"

namespace datum::faults {

namespace {

/// Measures one board under memory exhaustion; starts the daemon where it does not run.
void measure_short_of_memory(scenario::Cell& cell, Ledger& ledger, Load& load, MemoryControl& memory,
                             const std::filesystem::path& control, std::mt19937& random, Findings& findings) {
  if (!load.ready()) {
    memory.until = -1;
    load.start({{"LD_PRELOAD", FAULT_MEMORY_LIBRARY}, {memory_control_variable, control}});
    load.measure(ledger.boards() + 1);  // one-time allocations are done
  }
  const std::int64_t before = memory.made;
  load.measure(ledger.boards() + 1);
  const auto of_a_board = static_cast<std::uint32_t>(memory.made - before);
  memory.fail = random() % 3 == 0 ? 1 + random() % 1000 : 1;
  memory.until = random() % std::max(1u, of_a_board);
  const int boards = ledger.boards() + 1;
  const bool lived = load.measure(boards);
  memory.until = -1;
  findings.count(lived ? "lived" : "ended");
  if (lived) return;
  const int status = load.ended();
  // An orderly end, or an uncaught exception in a thread; never a memory error.
  findings.expect(status == 70 || status == -SIGABRT,
                  "it ended by " + std::to_string(status) + ":\n" + cell.daemon().output());
}

}  // namespace

void run_out_of_memory(const Order& order, Findings& findings) {
  scenario::Cell cell;
  Ledger ledger;
  ledger.invalid_is_fine = true;
  Load load(cell, ledger);
  load.ahead = 1;
  load.arms_again = true;
  const std::filesystem::path control = cell.path() / "memory.control";
  auto* const memory = share<MemoryControl>(control);
  memory->until = -1;
  std::mt19937 random(order.seed);
  for (int n = 0; n < order.times; ++n)
    measure_short_of_memory(cell, ledger, load, *memory, control, random, findings);
  if (load.ready()) load.end(SIGKILL);
  findings.count("allocations that failed", static_cast<std::uint64_t>(memory->failed.load()));
  findings.count("times disarmed", static_cast<std::uint64_t>(load.armed_again));
  ledger.check(cell, findings);
}

}  // namespace datum::faults
