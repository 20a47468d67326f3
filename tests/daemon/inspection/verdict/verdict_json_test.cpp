#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "daemon/inspection/verdict/verdict.h"

namespace datum {
namespace {

using ::testing::HasSubstr;

CheckVerdict check_verdict() {
  CheckVerdict c;
  c.check = {Characteristic::percentile, 0.95, 1160.0, std::nullopt, 1e-7 + 1160.1};
  c.decision = Decision::inconclusive;
  c.decision_simple = Decision::pass;
  c.value = 1163.9000000000001;
  c.u = 0.1 + 0.2;  // needs 17 digits
  c.p_conform = 5e-324;
  c.capability = 1.0 / 3.0;
  c.budget = {{"top_noise", -0.0}, {"floor", 1e300}};
  return c;
}

BoardVerdict board_verdict() {
  BoardVerdict v;
  v.decision = Decision::fail;
  v.sequence = std::numeric_limits<std::uint64_t>::max();
  v.store_id = "s-1";
  v.measured_at = "2026-11-21T07:00:00Z";
  v.unit_id = "a \"quoted\" \\ text\nwith µ";
  v.recipe = "pemtron";
  v.recipe_sha256 = "ab";
  v.rule_confidence = 0.95;
  v.captured = {-5, ClockDomain::utc};
  v.pose.used = true;
  v.pose.before.state = ProbeState::device_error;
  v.pose.before.position_mm = {1.1, -2.2, 3.3};
  v.pose.after.sequence = 1ull << 63;
  v.pose.q_mm = {0.1, 0.2, 0.30000000000000004};
  ComponentVerdict c;
  c.reference = "U1";
  c.decision = Decision::fail;
  c.floor.a = 1.0 / 7.0;
  c.floor.side_inliers = {1, 2, 3, 4294967295u};
  c.checks = {check_verdict(), CheckVerdict{}};
  c.checks[1].reason = Reason::floor_second_level;
  c.checks[1].detail = "why";
  v.components = {c, ComponentVerdict{}};
  return v;
}

TEST(VerdictJson, ReadsBackTheSameBytes) {
  const std::string json = to_json(board_verdict());
  const BoardVerdict back = verdict_from_json(json);
  EXPECT_EQ(to_json(back), json);
  EXPECT_EQ(back.sequence, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(back.components[0].checks[0].u, 0.1 + 0.2);
  EXPECT_TRUE(std::signbit(back.components[0].checks[0].budget[0].u));
  EXPECT_EQ(back.components[0].checks[0].check.lower, std::nullopt);
  EXPECT_EQ(back.unit_id, board_verdict().unit_id);
  EXPECT_EQ(back.captured.ns, -5);
}

// The text is written directly; the bytes of a stored verdict are a document's.
TEST(VerdictJson, ItsBytesAreThoseOfADocument) {
  BoardVerdict v = board_verdict();
  CheckVerdict& c = v.components[0].checks[0];
  c.detail = "\x7f \t \x1f / \xff and \xc3\xa9";
  c.p_conform = std::numeric_limits<double>::infinity();
  for (const double number : {1e15, 1e16, 123456789012345680.0, 1e-5, 0.0001, 5e-324, 1.7976931348623157e308,
                              9.5367431640625e-7, 2.0, -2.5e-8, 4.35, 9007199254740993.0})
    c.budget.push_back({"n" + std::to_string(c.budget.size()), number});
  c.budget.push_back({"floor", 7});
  v.surface.emplace();
  v.stages = {{"s", "1", {}, "", "", {{"a\"b", 17}}, {}}};
  const std::string json = to_json(v);
  EXPECT_EQ(nlohmann::ordered_json::parse(json).dump(), json);
  EXPECT_THAT(json, HasSubstr("\"floor\":7.0,")) << "the last of equal names";
  EXPECT_THAT(json, HasSubstr("\x7f \\t \\u001f / \xef\xbf\xbd and \xc3\xa9"));
}

TEST(VerdictJson, HowAPartWasFoundStandsThereWhereItWasLookedFor) {
  BoardVerdict v = board_verdict();
  v.surface.emplace();
  EXPECT_EQ(to_json(v).find("alignment"), std::string::npos);
  AlignmentEvidence& a = v.surface->alignment.emplace();
  a.datums = {{"top", 17000, 262, 3, 6, 143.6, 3.38, 0.2, {}, {}}};
  a.shift_mm = 0.49;
  a.turn_mrad = 4.7;
  a.covariance[35] = 1.0 / 3;
  EXPECT_EQ(to_json(v).find("refinement"), std::string::npos);
  a.refinement = AlignmentStep{"", 30000, 800, 4, 3, 5.1, 3.2, 0.01, {}, {}};
  a.refinement_shift_um = 7.5;
  a.refinement_turn_urad = 12;
  a.untold = {"turn about (0.00, 0.00, 1.00) through (12.0, 3.0, 0.0) mm"};
  const std::string json = to_json(v);
  const BoardVerdict back = verdict_from_json(json);
  EXPECT_EQ(to_json(back), json);
  EXPECT_EQ(back.surface->alignment->datums[0].directions, 3u);
  EXPECT_EQ(back.surface->alignment->covariance[35], 1.0 / 3);
  EXPECT_EQ(back.surface->alignment->refinement->rms_after_um, 3.2);
  EXPECT_EQ(back.surface->alignment->untold, a.untold);
}

TEST(VerdictJson, WhereTheHeadStoodStandsThereWhereItIsKnown) {
  BoardVerdict v = board_verdict();
  EXPECT_EQ(to_json(v).find("head"), std::string::npos);
  v.calibration_head = "left";
  v.pose.after.head_deg = {{0, -90.0025, 15}};
  const BoardVerdict back = verdict_from_json(to_json(v));
  EXPECT_EQ(to_json(back), to_json(v));
  EXPECT_EQ(back.calibration_head, "left");
  EXPECT_EQ(back.pose.after.head_deg, v.pose.after.head_deg);
}

// A sensor that counts frames and whose clock is known to the host; results of others stay as they were.
TEST(VerdictJson, WhatASensorSaysOfItsExposureStandsThereWhereItIsKnown) {
  BoardVerdict v = board_verdict();
  EXPECT_EQ(to_json(v).find("stamp"), std::string::npos);
  EXPECT_EQ(to_json(v).find("host_monotonic"), std::string::npos);
  v.captured = {7000, ClockDomain::sensor, HostSpan{11, 12}};
  v.stamp = SensorStamp{std::numeric_limits<std::uint64_t>::max(), -42, 5, 1};
  const std::string json = to_json(v);
  EXPECT_THAT(json, HasSubstr("\"host_monotonic\":{\"from_ns\":11,\"to_ns\":12}"));
  const BoardVerdict back = verdict_from_json(json);
  EXPECT_EQ(to_json(back), json);
  EXPECT_EQ(back.stamp->frame_index, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(back.stamp->encoder, -42);
  EXPECT_EQ(back.captured.host->to_ns, 12);
  EXPECT_FALSE(back.captured.offset) << "as verdicts were before it was stored";
  std::string unknown = json;
  unknown.replace(unknown.find("encoder_at_z"), 12, "encoder_at_y");
  EXPECT_THROW(verdict_from_json(unknown), std::runtime_error);
}

// Heights that datumd made itself from a sensor's raw images; results of other sensors stay as they were.
TEST(VerdictJson, TheStagesThatMadeAFrameStandThereWithTheirHealth) {
  BoardVerdict v = board_verdict();
  EXPECT_EQ(to_json(v).find("stages"), std::string::npos);
  v.stages = {{"fringe demodulation", "1", {{"steps", "3"}}, "ab", "cd", {{"unwrap_px", 17}}, {"3 steps"}}};
  const std::string json = to_json(v);
  EXPECT_THAT(json, HasSubstr("\"parameters\":{\"steps\":\"3\"}"));
  const BoardVerdict back = verdict_from_json(json);
  EXPECT_EQ(to_json(back), json);
  ASSERT_EQ(back.stages.size(), 1u);
  EXPECT_EQ(back.stages[0].health, (std::vector<std::pair<std::string, double>>{{"unwrap_px", 17}}));
  EXPECT_EQ(back.stages[0].output_sha256, "cd");
  EXPECT_EQ(back.stages[0].warnings, std::vector<std::string>{"3 steps"});
}

// How the controller stood; results of before stay as they were.
TEST(VerdictJson, TheControllersStateStandsThereWhereItIsKnown) {
  BoardVerdict v = board_verdict();
  EXPECT_EQ(to_json(v).find("\"controller\""), std::string::npos);
  ControllerState& c = v.controller.emplace();
  c.model = "NVIDIA Jetson AGX Orin Developer Kit";
  c.age_ms = 412.5;
  c.power_mode = "MAXN (0)";
  c.cpu = {"schedutil", 729.6, 2201.6, std::nullopt, 2201.6};
  c.throttled_by = {"over-current (oc3)"};
  c.gpu = GpuState{"17000000.ga10b", "devfreq", 612, 1300.5, {}, {}, {}, 51.5, {}, {}};
  const std::string json = to_json(v);
  EXPECT_THAT(json, HasSubstr("\"limit_mhz\":null"));
  const BoardVerdict back = verdict_from_json(json);
  EXPECT_EQ(to_json(back), json);
  EXPECT_EQ(back.controller->power_mode, "MAXN (0)");
  EXPECT_EQ(back.controller->cpu.limit_mhz, std::nullopt);
  EXPECT_EQ(back.controller->cpu.lowest_mhz, 729.6);
  EXPECT_EQ(back.controller->throttled_by, c.throttled_by);
  EXPECT_EQ(back.controller->gpu->temperature_degc, 51.5);
}

// A machine that names its tool and coordinate system is named by the verdict; results of others stay as they were.
TEST(VerdictJson, WhatAPositionRefersToStandsThereWhereItIsKnown) {
  BoardVerdict v = board_verdict();
  EXPECT_EQ(to_json(v).find("\"reference\":\"tool"), std::string::npos);
  v.pose.after.reference = "tool Probe1, MachineCsy";
  const std::string json = to_json(v);
  EXPECT_THAT(json, HasSubstr("\"reference\":\"tool Probe1, MachineCsy\""));
  const BoardVerdict back = verdict_from_json(json);
  EXPECT_EQ(back.pose.after.reference, "tool Probe1, MachineCsy");
  EXPECT_EQ(back.pose.before.reference, std::nullopt);
}

TEST(VerdictJson, ATouchedHoleIsReadBack) {
  BoardVerdict v = board_verdict();
  HoleEvidence& hole = v.components[1].hole.emplace();
  hole.state = "MISMATCH";
  hole.reason = Reason::hole_mismatch;
  hole.detail = "x: touch and scan differ";
  hole.center_mm = {155.0795, 1.0 / 3.0, 20.05};
  hole.touches = 8;
  const std::string json = to_json(v);
  const BoardVerdict back = verdict_from_json(json);
  EXPECT_EQ(to_json(back), json);
  EXPECT_EQ(back.components[1].hole->center_mm[1], 1.0 / 3.0);
  EXPECT_TRUE(std::isnan(back.components[1].hole->radius_mm)) << "not measured";
  EXPECT_FALSE(nlohmann::json::parse(json)["components"][1].contains("floor")) << "a hole has none";
}

TEST(VerdictJson, KeysCarryTheUnitOfTheCharacteristic) {
  BoardVerdict v = board_verdict();
  EXPECT_THAT(to_json(v), HasSubstr("\"value_um\":1163.9"));
  v.components[0].checks[0].check.characteristic = Characteristic::tilt;
  EXPECT_THAT(to_json(v), HasSubstr("\"value_mdeg\":1163.9"));
}

TEST(VerdictJson, ANumberThatIsNotFiniteLosesNoResult) {
  BoardVerdict v = board_verdict();
  v.components[0].checks[0].value = std::numeric_limits<double>::infinity();
  const BoardVerdict back = verdict_from_json(to_json(v));
  EXPECT_TRUE(std::isnan(back.components[0].checks[0].value));
}

TEST(VerdictJson, TextThatIsNotUtf8LosesNoResult) {
  BoardVerdict v = board_verdict();
  v.unit_id = "bad \xff byte";
  EXPECT_EQ(verdict_from_json(to_json(v)).unit_id, "bad \xef\xbf\xbd byte");
}

TEST(VerdictJson, EveryWordIsReadBack) {
  for (int i = 0; i <= static_cast<int>(Reason::internal); ++i) {
    BoardVerdict v = board_verdict();
    v.reason = static_cast<Reason>(i);
    EXPECT_EQ(verdict_from_json(to_json(v)).reason, v.reason) << i;
  }
  for (int i = 0; i <= static_cast<int>(last_characteristic); ++i) {
    BoardVerdict v = board_verdict();
    v.components[0].checks[0].check.characteristic = static_cast<Characteristic>(i);
    EXPECT_EQ(verdict_from_json(to_json(v)).components[0].checks[0].check.characteristic,
              static_cast<Characteristic>(i));
  }
}

std::string refusal_of(const std::string& json) {
  try {
    verdict_from_json(json);
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return "accepted";
}

std::string with(std::string json, const std::string& from, const std::string& to) {
  const auto at = json.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return json.replace(at, from.size(), to);
}

TEST(VerdictJson, RefusesWithTheNameOfTheKey) {
  const std::string good = to_json(board_verdict());
  EXPECT_EQ(refusal_of("{"), "verdict JSON: the text is not JSON");
  EXPECT_EQ(refusal_of("[]"), "verdict JSON: must be an object");
  EXPECT_EQ(refusal_of("{}"), "verdict JSON: sequence: is missing");
  EXPECT_EQ(refusal_of(with(good, "\"decision\":\"FAIL\"", "\"decision\":\"GOOD\"")),
            "verdict JSON: decision: 'GOOD' is not known");
  EXPECT_EQ(refusal_of(with(good, "\"rms_um\":0.0,", "\"rms_um\":\"0\",")),
            "verdict JSON: components[0].floor.rms_um: must be a number or null");
  EXPECT_EQ(refusal_of(with(good, "\"rms_um\":0.0,", "")),
            "verdict JSON: components[0].floor.rms_um: is missing");
  EXPECT_EQ(refusal_of(with(good, "\"rms_um\":0.0,", "\"rms_um\":0.0,\"rms\":0,")),
            "verdict JSON: components[0].floor.rms: is not a key of a verdict");
  EXPECT_EQ(refusal_of(with(good, "4294967295", "4294967296")),
            "verdict JSON: components[0].floor.side_inliers[3]: must be an integer within its range");
  EXPECT_EQ(refusal_of(with(good, "\"valid\":0,", "\"valid\":-1,")),
            "verdict JSON: components[0].floor.valid: must be an integer within its range");
}

}  // namespace
}  // namespace datum
