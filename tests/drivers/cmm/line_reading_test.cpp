#include "drivers/cmm/line_reading.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "drivers/cmm/codec.h"
#include "drivers/cmm/presets.h"
#include "tests/drivers/cmm/transcript.h"

namespace datum {
namespace {

std::string number(const std::string& text, const NumberFormat& format = {}) {
  const NumberReading reading = read_number(text, format);
  return reading.state == ProbeState::ok ? fmt::format("{}", reading.value)
                                         : fmt::format("{} {}", name_of(reading.state), reading.why);
}

// Position of one line, free-running, with all axes on it.
std::string position(const std::string& line, const CmmSettings& settings) {
  CmmCodec codec(settings);
  const std::string bytes = "rest of a line\r\n" + line + "\r\n";
  codec.receive(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(), 0);
  const auto sample = codec.next();
  return sample ? testing::text_of(*sample) : "nothing";
}

CmmSettings generic(Layout layout) {
  CmmSettings settings = grbl_1_1();
  settings.layout = layout;
  settings.device_tells_unit = false;
  settings.number.decimals.reset();
  settings.poll.strings.clear();
  return settings;
}

TEST(Number, Forms) {
  EXPECT_EQ(number("+0012.345"), "12.345");
  EXPECT_EQ(number("-   0.5"), "-0.5");
  EXPECT_EQ(number("  7"), "7");
  EXPECT_EQ(number("-0.000"), "0");
  EXPECT_EQ(number("0.1"), "0.1");
  EXPECT_EQ(number("123456789.012345"), "123456789.012345");
  EXPECT_EQ(number("12,5", {std::nullopt, std::nullopt, ','}), "12.5");
  EXPECT_EQ(number("+000012345", {std::nullopt, 4, '.'}), "1.2345");
  EXPECT_EQ(number("1.250", {3, std::nullopt, '.'}), "1.25");
}

TEST(Number, WhatIsNone) {
  for (const char* text : {"", "+", "-", ".", "1.", ".5", "1.2.3", "1e3", "0x10", "nan", "inf", "1 2", "--1",
                           "+-1", "12,5", "1.2345678901234567"})
    EXPECT_EQ(number(text), fmt::format("MALFORMED '{}' is not a number", text));
  EXPECT_EQ(number("1.5", {std::nullopt, 4, '.'}), "MALFORMED '1.5' has a point; it should have none");
  EXPECT_EQ(number("1.25", {3, std::nullopt, '.'}),
            "WRONG_UNIT '1.25' has 2 decimals; the configured unit has 3");
  EXPECT_EQ(number("125", {3, std::nullopt, '.'}),
            "WRONG_UNIT '125' has 0 decimals; the configured unit has 3");
}

TEST(Positional, Delimiters) {
  const CmmSettings s = generic(Layout::positional);
  for (const char* line : {"1 2.5 -3", "1,2.5,-3", " 1 , 2.5 ;  -3 ", "1\t2.5\t- 3", "+1, + 2.5, -3"})
    EXPECT_EQ(position(line, s), "OK 1 2.5 -3") << line;
  EXPECT_EQ(position("1,,2,3", s), "MALFORMED '' is not a number: '1,,2,3'");
  EXPECT_EQ(position(",1,2,3", s), "MALFORMED '' is not a number: ',1,2,3'");
  EXPECT_EQ(position("1,2", s), "PARTIAL 2 of 3 axes came, without Z: '1,2'");
  EXPECT_EQ(position("1,2,3,4", s), "MALFORMED 4 values where 3 belong: '1,2,3,4'");
  EXPECT_EQ(position("mm", s), "MALFORMED no value: 'mm'");
}

TEST(Positional, Units) {
  CmmSettings s = generic(Layout::positional);
  s.unit_token = UnitToken::required;
  EXPECT_EQ(position("1, 2, 3 mm", s), "OK 1 2 3");
  EXPECT_EQ(position("1, 2, 3 in", s), "WRONG_UNIT the line says inch; configured: mm: '1, 2, 3 in'");
  EXPECT_EQ(position("1, 2, 3", s), "WRONG_UNIT no unit on the line; configured: mm: '1, 2, 3'");
  EXPECT_EQ(position("1, 2, 3 ?", s), "DEVICE_ERROR the device marks a fault ('?'): '1, 2, 3 ?'");
  s.unit = LengthUnit::inch;  // configured, so no implicit conversion occurs
  EXPECT_EQ(position("1, 2, 10 INCH", s), "OK 25.4 50.8 254");
  EXPECT_EQ(position("1, 2, 10 \"", s), "OK 25.4 50.8 254");
  EXPECT_EQ(position("1, 2, 3 mm", s), "WRONG_UNIT the line says mm; configured: inch: '1, 2, 3 mm'");
  s.unit_token = UnitToken::blank_is_mm;
  EXPECT_EQ(position("1, 2, 3", s), "WRONG_UNIT the line says mm; configured: inch: '1, 2, 3'");
}

TEST(Labelled, SeveralPerLine) {
  const CmmSettings s = generic(Layout::labelled);
  EXPECT_EQ(position("X:10.00 Y:20.00 Z:30.00", s), "OK 10 20 30");
  EXPECT_EQ(position("z=+41.29 R y = - 2 mm X= 3 mm R", s), "OK 3 -2 41.29");
  EXPECT_EQ(position("X:10.00 Y:20.00", s), "PARTIAL 2 of 3 axes came, without Z: 'X:10.00 Y:20.00'");
  EXPECT_EQ(position("X:10.00 X:20.00 Z:1", s), "MALFORMED axis X twice: 'X:10.00 X:20.00 Z:1'");
  EXPECT_EQ(position("X:1 Y:2 Z:3 E:4", s), "MALFORMED axis 'E' is not configured: 'X:1 Y:2 Z:3 E:4'");
  EXPECT_EQ(position("X 1 Y:2 Z:3", s), "MALFORMED no '=' or ':' after the axis: 'X 1 Y:2 Z:3'");
  EXPECT_EQ(position("X=1 mm Q Y:2 Z:3", s), "MALFORMED 'Q' after the value: 'X=1 mm Q Y:2 Z:3'");
  EXPECT_EQ(position("X=1 d Y:2 Z:3", s), "DEVICE_ERROR a distance to go, not a position: 'X=1 d Y:2 Z:3'");
  EXPECT_EQ(position("X=1 D Y:2 Z:3", s),
            "DEVICE_ERROR a diameter, not a position; show the axis as radius: 'X=1 D Y:2 Z:3'");
}

TEST(Columns, ImpliedDecimalsAndOneLinePerAxis) {
  using Is = Column::Is;
  CmmSettings s = generic(Layout::columns);  // Heidenhain's remote mode: sign, 9 digits without point
  s.columns = {{Is::sign}, {Is::number, 9}};
  s.grouping = Grouping::by_order;
  s.number.implied_decimals = 4;
  s.axes.resize(1);
  s.fixed_mm = {std::nullopt, 5.0, 6.0};
  EXPECT_EQ(position("-000012345", s), "OK -1.2345 5 6");
  EXPECT_EQ(position("x000012345", s), "MALFORMED 'x' where a sign belongs: 'x000012345'");
}

TEST(Axes, MapSignScaleOffsetAndRange) {
  CmmSettings s = generic(Layout::positional);
  s.axes[0].machine_axis = 1;  // the device's first axis is the machine's Y
  s.axes[1].machine_axis = 0;
  s.axes[1].reversed = true;
  s.axes[1].offset_mm = 100;
  s.axes[2].scale = 1.5;
  s.axes[2].max_mm = 30;
  EXPECT_EQ(position("1, 2, 20", s), "OK 98 1 30");
  EXPECT_EQ(position("1, 2, 20.5", s), "OUT_OF_RANGE Z = 30.75 mm; allowed: -1000000 to 30 mm");
}

TEST(Number, GroupsAndExponents) {
  NumberFormat grouped;
  grouped.group = ' ';
  EXPECT_EQ(number("1 234.567", grouped), "1234.567");
  EXPECT_EQ(number("- 12 345 678", grouped), "-12345678");
  EXPECT_EQ(number("234.567", grouped), "234.567");
  for (const char* text : {"12 34.5", "1 2345", "1234 567", "1  234", "1 234 .5", "1.234 567"})
    EXPECT_EQ(number(text, grouped), fmt::format("MALFORMED '{}' is not a number", text));
  NumberFormat german;
  german.point = ',';
  german.group = '.';
  EXPECT_EQ(number("+1.234,5", german), "1234.5");
  EXPECT_EQ(number("1.5", german), "MALFORMED '1.5' is not a number");
  NumberFormat exponent;
  exponent.exponent = true;
  EXPECT_EQ(number("-1.25E+01", exponent), "-12.5");
  EXPECT_EQ(number("1.1e-3", exponent), "0.0011");
  EXPECT_EQ(number("7", exponent), "7");
  for (const char* text : {"1E", "1E+", "E5", "1E2.5", "1E999", "1e+-2"})
    EXPECT_EQ(number(text, exponent), fmt::format("MALFORMED '{}' is not a number", text));
}

TEST(Labelled, GroupsAndExponents) {
  CmmSettings s = generic(Layout::labelled);
  s.number.group = ' ';
  EXPECT_EQ(position("X=1 234.5 Y= - 2 mm Z=3", s), "OK 1234.5 -2 3");
  s.number.group.reset();
  s.number.exponent = true;
  EXPECT_EQ(position("X=1.5E+01 Y=2e0mm Z=-3E-1", s), "OK 15 2 -0.3");
}

TEST(Columns, SeveralAxesOnALineAndLettersThatMeanSomething) {
  using Is = Column::Is;
  CmmSettings s = generic(Layout::columns);
  s.columns = {{Is::one_of, 1, "NA"}, {Is::unit_letter}, {Is::sign},     {Is::number, 5}, {Is::sign},
               {Is::number, 5},       {Is::sign},        {Is::number, 5}};
  EXPECT_EQ(position("NM+01.50- 2.50 03.25", s), "OK 1.5 -2.5 3.25");
  EXPECT_EQ(position("NI+01.50- 2.50 03.25", s),
            "WRONG_UNIT the line says inch; configured: mm: 'NI+01.50- 2.50 03.25'");
  EXPECT_EQ(position("NX+01.50- 2.50 03.25", s),
            "MALFORMED 'X' is not a unit letter: 'NX+01.50- 2.50 03.25'");
  EXPECT_EQ(position("PM+01.50- 2.50 03.25", s),
            "DEVICE_ERROR 'P' where a position has one of 'NA': 'PM+01.50- 2.50 03.25'");
  EXPECT_EQ(position("NM+01.50-x2.50 03.25", s),
            "MALFORMED '-x2.50' is not a number: 'NM+01.50-x2.50 03.25'");
}

TEST(Expression, NamedGroups) {
  CmmSettings s = generic(Layout::expression);
  s.expression = "(?<X>[-+0-9.]+)/(?<Y>[-+0-9.]+)/(?<Z>[-+0-9.]+)(?: (?<unit>[a-z]+))?";
  EXPECT_EQ(position("1/-2.5/3", s), "OK 1 -2.5 3");
  EXPECT_EQ(position("1/-2.5/3 in", s), "WRONG_UNIT the line says inch; configured: mm: '1/-2.5/3 in'");
  EXPECT_EQ(position("1/-2.5/3 ", s), "MALFORMED the expression does not match '1/-2.5/3 '");
  EXPECT_EQ(position("1/-2.5/3.4.5", s), "MALFORMED '3.4.5' is not a number: '1/-2.5/3.4.5'");
  s.unit_token = UnitToken::required;
  EXPECT_EQ(position("1/2/3", s), "WRONG_UNIT no unit on the line; configured: mm: '1/2/3'");
}

// Matching is limited by steps: without a limit this line takes more than 2^100.
TEST(Expression, BacktrackingIsBounded) {
  CmmSettings s = generic(Layout::expression);
  s.expression = "(?<X>(?:[0-9]+)+)(?<Y>(?:[0-9]+)+)(?<Z>(?:[0-9]+)+)!";
  const std::string said = position(std::string(100, '1') + "!?", s);
  EXPECT_EQ(said.substr(0, 43), "MALFORMED the expression gives up (match li") << said;
  // 2^18 steps are more than are allowed, and fewer than the library's own limit of 10^7.
  s.expression = "(?<X>(?:[0-9]+)+)/(?<Y>[0-9])/(?<Z>[0-9])";
  EXPECT_EQ(position(std::string(18, '1') + "x/1/1", s).substr(0, 36),
            "MALFORMED the expression gives up (m");
}

TEST(Axes, AnAxisThatTheCellDoesNotUseMustStillStandWhereItMust) {
  CmmSettings s = generic(Layout::labelled);
  s.axes.resize(4);
  s.axes[3].label = "C";
  s.axes[3].machine_axis = no_machine_axis;
  s.axes[3].min_shown = 0;
  s.axes[3].max_shown = 0;
  EXPECT_EQ(position("X:1 Y:2 Z:3 C:0.000", s), "OK 1 2 3");
  EXPECT_EQ(position("X:1 Y:2 Z:3 C:-0.001", s), "OUT_OF_RANGE axis C shows -0.001; allowed: from 0");
  EXPECT_EQ(position("X:1 Y:2 Z:3 C:90", s), "OUT_OF_RANGE axis C shows 90; allowed: up to 0");
  EXPECT_EQ(position("X:1 Y:2 Z:3", s), "PARTIAL 3 of 4 axes came, without C: 'X:1 Y:2 Z:3'");
}

TEST(StatusTokens, WholeLinesAndLinesThatSayNothing) {
  CmmSettings s = generic(Layout::positional);
  s.status_tokens = {{"ok", false, ProbeState::device_error, true, true},
                     {"NG", false, ProbeState::out_of_range, false, false}};
  EXPECT_EQ(position("ok", s), "nothing");
  EXPECT_EQ(position("1,2,3 ok", s), "MALFORMED 'ok' is not a unit: '1,2,3 ok'");
  EXPECT_EQ(position("1,2,3 NG", s), "OUT_OF_RANGE the device says '1,2,3 NG'");
}

}  // namespace
}  // namespace datum
