// Positions of an archive's frames: as stated, or refused with their line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/batch/batch_plan.h"

namespace datum::positions_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string refusal(const std::string& text) {
  try {
    positions_from_text(text, "p.csv");
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(Positions, AreReadByTheFramesPath) {
  const auto all =
      positions_from_text("# frame,x,y,z\r\nlot/f1.ptr,1.5,-2,3\r\n\nf2.json,0,0,0,90,0,-45\n", "p.csv");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_THAT(all.at("lot/f1.ptr").mm, ElementsAre(1.5, -2, 3));
  EXPECT_FALSE(all.at("lot/f1.ptr").head_deg);
  EXPECT_THAT(*all.at("f2.json").head_deg, ElementsAre(90, 0, -45));
}

TEST(Positions, WhatIsNoneIsRefusedWithItsLine) {
  EXPECT_THAT(refusal("f1,1,2,3\nf1,1,2,3\n"), HasSubstr("p.csv:2: a second position of 'f1'"));
  EXPECT_THAT(refusal("f1,1,2\n"), HasSubstr("p.csv:1: 3 fields; allowed"));
  EXPECT_THAT(refusal("f1,1,2,nan\n"), HasSubstr("'nan' is no number"));
  EXPECT_THAT(refusal("f1,1,2,inf\n"), HasSubstr("'inf' is no number"));
  EXPECT_THAT(refusal("f1,1,2,3mm\n"), HasSubstr("'3mm' is no number"));
  EXPECT_THAT(refusal("f1,1,2,\n"), HasSubstr("fields"));
  EXPECT_THAT(refusal("f1,1e999,2,3\n"), HasSubstr("is no number"));
}

}  // namespace
}  // namespace datum::positions_test
