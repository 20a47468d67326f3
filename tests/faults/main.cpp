// faults: applies faults to the real daemon; prints one line per fault with its checks.
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "config/program_options.h"
#include "tests/faults/faults.h"

namespace datum::faults {

std::string Findings::counted() const {
  std::string text;
  for (const std::string& what : order_)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counts_.at(what), what);
  return text;
}

const std::vector<Fault>& all_faults() {
  static const std::vector<Fault> faults{
      {"kill", "kill -9 at random moments under load, the recipe changing now and then", 500, 8,
       kill_at_random_moments},
      {"power", "what a disk may hold after a power cut: unsynced writes lost, torn, out of order", 300, 10,
       cut_the_power},
      {"full", "no room on the file system that holds everything, filled and emptied under load", 30, 2,
       fill_the_disk},
      {"refusal", "a disk that is broken, read-only, full or forbidden, under the store or the drop folder",
       200, 6, refuse_the_disk},
      {"readonly", "the store's file system becomes read-only under load, is repaired, is writable again", 60,
       2, make_the_disk_readonly},
      {"slow", "a disk that takes its time over every write", 10, 1, slow_the_disk},
      {"clock", "the clock is set back, forward and to and fro", 60, 4, set_the_clock},
      {"inotify", "the kernel's queue of folder events overflows", 5, 1, overflow_the_folder_events},
      {"memory", "an allocation fails while a board is measured, then many", 300, 6, run_out_of_memory},
      {"config", "recipe, profile and configuration rewritten, cut, removed, replaced by links", 200, 6,
       change_the_configuration},
      {"calibration", "the calibration is replaced, spoilt, withdrawn and accepted again", 200, 6,
       swap_the_calibration},
      {"gpu", "the GPU's process is killed, stops, babbles, its device fails", 40, 2, lose_the_gpu},
      {"devices", "a storm of garbage and broken connections on the CMM's line", 60, 3, storm_the_devices},
      {"parsers",
       "damaged frames, uploaded recipes and calibrations, to each of the parsers, while boards are timed",
       100'000, 40, attack_the_parsers},
      {"models", "damaged models of parts, good boards in between", 100'000, 40, attack_with_models},
      {"fringe", "damaged sets of fringe images, good sets in between", 100'000, 20, attack_with_fringe_sets},
      {"files", "no descriptor is left", 20, 0, use_up_the_descriptors},
  };
  return faults;
}

namespace {

enum Status { good = 0, wrong = 1, skipped = 77 };

/// Prints one line, then one per failure; returns the exit status.
int run_here(const Fault& fault, const Order& order) {
  const auto began = std::chrono::steady_clock::now();
  Findings findings;
  const auto tell = [&](const char* word, const std::string& text) {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    fmt::print("{:<11} {:<8} {} (seed {}, {:.1f} s)\n", fault.name, word, text, order.seed, took.count());
    for (const std::string& line : findings.wrong()) fmt::print("    {}\n", line);
  };
  try {
    fault.run(order, findings);
  } catch (const Skipped& why) {
    tell("SKIPPED", why.what());
    return skipped;
  } catch (const std::exception& error) {
    findings.expect(false, error.what());
  }
  tell(findings.wrong().empty() ? "good" : "WRONG", findings.counted());
  return findings.wrong().empty() ? good : wrong;
}

/// In a child process, so that namespaces, limits and signals of a fault do not affect the next.
int run_isolated(const Fault& fault, const Order& order) {
  std::fflush(stdout);
  const pid_t child = ::fork();
  if (child == 0) {
    const int status = run_here(fault, order);
    std::fflush(stdout);
    std::exit(status);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  fmt::print("{:<11} WRONG    ended by signal {}\n", fault.name, WTERMSIG(status));
  return wrong;
}

}  // namespace
}  // namespace datum::faults

int main(int argc, char** argv) try {
  using namespace datum::faults;
  datum::ProgramOptions app{"faults: makes faults happen to the real datumd in a virtual cell"};
  std::vector<std::string> names;
  Order order;
  order.times = 0;
  bool few = false;
  std::string listed;
  for (const Fault& fault : all_faults())
    listed += fmt::format("  {:<11} {} ({} times)\n", fault.name, fault.what, fault.times);
  app.footer("Faults:\n" + listed);
  app.add_option("names", names, "which ones; none: all");
  app.add_option("--times", order.times, "how often each; 0: as listed").not_negative();
  app.add_option("--seed", order.seed, "of random moments").show_default();
  app.add_flag("--few", few, "only some of each, in seconds");
  if (const auto ended = app.read(argc, argv)) return *ended;

  ::signal(SIGPIPE, SIG_IGN);
  for (const std::string& name : names)
    if (std::none_of(all_faults().begin(), all_faults().end(),
                     [&](const Fault& f) { return name == f.name; })) {
      fmt::print(stderr, "faults: no fault '{}'; known:\n{}", name, listed);
      return 2;
    }
  int worst = 0;
  for (const Fault& fault : all_faults()) {
    if (!names.empty() && std::find(names.begin(), names.end(), fault.name) == names.end()) continue;
    if (few && fault.few == 0) continue;
    const int times = order.times > 0 ? order.times : few ? fault.few : fault.times;
    const int status = run_isolated(fault, {times, order.seed});
    if (status != good && status != skipped) worst = wrong;
  }
  return worst;
} catch (const std::exception& error) {
  std::fprintf(stderr, "faults: %s\n", error.what());
  return 2;
}
