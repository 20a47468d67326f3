// The manual page says what the tables say, all of it and nothing else, and roff takes it without a word.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <set>
#include <sstream>

#include "daemon/manual/manual.h"
#include "daemon/manual/reason_table.h"
#include "daemon/scpi/scpi_commands.h"
#include "daemon/text/roff.h"
#include "tests/fresh_folder.h"

namespace datum::manual {
namespace {

using ::testing::HasSubstr;

/// Terms of a section in the page, as roff.
std::multiset<std::string> terms(const std::string& page, const std::string& title) {
  std::multiset<std::string> found;
  std::istringstream in(page);
  bool here = false, term = false;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind(".SH ", 0) == 0) here = line == ".SH \"" + title + "\"";
    if (here && term) found.insert(line);
    term = line == ".TP";
  }
  return found;
}

TEST(Manual, HasEveryCommandOfTheTableAndNoOther) {
  std::multiset<std::string> table;
  for (const auto& command : scpi::all_commands()) {
    const std::string parameters = scpi::signature(command.parameters);
    table.insert("\\fB" +
                 roff_escaped(command.pattern.text() + (parameters.empty() ? "" : " ") + parameters) +
                 "\\fR");
  }
  EXPECT_EQ(terms(page("1"), "COMMANDS"), table);
}

TEST(Manual, SaysWhatEachCommandDoesAndTakes) {
  const std::string whole = page("1");
  for (const auto& command : scpi::all_commands()) {
    EXPECT_THAT(whole, HasSubstr(roff_escaped(command.help))) << command.pattern.text();
    for (const auto& p : command.parameters)
      EXPECT_THAT(whole, HasSubstr(roff_escaped(scpi::range_text(p)))) << p.name;
  }
  EXPECT_THAT(whole, HasSubstr("a number from \\-20 to 60 degC; units CEL, DEGC, K, FAR"));
}

TEST(Manual, HasEveryErrorThatIsRaised) {
  std::multiset<std::string> raised;
  for (const auto& error : scpi::all_errors())
    if (error.cause)
      raised.insert("\\fB" + roff_escaped(std::to_string(error.number) + " " + error.text) + "\\fR");
  EXPECT_EQ(terms(page("1"), "ERRORS"), raised);
}

TEST(Manual, ReckonsTheTimeOfALine) {
  // 120 bytes of ten bits at 115200 baud: 1200 / 115200 s = 10.4 ms; 100 rows of 60 bytes at 9600 baud: 6.25 s.
  EXPECT_THAT(page("1"), HasSubstr("10.4 ms"));
  EXPECT_THAT(page("1"), HasSubstr("6250.0 ms"));
}

/// A reason that has no row here has none in the manual: add it to daemon/manual/reason_table.cpp.
TEST(Manual, HasEveryReasonOnceWithCauseKeysAndRemedy) {
  std::multiset<std::string> reasons;
  const std::string none = "?";
  for (int r = 1; name_of(static_cast<Reason>(r)) != none; ++r)
    reasons.insert("\\fB" + roff_escaped(name_of(static_cast<Reason>(r))) + "\\fR");
  EXPECT_GE(reasons.size(), 28u);
  EXPECT_EQ(terms(reasons_page("1"), "REASONS"), reasons);
  for (const ReasonRow& row : reason_table())
    for (const char* words : {row.meaning, row.keys, row.cause, row.remedy})
      EXPECT_GE(std::string(words).size(), 4u) << name_of(row.reason);
}

/// What a program says about the page; none: the program is not there.
std::optional<std::string> said_by(const std::string& program, const std::string& command,
                                   const std::string& text) {
  if (std::system(("command -v " + program + " >/dev/null 2>&1").c_str()) != 0) return std::nullopt;
  const datum::testing::FreshFolder folder;
  std::ofstream(folder / "page.7") << text;
  std::FILE* pipe = ::popen((command + " " + (folder / "page.7").string() + " 2>&1 >/dev/null").c_str(), "r");
  std::string said;
  for (int c = 0; (c = std::fgetc(pipe)) != EOF;) said += static_cast<char>(c);
  ::pclose(pipe);
  return said;
}

TEST(Manual, IsTakenByGroffWithoutAWarning) {
  for (const std::string& text : {page("1"), reasons_page("1")}) {
    const auto said = said_by("groff", "groff -ww -man -Tascii", text);
    if (!said) GTEST_SKIP() << "no groff";
    EXPECT_EQ(*said, "");
  }
}

TEST(Manual, IsTakenByMandocWithoutAnError) {
  for (const std::string& text : {page("1"), reasons_page("1")}) {
    const auto said = said_by("mandoc", "mandoc -Tascii -Werror", text);
    if (!said) GTEST_SKIP() << "no mandoc";
    EXPECT_EQ(*said, "");
  }
}

}  // namespace
}  // namespace datum::manual
