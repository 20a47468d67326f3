// soak: boards without end through the real daemon (soak.h). Exit status 0 where nothing was wrong.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>

#include "tests/scenario/soak/soak.h"

namespace {

/// The same board is the same in each run of a folder.
void check_plan(const datum::soak::Settings& settings) {
  const auto file = settings.folder / "plan";
  const std::string plan =
      fmt::format("seed {} life {} rough {}\n", settings.seed, settings.rhythm.life, settings.rhythm.rough);
  if (std::filesystem::exists(file) && datum::scenario::slurp(file) != plan)
    throw std::runtime_error(fmt::format("{} was begun with {}name another folder, or the same numbers",
                                         settings.folder.string(), datum::scenario::slurp(file)));
  std::filesystem::create_directories(settings.folder);
  std::ofstream(file) << plan;
}

int soak(const datum::soak::Settings& settings, bool report_only) {
  int failures = 0;
  if (report_only)
    return datum::soak::report(datum::soak::Record(settings.folder), settings.seed, settings.rhythm,
                               settings.folder / "cell/results.db");
  datum::soak::Soak soak(settings);
  try {
    soak.run();
    const auto different = soak.compare_with_store();
    failures += datum::soak::say(different > 0,
                                 fmt::format("{} results differ when they are fetched again", different));
  } catch (const std::exception& error) {
    failures += datum::soak::say(true, error.what());
  }
  return failures + datum::soak::report(soak.record(), settings.seed, settings.rhythm, soak.store());
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Boards without end through the real daemon, with faults at random.");
  datum::soak::Settings settings;
  std::string folder = "build/soak";
  bool report_only = false;
  app.add_option("--boards", settings.boards, "how many in all")->capture_default_str();
  app.add_option("--seed", settings.seed, "of boards and faults")->capture_default_str();
  app.add_option("--state", folder, "where it goes on; remove it to begin anew")->capture_default_str();
  app.add_option("--life", settings.rhythm.life, "boards between the rough times")->capture_default_str();
  app.add_option("--rough", settings.rhythm.rough, "boards in which datumd is killed again and again")
      ->capture_default_str();
  app.add_flag("--report", report_only, "print what the folder shows so far");
  CLI11_PARSE(app, argc, argv);
  settings.folder = std::filesystem::absolute(folder);
  try {
    if (!report_only) check_plan(settings);
    return soak(settings, report_only) > 0 ? 1 : 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "soak: {}\n", error.what());
    return 2;
  }
}
