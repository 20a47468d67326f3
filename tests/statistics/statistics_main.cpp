// statistics: frequency of correct results under adverse conditions. Exit status 1 where a cell falls short.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <thread>

#include "config/program_options.h"
#include "tests/statistics/statistics_design.h"
#include "tests/statistics/statistics_real.h"
#include "tests/statistics/statistics_run.h"
#include "tests/statistics/statistics_surface.h"
#include "tests/statistics/statistics_table.h"
#include "tests/statistics/surface_campaign.h"

namespace {

using namespace datum::statistics;  // NOLINT(google-build-using-namespace): a program's one file

/// Each word must match a name in `all` or, where there are any, in `others`.
template <class T, class Name>
std::vector<T> chosen(const std::vector<T>& all, const std::vector<std::string>& words, const char* what,
                      Name&& name, const std::vector<std::string>& others = {}) {
  if (words.empty()) return all;
  std::vector<T> some;
  const auto holds = [](const std::string& text, const std::string& word) {
    return text.find(word) != std::string::npos;
  };
  for (const std::string& word : words)
    if (std::none_of(all.begin(), all.end(), [&](const T& t) { return holds(name(t), word); }) &&
        std::none_of(others.begin(), others.end(), [&](const std::string& n) { return holds(n, word); }))
      throw std::runtime_error(fmt::format("no {} has '{}' in its name; --list prints them", what, word));
  for (const T& t : all)
    if (std::any_of(words.begin(), words.end(),
                    [&](const std::string& w) { return name(t).find(w) != std::string::npos; }))
      some.push_back(t);
  return some;
}

void print(const std::string& name, const CampaignTally& t) {
  fmt::print("{:10} {:5} {:5} {:12} {:5} {:7} {:7} {:10}\n", name, t.cases, t.passed, t.inconclusive,
             t.failed, t.invalid, t.seen, t.wrong_passes);
}

/// Exit status 1 where a visible defect passes, or more than 2 % of the good parts are refused.
int run_defects(const CampaignPlan& plan) {
  const Campaign all = run_campaign(plan);
  for (const std::string& words : all.told) fmt::print("{}\n", words);
  for (const std::string& words : all.wrong) fmt::print("{}\n", words);
  fmt::print("{:10} {:>5} {:>5} {:>12} {:>5} {:>7} {:>7} {:>10}\n", "", "cases", "PASS", "INCONCLUSIVE",
             "FAIL", "INVALID", "seen", "wrong PASS");
  for (const auto& [name, tally] : all.of_solid) print(name, tally);
  for (const auto& [name, tally] : all.of_defect) print(name, tally);
  print("all", all.defects);
  print("good parts", all.good);
  const int refused = all.good.failed + all.good.invalid;
  fmt::print(
      "seen: by {} pixels of a snapshot and more, beyond {} times the limit\ngood parts refused: {:.1f} %\n",
      seen_px, beyond_limit, 100.0 * refused / std::max(1, all.good.cases));
  return all.defects.wrong_passes > 0 || 50 * refused > all.good.cases ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) try {
  datum::ProgramOptions app(
      "Bodies whose truth is known, seen by a sensor as hostile as the world, measured by the daemon's own "
      "inspection: one line a cell.");
  Plan plan;
  plan.threads = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::string> only, body;
  std::string csv;
  bool list = false, shortfalls = false, budget = false;
  app.add_option("--boards", plan.frames, fmt::format("frames of {} bodies a cell; parts of a surface", 24))
      .show_default()
      .in_range(1, 1000000);
  app.add_option("--only", only, "rows whose name holds one of these words").delimiter(',');
  app.add_option("--body", body, "bodies whose name holds one of these words: 01005, 0201 ...")
      .delimiter(',');
  app.add_option("--seed", plan.seed, "of all frames").show_default();
  app.add_option("--threads", plan.threads, "cells are the same with any number")
      .show_default()
      .in_range(1, 1024);
  app.add_option("--csv", csv, "the table as a file too");
  app.add_flag("--short", shortfalls, "print only cells that fall short");
  app.add_flag("--budget", budget, "print the root mean square of each term of the budgets too");
  CampaignPlan campaign;
  campaign.cases = 0;
  app.add_option("--defects", campaign.cases,
                 "so many seeded defects of surfaces instead, on five solids at four limits, and a quarter "
                 "as many good parts")
      .in_range(1, 1000000);
  app.add_option("--case", campaign.only,
                 "of these seeded defects the cases of these seeds alone, each in words")
      .delimiter(',');
  app.add_flag("--list", list, "print the names of all rows and end");
  if (const auto ended = app.read(argc, argv)) return *ended;
  if (campaign.cases > 0) {
    campaign.seed = plan.seed;
    campaign.threads = plan.threads;
    return run_defects(campaign);
  }
  SurfacePlan surfaces;
  DesignPlan designs;
  std::vector<std::string> names;
  for (const Row& row : all_rows()) names.push_back(row.name);
  for (const SurfaceRow& row : surface_rows()) names.push_back(row.name);
  for (const DesignRow& row : design_rows()) names.push_back(row.name);
  const auto name_of_row = [](const auto& row) { return row.name; };
  plan.rows = chosen(all_rows(), only, "row", name_of_row, names);
  surfaces.rows = chosen(surface_rows(), only, "row", name_of_row, names);
  designs.rows = chosen(design_rows(), only, "row", name_of_row, names);
  designs.frames = std::max(6, plan.frames / 4);
  designs.seed = plan.seed;
  designs.threads = plan.threads;
  surfaces.parts = plan.frames;
  surfaces.seed = plan.seed;
  surfaces.threads = plan.threads;
  plan.bodies = chosen(bodies(), body, "body", [](const Body& b) { return std::string(b.name); });
  if (list) {
    for (const Row& row : plan.rows) fmt::print("{}\n", row.name);
    for (const SurfaceRow& row : surfaces.rows) fmt::print("{}\n", row.name);
    for (const DesignRow& row : designs.rows) fmt::print("{}\n", row.name);
    return 0;
  }
  if (!real_board_is_here() &&
      std::any_of(plan.rows.begin(), plan.rows.end(), [](const Row& r) { return r.real != Real::none; }))
    fmt::print("SKIPPED: the real board's rows; DATUM_REAL_DATA names the folder of pemtron/board.ptr\n");
  if (!designs.rows.empty() && !demo_designs_are_here())
    fmt::print("SKIPPED: twins of designs; DATUM_KICAD_DEMOS names the folder of kicad-demos\n");
  Table table(csv, shortfalls, budget);
  run(plan, [&](const Cells& cells) { table.add(cells); });
  if (body.empty()) run_surfaces(surfaces, [&](const SurfaceCells& cells) { table.add(cells); });
  if (body.empty()) run_designs(designs, [&](const DesignCells& cells) { table.add(cells); });
  return table.finish() == 0 ? 0 : 1;
} catch (const std::exception& e) {
  fmt::print(stderr, "statistics: {}\n", e.what());
  return 2;
}
