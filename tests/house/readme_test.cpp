// The README and those of the parts are executed: their commands exist, their files are there, their protocol is the
// table's, their recipes load.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "daemon/inspection/verdict/verdict.h"
#include "daemon/scpi/scpi_commands.h"
#include "daemon/scpi/scpi_parser.h"
#include "tests/house/output_of.h"
#include "tests/real_data.h"

namespace datum {
namespace {

const std::filesystem::path root = DATUM_SOURCE_DIR;

std::string text_of(const char* file) {
  std::ifstream in(root / file);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// The README, then those of the parts, which users read as well.
const std::vector<std::string> guides{"README.md",
                                      "systemd/README.md",
                                      "drivers/README.md",
                                      "calib/README.md",
                                      "daemon/inspection/README.md",
                                      "daemon/hosts/README.md",
                                      "daemon/modbus/README.md",
                                      "daemon/ctl/README.md",
                                      "daemon/metrics/README.md",
                                      "daemon/store/README.md",
                                      "daemon/cell/README.md",
                                      "daemon/parse/README.md",
                                      "daemon/gpu_worker/README.md",
                                      "tests/README.md"};
std::string readme() {
  std::string text;
  for (const std::string& guide : guides) text += text_of(guide.c_str()) + "\n";
  return text;
}

/// Bodies of the fenced blocks of one language.
std::vector<std::string> blocks(const std::string& language) {
  const std::string text = readme(), fence = "```" + language + "\n";
  std::vector<std::string> found;
  for (std::size_t at = text.find(fence); at != std::string::npos; at = text.find(fence, at)) {
    at += fence.size();
    found.push_back(text.substr(at, text.find("\n```", at) - at));
  }
  return found;
}

using testing::Output;
using testing::output_of;

bool is_command(const std::string& line) {
  const auto unit = scpi::Parser(line).next();
  return unit && std::any_of(scpi::all_commands().begin(), scpi::all_commands().end(), [&](const auto& c) {
           return c.pattern.match(unit->header.mnemonics, unit->header.query).has_value();
         });
}

}  // namespace

TEST(Readme, IsShort) {
  const std::string text = text_of("README.md");
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 150)
      << "what is more belongs into the README of a part";
}

TEST(Readme, LeadsToEveryGuideAndToNothingElse) {
  const std::regex link(R"(\]\(([^)#]+)\))");
  std::set<std::string> from_first;
  for (const std::string& guide : guides) {
    const std::string text = text_of(guide.c_str());
    for (std::sregex_iterator i(text.begin(), text.end(), link), end; i != end; ++i) {
      const auto target = (root / guide).parent_path() / (*i)[1].str();
      EXPECT_TRUE(std::filesystem::exists(target)) << guide << ": " << (*i)[1];
      if (guide == "README.md") from_first.insert((*i)[1]);
    }
  }
  for (const std::string& guide : guides)
    EXPECT_TRUE(guide == "README.md" || from_first.count(guide)) << guide;
}

TEST(Readme, ShowsTheDemoWithinTheFirst40Lines) {
  const std::string text = readme();
  const auto at = text.find("./datum demo");
  ASSERT_NE(at, std::string::npos);
  EXPECT_LT(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'), 40);
}

TEST(Readme, NamesOnlySubcommandsThatExist) {
  const std::string text = readme(), usage = output_of((root / "datum").string() + " help").text;
  const std::regex call(R"(\./datum ([a-z]+))");
  int seen = 0;
  for (std::sregex_iterator i(text.begin(), text.end(), call), end; i != end; ++i, ++seen) {
    EXPECT_NE((usage + "\n  help ").find("\n  " + (*i)[1].str() + " "), std::string::npos) << (*i)[0];
  }
  EXPECT_GE(seen, 4);
}

// datum clean-root starts each command in a bare root, and refuses to run where one has no line.
TEST(Readme, CleanRootsStartEachSubcommand) {
  const std::string fresh = "\n" + text_of("tests/scenario/clean_root.sh"),
                    usage = output_of((root / "datum").string() + " help").text;
  const std::regex command(R"(\n  ([a-z-]+) )");
  int seen = 0;
  for (std::sregex_iterator i(usage.begin(), usage.end(), command), end; i != end; ++i, ++seen) {
    const std::string line = "\n" + (*i)[1].str();
    EXPECT_TRUE(fresh.find(line + "\n") != std::string::npos || fresh.find(line + " ") != std::string::npos)
        << (*i)[1];
  }
  EXPECT_GE(seen, 20);
}

TEST(Readme, NamesOnlyFilesThatExist) {
  const std::string text = readme();
  const std::regex path(R"((config|tests)/[A-Za-z0-9_./-]+\.[a-z]+)");
  int seen = 0;
  for (std::sregex_iterator i(text.begin(), text.end(), path), end; i != end; ++i, ++seen)
    EXPECT_TRUE(std::filesystem::exists(root / i->str())) << i->str();
  EXPECT_GE(seen, 5);
}

// Paths from daemon/, from the root, or beside the file named before.
TEST(Readme, OfTheDaemonNamesOnlyFilesThatExist) {
  const std::string text = text_of("daemon/README.md");
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 25 + 5);
  const std::regex path(R"(`([a-z_]+(?:/[A-Za-z_]+)*\.(?:cpp|h|md))`)");
  std::filesystem::path beside;
  int seen = 0;
  for (std::sregex_iterator i(text.begin(), text.end(), path), end; i != end; ++i, ++seen) {
    const std::filesystem::path name = (*i)[1].str();
    bool there = false;
    for (const auto& folder : {root / "daemon", root, beside})
      if (std::filesystem::exists(folder / name)) {
        beside = (folder / name).parent_path();
        there = true;
        break;
      }
    EXPECT_TRUE(there) << name;
  }
  EXPECT_GE(seen, 25);
}

TEST(Readme, ShowsCommandsOfTheProtocolsTable) {
  int seen = 0;
  for (const std::string& block : blocks("text")) {
    if (block.rfind("CONFigure", 0) != 0 && block.rfind("SYSTem", 0) != 0) continue;
    std::istringstream lines(block);
    for (std::string line; std::getline(lines, line); ++seen) {
      const std::string typed = line.substr(0, line.find("  "));
      EXPECT_TRUE(is_command(typed)) << typed;
    }
  }
  EXPECT_GE(seen, 10);
  EXPECT_FALSE(is_command("CONFigure:NOTHING"));
}

TEST(Readme, ShowsDatumctlAsItIs) {
  int seen = 0;
  for (const std::string& block : blocks("sh")) {
    std::istringstream lines(block);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line.substr(0, line.find(" #")));
      std::string program, group, step, word;
      words >> program >> group >> step;
      if (program != "datumctl" || (group != "calibrate" && group != "hole" && group != "verify" &&
                                    group != "fringe" && group != "frame"))
        continue;
      const Output help = output_of(std::string(DATUMCTL) + " " + group + " " + step + " --help");
      EXPECT_EQ(help.status, 0) << line;
      EXPECT_NE(help.text.find(" " + group + " " + step), std::string::npos) << line;
      while (words >> word) {
        if (word.rfind("--", 0) != 0) continue;
        EXPECT_NE(help.text.find("\n  " + word + " "), std::string::npos) << line;
      }
      ++seen;
    }
  }
  EXPECT_GE(seen, 12);
}

TEST(Readme, NamesOnlyStepsOfDatumctlThatExist) {
  const std::string text = readme();
  const std::regex call(R"(`datumctl ([a-z]+))");
  std::set<std::string> seen;
  for (std::sregex_iterator i(text.begin(), text.end(), call), end; i != end; ++i) seen.insert((*i)[1]);
  for (const auto& name : seen)
    EXPECT_EQ(output_of(std::string(DATUMCTL) + " " + name + " --help").status, 0) << name;
  EXPECT_GE(seen.size(), 18u);
}

TEST(Readme, NamesReasonsThatExist) {
  std::set<std::string> reasons;
  for (int r = 0; r <= static_cast<int>(Reason::internal); ++r)
    reasons.insert(name_of(static_cast<Reason>(r)));
  const std::string text = readme();
  const std::regex name(R"(`((FLOOR|POSE|BODY)_[A-Z_]+)`)");
  int seen = 0;
  for (std::sregex_iterator i(text.begin(), text.end(), name), end; i != end; ++i, ++seen)
    EXPECT_TRUE(reasons.count((*i)[1])) << (*i)[1];
  EXPECT_GE(seen, 5);
}

TEST(Readme, MeasuresOneFrameAsShown) {
  DATUM_NEED_REAL_DATA("pemtron/board.ptr");
  for (std::string command : blocks("sh")) {
    if (command.rfind("datumd --once board.ptr", 0) != 0) continue;
    const auto real =
        std::filesystem::absolute(datum::testing::real_data_folder() / "pemtron/board.ptr").string();
    command.replace(command.find("board.ptr"), 9, real);
    command.erase(command.find(" --picture"));
    const Output out = output_of("cd " + root.string() + " && " + DATUMD + command.substr(6));
    EXPECT_EQ(out.status, 0) << out.text;
    EXPECT_NE(out.text.find("board: PASS"), std::string::npos) << out.text;
    return;
  }
  FAIL() << "no guide shows --once with this frame";
}

}  // namespace datum
