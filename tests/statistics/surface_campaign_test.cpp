// The campaign of ./datum statistics --defects with few cases.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/statistics/surface_campaign.h"

namespace datum::statistics {

TEST(SurfaceCampaign, NoDefectThatPixelsSeePasses) {
  CampaignPlan plan;
  plan.cases = 40;
  plan.threads = 2;
  const Campaign all = run_campaign(plan);
  for (const std::string& words : all.wrong) ADD_FAILURE() << words;
  EXPECT_GT(all.defects.seen, plan.cases / 2);
  EXPECT_EQ(all.defects.wrong_passes, 0);
  // 2 % of 10 is less than one
  EXPECT_EQ(all.good.failed + all.good.invalid, 0);
  EXPECT_EQ(all.good.cases, plan.cases / 4);
}

// A boss of 3 mm, displaced by 0.13 mm, with pixels of 0.15 mm: along its edges every fourth pixel shows it.
TEST(SurfaceCampaign, AStepBesideItsPlaceDoesNotPassWhereEveryFourthPixelSeesIt) {
  CampaignPlan plan;
  plan.only = {1'000'364};
  const Campaign all = run_campaign(plan);
  ASSERT_EQ(all.defects.seen, 1);
  EXPECT_EQ(all.defects.wrong_passes, 0) << all.told[0];
}

// Rays pass its edge at a pixel's distance and meet the table 5 mm below; the edge itself is within its limit.
TEST(SurfaceCampaign, WhatABentEdgeLetsSeeBehindItIsNoDeviationOfIt) {
  CampaignPlan plan;
  plan.only = {1'000'542};
  const Campaign all = run_campaign(plan);
  ASSERT_EQ(all.defects.cases, 1);
  EXPECT_EQ(all.defects.seen, 0) << all.told[0];
  EXPECT_EQ(all.defects.passed, 1) << all.told[0];
}

}  // namespace datum::statistics
