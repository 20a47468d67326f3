// soak: an endless series of boards through the real daemon (soak.h). Exit status 0 without a fault.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <vector>

#include "config/program_options.h"
#include "tests/scenario/soak/soak.h"

namespace {

/// The numbers that determine the boards; a folder keeps its initial ones.
struct Plan {
  std::uint64_t& seed;
  int &life, &rough;
  std::string text() const { return fmt::format("seed {} life {} rough {}", seed, life, rough); }
  bool read(const std::filesystem::path& file) {
    std::ifstream in(file);
    std::string seed_word, life_word, rough_word;
    return static_cast<bool>(in >> seed_word >> seed >> life_word >> life >> rough_word >> rough);
  }
};

/// Keeps the plan of a folder for all its runs and its report. `numbers`: seed, life and rough.
void keep_plan(datum::soak::Settings& settings, const std::vector<datum::ProgramOption>& numbers,
               bool report_only) {
  const auto file = settings.folder / "plan";
  Plan plan{settings.seed, settings.rhythm.life, settings.rhythm.rough};
  if (std::filesystem::exists(file)) {
    const datum::soak::Settings asked = settings;
    const auto given = [&](std::size_t n) { return numbers[n].given(); };
    if (!plan.read(file)) throw std::runtime_error(file.string() + " can't be read; begin in another folder");
    if ((given(0) && asked.seed != plan.seed) || (given(1) && asked.rhythm.life != plan.life) ||
        (given(2) && asked.rhythm.rough != plan.rough))
      throw std::runtime_error(
          fmt::format("{} was begun with {}; name another folder, or leave the numbers out",
                      settings.folder.string(), plan.text()));
    return;
  }
  if (report_only)
    throw std::runtime_error(settings.folder.string() + " holds no soak; name its folder by --state");
  std::filesystem::create_directories(settings.folder);
  std::ofstream(file) << plan.text() << '\n';
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

int main(int argc, char** argv) try {
  datum::ProgramOptions app("Boards without end through the real daemon, with faults at random.");
  datum::soak::Settings settings;
  std::string folder = "build/soak";
  bool report_only = false;
  app.add_option("--boards", settings.boards, "how many in all").show_default();
  const std::vector<datum::ProgramOption> numbers{
      app.add_option("--seed", settings.seed, "of boards and faults; a folder keeps these three")
          .show_default(),
      app.add_option("--life", settings.rhythm.life, "boards between the rough times").show_default(),
      app.add_option("--rough", settings.rhythm.rough, "boards in which datumd is killed again and again")
          .show_default()};
  app.add_option("--state", folder, "where it goes on; remove it to begin again").show_default();
  app.add_flag("--report", report_only, "print what the folder shows so far");
  if (const auto ended = app.read(argc, argv)) return *ended;
  settings.folder = std::filesystem::absolute(folder);
  keep_plan(settings, numbers, report_only);
  return soak(settings, report_only) > 0 ? 1 : 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "soak: %s\n", error.what());
  return 2;
}
