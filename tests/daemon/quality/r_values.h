// Numbers that R computes, by name, and how many digits of ours agree with them.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <sstream>
#include <string>

#include "tests/daemon/quality/strd.h"
#include "tests/fresh_folder.h"

namespace datum::testing {

using RValues = std::map<std::string, double>;

/// Lines "NAME VALUE" of an R script with `csv` as its table; none where Rscript or one of `libraries` (R code) is not there.
inline std::optional<RValues> values_of_r(const std::string& script, const std::string& csv,
                                          const std::string& libraries) {
  const auto run = [](const std::string& command) {
    std::string out;
    FILE* pipe = ::popen(command.c_str(), "r");
    std::array<char, 4096> part{};
    while (const std::size_t n = std::fread(part.data(), 1, part.size(), pipe)) out.append(part.data(), n);
    return std::pair(::pclose(pipe), out);
  };
  if (run("Rscript --vanilla -e 'suppressMessages({" + libraries + "})' 2>/dev/null").first != 0)
    return std::nullopt;
  const FreshFolder folder;
  const auto [status, out] =
      run("Rscript --vanilla " + script + " " + folder.write("table.csv", csv).string());
  EXPECT_EQ(status, 0) << out;
  RValues values;
  std::istringstream lines(out);
  for (std::string line; std::getline(lines, line);) {
    while (line.ends_with(' ')) line.pop_back();
    const std::size_t at = line.rfind(' ');
    values[line.substr(0, at)] = std::strtod(line.c_str() + at, nullptr);
  }
  return values;
}

/// Fewest digits that agree, and where.
struct Agreement {
  double digits = 15;
  std::string where = "everywhere";
  std::size_t compared = 0;
  void compare(const std::string& name, double ours, const RValues& theirs) {
    const auto found = theirs.find(name);
    ASSERT_NE(found, theirs.end()) << name;
    ++compared;
    if (ours == 0 && found->second == 0) return;
    if (const double d = correct_digits(ours, found->second); !(d >= digits)) digits = d, where = name;
  }
  void demand(double least, const char* what) const {
    std::printf("%-44s %5zu numbers, %.1f digits agree (%s)\n", what, compared, digits, where.c_str());
    EXPECT_GT(compared, 0u) << what;
    EXPECT_GE(digits, least) << what << ": " << where;
  }
};

}  // namespace datum::testing
