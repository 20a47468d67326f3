// What an operator reads about a board that did not pass.
#include "daemon/inspection/verdict/plain_reason.h"

#include <gtest/gtest.h>

#include "daemon/inspection/verdict/decision.h"

namespace datum {
namespace plain_reason_test {

using enum Characteristic;

CheckVerdict check(Characteristic what, double value, std::optional<double> lower,
                   std::optional<double> upper, double u = 1) {
  CheckVerdict v;
  v.check.characteristic = what;
  v.check.lower = lower;
  v.check.upper = upper;
  if (lower && upper) v.check.nominal = (*lower + *upper) / 2;
  v.value = value;
  v.u = u;
  decide(v, DecisionRule::iso14253, 0.95);
  return v;
}

CheckVerdict refused(Characteristic what, Reason reason) {
  CheckVerdict v;
  v.check.characteristic = what;
  v.reason = reason;
  return v;
}

ComponentVerdict component(const std::string& reference, std::vector<CheckVerdict> checks) {
  ComponentVerdict c;
  c.reference = reference;
  c.checks = std::move(checks);
  c.decision = worst_of(c.checks);
  return c;
}

BoardVerdict board(std::vector<ComponentVerdict> components) {
  BoardVerdict v;
  v.components = std::move(components);
  v.decision = worst_of(v.components);
  return v;
}

TEST(PlainReason, SaysWhatAPersonWouldOfTheDemosBoard) {
  const BoardVerdict v =
      board({component("U1", {check(median, 1100, 1040, 1160)}),
             component("U3", {check(median, 1580, 1530, 1670), check(tilt, 1382, {}, 800, 13)}),
             component("L1", {check(median, 2701, 2850, 3150)}),
             component("C3", {check(median, 2.6, 920, 1080), check(tilt, 90, {}, 1500, 13),
                              check(presence, 0, 750, {}, 10)})});
  EXPECT_EQ(plain_reason(v), "U3 tilted 1.38 of 0.80 degrees, L1 149 um below its limit, C3 missing");
  EXPECT_EQ(plain_reason(board({component("U1", {check(median, 1100, 1040, 1160)})})), "");
}

TEST(PlainReason, CallsNothingMissingThatIsThere) {
  EXPECT_EQ(plain_reason(component("R1", {check(median, 280, 500, 600)})), "220 um below its limit");
  EXPECT_EQ(plain_reason(component("R1", {check(median, 270, 500, 600)})), "missing")
      << "below half the nominal height";
  EXPECT_EQ(plain_reason(component("R1", {check(median, -300, 500, 600)})), "missing")
      << "a hole in its place";
  EXPECT_EQ(plain_reason(component("R1", {check(presence, 0, 750, {}, 10)})), "missing");
  EXPECT_EQ(plain_reason(component("R1", {check(presence, 600, 750, {}, 10)})),
            "seen on 60 % of its place, 75 % are needed");
  EXPECT_EQ(plain_reason(component("R9", {check(presence, 985, {}, 100, 10)})),
            "something lies on 98 % of its place, 10 % are allowed");
  EXPECT_EQ(plain_reason(component("R1", {check(median, 2.5, 1, {}, 1)})), "1.5 um from its limit, U is 2.0")
      << "nothing failed";
}

TEST(PlainReason, NamesTheLimitThatWasPassedAndByHowMuch) {
  EXPECT_EQ(plain_reason(component("U1", {check(maximum, 1165.5, 1040, 1160)})), "5.5 um above its limit");
  EXPECT_EQ(plain_reason(component("U1", {check(median, 1000, 1040, 1160), check(tilt, 900, {}, 800, 13)})),
            "40 um below its limit and tilted 0.90 of 0.80 degrees");
  EXPECT_EQ(plain_reason(component("BOARD", {check(bow, 0.83, {}, 0.75, 0.01)})), "bow 0.83 of 0.75 %");
  EXPECT_EQ(plain_reason(component("top", {check(profile, 132, {}, 120)})), "profile 12 um above its limit");
}

TEST(PlainReason, NamesWhatWasNotMeasuredFirstAndThenWhatFailed) {
  std::vector<ComponentVerdict> components{
      component("C3", {check(median, 0, 920, 1080)}),
      component("U1", {refused(median, Reason::floor_sides), refused(tilt, Reason::floor_sides)})};
  EXPECT_EQ(plain_reason(board(components)), "U1 not measured: FLOOR_SIDES, C3 missing");
  for (int i = 1; i <= 5; ++i)
    components.push_back(component("R" + std::to_string(i), {check(median, 480, 500, 600)}));
  EXPECT_EQ(plain_reason(board(components)),
            "U1 not measured: FLOOR_SIDES, C3 missing, R1 20 um below its limit, R2 20 um below its limit, "
            "R3 20 um below its "
            "limit, 2 more");
  BoardVerdict v = board(components);
  v.reason = Reason::frame;
  v.detail = "no frame came";
  EXPECT_EQ(plain_reason(v), "FRAME: no frame came");
}

}  // namespace plain_reason_test
}  // namespace datum
