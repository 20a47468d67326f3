// Folders of files that must each be refused with an exact message, which is in the file's first line:
//   # expect: NAME:LINE:COLUMN: KEY: problem; allowed: values
// "..." at its end replaces text of the TOML parser, which differs between its releases.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "calib/calibration.h"
#include "config/toml_reader.h"
#include "daemon/configuration/daemon_config.h"
#include "daemon/inspection/recipe/recipe.h"
#include "drivers/profile/sensor_profile_file.h"

namespace datum::config {
namespace {

namespace fs = std::filesystem;

struct Folder {
  const char* name;
  std::size_t least;  // least number of files, so that an empty folder is no success
  std::function<void(const fs::path&)> load;
};

const Folder folders[] = {
    {"config", 100, [](const fs::path& file) { load_daemon_config(file); }},
    {"sensor", 15, [](const fs::path& file) { load_sensor_profile(file); }},
    {"recipe", 90, [](const fs::path& file) { load_recipe(file); }},
    {"calibration", 35, [](const fs::path& file) { load_calibration(file); }},
};

std::string refusal_of(const Folder& folder, const fs::path& file) {
  try {
    folder.load(file);
  } catch (const ConfigError& error) {
    std::string message = error.what();
    const std::string path = file.parent_path().string() + "/";
    for (auto at = message.find(path); at != std::string::npos; at = message.find(path))
      message.erase(at, path.size());
    return message;
  }
  return "(accepted)";
}

std::string expected_of(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  const std::string mark = "# expect: ";
  return line.rfind(mark, 0) == 0 ? line.substr(mark.size()) : "(the first line is not '# expect: ...')";
}

class BadInput : public ::testing::TestWithParam<Folder> {};

TEST_P(BadInput, IsRefusedWithItsExactMessage) {
  std::size_t count = 0;
  for (const auto& entry :
       fs::directory_iterator(fs::path(DATUM_SOURCE_DIR) / "tests/data/bad" / GetParam().name)) {
    ++count;
    std::string expected = expected_of(entry.path()), message = refusal_of(GetParam(), entry.path());
    const std::string open_end = "...";
    if (expected.size() > open_end.size() && expected.ends_with(open_end) && message != "(accepted)") {
      expected.resize(expected.size() - open_end.size());
      message.resize(std::min(message.size(), expected.size()));
    }
    EXPECT_EQ(message, expected) << entry.path();
  }
  EXPECT_GE(count, GetParam().least);
}

INSTANTIATE_TEST_SUITE_P(Folders, BadInput, ::testing::ValuesIn(folders),
                         [](const auto& folder) { return std::string(folder.param.name); });

}  // namespace
}  // namespace datum::config
