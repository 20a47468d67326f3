// Headers, paths, parameters and message framing: accepted forms, and the exact error of others.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "daemon/scpi/scpi_commands.h"
#include "tests/daemon/scpi/scpi_host.h"

namespace datum::scpi {
namespace {

using testing::ScpiHost;

TEST(ScpiPattern, TakesExactlyTheShortOrTheLongFormInAnyCase) {
  const Pattern p("SYSTem:ERRor[:NEXT]?");
  for (const char* words : {"SYST", "system", "SyStEm", "SYST1"})
    EXPECT_TRUE(p.match({words, "ERR"}, true)) << words;
  for (const char* words : {"SYS", "SYSTE", "SYSTEMS", "SYSTM", ""})
    EXPECT_FALSE(p.match({words, "ERR"}, true)) << words;
  EXPECT_TRUE(p.match({"SYST", "ERROR", "NEXT"}, true));
  EXPECT_FALSE(p.match({"SYST"}, true));
  EXPECT_FALSE(p.match({"SYST", "ERR", "NEXT", "NEXT"}, true));
  EXPECT_FALSE(p.match({"SYST", "ERR"}, false)) << "a query is not a command";
}

TEST(ScpiPattern, GivesSuffixesWithOneAsDefault) {
  const Pattern p("CALCulate[:LIMit<n>]:UPPer<n>");
  EXPECT_EQ(p.match({"CALC", "LIM2", "UPP"}, false)->suffixes, (std::vector{2, 1}));
  EXPECT_EQ(p.match({"CALC", "UPP7"}, false)->suffixes, (std::vector{1, 7}));
  EXPECT_TRUE(p.match({"CALC3", "UPP"}, false)->suffix_out_of_range);
  EXPECT_FALSE(p.match({"CALC1", "UPP"}, false)->suffix_out_of_range);
  EXPECT_EQ(p.match({"CALC", "LIM99999999999", "UPP"}, false)->suffixes.front(), 0)
      << "beyond int: in nobody's range";
}

TEST(ScpiPattern, IsUniqueInTheTable) {
  for (const auto& a : all_commands()) {
    std::vector<std::string> words;
    std::string text = a.pattern.text();
    text.erase(std::remove_if(text.begin(), text.end(), [](char c) { return c == '?' || c == ']'; }),
               text.end());
    for (std::size_t from = 0, to = 0; to != std::string::npos; from = to + 1) {
      to = text.find_first_of("[:", from);
      auto word = text.substr(from, to == std::string::npos ? to : to - from);
      if (const auto n = word.find("<n>"); n != std::string::npos) word.resize(n);
      if (!word.empty()) words.push_back(word);
    }
    int matches = 0;
    for (const auto& b : all_commands()) matches += b.pattern.match(words, a.pattern.is_query()).has_value();
    EXPECT_EQ(matches, 1) << a.pattern.text();
  }
}

struct Case {
  const char* message;
  const char* error;
};

class ScpiError : public ::testing::TestWithParam<Case> {};

TEST_P(ScpiError, HasItsNumberAndText) {
  ScpiHost host;
  EXPECT_EQ(host.error_of(GetParam().message), GetParam().error + std::string("\n"));
}

INSTANTIATE_TEST_SUITE_P(
    Syntax, ScpiError,
    ::testing::Values(
        Case{"FOO:BAR 1", "-113,\"Undefined header;FOO:BAR\""},
        Case{"*FOO", "-113,\"Undefined header;*FOO\""},
        Case{"SYST:ERR", "-113,\"Undefined header;SYST:ERR\""},
        Case{"*IDN", "-113,\"Undefined header;*IDN\""},
        Case{"SYST2:ERR?", "-114,\"Header suffix out of range;SYST2:ERR?\""},
        Case{"DIAG:LINK:STAT3?", "-114,\"Header suffix out of range;link 3; 1 to 2\""},
        Case{"SYST::ERR?", "-110,\"Command header error;':' where a header's word must begin\""},
        Case{"SYST:", "-110,\"Command header error;the header ends too early\""},
        Case{"1ABC", "-110,\"Command header error;'1' where a header's word must begin\""},
        Case{"*ESE,1", "-111,\"Header separator error;',' behind the header; a blank is needed\""},
        Case{"ABCDEFGHIJKLM", "-112,\"Program mnemonic too long;ABCDEFGHIJKL...; at most 12 characters\""},
        Case{"*ESE \xC3\xA9", "-101,\"Invalid character;byte 0xC3\""},
        Case{"*ESE @", "-102,\"Syntax error;'@' where a parameter must begin\""},
        Case{"*ESE 1,", "-102,\"Syntax error;',' without a parameter behind it\""},
        Case{"CONF:REC \"a\" \"b\"", "-103,\"Invalid separator;'\"\"' between parameters; ',' is needed\""}));

INSTANTIATE_TEST_SUITE_P(
    Parameters, ScpiError,
    ::testing::Values(
        Case{"*CLS 1", "-108,\"Parameter not allowed;1 given, at most 0\""},
        Case{"*ESE", "-109,\"Missing parameter;mask\""},
        Case{"*ESE 1x2", "-121,\"Invalid character in number;'2' in a number\""},
        Case{"*ESE +", "-121,\"Invalid character in number;a number without a digit\""},
        Case{"*ESE #HG", "-121,\"Invalid character in number;#H without a digit\""},
        Case{"*ESE 1E32001", "-123,\"Exponent too large;at most 32000\""},
        Case{"CONF:REC 7", "-128,\"Numeric data not allowed;name\""},
        Case{"*ESE 1 MM", "-138,\"Suffix not allowed;MM\""},
        Case{"*ESE 1 ABCDEFGHIJKLM", "-134,\"Suffix too long;at most 12 characters\""},
        Case{"*ESE ABCDEFGHIJKLM", "-144,\"Character data too long;ABCDEFGHIJKL...; at most 12 characters\""},
        Case{"*ESE FOO", "-148,\"Character data not allowed;FOO where mask is a number\""},
        Case{"CONF:REC \"abc", "-151,\"Invalid string data;the closing quote is missing\""},
        Case{"*ESE \"1\"", "-158,\"String data not allowed;mask\""},
        Case{"*ESE #0abc",
             "-161,\"Invalid block data;a block of unknown length (#0) can't be ended on this link\""},
        Case{"*ESE #12ab", "-168,\"Block data not allowed;mask\""},
        Case{"*ESE (@1", "-171,\"Invalid expression;the closing bracket is missing\""},
        Case{"*ESE (@1)", "-178,\"Expression data not allowed;mask\""},
        Case{"*ESE 256", "-222,\"Data out of range;mask 256; 0 to 255\""},
        Case{"*ESE -1", "-222,\"Data out of range;mask -1; 0 to 255\""},
        Case{"FETC:BOAR? 1.5", "-222,\"Data out of range;sequence 1.5; a whole number\""},
        Case{"SENS:TEMP 20 MM", "-131,\"Invalid suffix;MM; CEL, DEGC, K, FAR\""},
        Case{"*ESE ((1))", "-171,\"Invalid expression;a bracket within brackets\""},
        Case{"*ESE (@')'", "-171,\"Invalid expression;the closing bracket is missing\""},
        Case{"*ESE 1E400", "-222,\"Data out of range;1e400\""},
        Case{"FETC:BOAR? 0", "-222,\"Data out of range;sequence 0; 1 to 9.223372036854776e+18\""},
        Case{"DATA:PUSH MAYBE", "-224,\"Illegal parameter value;MAYBE for on; ON, OFF, 1 or 0\""}));

TEST(ScpiParameter, ReadsNumbersInAllTheirForms) {
  ScpiHost host;
  const std::pair<const char*, const char*> forms[] = {
      {"16", "16"},   {"1.6E1", "16"}, {"+016.4", "16"}, {"15.5", "16"}, {"160e-1", "16"},
      {"#H1f", "31"}, {"#q17", "15"},  {"#B101", "5"},   {"MAX", "255"}, {"MINimum", "0"},
      {".5e1", "5"},  {"5.", "5"},     {"1 E1", "10"},   {"5 e +0", "5"}};
  for (const auto& [typed, value] : forms)
    EXPECT_EQ(host.ask(std::string("*ESE ") + typed + ";*ESE?"), std::string(value) + "\n") << typed;
}

TEST(ScpiParameter, TurnsUnitsIntoTheBaseUnit) {
  const Parameter gap{Parameter::Kind::number, "gap", false, 0, 100, 5.0, Dimension::millimetres};
  const auto read = [&](const char* text, const char* unit) {
    return convert({gap}, {{Element::Kind::number, text, unit}})[0]->number;
  };
  EXPECT_EQ(read("2.5", ""), 2.5);
  EXPECT_EQ(read("2500", "UM"), 2500 * 1e-3);
  EXPECT_EQ(read("0.05", "M"), 0.05 * 1e3);
  EXPECT_EQ(convert({gap}, {{Element::Kind::character, "DEFault", ""}})[0]->number, 5.0);
  EXPECT_THROW(read("1", "S"), Error);
  EXPECT_THROW(read("101", "MM"), Error);
}

TEST(ScpiParameter, TakesTheUnitsOfItsOwnKindOnly) {
  using D = Dimension;
  EXPECT_EQ(in_base_unit(250, D::millimetres, "NM"), 250 * 1e-6);
  EXPECT_EQ(in_base_unit(2, D::millimetres, "IN"), 50.8);
  EXPECT_EQ(in_base_unit(300, D::degrees_celsius, "K"), 300 - 273.15);
  EXPECT_EQ(in_base_unit(68, D::degrees_celsius, "FAR"), 36 * (5.0 / 9));
  EXPECT_EQ(in_base_unit(5, D::seconds, "US"), 5 * 1e-6);
  EXPECT_THROW(in_base_unit(1, D::millimetres, "CEL"), Error);
  EXPECT_THROW(in_base_unit(1, D::none, "MM"), Error);
}

TEST(ScpiChannels, AreNumbersNamesAndRangesInTheOrderAsked) {
  const std::vector<std::string> names{"U1", "U2", "C-3", "R4"};
  const auto at = [&](const char* text) { return resolve(read_channels(text), names); };
  EXPECT_EQ(at("@1"), (std::vector<std::size_t>{0}));
  EXPECT_EQ(at("@ 4 , 1:2 "), (std::vector<std::size_t>{3, 0, 1}));
  EXPECT_EQ(at("@R4:U2"), (std::vector<std::size_t>{3, 2, 1})) << "backwards where its ends say so";
  EXPECT_EQ(at("@\"C-3\",'U1',U1"), (std::vector<std::size_t>{2, 0, 0}));
  for (const char* bad : {"1", "@", "@1,", "@1:", "@1 2", "@1!2", "@2B", "@''", "@'U1", "@(1)", "@,1"})
    EXPECT_THROW(at(bad), Error) << bad;
  for (const char* unknown : {"@0", "@5", "@99999999999", "@u1", "@U9"})
    EXPECT_THROW(at(unknown), Error) << unknown;
  std::string many = "@1:4";
  for (int i = 0; i < 2500; ++i) many += ",1:4";
  EXPECT_THROW(at(many.c_str()), Error) << "a list may not grow without bound";
}

TEST(ScpiParameter, ReadsSequenceNumbersBeyondADouble) {
  const Parameter p{Parameter::Kind::integer, "sequence", false, 1, 9223372036854775807.0};
  EXPECT_EQ(convert({p}, {{Element::Kind::number, "9007199254740993", ""}})[0]->integer, 9007199254740993u);
}

TEST(ScpiParameter, CountsDigitsWithoutLeadingZeros) {
  ScpiHost host;
  EXPECT_EQ(host.ask("*ESE " + std::string(300, '0') + "7;*ESE?"), "7\n");
  EXPECT_EQ(host.error_of("*ESE 0." + std::string(256, '1')), "-124,\"Too many digits;at most 255\"\n");
}

TEST(ScpiParameter, UndoesDoubledQuotesOfBothKinds) {
  ScpiHost host;
  EXPECT_EQ(host.ask("DIAG:ECHO? \"a\"\"b'c\""), "\"a\"\"b'c\"\n");
  EXPECT_EQ(host.ask("DIAG:ECHO? 'a''b;c,d'"), "\"a'b;c,d\"\n");
}

TEST(ScpiPath, FollowsTheSemicolon) {
  ScpiHost host;
  EXPECT_EQ(host.ask("SYST:ERR:COUN?;NEXT?"), "0;0,\"No error\"\n") << "same level as the last node";
  EXPECT_EQ(host.ask("SYST:ERR:COUN?;:SYST:VERS?"), "0;1999.0\n");
  EXPECT_EQ(host.ask("SYST:ERR:COUN?;*ESE 0;COUN?"), "0;0\n") << "a common command leaves the path";
  EXPECT_EQ(host.ask("SYST:VERS?\nERR?"), "1999.0\n") << "the end of a message forgets it";
  EXPECT_EQ(host.ask("SYST:ERR?"), "-113,\"Undefined header;ERR?\"\n");
  EXPECT_EQ(host.ask(":SYST:VERS?;ERR?"), "1999.0;0,\"No error\"\n");
}

TEST(ScpiFraming, DoesNotCareWhereBytesAreSplitOrHowLinesEnd) {
  const std::string text = "*IDN?;SYST:ERR:COUN?\r\n\r\n;;\n  DIAG:ECHO?\t'x' ; *OPC?  \r\n*ESE? \n";
  const std::string expected = "datum,datumd,cell-1,0.1.0;0\n\"x\";1\n0\n";
  for (std::size_t split = 0; split <= text.size(); ++split) {
    ScpiHost host;
    const std::string first = host.raw(text.substr(0, split));
    EXPECT_EQ(first + host.raw(text.substr(split)), expected) << split;
  }
}

TEST(ScpiFraming, TakesALineFeedInsideABlockAsData) {
  ScpiHost host;
  EXPECT_EQ(host.raw("*ESE #13a\nb;*ESE 4\n"), "");
  EXPECT_EQ(host.ask("*ESE?;:SYST:ERR?"), "0;-168,\"Block data not allowed;mask\"\n");
  EXPECT_EQ(host.raw("*ESE #H10\n*ESE?\n"), "16\n") << "a number with a base is no block";
}

TEST(ScpiFraming, CountsTheBytesOfBlocksApart) {
  ScpiHost host;
  const std::string recipe = "bench" + std::string(Framer::longest_message + 5, '\n');
  const auto block = [](const std::string& bytes) {
    return "#6" + fmt::format("{:06}", bytes.size()) + bytes;
  };
  EXPECT_EQ(host.ask("MMEM:DATA 'bench'," + block(recipe) + ",'good';:SYST:ERR?"), "0,\"No error\"\n");
  EXPECT_EQ(host.ask("MMEM:DATA? 'bench'").size(), recipe.size() + std::string("#565546\n").size());
  const std::string half(Framer::longest_block / 2 + 1, '\n');
  EXPECT_EQ(host.error_of("DIAG:ECHO? " + block(half) + "," + block(half)),
            "-223,\"Too much data;a block of 131073 bytes; at most 262144\"\n")
      << "all blocks of a message together";
  EXPECT_EQ(host.ask("MMEM:DATA 'bench'," + block(recipe) + ",'good';:SYST:ERR?"), "0,\"No error\"\n")
      << "each message again";
}

TEST(ScpiFraming, SurvivesWhatIsNoMessage) {
  ScpiHost host;
  EXPECT_EQ(host.error_of(std::string("*ES\0E 1", 7)), "-101,\"Invalid character;byte 0x00\"\n");
  EXPECT_EQ(host.error_of(std::string("CONF:REC 'a\0'", 13)), "-151,\"Invalid string data;byte 0x00\"\n");
  EXPECT_EQ(host.error_of(std::string(70000, 'x')),
            "-363,\"Input buffer overrun;a message may have 65536 bytes; the rest up to LF is ignored\"\n");
  EXPECT_EQ(host.error_of("*ESE #9999999999"),
            "-223,\"Too much data;a block of 999999999 bytes; at most 262144\"\n");
  EXPECT_EQ(host.error_of("*ESE #1x"),
            "-161,\"Invalid block data;the length of a block is written in decimal digits\"\n");
  EXPECT_EQ(host.ask("*ESE?"), "0\n") << "and goes on";
}

}  // namespace
}  // namespace datum::scpi
