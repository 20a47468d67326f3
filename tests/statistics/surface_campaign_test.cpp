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
  // 2 % of 10 is none
  EXPECT_EQ(all.good.failed + all.good.invalid, 0);
  EXPECT_EQ(all.good.cases, plan.cases / 4);
}

}  // namespace datum::statistics
