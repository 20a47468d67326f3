// A disk that is full, read-only, broken, forbidden or slow, during and between boards, for the store, the drop folder,
// or both. The preloaded library simulates that disk.
#include <errno.h>
#include <fmt/format.h>
#include <signal.h>

#include <random>

#include "tests/faults/disk_control.h"
#include "tests/faults/disk_log.h"
#include "tests/faults/faults.h"
#include "tests/faults/load.h"

namespace datum::faults {

namespace {

constexpr int boards_in_a_row = 6;
constexpr int refusals[] = {EIO, ENOSPC, EROFS, EACCES, EDQUOT};

std::map<std::string, std::string> with_disk(const scenario::Cell& cell) {
  return {{"LD_PRELOAD", FAULT_DISK_LIBRARY},
          {disk_folder_variable, cell.path()},
          {disk_control_variable, cell.path().string() + ".disk"}};
}

void make_whole(DiskControl& disk) {
  for (DiskTrouble* part : {&disk.store, &disk.drop, &disk.other}) part->error = part->delay_us = 0;
}

/// The disk refuses for a random time. In a quarter of the cases the daemon is killed and restarted meanwhile.
void refuse_for_a_while(scenario::Cell& cell, Load& load, DiskControl& disk, std::mt19937& random,
                        Findings& findings) {
  const int error = refusals[random() % std::size(refusals)];
  const auto where = static_cast<unsigned>(1 + random() % 3);
  const std::uint64_t from = disk.acts + random() % 20, until = from + 1 + random() % 40;
  const Moment longest = now() + std::chrono::milliseconds(500);
  while (disk.acts < from && now() < longest) load.turn(now() + std::chrono::milliseconds(2));
  if (where & 1) disk.store.error = error;
  if (where & 2) disk.drop.error = error;
  while (disk.acts < until && now() < longest) load.turn(now() + std::chrono::milliseconds(2));
  if (random() % 4 == 0) {
    load.end(SIGKILL);
    load.launch(with_disk(cell));
    load.turn_until(now() + std::chrono::milliseconds(random() % 200));
    if (cell.daemon().has_ended()) findings.count("refused to start");
  }
  make_whole(disk);
  findings.count(where == 1 ? "the store" : where == 2 ? "the drop folder" : "both");
}

}  // namespace

void arm_again(const scenario::Cell& cell) {
  const auto host = cell.connect();
  host->command("ABOR;:INIT");
}

void refuse_the_disk(const Order& order, Findings& findings) {
  scenario::Cell cell;
  Ledger ledger;
  ledger.invalid_is_fine = ledger.may_be_refused = true;
  Load load(cell, ledger);
  std::mt19937 random(order.seed);
  auto* const disk = share<DiskControl>(cell.path().string() + ".disk");
  load.start(with_disk(cell));
  for (int n = 0; n < order.times; ++n) {
    refuse_for_a_while(cell, load, *disk, random, findings);
    if (load.ready() && cell.daemon().has_ended()) {
      findings.count("ended");
      load.ended();
    }
    if (!load.ready()) {
      if (!cell.daemon().has_ended()) load.end(SIGKILL);
      load.start(with_disk(cell));
    }
    if (scenario::fields(cell.connect()->ask("SYST:STAT?")).at(0) == "IDLE") {
      findings.count("disarmed");
      arm_again(cell);
    }
  }
  load.end(SIGKILL);
  std::filesystem::remove(cell.path().string() + ".disk");
  ledger.check(cell, findings);
}

void slow_the_disk(const Order& order, Findings& findings) {
  scenario::Cell cell;
  Ledger ledger;
  Load load(cell, ledger);
  auto* const disk = share<DiskControl>(cell.path().string() + ".disk");
  load.most = 0;
  load.start(with_disk(cell));
  const auto host = cell.connect();
  for (int n = 0; n < order.times; ++n) {
    disk->store.delay_us = 100'000;
    const int board = ledger.boards() + 1;
    ledger.deliver(cell, board);
    // Hosts are answered while a result is being written, and it is not announced before it is durable.
    int answers = 0;
    const std::size_t told = ledger.announcements();
    while (ledger.announcements() == told && !cell.daemon().has_ended()) {
      answers += scenario::fields(host->ask("SYST:STAT?")).at(0) == "MEASURING";
      load.turn(now() + std::chrono::milliseconds(1));
    }
    findings.expect(answers >= 3, fmt::format("{} answers while a result was being stored", answers));
    findings.count("answers meanwhile", static_cast<std::uint64_t>(answers));
    // Boards that follow closely gather in front of the disk, and lose nothing by that.
    load.measure(board + boards_in_a_row);
    disk->store.delay_us = 0;
  }
  findings.expect(load.end(SIGTERM) == 0, "it failed:\n" + cell.daemon().output());
  std::filesystem::remove(cell.path().string() + ".disk");
  ledger.check(cell, findings);
}

}  // namespace datum::faults
