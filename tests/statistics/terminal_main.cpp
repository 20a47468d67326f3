// terminals: coplanarity, stand-off and paste in hostile frames. Exit status 1 where a cell falls short.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <thread>

#include "config/program_options.h"
#include "tests/statistics/terminal_campaign.h"

int main(int argc, char** argv) {
  using namespace datum::statistics;  // NOLINT(google-build-using-namespace): a program's one file
  datum::ProgramOptions app(
      "Coplanarity, stand-off and paste against twins with known terminals and deposits.");
  TerminalPlan plan;
  plan.threads = std::max(1u, std::thread::hardware_concurrency());
  std::string world, only;
  app.add_option("--frames", plan.frames, "of each case").show_default().in_range(1, 1000000);
  app.add_option(
      "--world", world,
      "white, correlated, lines, missing, blobs, walls, spikes, shadows or all; default: each in turn");
  app.add_option("--only", only, "balls, leads or paste");
  app.add_option("--seed", plan.seed).show_default();
  app.add_option("--threads", plan.threads).show_default().in_range(1, 1024);
  app.add_flag("--tell", plan.tell, "print each value outside U and each INVALID one");
  if (const auto ended = app.read(argc, argv)) return *ended;
  try {
    for (int w = 0; w < world_count; ++w)
      if (world == name_of(static_cast<World>(w))) plan.world = static_cast<World>(w);
    if (!world.empty() && !plan.world)
      throw std::runtime_error("--world " + world + ": no such world; --help lists them");
    for (int c = 0; c < terminal_case_count; ++c)
      if (only == name_of(static_cast<TerminalCase>(c))) plan.only = static_cast<TerminalCase>(c);
    if (!only.empty() && !plan.only) throw std::runtime_error("--only " + only + ": no such case");
    return print_terminals(run_terminals(plan)) == 0 ? 0 : 1;
  } catch (const std::exception& e) {
    fmt::print(stderr, "terminals: {}\n", e.what());
    return 2;
  }
}
