// defects: ten defects on six package sizes, named in words. Exit status 1 where a cell falls short.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <thread>

#include "config/program_options.h"
#include "tests/statistics/defect_campaign.h"

int main(int argc, char** argv) {
  using namespace datum::statistics;  // NOLINT(google-build-using-namespace): a program's one file
  datum::ProgramOptions app(
      "Ten defects of parts on six package sizes: the words of [defects], and the parts' places with their "
      "U.");
  DefectPlan plan;
  plan.threads = std::max(1u, std::thread::hardware_concurrency());
  std::string world;
  app.add_option("--frames", plan.frames, "of each size").show_default().in_range(1, 1000000);
  app.add_option("--size", plan.sizes, "sizes whose name holds one of these words: 0402, SOIC ...")
      .delimiter(',');
  app.add_option(
      "--world", world,
      "white, correlated, lines, missing, blobs, walls, spikes, shadows or all; default: each in turn");
  app.add_option("--seed", plan.seed).show_default();
  app.add_option("--threads", plan.threads).show_default().in_range(1, 1024);
  app.add_flag("--tell", plan.tell, "print each part that is named wrong");
  if (const auto ended = app.read(argc, argv)) return *ended;
  try {
    if (!world.empty()) {
      for (int w = 0; w < world_count; ++w)
        if (world == name_of(static_cast<World>(w))) plan.world = static_cast<World>(w);
      if (!plan.world) throw std::runtime_error("--world " + world + ": no such world; --help lists them");
    }
    std::vector<DefectCells> cells;
    for (const PartSize& size : part_sizes())
      if (plan.sizes.empty() ||
          std::any_of(plan.sizes.begin(), plan.sizes.end(), [&](const std::string& word) {
            return std::string(size.name).find(word) != std::string::npos;
          }))
        cells.push_back(run_defects(size, plan));
    if (cells.empty()) throw std::runtime_error("--size: no such size");
    return print_defects(cells) == 0 ? 0 : 1;
  } catch (const std::exception& e) {
    fmt::print(stderr, "defects: {}\n", e.what());
    return 2;
  }
}
