// Whose board a frame shows, decided without a cell: exposures, pictures, units, arming, and what a next process knows.
#include "daemon/cell/frame_acceptance.h"

#include <gtest/gtest.h>

#include <memory>

#include "tests/fresh_folder.h"

namespace datum::frame_acceptance {
namespace {

using Kind = FrameDecision::Kind;
constexpr MonotonicNs second = 1'000'000'000;

class FrameAcceptanceTest : public ::testing::Test {
 protected:
  FrameAcceptanceTest() { begin(0); }

  /// The process begins, anew where it ran before.
  void begin(MonotonicNs now) {
    acceptance.reset();
    acceptance = std::make_unique<FrameAcceptance>(
        FrameAcceptanceSettings{folder / "results.db", 50'000, 5'000, {}}, utc, now);
  }
  void trigger(MonotonicNs now) {
    acceptance->trigger(now, std::nullopt);
    acceptance->ask(now);
  }
  /// A trigger whose frame does not come in time.
  void trigger_in_vain(MonotonicNs now) {
    trigger(now);
    acceptance->end_board(now + 5 * second);
  }
  void arm(MonotonicNs now, const Recipe& recipe, bool resumes = false) {
    ASSERT_TRUE(acceptance->arm({now, 0, std::nullopt, resumes, true}, recipe));
  }
  /// A frame of these pixels, first seen at `at`.
  DroppedFrame& deliver(const std::string& pixels, MonotonicNs at, const std::string& unit = "") {
    claim = {};
    claim.entry = "frame_" + pixels + ".json";
    claim.first_seen_ns = at;
    frame.frame.unit_id = unit;
    frame.identity = {"S-1", "id-" + pixels, pixels};
    return frame;
  }
  FrameDecision judge(MonotonicNs triggered_ns, std::optional<HostSpan> exposed = std::nullopt) {
    return acceptance->judge_triggered({claim, &frame, true, exposed},
                                       {triggered_ns, unit, 0, true, no_fault});
  }
  FrameDecision judge_unasked(std::optional<HostSpan> exposed = std::nullopt) {
    return acceptance->judge_unasked({claim, &frame, true, exposed},
                                     {claim.first_seen_ns, unit, unit_reported_ns, true, no_fault});
  }
  static Recipe recipe_named(const std::string& name) {
    Recipe recipe;
    recipe.name = name;
    recipe.sha256 = "0123";
    return recipe;
  }

  testing::FreshFolder folder;
  UtcWatch utc;
  std::unique_ptr<FrameAcceptance> acceptance;
  ClaimedFrame claim;
  DroppedFrame frame;
  std::string unit, no_fault;
  MonotonicNs unit_reported_ns = 0;
};

TEST_F(FrameAcceptanceTest, TheFrameAfterATriggerIsItsOwnWhereNoneIsOutstanding) {
  trigger(10 * second);
  deliver("a", 11 * second);
  EXPECT_EQ(judge(10 * second).kind, Kind::accepted);
  acceptance->end_board(12 * second);
  EXPECT_FALSE(acceptance->earlier_outstanding());
}

TEST_F(FrameAcceptanceTest, AfterATriggerWithoutAFrameTheSecondFrameIsTheBoards) {
  trigger_in_vain(10 * second);
  ASSERT_TRUE(acceptance->earlier_outstanding());
  trigger(20 * second);
  deliver("a", 21 * second);
  const FrameDecision late = judge(20 * second);
  EXPECT_EQ(late.kind, Kind::passed_over);
  EXPECT_EQ(late.reason, Reason::frame_unproven);
  EXPECT_NE(late.why.find("frame_a.json came 1000 ms after the trigger and may be the late frame of the "
                          "trigger 10000 ms before"),
            std::string::npos)
      << late.why;
  EXPECT_NE(late.why.find("inspection.late_frame_ms 50000, frame_timeout_ms 5000"), std::string::npos);
  deliver("b", 22 * second);
  EXPECT_EQ(judge(20 * second).kind, Kind::accepted);
}

TEST_F(FrameAcceptanceTest, ATriggerLongAfterAMissingFrameForgetsIt) {
  trigger_in_vain(10 * second);
  trigger(61 * second);
  deliver("a", 62 * second);
  EXPECT_EQ(judge(61 * second).kind, Kind::accepted);
}

TEST_F(FrameAcceptanceTest, AClockTellsAFrameOfBeforeTheTrigger) {
  trigger(10 * second);
  deliver("a", 11 * second);
  const FrameDecision decision = judge(10 * second, HostSpan{8 * second, 9 * second});
  EXPECT_EQ(decision.kind, Kind::early);
  EXPECT_EQ(decision.reason, Reason::none) << "its own frame may still come";
  EXPECT_EQ(decision.why, "arrived before the trigger; the sensor must expose after it");
}

// The source sends the trigger later than the cell asks for it.
TEST_F(FrameAcceptanceTest, AFrameFromBeforeTheTriggerWasSentIsAnEarlierOnes) {
  trigger_in_vain(10 * second);
  trigger(20 * second);
  deliver("a", 20 * second + 1);
  claim.before_trigger = true;
  EXPECT_EQ(judge(20 * second, HostSpan{19 * second, 21 * second}).kind, Kind::early);
  EXPECT_FALSE(acceptance->earlier_outstanding()) << "it was the late one";
  deliver("b", 21 * second);
  EXPECT_EQ(judge(20 * second).kind, Kind::accepted);
}

TEST_F(FrameAcceptanceTest, ARepeatedPictureIsPassedOverAndItsExposureStaysOutstanding) {
  trigger(10 * second);
  deliver("a", 11 * second);
  ASSERT_EQ(judge(10 * second).kind, Kind::accepted);
  acceptance->end_board(12 * second);
  trigger(20 * second);
  deliver("a", 21 * second);
  const FrameDecision decision = judge(20 * second);
  EXPECT_EQ(decision.kind, Kind::passed_over);
  EXPECT_EQ(decision.reason, Reason::frame_repeated);
  EXPECT_NE(decision.why.find("pixels of frame id-a"), std::string::npos) << decision.why;
  acceptance->end_board(25 * second);
  EXPECT_TRUE(acceptance->earlier_outstanding());
}

TEST_F(FrameAcceptanceTest, AFrameOfAnotherUnitIsPassedOver) {
  unit = "SN-2";
  trigger(10 * second);
  deliver("a", 11 * second, "SN-1");
  const FrameDecision decision = judge(10 * second);
  EXPECT_EQ(decision.kind, Kind::passed_over);
  EXPECT_EQ(decision.reason, Reason::frame_unproven);
  EXPECT_NE(decision.why.find("shows unit SN-1 by its unit_id, this board is SN-2"), std::string::npos);
}

TEST_F(FrameAcceptanceTest, AnUnmeasurableFrameEndsTheBoardWhosesoeverItIs) {
  trigger_in_vain(10 * second);
  trigger(20 * second);
  deliver("a", 21 * second);
  const FrameDecision decision = acceptance->judge_triggered({claim, nullptr, false, std::nullopt},
                                                             {20 * second, unit, 0, true, no_fault});
  EXPECT_EQ(decision.kind, Kind::accepted);
}

TEST_F(FrameAcceptanceTest, AnEarlyFrameSettlesAnExposureUnlessItsPictureCameBefore) {
  trigger_in_vain(10 * second);
  trigger(20 * second);
  acceptance->note_early(claim, &deliver("a", 19 * second), true);
  EXPECT_TRUE(acceptance->earlier_outstanding()) << "it was measured before";
  acceptance->note_early(claim, &deliver("a", 19 * second), false);
  EXPECT_TRUE(acceptance->earlier_outstanding()) << "its picture came before";
  acceptance->note_early(claim, nullptr, false);
  EXPECT_TRUE(acceptance->earlier_outstanding()) << "nobody knows its picture";
  acceptance->note_early(claim, &deliver("b", 19 * second), false);
  EXPECT_FALSE(acceptance->earlier_outstanding());
}

TEST_F(FrameAcceptanceTest, AnUnaskedFrameOfBeforeTheArmingMakesItsBoardInvalid) {
  arm(10 * second, recipe_named("box"));
  deliver("a", 9 * second);
  const FrameDecision before = judge_unasked();
  EXPECT_EQ(before.kind, Kind::invalid);
  EXPECT_EQ(before.reason, Reason::frame_early);
  EXPECT_TRUE(before.of_another_unit);
  EXPECT_NE(before.why.find("came 1000 ms before the cell was armed"), std::string::npos) << before.why;
  deliver("b", 11 * second);
  EXPECT_EQ(judge_unasked(HostSpan{9 * second, 9 * second + 1}).reason, Reason::frame_early)
      << "it came after, and was exposed before";
  deliver("c", 11 * second);
  EXPECT_EQ(judge_unasked().kind, Kind::accepted);
}

TEST_F(FrameAcceptanceTest, AnUnaskedFrameOfBeforeItsUnitsNumberMakesItsBoardInvalid) {
  arm(10 * second, recipe_named("box"));
  unit = "SN-7";
  unit_reported_ns = 12 * second;
  deliver("a", 12 * second);
  const FrameDecision decision = judge_unasked();
  EXPECT_EQ(decision.reason, Reason::frame_early);
  EXPECT_FALSE(decision.of_another_unit) << "the number is this board's";
  deliver("b", 12 * second, "SN-7");
  EXPECT_EQ(judge_unasked().kind, Kind::accepted) << "it names its unit";
}

TEST_F(FrameAcceptanceTest, ANextProcessAwaitsTheExposureOfTheOneBefore) {
  trigger(10 * second);
  begin(12 * second);
  EXPECT_TRUE(acceptance->earlier_outstanding());
  trigger(13 * second);
  deliver("a", 14 * second);
  EXPECT_EQ(judge(13 * second).reason, Reason::frame_unproven);
  acceptance->end_board(15 * second);
  acceptance->came(1);
  acceptance->end_board(16 * second);
  begin(17 * second);
  EXPECT_FALSE(acceptance->earlier_outstanding()) << "all came";
}

TEST_F(FrameAcceptanceTest, ANextProcessMeasuresWhatCameWhileItWasDownWithTheSameRecipeOnly) {
  arm(10 * second, recipe_named("box"));
  const auto mark = stamp_of(folder / "results.db.armed");
  ASSERT_TRUE(mark);
  for (const bool same : {true, false}) {
    begin(20 * second);
    ASSERT_TRUE(acceptance->was_armed());
    arm(20 * second, recipe_named(same ? "box" : "another box"), true);
    deliver(same ? "a" : "b", 20 * second);  // it lay there when the process began
    claim.delivered = FileStamp{mark->device, mark->changed_ns + 1};
    EXPECT_EQ(judge_unasked().kind, same ? Kind::accepted : Kind::invalid);
  }
}

TEST_F(FrameAcceptanceTest, ADisarmedCellLeavesNoMark) {
  arm(10 * second, recipe_named("box"));
  acceptance->disarm();
  begin(20 * second);
  EXPECT_FALSE(acceptance->was_armed());
}

TEST_F(FrameAcceptanceTest, AStampThatBeginsBeforeTheTriggerIsRefused) {
  deliver("a", 11 * second);
  CaptureTime captured;
  captured.clock = ClockDomain::host_monotonic;
  captured.ns = 9 * second;
  const FrameTiming timing = acceptance->time_frame(captured, claim, 11 * second, 10 * second);
  EXPECT_TRUE(timing.by_stamp);
  EXPECT_EQ(timing.refusal, "its stamp does not show whether it was exposed before or after the trigger");
  EXPECT_EQ(
      acceptance
          ->time_frame(captured = {9 * second, ClockDomain::host_monotonic}, claim, 11 * second, std::nullopt)
          .refusal,
      "")
      << "no TRIGger waits for it";
}

}  // namespace
}  // namespace datum::frame_acceptance
