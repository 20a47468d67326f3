// The clock is set under load: an hour back, a year forward, some seconds back and forth. No timeout may depend on it,
// and no result may be lost or duplicated; results carry the set time.
#include <fmt/format.h>
#include <signal.h>

#include <random>

#include "tests/faults/clock_control.h"
#include "tests/faults/disk_control.h"
#include "tests/faults/faults.h"
#include "tests/faults/load.h"

namespace datum::faults {

namespace {

constexpr int hour_s = 3600, year_s = 365 * 24 * hour_s;

/// Random offset to the true time in seconds.
int drawn_offset_s(std::mt19937& random) {
  switch (random() % 4) {
    case 0:
      return -hour_s;
    case 1:
      return year_s;
    case 2:
      return static_cast<int>(random() % 20) - 10;
    default:
      return 0;
  }
}

}  // namespace

void set_the_clock(const Order& order, Findings& findings) {
  scenario::Cell cell;
  Ledger ledger;
  Load load(cell, ledger);
  std::mt19937 random(order.seed);
  const std::string control = cell.path() / "clock";
  auto* const clock = share<ClockControl>(control);
  load.most = 0;
  load.start({{"LD_PRELOAD", FAULT_CLOCK_LIBRARY}, {clock_control_variable, control}});
  int offset_s = 0, told = 0;
  for (int n = 0; n < order.times; ++n) {
    const int before_s = offset_s;
    offset_s = drawn_offset_s(random);
    clock->ahead_ns = offset_s * std::int64_t{1'000'000'000};
    told += offset_s != before_s;
    findings.count("times the clock was set", offset_s != before_s);
    const Moment from = now();
    findings.expect(load.measure(ledger.boards() + 3),
                    "no board after the clock was set:\n" + cell.daemon().output());
    // Listing the folder and writing to hosts take seconds; an hour is a failure.
    findings.expect(now() - from < std::chrono::minutes(1), "a board waited for the clock");
    if (told > 0)
      findings.expect(cell.daemon().says("this computer's clock was set by", told), "it was not told");
  }
  findings.expect(load.end(SIGTERM) == 0, "it failed:\n" + cell.daemon().output());
  ledger.check(cell, findings);
}

}  // namespace datum::faults
