// The house rules that a compiler does not check: who may include whom, and what the tree may hold.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

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

// What each folder may include: prefixes of paths from the top. The arrows of the data flow, reversed.
const std::map<std::string, std::vector<std::string>> may_include{
    {"drivers/frame/", {"drivers/frame/"}},
    {"drivers/port/", {"drivers/frame/", "drivers/port/", "drivers/link_error.h"}},
    {"drivers/tls/", {"drivers/port/", "drivers/tls/", "drivers/link_error.h"}},
    {"drivers/cmm/", {"drivers/frame/", "drivers/port/", "drivers/cmm/", "drivers/link_error.h"}},
    {"drivers/ipp/",
     {"drivers/frame/", "drivers/port/", "drivers/cmm/", "drivers/ipp/", "drivers/link_error.h"}},
    {"drivers/gocator/", {"drivers/frame/", "drivers/port/", "drivers/gocator/", "drivers/link_error.h"}},
    {"drivers/genicam/", {"drivers/frame/", "drivers/port/", "drivers/genicam/", "drivers/link_error.h"}},
    {"drivers/sensor/",
     {"drivers/frame/", "drivers/port/", "drivers/genicam/", "drivers/gocator/", "drivers/sensor/",
      "drivers/link_error.h"}},
    {"drivers/fringe/", {"drivers/frame/", "drivers/sensor/", "drivers/fringe/"}},
    {"drivers/model/",
     {"drivers/frame/", "drivers/model/", "drivers/sensor/file_bytes.h", "drivers/sensor/stored_number.h"}},
    {"drivers/virtual/",
     {"drivers/", "calib/", "config/finite_options.h", "config/sensor_profile_file.h", "config/toml_reader.h",
      "daemon/report/table.h"}},  // shipped programs
    // One generator of random numbers in the tree: the header of pure functions where the kernels have it.
    {"calib/",
     {"drivers/frame/", "calib/", "config/toml_reader.h", "gpu/core/philox.h", "gpu/core/backend.h",
      "gpu/lu/", "gpu/fringe_phase/"}},
    {"gpu/", {"drivers/frame/", "calib/", "gpu/"}},
    {"daemon/inspect/",
     {"drivers/frame/", "drivers/model/", "drivers/sensor/file_bytes.h", "calib/", "gpu/", "daemon/inspect/",
      "daemon/controller/controller_state.h", "config/toml_reader.h"}},
    {"daemon/controller/", {"daemon/gpu/", "daemon/controller/"}},
    {"daemon/pipeline",
     {"drivers/frame/", "calib/", "gpu/", "daemon/inspect/", "daemon/pipeline", "daemon/version.h"}},
    {"daemon/report/",
     {"drivers/frame/", "drivers/port/", "drivers/tls/", "drivers/link_error.h", "calib/", "gpu/",
      "daemon/inspect/", "daemon/report/", "daemon/sign/"}},
    {"daemon/modbus/",
     {"drivers/port/", "drivers/link_error.h", "daemon/inspect/", "daemon/loop/", "daemon/report/",
      "daemon/modbus/"}},
    {"daemon/retention/",
     {"drivers/frame/", "calib/utc_time.h", "daemon/report/", "daemon/inspect/", "daemon/retention/"}},
    {"daemon/calibrate/",
     {"drivers/", "calib/", "config/", "daemon/loop/", "daemon/report/", "daemon/desk/", "daemon/calibrate/",
      "daemon/fringe/", "daemon/version.h"}},
    {"daemon/fringe/", {"drivers/", "calib/", "config/", "gpu/", "daemon/fringe/"}},
    {"daemon/desk/", {"drivers/", "config/", "daemon/loop/", "daemon/report/", "daemon/desk/"}},
    {"daemon/hybrid/",
     {"drivers/", "calib/", "config/", "daemon/loop/", "daemon/report/", "daemon/desk/", "daemon/hybrid/"}},
    {"daemon/metrics/",
     {"drivers/port/", "calib/utc_time.h", "daemon/cell/board_times.h",
      "daemon/controller/controller_state.h", "daemon/report/", "daemon/retention/retention_facts.h",
      "daemon/metrics/"}},
    {"daemon/gpu/", {"gpu/", "daemon/gpu/", "daemon/process/"}},  // builds without the daemon
    {"daemon/process/", {"daemon/process/"}},
    {"daemon/sign/", {"calib/utc_time.h", "daemon/desk/durable_file.h", "daemon/sign/"}},
    {"daemon/parse/",
     {"drivers/frame/", "drivers/sensor/", "drivers/model/", "config/toml_bounds.h", "config/toml_document.h",
      "config/toml_reader.h", "daemon/process/", "daemon/parse/", "daemon/version.h", "gpu/core/progress.h"}},
    {"daemon/loop/", {"drivers/link_error.h", "drivers/frame/", "drivers/port/", "daemon/loop/"}},
    {"config/toml_reader", {"config/toml_reader.h", "config/toml_bounds.h", "config/toml_document.h"}},
    {"config/toml_bounds", {"config/toml_reader.h", "config/toml_bounds.h"}},
    {"config/toml_document", {"config/toml_reader.h", "config/toml_bounds.h", "config/toml_document.h"}},
};

std::vector<std::string> includes_of(const std::string& text) {
  static const std::regex include(R"re((^|\n)\s*#\s*include\s*"([^"]+)")re");
  std::vector<std::string> found;
  for (std::sregex_iterator i(text.begin(), text.end(), include), end; i != end; ++i)
    found.push_back((*i)[2]);
  return found;
}

/// One line per include that points downstream.
std::vector<std::string> wrong_includes(const std::string& file, const std::string& text) {
  std::vector<std::string> wrong;
  for (const auto& [folder, allowed] : may_include) {
    if (file.rfind(folder, 0) != 0) continue;
    for (const std::string& include : includes_of(text)) {
      const bool fine = std::any_of(allowed.begin(), allowed.end(),
                                    [&](const std::string& prefix) { return include.rfind(prefix, 0) == 0; });
      if (!fine) wrong.push_back(file + " includes " + include);
    }
  }
  return wrong;
}

}  // namespace

TEST(House, IncludesPointUpstreamOnly) {
  std::vector<std::string> wrong;
  for (const char* folder : {"drivers", "calib", "gpu", "daemon", "config"}) {
    for (const fs::path& file : sources_under(folder)) {
      for (auto& line : wrong_includes(fs::relative(file, root).string(), slurp(file))) wrong.push_back(line);
    }
  }
  EXPECT_TRUE(wrong.empty()) << ::testing::PrintToString(wrong);
}

TEST(House, AnIncludeTheOtherWayIsSeen) {
  EXPECT_EQ(wrong_includes("calib/x.cpp", "#include \"daemon/inspect/recipe.h\"\n"),
            std::vector<std::string>{"calib/x.cpp includes daemon/inspect/recipe.h"});
  EXPECT_TRUE(wrong_includes("daemon/report/x.cpp", "#include \"daemon/inspect/recipe.h\"\n").empty());
}

TEST(House, NobodyIncludesMain) {
  for (const char* folder : {"drivers", "calib", "gpu", "daemon", "config"}) {
    for (const fs::path& file : sources_under(folder)) {
      for (const std::string& include : includes_of(slurp(file))) {
        EXPECT_EQ(include.find("main"), std::string::npos) << file << " includes " << include;
      }
    }
  }
}

TEST(House, TopLevelIsFixed) {
  const std::set<std::string> allowed{"CMakeLists.txt", "daemon", "drivers", "gpu", "calib", "config",
                                      "tests", "systemd", "README.md", "datum",
                                      // what tools expect at a root
                                      "CMakePresets.json", "CHANGELOG.md", "LICENSE", ".clang-format",
                                      ".clang-tidy", ".gitignore", ".git", ".ci",
                                      // what is not tracked
                                      "build", "CMakeUserPresets.json", ".cache", ".vscode", ".idea"};
  for (const auto& entry : fs::directory_iterator(root)) {
    EXPECT_TRUE(allowed.count(entry.path().filename().string())) << entry.path();
  }
}

// A file of the kernels that reads a clock, a descriptor or writes a log is no pure function any more.
TEST(House, ValuesStayPure) {
  const std::regex impure(
      R"(std::cout|std::cerr|printf\(|clock_gettime|steady_clock|system_clock|std::random_device|\brand\()");
  for (const char* folder : {"drivers/frame", "gpu"}) {
    for (const fs::path& file : sources_under(folder)) {
      if (file == root / "gpu/core/cuda_support.cuh") continue;  // its waits for a device have deadlines
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
