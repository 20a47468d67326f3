// The short form of ./datum defects, and each word on its own.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/statistics/defect_campaign.h"

namespace datum::defect_test {
namespace {

using namespace statistics;

/// A few frames of the small, the middle and the large body, the world's disturbances in turn.
TEST(Defects, AreNamedAndNoneIsCalledGood) {
  DefectPlan plan;
  plan.threads = 2;
  int cases = 0, right = 0, good = 0, worded = 0;
  for (const std::size_t size : {std::size_t{0}, std::size_t{3}, std::size_t{5}}) {
    plan.frames = size == 5 ? 14 : 18;
    const DefectCells cells = run_defects(part_sizes()[size], plan);
    EXPECT_EQ(cells.words.size(), size == 5 ? cells.words.size() : 10u) << "each defect is drawn";
    for (const auto& [defect, t] : cells.words) {
      cases += t.cases;
      right += t.right;
      EXPECT_EQ(t.passed, 0) << cells.size->name << ": a part passed that is " << name_of(defect);
    }
    good += cells.good;
    worded += cells.good_worded;
  }
  EXPECT_GT(cases, 200);
  // 98 % of some 240, and three deviations of a binomial count below that
  EXPECT_GE(right, 0.98 * cases - 3 * std::sqrt(0.02 * 0.98 * cases));
  EXPECT_LE(worded, 0.005 * good + 3 * std::sqrt(0.005 * good));
}

TEST(Defects, PlacesOfPartsAreKnownToTheirU) {
  DefectPlan plan;
  plan.threads = 2;
  plan.frames = 12;
  for (const World world : {World::correlated, World::walls, World::spikes}) {
    plan.world = world;
    const DefectCells cells = run_defects(part_sizes()[2], plan);
    const PlaceTally& t = cells.places[static_cast<std::size_t>(world)];
    ASSERT_GT(t.x.size(), 80u);
    for (const auto* sigmas : {&t.x, &t.y, &t.rotation}) {
      const auto covered =
          std::count_if(sigmas->begin(), sigmas->end(), [](double s) { return std::abs(s) <= 2; });
      // 95 % less three deviations of a binomial count
      EXPECT_GE(static_cast<double>(covered) / static_cast<double>(sigmas->size()),
                0.95 - 3 * std::sqrt(0.05 * 0.95 / 80))
          << name_of(world);
    }
  }
}

}  // namespace
}  // namespace datum::defect_test
