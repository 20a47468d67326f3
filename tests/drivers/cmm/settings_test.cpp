#include "drivers/cmm/settings.h"

#include <gtest/gtest.h>

#include <limits>

#include "drivers/cmm/codec.h"
#include "drivers/cmm/line_settings.h"
#include "drivers/cmm/presets.h"
#include "tests/drivers/port/pty_pair.h"

namespace datum {
namespace {

using testing::message_of;

template <class Change>
std::string refusal(CmmSettings settings, Change change) {
  change(settings);
  return message_of<RefusedError>([&] { CmmCodec codec(settings); });
}

TEST(CmmSettings, EveryPresetIsInOrder) {
  for (const std::string& name : preset_names()) {
    CmmSettings settings = preset_by_name(name);
    EXPECT_EQ(settings.preset, name);
    if (settings.layout == Layout::ipp_dme) settings.ipp.tool = "Probe1";  // required of the cell
    if (settings.number.pointless) {
      EXPECT_EQ(
          message_of<RefusedError>([&] { check_line(settings); }),
          "cmm: this device sends no decimal point: state number.implied_decimals as set at the device");
      settings.number.implied_decimals = 4;
    }
    for (std::size_t i = settings.axes.size(); i < 3; ++i) settings.fixed_mm[i - settings.axes.size()] = 0;
    EXPECT_EQ(message_of<RefusedError>([&] { check(settings); }), "");
  }
}

TEST(CmmSettings, PresetsStateTheirLine) {
  const auto line = [](const CmmSettings& s) { return line_format(std::get<SerialSettings>(s.link)); };
  EXPECT_EQ(line(heidenhain_nd28x()), "9600 7E2 xon/xoff");
  EXPECT_EQ(line(mitutoyo_mux10()), "9600 8N1");
  EXPECT_EQ(line(acurite_vro()), "9600 8N1");
  EXPECT_EQ(line(grbl_1_1()), "115200 8N1");
}

TEST(CmmSettings, UnknownPresetIsRefused) {
  EXPECT_EQ(message_of<RefusedError>([] { preset_by_name("renishaw"); }),
            "cmm: preset 'renishaw' is not known; allowed: heidenhain_nd28x, heidenhain_nd28x_remote, "
            "heidenhain_nd700, heidenhain_nd52x, mitutoyo_mux10, acurite_vro, magnescale, cdi_indicator, "
            "proscale, mux4, marlin, grbl_1_1, ipp_dme");
}

TEST(CmmSettings, AnglesOfAHeadAreDegreesAndNeverMoved) {
  AxisSettings c;
  c.label = "A";
  c.machine_axis = first_head_axis + 2;
  const auto refused = [&](auto change) {
    return refusal(grbl_1_1(), [&](CmmSettings& s) {
      s.axes.push_back(c);
      change(s);
    });
  };
  EXPECT_EQ(refused([](CmmSettings&) {}), "");
  EXPECT_EQ(refused([](CmmSettings& s) { s.axes.back().scale = 2; }),
            "cmm: axis 'A': scale = 2; allowed for an angle: 1, degrees");
  EXPECT_NE(
      refused([](CmmSettings& s) { s.unit = LengthUnit::inch; }).find("GRBL divides angles by 25.4 too"),
      std::string::npos);
  EXPECT_NE(refused([](CmmSettings& s) { s.grbl_motion.emplace(); }).find("beside allow_motion"),
            std::string::npos);
  EXPECT_NE(refused([&](CmmSettings& s) {
              s.axes.push_back(c);
              s.axes.back().label = "B";
            }).find("machine axis C comes from two axes"),
            std::string::npos);
}

TEST(CmmSettings, WhatAnIppCellDemandsIsChecked) {
  CmmSettings s = ipp_dme();
  s.ipp.tool = "Probe1";
  const auto refused = [&](auto change) {
    CmmSettings c = s;
    change(c);
    return message_of<RefusedError>([&] { check(c); });
  };
  EXPECT_EQ(refused([](auto&) {}), "");
  EXPECT_EQ(refused([](auto& c) { c.ipp.tool = ""; }),
            "cmm: tool ''; allowed: the name of the tool that must be active, without quotes");
  EXPECT_EQ(refused([](auto& c) { c.link = SerialSettings{}; }),
            "cmm: I++ DME is spoken over TCP: state [cmm.tcp]");
  EXPECT_EQ(refused([](auto& c) { c.unit = LengthUnit::inch; }), "cmm: I++ DME knows only mm");
  EXPECT_EQ(refused([](auto& c) { c.poll.strings = {"?"}; }),
            "cmm: I++ DME has its own polls: leave poll.strings out");
  EXPECT_EQ(refused([](auto& c) { c.axes[0].label = "A"; }),
            "cmm: axis 'A'; allowed: X, Y, Z, and with the machine axis A, B or C Tool.A, Tool.B, Tool.C, as "
            "I++ DME names them");
  EXPECT_EQ(refused([](auto& c) {
              c.ipp.transformation = {{0, 0, 0, 0, 0, 0}};
            }),
            "cmm: MachineCsy has no transformation");
  EXPECT_EQ(refused([](auto& c) {
              c.ipp.coordinate_system = "PartCsy";
              c.ipp.transformation = {{0, 0, 0, 181, 0, 0}};
            }),
            "cmm: theta = 181 degrees; allowed: 0 to 180");
  EXPECT_EQ(refused([](auto& c) { c.ipp.watchdog_ms = 99; }), "cmm: watchdog_ms = 99; allowed: 100 to 60000");
  EXPECT_EQ(refused([](auto& c) { c.ipp.move_report_s = 0.09; }),
            "cmm: move_report_s = 0.09; allowed: 0.1 to 3600");
}

TEST(CmmSettings, WrongAxesAreRefused) {
  const CmmSettings s = grbl_1_1();
  EXPECT_EQ(refusal(s, [](auto& c) { c.axes.clear(); }), "cmm: 0 axes; allowed: 1 to 6");
  EXPECT_EQ(refusal(s, [](auto& c) { c.axes[1].label = "X"; }), "cmm: axis 'X' twice");
  EXPECT_EQ(refusal(s, [](auto& c) { c.axes[1].machine_axis = 0; }),
            "cmm: machine axis X comes from two axes of the line");
  EXPECT_EQ(refusal(s, [](auto& c) { c.axes[1].machine_axis = 6; }),
            "cmm: axis 'Y': machine axis must be X, Y, Z, A, B, C or none");
  EXPECT_EQ(refusal(s, [](auto& c) { c.axes.resize(2); }),
            "cmm: machine axis Z is not on the line: state where it stands (fixed_mm)");
  EXPECT_EQ(refusal(s, [](auto& c) { c.fixed_mm[2] = 0; }),
            "cmm: machine axis Z is both on the line and fixed");
  EXPECT_EQ(refusal(s, [](auto& c) { c.axes[0].scale = 0; }),
            "cmm: axis 'X': scale = 0; allowed: more than 0 (a reversed axis has its own setting)");
  EXPECT_EQ(refusal(s, [](auto& c) { c.axes[0].offset_mm = std::numeric_limits<double>::infinity(); }),
            "cmm: axis 'X': offset_mm must be finite");
  EXPECT_EQ(refusal(s, [](auto& c) { c.axes[0].min_mm = c.axes[0].max_mm = 1; }),
            "cmm: axis 'X': min_mm = 1 must be below max_mm = 1");
}

TEST(CmmSettings, ContradictoryLayoutsAreRefused) {
  EXPECT_EQ(
      refusal(heidenhain_nd28x(), [](auto& c) { c.grouping = Grouping::single_line; }),
      "cmm: fixed columns with 1 numbers for 3 axes; one for each, in the axes' order, or group the lines by "
      "order or label");
  EXPECT_EQ(refusal(heidenhain_nd28x(), [](auto& c) { c.columns.clear(); }),
            "cmm: fixed columns of one axis need exactly one number");
  EXPECT_EQ(refusal(heidenhain_nd28x(), [](auto& c) { c.grouping = Grouping::by_label; }),
            "cmm: fixed columns need a label if, and only if, lines are grouped by label");
  EXPECT_EQ(refusal(acurite_vro(), [](auto& c) { c.grouping = Grouping::by_order; }),
            "cmm: labelled lines are grouped by label or carry all axes");
  EXPECT_EQ(refusal(acurite_vro(), [](auto& c) { c.layout = Layout::positional; }),
            "cmm: positional lines have no label: group them by order, or all axes on one line");
  EXPECT_EQ(refusal(grbl_1_1(), [](auto& c) { c.grouping = Grouping::by_order; }),
            "cmm: a GRBL report carries all axes");
  EXPECT_EQ(refusal(grbl_1_1(), [](auto& c) { c.setup.clear(); }),
            "cmm: only GRBL reports its unit, asked by the setup string");
  EXPECT_EQ(refusal(mitutoyo_mux10(), [](auto& c) { c.columns[0].text = "00"; }),
            "cmm: a column of 1 characters with the text '00'");
  EXPECT_EQ(refusal(mitutoyo_mux10(), [](auto& c) { c.status_tokens[0].text = ""; }),
            "cmm: a status token without text");
  EXPECT_EQ(refusal(CmmSettings(),
                    [](auto& c) {
                      c.axes = grbl_1_1().axes;
                      c.number.point = ',';
                    }),
            "cmm: the decimal point ',' is one of the delimiters");
}

TEST(CmmSettings, WrongNumbersAreRefused) {
  const CmmSettings s = grbl_1_1();
  EXPECT_EQ(refusal(s, [](auto& c) { c.unit = LengthUnit::inch; }),
            "cmm: number.decimals = 3; GRBL sends 4 in inches: state 4");
  EXPECT_EQ(refusal(s, [](auto& c) { c.framing.terminator = ""; }),
            "cmm: a line ends in 0 ways; allowed: one of terminator (1 or 2 bytes), fixed_length and gap_ms");
  EXPECT_EQ(refusal(s, [](auto& c) { c.framing.max_length = 5000; }),
            "cmm: max_length = 5000; allowed: 1 to 4096");
  EXPECT_EQ(refusal(s, [](auto& c) { c.number.implied_decimals = 3; }),
            "cmm: decimals and implied_decimals exclude each other");
  EXPECT_EQ(refusal(s, [](auto& c) { c.number.point = '5'; }), "cmm: decimal point '5'; allowed: '.' or ','");
  EXPECT_EQ(refusal(s, [](auto& c) { c.number.decimals = 10; }), "cmm: decimals = 10; allowed: 0 to 9");
  EXPECT_EQ(refusal(s, [](auto& c) { c.poll.period_ms = 1; }),
            "cmm: poll period_ms = 1; allowed: 10 to 600000");
  EXPECT_EQ(refusal(s, [](auto& c) { c.poll.timeout_ms = 0; }),
            "cmm: poll timeout_ms = 0; allowed: 10 to 60000");
  EXPECT_EQ(refusal(s, [](auto& c) { c.poll.strings = {""}; }), "cmm: an empty poll string");
  EXPECT_EQ(refusal(s,
                    [](auto& c) {
                      c.poll.strings = {"?", "?"};
                    }),
            "cmm: 2 poll strings for 3 axes; allowed: one for all, or one for each");
  EXPECT_EQ(refusal(s, [](auto& c) { c.max_age_ms = 0; }), "cmm: max_age_ms = 0; allowed: 1 to 600000");
  EXPECT_EQ(refusal(s, [](auto& c) { c.group_window_ms = 0; }),
            "cmm: group_window_ms = 0; allowed: 1 to 60000");
  EXPECT_EQ(refusal(s, [](auto& c) { c.pairing.tolerance_um = 0; }),
            "cmm: tolerance_um = 0; allowed: more than 0");
  EXPECT_EQ(refusal(s, [](auto& c) { c.pairing.window_ms = 0; }), "cmm: window_ms = 0; allowed: 1 to 600000");
}

TEST(CmmSettings, ExpressionsAreCheckedAsTheyAreRead) {
  CmmSettings s = acurite_vro();
  s.layout = Layout::expression;
  s.unit_token = UnitToken::none;
  const auto refused = [&](const std::string& expression, Grouping grouping = Grouping::single_line) {
    return refusal(s, [&](auto& c) {
      c.expression = expression;
      c.grouping = grouping;
      c.poll.strings.resize(1);
    });
  };
  EXPECT_EQ(refused("(?<X>.+) (?<Y>.+) (?<Z>.+)"), "");
  EXPECT_EQ(refused("(?<label>.) (?<value>.+)", Grouping::by_label), "");
  EXPECT_EQ(refused(""), "cmm: layout 'expression' needs an expression");
  EXPECT_EQ(refused("(?<X>.+"), "cmm: expression: missing closing parenthesis at character 8: '(?<X>.+'");
  EXPECT_EQ(refused(std::string(1025, '.')), "cmm: expression of 1025 characters; allowed: 1024");
  EXPECT_EQ(
      refused("(?<X>.+) (?<Y>.+)"),
      "cmm: expression: groups for 2 of 3 axes; a line of its own for each axis has grouping by_order or "
      "by_label");
  EXPECT_EQ(refused("(?<Q>.+)"), "cmm: expression: group 'Q'; allowed: an axis's label, label, value, unit");
  EXPECT_EQ(refused("(?<value>.+)", Grouping::by_label),
            "cmm: expression: a group label if, and only if, lines are grouped by label");
  EXPECT_EQ(refused("(?<X>.+)", Grouping::by_order),
            "cmm: expression: a line of one axis has the group value, a line of all a group for each axis");
  s.unit_token = UnitToken::required;
  EXPECT_EQ(refused("(?<label>.) (?<value>.+)", Grouping::by_label),
            "cmm: expression: no group unit to compare with unit_token");
}

TEST(CmmSettings, EndsOfALineThatContradictEachOtherAreRefused) {
  const CmmSettings s = grbl_1_1();
  EXPECT_EQ(refusal(s, [](auto& c) { c.framing.gap_ms = 20; }),
            "cmm: a line ends in 2 ways; allowed: one of terminator (1 or 2 bytes), fixed_length and gap_ms");
  EXPECT_EQ(refusal(mitutoyo_mux10(),
                    [](auto& c) {
                      c.framing.terminator = "";
                      c.framing.fixed_length = 12;
                    }),
            "cmm: lines of fixed_length that come unasked need a start character to be distinguished");
  EXPECT_EQ(refusal(s, [](auto& c) { c.framing.terminator = "", c.framing.fixed_length = 300; }),
            "cmm: fixed_length = 300; allowed: up to max_length = 255");
  EXPECT_EQ(refusal(s, [](auto& c) { c.number.decimals.reset(), c.number.group = '_'; }),
            "cmm: group '_'; allowed: ' ', '.', ',' or ''', other than the point");
  EXPECT_EQ(refusal(s, [](auto& c) { c.number.exponent = true; }),
            "cmm: a number with exponent has no fixed decimals");
  EXPECT_EQ(refusal(s, [](auto& c) { c.watch.frozen_samples = 1; }),
            "cmm: frozen_samples = 1; allowed: 2 or more, or 0: not looked at");
  EXPECT_EQ(refusal(s, [](auto& c) { c.watch.max_speed_mm_per_s = -1; }),
            "cmm: max_speed_mm_per_s = -1; allowed: more than 0, or 0: not looked at");
  EXPECT_EQ(refusal(mitutoyo_mux10(), [](auto& c) { c.poll.accepted = '\x06'; }),
            "cmm: accepted and rejected belong to poll strings");
}

}  // namespace
}  // namespace datum
