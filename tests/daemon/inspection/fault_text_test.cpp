// What a person reads about a component that is not PASS: cause, amount, limit.
#include "daemon/inspection/verdict/fault_text.h"

#include <gtest/gtest.h>

namespace datum {
namespace fault_text_test {
namespace {

CheckVerdict check_of(Characteristic what, std::optional<double> lower, std::optional<double> upper,
                      double value, Decision decision = Decision::fail) {
  CheckVerdict v;
  v.check.characteristic = what;
  v.check.lower = lower;
  v.check.upper = upper;
  v.value = value;
  v.u = 4;
  v.decision = decision;
  return v;
}

ComponentVerdict with(std::vector<CheckVerdict> checks) {
  ComponentVerdict c;
  c.decision = Decision::pass;
  for (const CheckVerdict& v : checks) c.decision = std::max(c.decision, v.decision);
  c.checks = std::move(checks);
  return c;
}

TEST(FaultText, NamesCauseAmountAndLimit) {
  using enum Characteristic;
  EXPECT_EQ(fault_text(with({check_of(median, 920, 1080, 2.5)})), "missing: 2.5 um, limit 920");
  EXPECT_EQ(fault_text(with({check_of(median, 2000, 2200, 1851)})), "149 um too low: 1851 um, limit 2000");
  EXPECT_EQ(fault_text(with({check_of(median, 2000, 2200, 2203.5)})), "3.5 um too high: 2204 um, limit 2200");
  EXPECT_EQ(fault_text(with({check_of(tilt, {}, 800, 1380)})), "tilted: 1.38 deg, limit 0.8");
  EXPECT_EQ(fault_text(with({check_of(presence, 800, {}, 30)})), "missing: 3 %, limit 80");
  EXPECT_EQ(fault_text(with({check_of(median, {}, 275, 552), check_of(presence, {}, 100, 985)})),
            "not empty: 98.5 %, limit 10");
  EXPECT_EQ(fault_text(with({check_of(profile, {}, 120, 1198.5)})),
            "profile 1078 um too high: 1198 um, limit 120");
  EXPECT_EQ(fault_text(with({check_of(median, 1000, 1200, 1003, Decision::inconclusive)})),
            "median 1003 um: limit 1000 within U (k=2) = 8");
  EXPECT_EQ(fault_text(with({check_of(median, 920, 1080, 1000, Decision::pass)})), "");
}

TEST(FaultText, AMissingPartComesBeforeWhatElseFailed) {
  using enum Characteristic;
  const CheckVerdict tilted = check_of(tilt, {}, 800, 60'000), missing = check_of(median, 920, 1080, 2.5);
  EXPECT_EQ(fault_text(with({tilted, missing})), "missing: 2.5 um, limit 920");
  CheckVerdict low =
      check_of(median, 500, 1080, 450);  // above half the nominal height: a wrong part, not a missing one
  low.check.expected = 800;
  EXPECT_EQ(fault_text(with({low})), "50 um too low: 450 um, limit 500");
}

TEST(FaultText, AnInvalidCheckHasItsReasonAlone) {
  CheckVerdict v = check_of(Characteristic::median, 920, 1080, std::nan(""), Decision::invalid);
  v.reason = Reason::floor_sides;
  EXPECT_EQ(fault_text(with({v, check_of(Characteristic::tilt, {}, 800, 900)})), "INVALID: FLOOR_SIDES");
  EXPECT_EQ(check_text(v), "median FLOOR_SIDES");
  EXPECT_EQ(check_text(check_of(Characteristic::median, 920, 1080, 990.25)), "median 990.2 um, 920 to 1080");
  EXPECT_EQ(check_text(check_of(Characteristic::tilt, {}, 800, 250)), "tilt 0.25 deg, at most 0.8");
}

}  // namespace
}  // namespace fault_text_test
}  // namespace datum
