// Rules of the architecture that a compiler does not check; direction_test.cpp has the include rules.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/house/includes_of.h"

namespace fs = std::filesystem;

namespace house_test {
namespace {

const fs::path root = DATUM_SOURCE_DIR;

std::string slurp(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

bool is_source(const fs::path& file) {
  static const std::set<std::string> kinds{".h", ".cpp", ".cu", ".cuh"};
  return kinds.count(file.extension().string()) > 0;
}

std::vector<fs::path> sources_under(const std::string& folder) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
    if (entry.is_regular_file() && is_source(entry.path())) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

TEST(House, NobodyIncludesMain) {
  for (const char* folder : {"drivers", "calib", "gpu", "daemon", "config"}) {
    for (const fs::path& file : sources_under(folder)) {
      for (const std::string& include : datum::testing::includes_of(slurp(file))) {
        const std::string name = fs::path(include).stem();
        EXPECT_FALSE(name == "main" || name.ends_with("_main")) << file << " includes " << include;
      }
    }
  }
}

TEST(House, TopLevelIsFixed) {
  const std::set<std::string> allowed{"CMakeLists.txt", "daemon", "drivers", "gpu", "calib", "config",
                                      "tests", "systemd", "README.md", "datum", "cmake",
                                      // files that tools expect at a root
                                      "CMakePresets.json", "CHANGELOG.md", "LICENSE", ".clang-format",
                                      ".clang-tidy", ".gitignore", ".git", ".ci",
                                      // untracked
                                      "build", "CMakeUserPresets.json", ".cache", ".vscode", ".idea"};
  for (const auto& entry : fs::directory_iterator(root)) {
    EXPECT_TRUE(allowed.count(entry.path().filename().string())) << entry.path();
  }
}

// ./datum starts scripts by their names: without its mode a subcommand ends with "Permission denied".
TEST(House, ScriptsWithAnInterpreterAreExecutable) {
  for (const char* folder : {"daemon", "systemd", "tests"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const fs::path kind = entry.path().extension();
      if (!entry.is_regular_file() || (kind != ".sh" && kind != ".py")) continue;
      const bool executable = (entry.status().permissions() & fs::perms::owner_exec) != fs::perms::none;
      EXPECT_EQ(executable, slurp(entry.path()).starts_with("#!")) << entry.path();
    }
  }
}

// A kernel file with a clock, a descriptor or a log is not a pure function.
TEST(House, ValuesStayPure) {
  const std::regex impure(
      R"(std::cout|std::cerr|printf\(|clock_gettime|steady_clock|system_clock|std::random_device|\brand\()");
  for (const char* folder : {"drivers/frame", "gpu"}) {
    for (const fs::path& file : sources_under(folder)) {
      if (file == root / "gpu/core/cuda_support.cuh") continue;  // its device waits have deadlines
      std::smatch hit;
      const std::string text = slurp(file);
      if (std::regex_search(text, hit, impure) && hit.str() != "printf(")
        ADD_FAILURE() << file << ": " << hit.str();
    }
  }
}

TEST(House, SourcesStayShort) {
  for (const char* folder : {"drivers", "calib", "gpu", "daemon", "config", "tests"}) {
    for (const fs::path& file : sources_under(folder)) {
      const std::string text = slurp(file);
      EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 400) << file;
    }
  }
}

}  // namespace house_test
