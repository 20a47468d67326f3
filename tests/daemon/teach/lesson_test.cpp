// What golden boards teach: the rule of the limits against printed factors and by simulation, boards that disagree, boards that are
// not golden.
#include "daemon/teach/lesson.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "daemon/teach/board_faults.h"
#include "daemon/teach/ring_trial.h"
#include "daemon/teach/tolerance_factor.h"

namespace datum::lesson_test {
namespace {

using namespace teach;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(ToleranceFactor, IsThatOfPrintedTables) {
  EXPECT_NEAR(chi_squared_quantile(0.05, 1), 0.0039321400, 1e-9);
  EXPECT_NEAR(chi_squared_quantile(0.05, 4), 0.7107230214, 1e-9);
  EXPECT_NEAR(chi_squared_quantile(0.95, 1), 3.8414588207, 1e-8);
  EXPECT_NEAR(chi_squared_quantile(0.5, 2), 2 * std::log(2.0), 1e-9);
  // Two-sided factors for 99 % of the population with 95 % confidence (C. Eisenhart, Techniques of Statistical Analysis, 1947,
  // table 2.1). Howe's is above them by at most what its header says.
  const struct {
    int n;
    double printed, excess;
  } table[] = {{2, 48.430, 0.04}, {3, 12.861, 0.025}, {5, 6.634, 0.01}, {10, 4.433, 0.01}, {30, 3.350, 0.01}};
  for (const auto& row : table) {
    const double k = tolerance_factor(row.n, 0.99, 0.95);
    EXPECT_GE(k, 0.999 * row.printed) << row.n;
    EXPECT_LE(k, (1 + row.excess) * row.printed) << row.n;
  }
  EXPECT_THROW(tolerance_factor(1, 0.99, 0.95), std::invalid_argument);
}

TEST(ToleranceFactor, HoldsItsShareWithItsConfidence) {
  std::mt19937_64 random(28);
  std::normal_distribution<double> normal;
  const int runs = 4000;
  for (const int n : {2, 3, 5}) {
    const double k = tolerance_factor(n, 0.99, 0.95);
    int held = 0;
    for (int run = 0; run < runs; ++run) {
      double sum = 0, squares = 0;
      for (int i = 0; i < n; ++i) {
        const double x = normal(random);
        sum += x, squares += x * x;
      }
      const double mean = sum / n, s = std::sqrt((squares - n * mean * mean) / (n - 1));
      const auto below = [](double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; };
      held += below(mean + k * s) - below(mean - k * s) >= 0.99;
    }
    // Four standard deviations of a binomial share of 0.95 in 4000 runs.
    EXPECT_GE(held, runs * (0.95 - 4 * std::sqrt(0.95 * 0.05 / runs))) << n;
  }
}

TEST(Outliers, NamesTheFarthestAndOfTwoBoth) {
  EXPECT_THAT(outliers({800, 803, 950, 799, 801}, 3, 100), ElementsAre(2));
  EXPECT_THAT(outliers({800, 803, 950, 650, 801}, 3, 100), ElementsAre(2, 3));
  EXPECT_THAT(outliers({800, 950}, 3, 40), ElementsAre(0, 1));
  EXPECT_THAT(outliers({800, 803, 797, 804, 801}, 3, 100), IsEmpty());
  EXPECT_THAT(outliers({800}, 3, 20), IsEmpty());
}

struct GoldenBoards : ::testing::Test {
  GoldenBoards() {
    for (int i = 0; i < 10; ++i) {
      Component c;
      c.reference = "C" + std::to_string(i + 1);
      c.package = "C0603";
      c.body.size_mm = {1.6, 0.8};
      c.nominal_height_um = 800;
      c.nominal_confirmed = false;
      Check check;
      check.lower = 700;
      check.upper = 900;
      c.checks = {check};
      recipe.components.push_back(c);
    }
    sensor.noise.z_mm = {0};
    sensor.noise.sigma_um = {3};
  }
  /// Boards 1, 2, ... whose parts differ by a few um.
  std::vector<GoldenBoard> boards(std::size_t n) const {
    std::vector<GoldenBoard> all(n);
    for (std::size_t b = 0; b < n; ++b) {
      all[b].sha256 = std::to_string(b);
      all[b].noise_um = 3;
      all[b].pitch_mm = 0.05;
      for (std::size_t i = 0; i < recipe.components.size(); ++i) {
        GoldenPart part;
        part.value = 800 + 3 * std::sin(7.0 * static_cast<double>(b) + 3.0 * static_cast<double>(i));
        part.u = 2;
        part.u_board = 1;
        part.is_floored = true;
        part.seen.emplace().area_mm2 = 1.28;
        part.seen->size_mm = {1.6, 0.8};
        part.seen->turned_deg = 0;
        all[b].parts.push_back(part);
      }
    }
    return all;
  }
  Lesson taught(const std::vector<GoldenBoard>& all) const { return lesson_of(recipe, sensor, all); }
  Recipe recipe;
  SensorProfile sensor;
};

TEST_F(GoldenBoards, LimitsFollowTheStatedRule) {
  const auto all = boards(5);
  const Lesson lesson = taught(all);
  EXPECT_TRUE(lesson.is_golden());
  EXPECT_THAT(lesson.findings, IsEmpty());
  ASSERT_EQ(lesson.proposals.size(), 10u);
  double pooled = 0, own = 0, mean = 0;
  for (std::size_t i = 0; i < 10; ++i) {
    double m = 0, sum = 0;
    for (const GoldenBoard& b : all) m += *b.parts[i].value / 5;
    for (const GoldenBoard& b : all) sum += std::pow(*b.parts[i].value - m, 2) / 4;
    pooled += sum / 10;
    if (i == 3) own = sum, mean = m;
  }
  const Proposal& p = lesson.proposals[3];
  const double s = std::sqrt(std::max(own, pooled)),
               half = tolerance_factor(5, 0.99, 0.95) * s + 1.6448536 * 2;
  EXPECT_EQ(p.limits, Limits::taught);
  EXPECT_NEAR(p.nominal_um, mean, 0.051) << "in steps of 0.1 um";
  EXPECT_NEAR(*p.upper_um, mean + half, 0.051);
  EXPECT_NEAR(*p.lower_um, mean - half, 0.051);
  EXPECT_NEAR(p.expanded_um, 2 * std::sqrt(s * s / 5 + 4), 1e-9);
  recipe.rule = DecisionRule::simple;
  EXPECT_LT(*taught(all).proposals[3].upper_um, *p.upper_um - 3) << "no guard band";
}

TEST_F(GoldenBoards, OneBoardKeepsTheTolerance) {
  const Lesson lesson = taught(boards(1));
  ASSERT_EQ(lesson.proposals.size(), 10u);
  const Proposal& p = lesson.proposals[4];
  EXPECT_EQ(p.limits, Limits::kept);
  EXPECT_NEAR(*p.lower_um, p.nominal_um - 100, 0.11);
  EXPECT_NEAR(*p.upper_um, p.nominal_um + 100, 0.11);
}

TEST_F(GoldenBoards, LimitsThatAMissingPartWouldPassAreNotTaught) {
  recipe.components[0].nominal_height_um = 60;
  recipe.components[0].checks[0].lower = 40;
  recipe.components[0].checks[0].upper = 80;
  auto all = boards(2);
  all[0].parts[0].value = 58;
  all[1].parts[0].value = 62;
  const Lesson lesson = taught(all);
  EXPECT_EQ(lesson.proposals[0].limits, Limits::kept) << "48 times s is more than half of 60 um";
}

TEST_F(GoldenBoards, AnInvalidComponentTeachesNothing) {
  auto all = boards(3);
  all[1].parts[2].value.reset();
  all[1].parts[2].why = "FLOOR_SIDES: two sides";
  const Lesson lesson = taught(all);
  EXPECT_EQ(lesson.proposals.size(), 9u);
  ASSERT_EQ(lesson.findings.size(), 1u);
  EXPECT_EQ(lesson.findings[0].reference, "C3");
  EXPECT_EQ(lesson.findings[0].difference, Difference::untold);
  EXPECT_THAT(lesson.findings[0].boards, ElementsAre(1));
  EXPECT_THAT(lesson.findings[0].text, HasSubstr("FLOOR_SIDES"));
}

TEST_F(GoldenBoards, APartMissingOnOneBoardIsNamedAndNotAveraged) {
  auto all = boards(5);
  all[3].parts[6].value = 12;
  all[3].parts[6].seen.reset();
  const Lesson lesson = taught(all);
  EXPECT_EQ(lesson.proposals.size(), 9u);
  ASSERT_EQ(lesson.findings.size(), 1u);
  EXPECT_EQ(lesson.findings[0].difference, Difference::missing);
  EXPECT_THAT(lesson.findings[0].boards, ElementsAre(3));
}

TEST_F(GoldenBoards, BoardsThatDisagreeAreNamedAndNotAveraged) {
  auto all = boards(5);
  all[2].parts[5].value = 900;
  const Lesson lesson = taught(all);
  EXPECT_EQ(lesson.proposals.size(), 9u);
  ASSERT_EQ(lesson.findings.size(), 1u);
  EXPECT_EQ(lesson.findings[0].difference, Difference::disagree);
  EXPECT_THAT(lesson.findings[0].boards, ElementsAre(2));
  for (const Proposal& p : lesson.proposals)
    EXPECT_LT(p.s_um, 4) << "the odd one widens no other limits: " << p.reference;
  const Lesson two = taught({all[1], all[2]});
  ASSERT_EQ(two.findings.size(), 1u);
  EXPECT_THAT(two.findings[0].boards, ElementsAre(0, 1)) << "of two, neither is known to be right";
}

TEST_F(GoldenBoards, ATurnedPartAndATallerOneAreListed) {
  auto all = boards(3);
  for (GoldenBoard& b : all) {
    b.parts[0].seen->size_mm = {0.8, 1.6};
    b.parts[0].seen->turned_deg = 90;
    b.parts[1].value = *b.parts[1].value + 300;
    b.parts[2].seen->off_mm = {0.4, 0};
  }
  const Lesson lesson = taught(all);
  ASSERT_EQ(lesson.findings.size(), 3u);
  EXPECT_EQ(lesson.findings[0].difference, Difference::turned);
  EXPECT_EQ(lesson.findings[1].difference, Difference::taller);
  EXPECT_EQ(lesson.findings[2].difference, Difference::shifted);
  ASSERT_EQ(lesson.proposals.size(), 9u) << "what is measured of a turned part is not its top";
  EXPECT_THAT(lesson.proposals[0].differs,
              ElementsAre(HasSubstr("is 1098.6 um high; the recipe allows 700 to 900")));
  EXPECT_THAT(lesson.proposals[1].differs, ElementsAre(HasSubstr("beside its place")));
  EXPECT_THAT(lesson.proposals[2].differs, IsEmpty());
  for (GoldenBoard& b : all) b.parts[2].value.reset(), b.parts[2].why = "UNCERTAINTY: C_m";
  const auto invalid = taught(all).findings;
  EXPECT_THAT(invalid, ::testing::Contains(::testing::Field(&Finding::difference, Difference::shifted)))
      << "it says why the value is uncertain";
}

TEST_F(GoldenBoards, LimitsWiderThanConfirmedOnesAreListed) {
  for (Component& c : recipe.components) {
    c.nominal_confirmed = true;
    c.checks[0].lower = 790;
    c.checks[0].upper = 810;
  }
  EXPECT_THAT(taught(boards(3)).proposals[0].differs, ElementsAre(HasSubstr("wider than the confirmed")));
}

TEST_F(GoldenBoards, MarginsThatMeasureMoreAreProposed) {
  recipe.floor.inner_margin_mm = 0.4;
  recipe.floor.outer_margin_mm = 1.4;
  /// With an inner margin of 0.6 mm and more two parts more have a floor; a wider ring has less uncertainty.
  const auto measure = [&](const Recipe& trial) {
    auto all = boards(2);
    for (GoldenBoard& board : all)
      for (std::size_t i = 0; i < board.parts.size(); ++i) {
        board.parts[i].u = 2 - 0.5 * (trial.floor.outer_margin_mm - trial.floor.inner_margin_mm - 1);
        if (i < 2 && trial.floor.inner_margin_mm < 0.59) board.parts[i].value.reset();
      }
    return all;
  };
  const auto ring = tried_rings(recipe, measure);
  ASSERT_TRUE(ring);
  EXPECT_DOUBLE_EQ(ring->inner_mm, 0.6);
  EXPECT_DOUBLE_EQ(ring->outer_mm, 2.0);
  EXPECT_EQ(ring->floors, 20u);
  EXPECT_EQ(ring->floors_now, 16u);
  EXPECT_FALSE(tried_rings(recipe, [&](const Recipe&) { return boards(2); })) << "all are as good";
}

TEST_F(GoldenBoards, APlaceThatMustBeEmptyIsNoMissingPart) {
  auto all = boards(3);
  for (std::size_t i = 0; i < 4; ++i) {
    Check presence;
    presence.characteristic = Characteristic::presence;
    presence.upper = 100;
    recipe.components[i].checks[0].lower.reset();
    recipe.components[i].checks.push_back(presence);
    for (GoldenBoard& b : all) b.parts[i].seen.reset(), b.parts[i].value = 10;
  }
  EXPECT_TRUE(taught(all).is_golden()) << taught(all).faults[0];
  EXPECT_EQ(taught(all).proposals.size(), 6u);
  EXPECT_THAT(taught(all).findings, IsEmpty());
  all[1].parts[2] = boards(1)[0].parts[2];
  const Lesson occupied = taught(all);
  ASSERT_EQ(occupied.findings.size(), 1u);
  EXPECT_EQ(occupied.findings[0].difference, Difference::unknown);
  EXPECT_THAT(occupied.findings[0].boards, ElementsAre(1));
  EXPECT_EQ(occupied.proposals.size(), 6u);
}

TEST_F(GoldenBoards, OneBoardTwiceIsRefused) {
  auto all = boards(3);
  EXPECT_NO_THROW(refuse_repeated(all));
  all[2].unit = all[0].unit = "SN7";
  EXPECT_THROW(refuse_repeated(all), std::invalid_argument);
  all[2].unit = "SN8";
  EXPECT_NO_THROW(refuse_repeated(all));
  all[1].sha256 = all[0].sha256;
  EXPECT_THROW(refuse_repeated(all), std::invalid_argument);
}

TEST_F(GoldenBoards, ABoardThatIsNotGoldenIsNamed) {
  const auto fault = [&](const std::vector<GoldenBoard>& all, std::size_t which) {
    const Lesson lesson = taught(all);
    for (std::size_t b = 0; b < all.size(); ++b)
      if (b != which) {
        EXPECT_EQ(lesson.faults[b], "");
      }
    return lesson.faults[which];
  };
  auto all = boards(4);
  all[1].why = "CALIBRATION: it has expired";
  EXPECT_THAT(fault(all, 1), HasSubstr("CALIBRATION"));
  all = boards(4);
  all[2].lies_turned = 180;
  EXPECT_THAT(fault(all, 2), HasSubstr("turned by 180 degrees"));
  all = boards(4);
  all[0].noise_um = 3.7;
  EXPECT_THAT(fault(all, 0), HasSubstr("3.70 um, 3.00 on the others"));
  all = boards(1);
  all[0].noise_um = 3.7;
  EXPECT_THAT(fault(all, 0), HasSubstr("sensor's profile"));
  all = boards(4);
  all[3].off_mm = {0.2, 0.1};
  EXPECT_THAT(fault(all, 3), HasSubstr("beside their places"));
  all = boards(4);
  for (int i = 0; i < 3; ++i) all[1].parts[i].seen.reset(), all[1].parts[i].value = 3;
  EXPECT_THAT(fault(all, 1), HasSubstr("3 of 10 parts are missing"));
  all = boards(4);
  all[2].parts[4].value = 1000;
  all[2].parts[8].value = 1000;
  EXPECT_THAT(fault(all, 2), HasSubstr("in 2 of 10 parts: C5, C9"));
}

}  // namespace
}  // namespace datum::lesson_test
