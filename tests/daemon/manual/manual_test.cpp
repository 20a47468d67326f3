// The manual page says what the tables say, all of it and nothing else, and roff takes it without a word.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "daemon/manual/manual.h"
#include "daemon/manual/reason_table.h"
#include "daemon/modbus/register_map.h"
#include "daemon/scpi/scpi_commands.h"
#include "daemon/text/roff.h"
#include "tests/fresh_folder.h"

namespace datum::manual {
namespace {

using ::testing::HasSubstr;

std::string page_of(const std::string& name, const std::string& version = "1") {
  std::ifstream in(std::string(DATUM_SOURCE_DIR "/systemd/") + name + ".in");
  return filled({std::istreambuf_iterator<char>(in), {}}, version);
}
const std::vector<std::string> names{"datumd-protocol.7", "datumd-reasons.7", "datumd-modbus.7",
                                     "datumd-frames.7", "datumd-glossary.7"};

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
  EXPECT_EQ(terms(page_of("datumd-protocol.7"), "COMMANDS"), table);
}

TEST(Manual, SaysWhatEachCommandDoesAndTakes) {
  const std::string whole = page_of("datumd-protocol.7");
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
  EXPECT_EQ(terms(page_of("datumd-protocol.7"), "ERRORS"), raised);
}

TEST(Manual, ReckonsTheTimeOfALine) {
  // 120 bytes of ten bits at 115200 baud: 1200 / 115200 s = 10.4 ms; 100 rows of 60 bytes at 9600 baud: 6.25 s.
  EXPECT_THAT(page_of("datumd-protocol.7"), HasSubstr("10.4 ms"));
  EXPECT_THAT(page_of("datumd-protocol.7"), HasSubstr("6250.0 ms"));
}

TEST(Manual, HasEachRegisterBitAndValue) {
  using namespace modbus;
  const std::string page = page_of("datumd-modbus.7");
  for (const auto* table : {&base_registers(), &window_registers(), &row_registers()})
    for (const Register& r : *table) EXPECT_THAT(page, HasSubstr(std::to_string(r.address))) << r.name;
  for (const auto* table : {&base_registers(), &window_registers(), &row_registers()})
    for (const Register& r : *table) EXPECT_THAT(page, HasSubstr(" " + std::string(r.name)));
  for (const auto* table : {&bit_meanings(), &value_meanings()})
    for (const Meaning& m : *table)
      EXPECT_THAT(page, HasSubstr("\n" + std::to_string(m.number) + " " + m.name)) << m.of;
  EXPECT_THAT(page, HasSubstr("300 STATUS"));
  EXPECT_THAT(page, HasSubstr("from 10000 the result of the handshake"));
  EXPECT_THAT(page, HasSubstr("104 to 107 ACK_SEQUENCE"));
}

TEST(Manual, FillsEachMarkerAndRefusesOneWithoutAValue) {
  for (const std::string& name : names) {
    EXPECT_FALSE(std::regex_search(page_of(name, "7.5"), std::regex("@[A-Z_]+@"))) << name;
    EXPECT_THAT(page_of(name, "7.5"), HasSubstr("\"datumd 7.5\"")) << name;
  }
  EXPECT_EQ(filled("a @IDLE_S@ b\n", "1"), "a 60 b\n");
  EXPECT_THROW(filled("a @IDLE@ b\n", "1"), std::runtime_error);
}

/// A reason that has no row here has none in the manual: add it to daemon/manual/reason_table.cpp.
TEST(Manual, HasEveryReasonOnceWithCauseKeysAndRemedy) {
  std::multiset<std::string> reasons;
  const std::string none = "?";
  for (int r = 1; name_of(static_cast<Reason>(r)) != none; ++r)
    reasons.insert("\\fB" + roff_escaped(name_of(static_cast<Reason>(r))) + "\\fR");
  EXPECT_GE(reasons.size(), 28u);
  EXPECT_EQ(terms(page_of("datumd-reasons.7"), "REASONS"), reasons);
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
  for (const std::string& name : names) {
    const auto said = said_by("groff", "groff -ww -man -Tascii", page_of(name));
    if (!said) GTEST_SKIP() << "no groff";
    EXPECT_EQ(*said, "") << name;
  }
}

TEST(Manual, IsTakenByMandocWithoutAnError) {
  for (const std::string& name : names) {
    const auto said = said_by("mandoc", "mandoc -Tascii -Werror", page_of(name));
    if (!said) GTEST_SKIP() << "no mandoc";
    EXPECT_EQ(*said, "") << name;
  }
}

}  // namespace
}  // namespace datum::manual
