// Typical mistakes in a cell's files, from mistakes.txt: the cause is named first, and nothing that is not wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "daemon/configuration/daemon_config.h"
#include "tests/a_calibration.h"
#include "tests/fresh_folder.h"
#include "tests/sample_file.h"

namespace datum::mistakes {
namespace {

struct Mistake {
  std::string name, file, before, after;
  std::vector<std::string> printed;
};

struct Mistakes {
  std::map<std::string, std::string> files;  // of the good cell
  std::vector<Mistake> all;
};

/// A text of one line: "\n" is a line's end.
std::string unfolded(std::string text) {
  for (auto at = text.find("\\n"); at != std::string::npos; at = text.find("\\n", at + 1))
    text.replace(at, 2, "\n");
  return text;
}

Mistakes mistakes() {
  Mistakes m;
  std::string file;
  for (const std::string& line :
       testing::lines_of(testing::slurp(DATUM_SOURCE_DIR "/tests/daemon/configuration/mistakes.txt"))) {
    const std::string text = line.size() > 2 ? line.substr(2) : "";
    if (line.rfind("== ", 0) == 0) {
      file = line.substr(3);
    } else if (line.rfind("? ", 0) == 0) {
      m.all.push_back({text, "", "", "", {}});
    } else if (m.all.empty()) {
      if (!file.empty()) m.files[file] += line + "\n";
    } else if (line.rfind("@ ", 0) == 0) {
      m.all.back().file = text;
    } else if (line.rfind("- ", 0) == 0) {
      m.all.back().before = unfolded(text);
    } else if (line.rfind("+ ", 0) == 0) {
      m.all.back().after = unfolded(text);
    } else if (line.rfind("> ", 0) == 0) {
      m.all.back().printed.push_back(text);
    }
  }
  Calibration march = testing::a_calibration("march");
  march.sensor_serial = "VS3D-0001";
  m.files["calibrations/march.toml"] = to_toml(march);
  return m;
}

constexpr std::int64_t may_2026 = 1'778'000'000;

/// What datumd --check-config prints for the good cell with these files in place of its own.
std::vector<std::string> printed(std::map<std::string, std::string> files, const Mistake* mistake) {
  if (mistake) {
    std::string& text = files.at(mistake->file);
    const auto at = text.find(mistake->before);
    if (at == std::string::npos || text.find(mistake->before, at + 1) != std::string::npos)
      return {"the text is not there exactly once: " + mistake->before};
    text.replace(at, mistake->before.size(), mistake->after);
  }
  const testing::FreshFolder folder;
  for (const auto& [name, text] : files) folder.write(name, text);
  std::vector<std::string> lines = lines_of(check_cell(folder.path() / "datumd.toml", may_2026));
  const std::string path = folder.path().string();
  for (std::string& line : lines) {
    for (auto at = line.find(path + "/"); at != std::string::npos; at = line.find(path + "/"))
      line.erase(at, path.size() + 1);
    for (auto at = line.find(path); at != std::string::npos; at = line.find(path))
      line.replace(at, path.size(), ".");
  }
  return lines;
}

/// Cut where the expected line ends in "...".
void cut(std::vector<std::string>& lines, std::vector<std::string>& expected) {
  for (std::size_t i = 0; i < std::min(lines.size(), expected.size()); ++i) {
    if (!expected[i].ends_with("...")) continue;
    expected[i].resize(expected[i].size() - 3);
    lines[i].resize(std::min(lines[i].size(), expected[i].size()));
  }
}

TEST(Mistakes, AreNamedByTheirCauseAndNothingElse) {
  const Mistakes m = mistakes();
  EXPECT_THAT(printed(m.files, nullptr), ::testing::IsEmpty());
  EXPECT_GE(m.all.size(), 60u);
  for (const Mistake& mistake : m.all) {
    std::vector<std::string> lines = printed(m.files, &mistake), expected = mistake.printed;
    cut(lines, expected);
    EXPECT_EQ(::testing::PrintToString(lines), ::testing::PrintToString(expected))
        << mistake.name << ": " << mistake.file << ": " << mistake.after;
  }
}

}  // namespace
}  // namespace datum::mistakes
