#include "daemon/inspection/verdict/decision.h"

#include <gtest/gtest.h>

#include <limits>

namespace datum::decision_test {
namespace {

Check limits(std::optional<double> lower, std::optional<double> upper) {
  Check c;
  c.lower = lower;
  c.upper = upper;
  return c;
}

CheckVerdict decided(const Check& check, double value, double u, DecisionRule rule = DecisionRule::iso14253) {
  CheckVerdict v;
  v.check = check;
  v.value = value;
  v.u = u;
  decide(v, rule, 0.95);
  return v;
}

// Phi from printed tables: Phi(0) = 0.5, Phi(1) = 0.8413447461, Phi(1.6448536270) = 0.95, Phi(2) =
// 0.9772498681, Phi(3) = 0.9986501020. The tables have ten digits, hence 1e-10.
TEST(Decision, ConformanceProbabilityByTheTable) {
  EXPECT_NEAR(conformance_probability(limits(0, {}), 0, 2), 0.5, 1e-10);
  EXPECT_NEAR(conformance_probability(limits(0, {}), 2, 2), 0.8413447461, 1e-10);
  EXPECT_NEAR(conformance_probability(limits({}, 10), 16, 2), 1 - 0.9986501020, 1e-10);
  EXPECT_NEAR(conformance_probability(limits(8, 12), 10, 2), 2 * 0.8413447461 - 1, 1e-10);
  EXPECT_NEAR(conformance_probability(limits(8, 12), 12, 2), 0.9772498681 - 0.5, 1e-10);
}

TEST(Decision, WithoutUncertaintyTheLimitsDecide) {
  EXPECT_EQ(conformance_probability(limits(8, 12), 12, 0), 1);
  EXPECT_EQ(conformance_probability(limits(8, 12), 12.0001, 0), 0);
}

TEST(Decision, OneSidedGuardBandIs1645u) {
  const Check c = limits({}, 100);
  EXPECT_EQ(decided(c, 100 - 1.645 * 2, 2).decision, Decision::pass);
  EXPECT_EQ(decided(c, 100 - 1.644 * 2, 2).decision, Decision::inconclusive);
  EXPECT_EQ(decided(c, 100 + 1.644 * 2, 2).decision, Decision::inconclusive);
  EXPECT_EQ(decided(c, 100 + 1.645 * 2, 2).decision, Decision::fail);
  EXPECT_EQ(decided(c, 99.9, 2).decision_simple, Decision::pass);
  EXPECT_EQ(decided(c, 100, 2).decision_simple, Decision::pass);
  EXPECT_EQ(decided(c, 100.1, 2).decision_simple, Decision::fail);
  EXPECT_EQ(decided(c, 99.9, 2, DecisionRule::simple).decision, Decision::pass);
}

TEST(Decision, CapabilityBelowOneIsRefusedAndBelowFourIsSaid) {
  CheckVerdict v = decided(limits(0, 40), 20, 2.5);
  EXPECT_EQ(v.capability, 4);
  EXPECT_EQ(v.detail, "");
  EXPECT_EQ(v.decision, Decision::pass);
  v = decided(limits(0, 40), 20, 5);
  EXPECT_EQ(v.capability, 2);
  EXPECT_EQ(v.decision, Decision::pass);
  EXPECT_EQ(v.detail, "C_m = 2.00 is below 4: the limits are tight for U = 10 um");
  v = decided(limits(0, 40), 20, 10.1);
  EXPECT_EQ(v.decision, Decision::invalid);
  EXPECT_EQ(v.reason, Reason::uncertainty);
  EXPECT_EQ(v.decision_simple, Decision::pass);
}

Check one_limit(Characteristic c, std::optional<double> lower, std::optional<double> upper,
                std::optional<double> nominal = {}) {
  Check check = limits(lower, upper);
  check.characteristic = c;
  check.nominal = nominal;
  return check;
}

// U = 2 u reaches from the nominal to the limit at C_m = 1, as with two limits about their middle.
TEST(Decision, ASingleLimitIsJudgedByItsWayFromTheNominal) {
  const Check c = one_limit(Characteristic::median, {}, 480, 450);
  EXPECT_EQ(tolerance_of(c), 60);
  CheckVerdict v = decided(c, 400, 15);
  EXPECT_EQ(v.capability, 1);
  EXPECT_EQ(v.decision, Decision::pass);
  v = decided(c, 300, 15.1);
  EXPECT_EQ(v.decision, Decision::invalid) << "however far below";
  EXPECT_EQ(v.reason, Reason::uncertainty);
  EXPECT_EQ(
      v.detail,
      "C_m = 0.99 is below 1: the upper limit lies 30 um from the nominal 450 but U = 30.2 um; widen the "
      "tolerance or measure better");
  Check below = one_limit(Characteristic::minimum, 400, {});
  EXPECT_EQ(tolerance_of(below), 0) << "nothing tells where a good part lies";
  below.expected = 450;
  EXPECT_EQ(tolerance_of(below), 100);
}

// What can't be below 0 is best there, and guard bands are cut from one side alone: C_m = upper / (2 u).
TEST(Decision, ASingleLimitOfATiltOrAShareIsJudgedFromTheirEnd) {
  using enum Characteristic;
  for (const Characteristic c :
       {tilt, profile, flatness, parallelism, bow, twist, peak_to_valley, board_flatness})
    EXPECT_EQ(tolerance_of(one_limit(c, {}, 250)), 500) << name_of(c);
  EXPECT_EQ(tolerance_of(one_limit(presence, 900, {})), 200);
  EXPECT_EQ(tolerance_of(one_limit(presence, {}, 50)), 100);
  EXPECT_EQ(tolerance_of(one_limit(tilt, {}, 250, 100)), 300) << "a nominal stands before the end";
  EXPECT_EQ(decided(one_limit(tilt, {}, 250), 10, 125).decision, Decision::pass);
  const CheckVerdict v = decided(one_limit(tilt, {}, 250), 10, 126);
  EXPECT_EQ(v.reason, Reason::uncertainty);
  EXPECT_EQ(
      v.detail,
      "C_m = 0.99 is below 1: the upper limit lies 250 mdeg from a good part's 0 but U = 252 mdeg; widen the "
      "tolerance or measure better");
}

TEST(Decision, ANumberThatIsNoneIsInvalid) {
  const CheckVerdict v = decided(limits(0, 40), std::numeric_limits<double>::quiet_NaN(), 1);
  EXPECT_EQ(v.decision, Decision::invalid);
  EXPECT_EQ(v.reason, Reason::internal);
}

TEST(Decision, TheWorstDecides) {
  std::vector<CheckVerdict> checks(3);
  checks[0].decision = Decision::pass;
  checks[1].decision = Decision::fail;
  checks[2].decision = Decision::inconclusive;
  EXPECT_EQ(worst_of(checks), Decision::fail);
  checks[0].decision = Decision::invalid;
  EXPECT_EQ(worst_of(checks), Decision::invalid);
  EXPECT_EQ(worst_of(std::vector<CheckVerdict>{}), Decision::invalid);
}

TEST(WhyNotPass, NamesTheWorstComponentsAndWhatMadeThemSo) {
  BoardVerdict v;
  v.decision = Decision::pass;
  EXPECT_EQ(why_not_pass(v), "");
  v.decision = Decision::invalid;
  v.components.resize(8);
  for (std::size_t i = 0; i < 8; ++i) {
    ComponentVerdict& c = v.components[i];
    c.reference = "U" + std::to_string(i);
    c.decision = i == 0 ? Decision::fail : Decision::invalid;
    c.checks.resize(2);
    c.checks[0].decision = Decision::pass;
    c.checks[1].decision = c.decision;
    c.checks[1].check.characteristic = Characteristic::tilt;
    c.checks[1].reason = i == 0 ? Reason::none : Reason::floor_sides;
  }
  EXPECT_EQ(why_not_pass(v),
            "U1 FLOOR_SIDES, U2 FLOOR_SIDES, U3 FLOOR_SIDES, U4 FLOOR_SIDES, U5 FLOOR_SIDES, 2 more");
  v.decision = Decision::fail;
  EXPECT_EQ(why_not_pass(v), "U0 tilt");
  v.reason = Reason::frame;
  v.detail = "no frame came";
  EXPECT_EQ(why_not_pass(v), "FRAME: no frame came");
}

}  // namespace
}  // namespace datum::decision_test
