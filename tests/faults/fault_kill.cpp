// kill -9 at random moments under load: during the start, and between results.
#include <signal.h>

#include <algorithm>
#include <random>

#include "tests/faults/faults.h"
#include "tests/faults/load.h"

namespace datum::faults {

namespace {

constexpr unsigned most_results = 6;  // per life

/// A random part of a span.
std::chrono::nanoseconds part_of(std::chrono::nanoseconds span, std::mt19937& random) {
  return span * static_cast<int>(random() % 1000) / 1000;
}

class Killer {
 public:
  Killer(const Order& order, Findings& findings) : findings_(findings), random_(order.seed) {
    ledger_.early_is_fine = true;  // unknown whether frames before a kill belong to a changed recipe
  }

  /// From a start of the daemon to its death.
  void live() {
    const Moment began = now();
    load_.launch();
    if (random_() % 4 == 0) {
      load_.turn_until(began + part_of(start_, random_));
    } else {
      work(began);
    }
    findings_.count(load_.ready() ? "kills at work" : "kills before it was ready");
    const int status = load_.end(SIGKILL);
    if (cell_.list("drop/work").size() > 1) findings_.count("kills with several frames in work");
    findings_.expect(status == -SIGKILL, "it ended by itself:\n" + cell_.daemon().output());
  }
  void check() { ledger_.check(cell_, findings_); }

 private:
  void work(Moment began) {
    const Moment deadline = scenario::timeout();
    while (!load_.ready() && !cell_.daemon().has_ended() && now() < deadline) load_.turn(deadline);
    start_ = now() - began;
    if (random_() % 10 == 0) change_recipe();
    const Moment from = now();
    const std::size_t before = ledger_.announcements(), results = random_() % most_results;
    while (ledger_.announcements() < before + results && !cell_.daemon().has_ended() && now() < deadline)
      load_.turn(deadline);
    if (results > 0) board_ = (now() - from) / static_cast<int>(results);
    load_.turn_until(now() + part_of(board_, random_));
  }
  void change_recipe() {
    replace(cell_, "recipes/box.toml", scenario::Cell::recipe_text(ledger_.another_tolerance_um()));
    cell_.daemon().signal(SIGHUP);
    findings_.count("recipe changes");
  }

  Findings& findings_;
  std::mt19937 random_;
  scenario::Cell cell_;
  Ledger ledger_;
  Load load_{cell_, ledger_};
  // Duration of the last start and of the last boards on this machine.
  std::chrono::nanoseconds start_ = std::chrono::milliseconds(100), board_ = std::chrono::milliseconds(50);
};

}  // namespace

void kill_at_random_moments(const Order& order, Findings& findings) {
  Killer killer(order, findings);
  for (int n = 0; n < order.times; ++n) killer.live();
  killer.check();
}

}  // namespace datum::faults
