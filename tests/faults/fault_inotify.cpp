// The kernel's inotify queue overflows while the daemon is stopped: files come and go in its drop folder, then frames
// come whose events are lost.
#include <signal.h>

#include <fstream>

#include "tests/faults/faults.h"
#include "tests/faults/load.h"

namespace datum::faults {

namespace {

std::uint64_t number_in(const char* file) {
  std::uint64_t number = 0;
  std::ifstream(file) >> number;
  return number;
}

}  // namespace

void overflow_the_folder_events(const Order& order, Findings& findings) {
  const std::uint64_t longest = number_in("/proc/sys/fs/inotify/max_queued_events");
  if (longest == 0 || longest > 200'000) throw Skipped("the kernel's queue is too long to be filled here");
  scenario::Cell cell;
  Ledger ledger;
  Load load(cell, ledger);
  load.most = 0;
  load.start();
  load.measure(3);
  for (int n = 0; n < order.times; ++n) {
    cell.daemon().signal(SIGSTOP);
    const std::filesystem::path stray = cell.drop() / ".stray";
    for (std::uint64_t i = 0; i <= longest / 2; ++i) {  // creation and close are two events
      std::ofstream(stray.string() + std::to_string(i % 2)).flush();
      std::filesystem::remove(stray.string() + std::to_string(i % 2));
    }
    for (int i = 0; i < 3; ++i) ledger.deliver(cell, ledger.boards() + 1);
    cell.daemon().signal(SIGCONT);
    findings.expect(load.measure(ledger.boards()), "frames are left:\n" + cell.daemon().output());
    findings.expect(cell.daemon().says("events were lost, the folder is listed", n + 1), "nothing was lost");
    findings.count("overflows");
  }
  findings.expect(load.end(SIGTERM) == 0, "it failed:\n" + cell.daemon().output());
  ledger.check(cell, findings);
}

}  // namespace datum::faults
