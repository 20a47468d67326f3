// No descriptors are left, or one or two, while hosts and frames arrive.
#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>

#include <charconv>
#include <fstream>
#include <random>

#include "tests/faults/faults.h"
#include "tests/faults/load.h"

namespace datum::faults {

namespace {

namespace fs = std::filesystem;

/// The daemon of this folder; 0: none.
pid_t process_in(const fs::path& folder) {
  for (const auto& process : fs::directory_iterator("/proc")) {
    std::error_code error;
    if (fs::read_symlink(process.path() / "cwd", error) == folder && !error &&
        fs::read_symlink(process.path() / "exe", error).filename() == "datumd")
      return std::stoi(process.path().filename());
  }
  return 0;
}

void limit_descriptors(pid_t process, std::uint64_t most) {
  rlimit limit{};
  ::prlimit(process, RLIMIT_NOFILE, nullptr, &limit);
  limit.rlim_cur = most;
  ::prlimit(process, RLIMIT_NOFILE, &limit, nullptr);
}

std::uint64_t descriptors_of(pid_t process) {
  std::uint64_t n = 0;
  for ([[maybe_unused]] const auto& fd : fs::directory_iterator(fmt::format("/proc/{}/fd", process))) ++n;
  return n;
}

/// Processor time in s.
double used_s(pid_t process) {
  std::ifstream stat(fmt::format("/proc/{}/stat", process));
  std::string word;
  for (int field = 1; field <= 13; ++field) stat >> word;
  double user = 0, system = 0;
  stat >> user >> system;
  return (user + system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

}  // namespace

void use_up_the_descriptors(const Order& order, Findings& findings) {
  scenario::Cell cell;
  Ledger ledger;
  ledger.invalid_is_fine = true;  // a frame that can't be opened
  Load load(cell, ledger);
  std::mt19937 random(order.seed);
  load.most = 0;
  load.start();
  const auto watching = cell.connect();
  watching->ask("*OPC?");  // earlier hosts have been accepted by then
  const pid_t daemon = process_in(cell.path());
  const std::uint64_t before = descriptors_of(daemon);
  for (int n = 0; n < order.times; ++n) {
    limit_descriptors(daemon, descriptors_of(daemon) + random() % 4);
    std::vector<std::unique_ptr<scenario::Host>> hosts;
    for (int i = 0; i < 3; ++i) hosts.push_back(cell.connect());  // accepted by the kernel's backlog
    for (int i = 0; i < 2; ++i) ledger.deliver(cell, ledger.boards() + 1);
    load.turn_until(now() + std::chrono::milliseconds(200));
    // Idle time: an unaccepted host must not keep the loop turning. Allowed: a tick per 10 ms, with margin for a busy
    // machine.
    const double from_s = used_s(daemon);
    load.turn_until(now() + std::chrono::milliseconds(400));
    findings.expect(used_s(daemon) - from_s < 0.035, "it turns without rest:\n" + cell.daemon().output());
    limit_descriptors(daemon, 1024);
    hosts.clear();
    findings.expect(load.measure(ledger.boards()), "it stopped:\n" + cell.daemon().output());
    findings.count("times without descriptors");
  }
  findings.expect(load.measure(ledger.boards() + 1), "it stopped:\n" + cell.daemon().output());
  const Moment deadline = now() + std::chrono::seconds(10);  // closed connections are released in their turn
  while (descriptors_of(daemon) > before && now() < deadline) watching->ask("*OPC?");
  findings.expect(descriptors_of(daemon) <= before,
                  fmt::format("{} descriptors were open, {} are", before, descriptors_of(daemon)));
  findings.expect(load.end(SIGTERM) == 0, "it failed:\n" + cell.daemon().output());
  ledger.check(cell, findings);
}

}  // namespace datum::faults
