// A bowed and twisted board: its own row in the verdict, and its surface as the floor where a ring tells none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu/lu/system_inverter.h"
#include "tests/daemon/inspection/board/warp_scene.h"

namespace datum::inspect_warp_test {
namespace {

using testing::bend, testing::bent_scene, testing::bow_um, testing::form_um, testing::make_warp,
    testing::true_bow_percent, testing::true_twist_percent, testing::upper;
using testing::change_pixels;
using ::testing::HasSubstr;
using testing::make_scene;
using testing::render, testing::Scene;

const ComponentVerdict& row_of(const BoardVerdict& v) { return v.components.at(2); }
const CheckVerdict& check_of(const BoardVerdict& v, std::size_t check) { return row_of(v).checks.at(check); }

/// Nothing is seen around U1 within 1.6 mm of its middle, but its top.
void hide_ring(Scene& s) {
  change_pixels(s, 1, 2, 5, 6, [&](int row, int col, std::int16_t&, PixelClass& c) {
    const double x = s.frame.x.at(col) - 3, y = s.frame.y.at(row) - 4;
    if (std::abs(x) > 1 || std::abs(y) > 0.6) c = PixelClass::shadow;
  });
}

TEST(InspectWarp, BowAndTwistLieWithinTheirUncertainty) {
  const BoardVerdict v = bent_scene().inspect();
  ASSERT_EQ(v.components.size(), 3u);
  const double truth[4] = {true_bow_percent, true_twist_percent, 0, bow_um};
  for (const std::size_t i : {0u, 1u, 3u}) {
    const CheckVerdict& c = check_of(v, i);
    ASSERT_EQ(c.reason, Reason::none) << c.detail;
    EXPECT_LE(std::abs(c.value - truth[i]), 2 * c.u) << name_of(c.check.characteristic);
    EXPECT_LT(2 * c.u, 0.4 * truth[i]) << "an uncertainty that covers anything says nothing";
    EXPECT_EQ(c.decision, Decision::pass);
  }
  // 20 (1 - u^2) + 15 u v is highest at v = 1, u = 0.375 and lowest in two corners; its plane is level
  EXPECT_LE(std::abs(check_of(v, 2).value - (20 + 15 * 15 / 80.0 + 15)), 2 * check_of(v, 2).u);
  EXPECT_EQ(v.decision, Decision::pass);
  const WarpEvidence& e = *row_of(v).warp;
  EXPECT_EQ(e.knots.size(), 25u);
  EXPECT_EQ(e.knots[0].name, "U1");
  EXPECT_EQ(e.refused, 0u);
  EXPECT_EQ(e.shape, "convex");
  EXPECT_LT(e.leave_one_out_um, 2);
  EXPECT_LT(e.backward_error, 28 * 0x1p-52);
  EXPECT_GT(e.condition, 1);
  for (const WarpKnotEvidence& k : e.knots)
    EXPECT_NEAR(k.z_um, form_um(k.x_mm, k.y_mm), 4 * k.u_um + 0.3) << k.name;
}

TEST(InspectWarp, ABoardOverItsLimitFails) {
  Scene s = bent_scene();
  auto strict = make_warp();
  strict->row.checks[0].upper = 0.1;
  s.recipe.warp = strict;
  const BoardVerdict v = s.inspect();
  EXPECT_EQ(check_of(v, 0).decision, Decision::fail);
  EXPECT_EQ(row_of(v).decision, Decision::fail);
  EXPECT_EQ(v.decision, Decision::fail);
  EXPECT_EQ(v.components[0].decision, Decision::pass);
}

TEST(InspectWarp, ASaggingBoardIsConcave) {
  const BoardVerdict v = bent_scene(-1).inspect();
  EXPECT_EQ(row_of(v).warp->shape, "concave");
  EXPECT_LE(std::abs(check_of(v, 3).value + bow_um), 2 * check_of(v, 3).u);
  EXPECT_LE(std::abs(check_of(v, 0).value - true_bow_percent), 2 * check_of(v, 0).u);
}

TEST(InspectWarp, NothingIsToldBeyondWhatWasSeen) {
  Scene s = bent_scene();
  auto warp = make_warp();
  warp->patches.erase(warp->patches.begin() + 13);  // the upper right corner
  s.recipe.warp = warp;
  const BoardVerdict v = s.inspect();
  EXPECT_EQ(check_of(v, 0).reason, Reason::warp_hull);
  EXPECT_THAT(check_of(v, 0).detail, HasSubstr("[12.00, 8.00] mm lies"));
  EXPECT_EQ(v.decision, Decision::invalid);
  warp = make_warp();
  warp->patches.erase(warp->patches.begin() + 13);
  warp->margin_mm = 1.2;
  s.recipe.warp = warp;
  const BoardVerdict within = s.inspect();
  EXPECT_EQ(check_of(within, 0).reason, Reason::none) << check_of(within, 0).detail;
  // a quadratic bow of 12 mm, seen over 9.6: 9.6 / 12 of its percentage, and the margin's term covers the rest
  EXPECT_LE(std::abs(check_of(within, 0).value - true_bow_percent), 2 * check_of(within, 0).u);
  EXPECT_LT(check_of(within, 0).value, 0.9 * true_bow_percent);
  EXPECT_EQ(within.components[2].checks[0].budget.back().name, "margin");
}

TEST(InspectWarp, TooFewPlacesAreNoSurface) {
  Scene s = bent_scene();
  auto warp = make_warp();
  warp->patches.resize(2);
  s.recipe.warp = warp;
  const BoardVerdict v = s.inspect();
  EXPECT_EQ(check_of(v, 0).reason, Reason::warp_model);
  EXPECT_THAT(check_of(v, 0).detail, HasSubstr("seen in 4 places, at least 6"));
  EXPECT_EQ(v.components[0].decision, Decision::pass) << "the heights stand without it";
}

TEST(InspectWarp, TheSurfaceStandsInForARefusedRingOnlyWhereItMay) {
  Scene s = bent_scene();
  hide_ring(s);
  const BoardVerdict refused = s.inspect();
  EXPECT_EQ(refused.components[0].checks[0].reason, Reason::floor_too_few);
  EXPECT_EQ(refused.components[0].decision, Decision::invalid);
  s.recipe.components[0].warp_fallback = s.recipe.components[1].warp_fallback = true;
  const BoardVerdict v = s.inspect();
  const CheckVerdict& c = v.components[0].checks[0];
  ASSERT_EQ(c.reason, Reason::none) << c.detail;
  EXPECT_LE(std::abs(c.value - 400), 2 * c.u);
  EXPECT_THAT(c.detail, HasSubstr("floor: warp model"));
  EXPECT_THAT(c.detail, HasSubstr("FLOOR_TOO_FEW"));
  EXPECT_EQ(c.budget[1].name, "floor_warp_model");
  ASSERT_TRUE(v.components[0].warp_floor);
  EXPECT_EQ(v.components[0].warp_floor->ring_reason, Reason::floor_too_few);
  EXPECT_GT(c.u, v.components[1].checks[0].u);
  EXPECT_FALSE(v.components[1].warp_floor) << "its own ring is good";
  EXPECT_EQ(row_of(v).warp->knots.size(), 24u);
  EXPECT_EQ(row_of(v).warp->refused, 1u);
}

TEST(InspectWarp, AFloorOfTheSurfaceIsPerpendicularAndTilted) {
  Scene s = bent_scene();
  s.recipe.components[0].warp_fallback = true;
  Check tilt = upper(Characteristic::tilt, 3000);
  s.recipe.components[0].checks.push_back(tilt);
  const BoardVerdict own = s.inspect();
  hide_ring(s);
  const BoardVerdict v = s.inspect();
  const CheckVerdict &a = own.components[0].checks[1], &b = v.components[0].checks[1];
  ASSERT_EQ(b.reason, Reason::none) << b.detail;
  EXPECT_LE(std::abs(a.value - b.value), 2 * (a.u + b.u));
  EXPECT_GT(b.u, a.u);
}

/// What is left of the ring is a strip on one side: its quadratic's slope under the body means nothing, and is no part of a
/// floor that the surface tells.
TEST(InspectWarp, AFloorOfTheSurfaceHasNothingOfTheRingsForm) {
  Scene s = bent_scene();
  s.recipe.components[0].warp_fallback = true;
  s.recipe.components[0].checks.push_back(upper(Characteristic::tilt, 3000));
  const BoardVerdict own = s.inspect();
  change_pixels(s, 1, 2, 5, 6, [&](int row, int col, std::int16_t&, PixelClass& c) {
    const double x = s.frame.x.at(col) - 3, y = s.frame.y.at(row) - 4;
    if (x > -1.05 && (std::abs(x) > 1 || std::abs(y) > 0.6)) c = PixelClass::shadow;
  });
  const BoardVerdict v = s.inspect();
  ASSERT_TRUE(v.components[0].warp_floor);
  EXPECT_EQ(v.components[0].warp_floor->ring_reason, Reason::floor_sides);
  const CheckVerdict &a = own.components[0].checks[1], &b = v.components[0].checks[1];
  ASSERT_EQ(b.reason, Reason::none) << b.detail;
  EXPECT_LE(std::abs(a.value - b.value), 2 * (a.u + b.u));
}

TEST(InspectWarp, TheSurfaceIsNoFloorBeyondWhatWasSeen) {
  Scene s = bent_scene();
  s.recipe.components[0].warp_fallback = true;
  auto warp = make_warp();
  std::erase_if(warp->patches, [](const Component& p) { return p.body.centre_mm.x() < 3; });
  s.recipe.warp = warp;
  hide_ring(s);
  const BoardVerdict v = s.inspect();
  const CheckVerdict& c = v.components[0].checks[0];
  EXPECT_EQ(c.reason, Reason::floor_too_few);
  EXPECT_THAT(c.detail, HasSubstr("the warp model can't stand in: ["));
  EXPECT_EQ(c.decision, Decision::invalid);
}

// Nothing is left of the ring: the nearest place that was seen lies 2.2 mm off.
TEST(InspectWarp, TheFallbackHasALargestGap) {
  Scene s = bent_scene();
  hide_ring(s);
  s.recipe.components[0].warp_fallback = true;
  auto near = make_warp();
  near->max_gap_mm = 1.5;
  s.recipe.warp = near;
  const CheckVerdict refused = s.inspect().components[0].checks[0];
  EXPECT_EQ(refused.reason, Reason::warp_gap);
  EXPECT_EQ(refused.decision, Decision::invalid);
  for (const char* part :
       {"FLOOR_TOO_FEW", "warp.max_gap_mm allows 1.5", "[[warp.bare]]", "mm from the nearest"})
    EXPECT_THAT(refused.detail, HasSubstr(part));
  auto far = make_warp();
  far->max_gap_mm = 3;
  s.recipe.warp = far;
  const BoardVerdict v = s.inspect();
  ASSERT_EQ(v.components[0].checks[0].reason, Reason::none) << v.components[0].checks[0].detail;
  ASSERT_TRUE(v.components[0].warp_floor->largest_gap);
  EXPECT_GT(v.components[0].warp_floor->largest_gap->mm, 1.5);
  EXPECT_LT(v.components[0].warp_floor->largest_gap->mm, 3);
}

/// A dome under U1 as its hidden ring would have shown it.
TEST(InspectWarp, ADomeUnderAHiddenRingLiesWithinTheStatedCurvature) {
  Scene s = bent_scene();
  constexpr double dome_um = 8;  // 8 um over 2 mm: 4 um/mm^2
  change_pixels(s, 1, 2, 5, 6, [&](int row, int col, std::int16_t& count, PixelClass&) {
    const double x = s.frame.x.at(col) - 3, y = s.frame.y.at(row) - 4;
    count = static_cast<std::int16_t>(count +
                                      std::lround(dome_um * std::max(0.0, 1 - (x * x + y * y) / 4) / 0.5));
  });
  hide_ring(s);
  s.recipe.components[0].warp_fallback = true;
  auto stated = make_warp();
  stated->max_curvature_um_per_mm2 = 4;
  s.recipe.warp = stated;
  const CheckVerdict c = s.inspect().components[0].checks[0];
  ASSERT_EQ(c.reason, Reason::none) << c.detail;
  EXPECT_GT(c.value - 400, 5) << "the surface can't know of it";
  EXPECT_LE(std::abs(c.value - 400), 2 * c.u);
  auto straight = make_warp();
  straight->max_curvature_um_per_mm2 = 0;
  s.recipe.warp = straight;
  EXPECT_LT(s.inspect().components[0].checks[0].u, c.u);
}

TEST(InspectWarp, TheLargestGapStandsInTheVerdict) {
  Scene s = bent_scene();
  auto sparse =
      make_warp();  // two patches of the lower edge are left out: from 3.07 to 6.8 mm nothing is seen there
  sparse->patches.erase(sparse->patches.begin() + 2, sparse->patches.begin() + 4);
  s.recipe.warp = sparse;
  const BoardVerdict v = s.inspect();
  ASSERT_TRUE(row_of(v).warp->largest_gap);
  const double gap = row_of(v).warp->largest_gap->mm;
  EXPECT_GT(gap, 1.5);  // U1's ring is nearer than the patches
  EXPECT_LT(gap, 2.4);
  EXPECT_NEAR(row_of(v).warp->largest_gap->at_mm[1], 0, 0.01);
  const auto u_gap = [](const CheckVerdict& c) {
    for (const UncertaintyTerm& t : c.budget)
      if (t.name == "gap") return t.u;
    return std::nan("");
  };
  // 3 um/mm^2 / 2 times the gap's square, over an edge of 12 mm in percent
  EXPECT_NEAR(u_gap(check_of(v, 0)), 1.5 * gap * gap / 12e3 * 100 / std::sqrt(3.0), 2e-4);
  EXPECT_NEAR(u_gap(check_of(v, 1)), 0, 1e-9) << "corners are seen";
  sparse = std::make_shared<WarpRecipe>(*sparse);
  sparse->max_gap_mm = 1.5;
  s.recipe.warp = sparse;
  const BoardVerdict refused = s.inspect();
  EXPECT_EQ(check_of(refused, 0).reason, Reason::warp_gap);
  EXPECT_THAT(check_of(refused, 0).detail, HasSubstr("warp.max_gap_mm allows 1.5"));
  EXPECT_EQ(check_of(refused, 1).reason, Reason::none);
  EXPECT_EQ(refused.decision, Decision::invalid);
}

/// Beside two patches of the lower edge, which stay flat: 430 um within 0.5 mm.
void raise_between_patches(Scene& s) {
  change_pixels(s, 1, 0, 3, 2, [&](int row, int col, std::int16_t& count, PixelClass&) {
    const double x = s.frame.x.at(col) - (0.4 + 11.2 / 12), y = s.frame.y.at(row);
    const double t2 = (x * x + y * y) / 0.25;
    count = static_cast<std::int16_t>(count + std::lround(t2 < 1 ? 430 * (1 - t2) * (1 - t2) / 0.5 : 0));
  });
}

TEST(InspectWarp, ABumpBetweenPatchesThatThePixelsShowDoesNotPass) {
  Scene s = bent_scene();
  raise_between_patches(s);
  const CheckVerdict c = check_of(s.inspect(), 0);
  EXPECT_EQ(c.decision, Decision::invalid);
  EXPECT_EQ(c.reason, Reason::warp_gap) << c.value << " +- " << 2 * c.u << " " << c.detail;
  EXPECT_THAT(c.detail, HasSubstr("um off the surface through the knots"));
  EXPECT_THAT(c.detail, HasSubstr("[[warp.bare]]"));
}

TEST(InspectWarp, ASmallBumpBetweenPatchesIsInTheUncertaintyAndInTheVerdict) {
  Scene s = bent_scene();
  raise_between_patches(s);
  auto wide = make_warp();
  wide->row.checks[0].upper = 20;
  s.recipe.warp = wide;
  const BoardVerdict v = s.inspect();
  const CheckVerdict& c = check_of(v, 0);
  ASSERT_EQ(c.reason, Reason::none) << c.detail;
  EXPECT_LE(std::abs(c.value - (430e-3 + 7.9e-3) / 12 * 100), 2 * c.u);  // 7.9 um of bow there
  ASSERT_TRUE(row_of(v).warp->farthest_off);
  EXPECT_GT(row_of(v).warp->farthest_off->um, 300);
  EXPECT_NEAR(row_of(v).warp->farthest_off->at_mm[0], 0.4 + 11.2 / 12, 0.3);
  EXPECT_THAT(to_json(v), HasSubstr("\"farthest_off\":{\"um\":"));
}

TEST(InspectWarp, WhatIsExcludedIsNoBareBoard) {
  Scene s = bent_scene();
  raise_between_patches(s);
  s.recipe.exclusions.push_back({{0.4 + 11.2 / 12, 0}, {1.1, 1.2}, 0});
  EXPECT_EQ(check_of(s.inspect(), 0).decision, Decision::pass) << check_of(s.inspect(), 0).detail;
}

TEST(InspectWarp, FlatnessUnderAComponentIsOfTheBoard) {
  Scene s = bent_scene();
  s.recipe.components[0].checks.push_back(upper(Characteristic::board_flatness, 10));
  const BoardVerdict v = s.inspect();
  const CheckVerdict& c = v.components[0].checks[1];
  ASSERT_EQ(c.reason, Reason::none) << c.detail;
  // 2 x 1.2 mm of 20 um over 12 mm: 20 / 36 = 0.56 um of bow, and of twist 4 * 15 / 96 * 2.4 / 4 = 0.4 um either way
  EXPECT_LE(c.value, 0.56 + 1.5 + 2 * c.u);
  EXPECT_GT(c.u, 0);
  EXPECT_EQ(c.decision, Decision::pass);
}

TEST(InspectWarp, EveryBackendGivesTheSameBytes) {
  Scene s = bent_scene();
  s.recipe.components[0].warp_fallback = true;
  hide_ring(s);
  Backend best = cpu_backend(3);
  BoardVerdict a = inspect(s.frame, s.inputs(), best), b = s.inspect();
  a.backend = b.backend = "";
  EXPECT_EQ(to_json(a), to_json(b));
}

TEST(InspectWarp, JsonCarriesTheSurface) {
  Scene s = bent_scene();
  s.recipe.components[0].warp_fallback = true;
  hide_ring(s);
  const std::string json = to_json(s.inspect());
  EXPECT_EQ(to_json(verdict_from_json(json)), json);
  for (const char* part : {"\"warp\":{\"outline_mm\":[12.0,8.0]", "\"condition\":", "\"backward_error\":",
                           "\"value_percent\":", "\"warp_floor\":{\"ring_reason\":\"FLOOR_TOO_FEW\""})
    EXPECT_THAT(json, HasSubstr(part));
}

class NamedInverter final : public SystemInverter {
 public:
  std::int32_t invert(const SystemToInvert& system) override {
    ++calls;
    return invert_system(system, cpu_backend(1));
  }
  std::string describe() const override { return "cuda test device"; }
  int calls = 0;
};

TEST(InspectWarp, TheVerdictNamesWhoSolvedItsSystems) {
  const Scene s = bent_scene();
  const BoardVerdict here = s.inspect();
  NamedInverter inverter;
  InspectionInputs inputs = s.inputs();
  inputs.inverter = &inverter;
  BoardVerdict there = inspect(s.frame, inputs, Backend());
  EXPECT_GE(inverter.calls, 2);
  EXPECT_EQ(there.backend, here.backend + "; warp: cuda test device");
  there.backend = here.backend;
  EXPECT_EQ(to_json(there), to_json(here));
}

TEST(InspectWarp, ARefusedBoardStillHasItsRow) {
  Scene s = bent_scene();
  s.frame.sensor_serial = "other";
  const BoardVerdict v = s.inspect();
  ASSERT_EQ(v.components.size(), 3u);
  EXPECT_EQ(row_of(v).reference, "BOARD");
  EXPECT_EQ(check_of(v, 3).reason, Reason::sensor_mismatch);
}

TEST(InspectWarp, FieldOfViewNamesAPatch) {
  Scene s = bent_scene();
  auto warp = make_warp();
  warp->patches[3].body.centre_mm = {40, 4};
  s.recipe.warp = warp;
  const auto lines = check_field_of_view(s.frame, s.inputs());
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0], HasSubstr("P3: the floor ring reaches beyond the frame"));
}

}  // namespace
}  // namespace datum::inspect_warp_test
