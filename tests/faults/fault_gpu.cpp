// The GPU process is killed, stops or violates the protocol during boards, or its device fails, repeatedly: each board is
// measured by the CPU with equal numbers. The process is the product's worker with a CPU measurer
// (tests/daemon/gpu_worker/test_gpu_worker.cpp); gpu_failover_cuda_test covers a real device.
#include <fmt/format.h>
#include <signal.h>

#include <random>

#include "tests/faults/faults.h"
#include "tests/faults/load.h"

namespace datum::faults {

namespace {

namespace fs = std::filesystem;

/// The process of this program; 0: none.
pid_t process_of(const fs::path& program) {
  for (const auto& process : fs::directory_iterator("/proc")) {
    std::error_code error;
    if (fs::read_symlink(process.path() / "exe", error) == program && !error)
      return std::stoi(process.path().filename());
  }
  return 0;
}

constexpr const char* ways[] = {"well", "fault", "killed", "exits", "garbage-records", "babbles", "stopped"};

}  // namespace

void lose_the_gpu(const Order& order, Findings& findings) {
  const testing::FreshFolder programs;
  for (const char* program : {"datumd", "datumd-parse"})
    fs::copy_file(fs::path(DATUM_BIN) / program, programs / program);
  fs::copy_file(DATUM_TEST_WORKER_PROGRAM, programs / "datumd-gpu");
  scenario::CellOptions options;
  options.daemon = programs / "datumd";
  scenario::Cell cell(options);
  Ledger ledger;
  Load load(cell, ledger);
  std::mt19937 random(order.seed);
  for (int n = 0; n < order.times; ++n) {
    const char* const way = ways[random() % std::size(ways)];
    load.start({{"DATUM_TEST_WORKER", way}});
    for (int i = 0; i < 3; ++i) {
      const int boards = ledger.boards() + 2;
      load.most = boards;
      load.turn_until(now() + std::chrono::milliseconds(random() % 20));
      if (const pid_t worker = process_of(programs / "datumd-gpu"); worker > 0 && way == ways[0]) {
        ::kill(worker, random() % 2 == 0 ? SIGKILL : SIGSTOP);
        findings.count("worker processes killed or stopped");
      }
      findings.expect(load.measure(boards), fmt::format("{}: it stopped:\n{}", way, cell.daemon().output()));
    }
    findings.count("ways of a worker to fail");
    findings.expect(load.end(SIGTERM) == 0, fmt::format("{}: it failed:\n{}", way, cell.daemon().output()));
  }
  ledger.check(cell, findings);
}

}  // namespace datum::faults
