// Fiducials in the intensity image beside a board's bodies: found among look-alikes, joined with the bodies, or refused with a reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/daemon/inspection/board/fiducial_scene.h"

namespace datum::inspect_fiducials_test {
namespace {

using ::testing::HasSubstr;

/// A pixel of 40 um places each mark within a fiftieth, three marks 5 mm from the middle the rotation within 0.01 degrees: 15 um and
/// 10 mdeg are the aim of a board with fiducials.
TEST(InspectFiducials, PlaceABoardWithinFifteenMicrometres) {
  for (const auto& [x, y, turn] : {std::tuple{0.0, 0.0, 0.0}, {0.83, -0.61, -2.0}, {-0.47, 0.92, 2.9}}) {
    const BoardVerdict v = placed({x, y, turn}).inspect();
    ASSERT_EQ(v.decision, Decision::pass) << v.detail;
    EXPECT_EQ(number(v, "fiducials_found"), 3) << warnings(v);
    EXPECT_NEAR(number(v, "shift_x_um"), x * 1e3, 4);
    EXPECT_NEAR(number(v, "shift_y_um"), y * 1e3, 4);
    EXPECT_NEAR(number(v, "rotation_mdeg"), turn * 1e3, 20);
    EXPECT_LT(number(v, "u_shift_x_um"), 2);
    EXPECT_LT(std::abs(number(v, "shift_x_um") - x * 1e3), 3 * number(v, "u_shift_x_um"));
    EXPECT_LT(std::abs(number(v, "rotation_mdeg") - turn * 1e3), 3 * number(v, "u_rotation_mdeg"));
  }
}

TEST(InspectFiducials, AreMorePreciseThanBodiesWhoseOwnPlacesScatter) {
  Laid at;
  scatter(at.seen);
  const BoardVerdict both = placed(at).inspect();
  ASSERT_EQ(both.reason, Reason::none) << both.detail;
  EXPECT_NEAR(number(both, "shift_x_um"), 310, 4);
  EXPECT_NEAR(number(both, "shift_y_um"), -220, 4);
  EXPECT_NEAR(number(both, "rotation_mdeg"), 1300, 25);
  const BoardVerdict bodies = with(placed(at), [](AlignmentRecipe& a) { a.fiducials.clear(); }).inspect();
  EXPECT_GT(number(bodies, "u_shift_x_um"), 3 * number(both, "u_shift_x_um"));
  EXPECT_GT(number(bodies, "u_rotation_mdeg"), 3 * number(both, "u_rotation_mdeg"));
}

TEST(InspectFiducials, RecipesWithoutThemGiveTheSameBytesWhateverTheImage) {
  const Scene s = with(placed(), [](AlignmentRecipe& a) { a.fiducials.clear(); });
  Scene blind = s;
  blind.frame.intensity.reset();
  EXPECT_EQ(to_json(s.inspect()), to_json(blind.inspect()));
  EXPECT_EQ(to_json(s.inspect()).find("fiducial"), std::string::npos);
}

TEST(InspectFiducials, DarkMarksOnABrightBoard) {
  Scene s = placed({}, [](TwinGrey& g) {
    g.mask_grey = 190;
    g.inks.clear();
    for (const Fiducial& f : marks()) add_mark(g.inks, f, 40);
  });
  EXPECT_THAT(s.inspect().detail, HasSubstr("0 of 3 fiducials are found")) << "bright ones are listed";
  s = with(s, [](AlignmentRecipe& a) {
    for (Fiducial& f : a.fiducials) f.bright = false;
  });
  const BoardVerdict v = s.inspect();
  EXPECT_EQ(v.decision, Decision::pass) << v.detail;
  EXPECT_NEAR(number(v, "shift_x_um"), 310, 4);
}

TEST(InspectFiducials, AFrameWithoutIntensityIsRefused) {
  Scene s = placed();
  s.frame.intensity.reset();
  const BoardVerdict v = s.inspect();
  EXPECT_EQ(v.decision, Decision::invalid);
  EXPECT_EQ(v.reason, Reason::alignment);
  EXPECT_THAT(v.detail, HasSubstr("no intensity image"));
}

/// One mark is covered by paste; glare hides a quarter of another one's edge, which is found by the rest.
TEST(InspectFiducials, MissingMarksAreNamedAndTwoAreEnough) {
  const auto covered = [](TwinGrey& g) {
    g.inks.push_back({Form::rect, marks()[2].centre_mm, {1.6, 1.4}, 20, 140});
    g.glares.push_back({marks()[0].centre_mm + Eigen::Vector2d(0.3, 0.12), 0.22, 600});
  };
  const BoardVerdict v = placed({}, covered).inspect();
  ASSERT_EQ(v.reason, Reason::none) << v.detail;
  EXPECT_EQ(number(v, "fiducials_found"), 2);
  EXPECT_THAT(warnings(v), HasSubstr("fiducial F3 is not found"));
  EXPECT_NEAR(number(v, "shift_x_um"), 310, 8);
  EXPECT_NEAR(number(v, "shift_y_um"), -220, 8);
  const BoardVerdict all =
      with(placed({}, covered), [](AlignmentRecipe& a) { a.min_fiducials = 3; }).inspect();
  EXPECT_EQ(all.decision, Decision::invalid);
  EXPECT_THAT(all.detail, HasSubstr("2 of 3 fiducials are found"));
  EXPECT_THAT(all.detail, HasSubstr("F3: "));
}

/// Pale marks, and on the rim of each a spot far brighter: the correlation sees the spot alone. A fifth of the edge is lost, and the rest
/// of it, 20 points and more, places a mark within a tenth of a pixel of 40 um.
TEST(InspectFiducials, GlareOnThePaleMarksRimDoesNotHideThem) {
  const BoardVerdict v = placed({}, [](TwinGrey& g) {
                           for (TwinInk& ink : g.inks)
                             if (ink.grey == 190) ink.grey = 80;
                           for (const Fiducial& f : marks())
                             g.glares.push_back({f.centre_mm + 0.45 * f.size_mm * Eigen::Vector2d(0.6, -0.8),
                                                 0.3 * f.size_mm, 600});
                         }).inspect();
  ASSERT_EQ(v.reason, Reason::none) << v.detail;
  EXPECT_EQ(number(v, "fiducials_found"), 3) << warnings(v);
  EXPECT_NEAR(number(v, "shift_x_um"), 310, 6);
  EXPECT_NEAR(number(v, "shift_y_um"), -220, 6);
  EXPECT_LT(std::abs(number(v, "shift_x_um") - 310), 3 * number(v, "u_shift_x_um"));
  EXPECT_LT(std::abs(number(v, "shift_y_um") + 220), 3 * number(v, "u_shift_y_um"));
}

/// In its place: a larger disc, a square, a via with its drill, half of a mark, glare that drowns it.
TEST(InspectFiducials, LookAlikesInAMarksPlaceAreNotTheMark) {
  const Eigen::Vector2d at = marks()[0].centre_mm;
  const std::vector<std::pair<const char*, std::vector<TwinInk>>> others{
      {"larger disc", {{Form::disc, at, {0.8, 0}, 0, 190}}},
      {"smaller disc", {{Form::disc, at, {0.45, 0}, 0, 190}}},
      {"square", {{Form::rect, at, {0.6, 0.6}, 20, 190}}},
      {"pad", {{Form::rect, at, {0.9, 0.5}, 0, 190}}},
      {"via", {{Form::disc, at, {0.6, 0}, 0, 190}, {Form::disc, at, {0.36, 0}, 0, 20}}},
      {"disc with a trace", {{Form::disc, at, {0.6, 0}, 0, 190}, {Form::rect, at, {3, 0.45}, 30, 190}}},
      {"half a disc",
       {{Form::disc, at, {0.6, 0}, 0, 190}, {Form::rect, at + Eigen::Vector2d(0.32, 0), {0.64, 1.2}, 0, 45}}},
      {"cross", {{Form::cross, at, {0.6, 0.2}, 0, 190}}}};
  for (const auto& [name, inks] : others) {
    const BoardVerdict v = placed({}, [&, &inks = inks](TwinGrey& g) {
                             g.inks.push_back({Form::disc, at, {1.2, 0}, 0, 45});
                             g.inks.insert(g.inks.end(), inks.begin(), inks.end());
                           }).inspect();
    EXPECT_EQ(number(v, "fiducials_found"), 2) << name << ": " << v.detail;
    EXPECT_THAT(warnings(v), HasSubstr("fiducial F1 is not found")) << name;
  }
  const BoardVerdict glare = placed({}, [&](TwinGrey& g) { g.glares.push_back({at, 0.9, 4000}); }).inspect();
  EXPECT_EQ(number(glare, "fiducials_found"), 2) << glare.detail;
}

/// A disc of the mark's size 0.9 mm beside it: the bodies tell which is meant.
TEST(InspectFiducials, OfTwoAlikeTheOneInItsPlaceIsTaken) {
  const BoardVerdict v = placed({}, [](TwinGrey& g) {
                           g.inks.push_back({Form::disc, {1.7, 1.7}, {1.0, 0}, 0, 45});
                           g.inks.push_back({Form::disc, {1.7, 1.7}, {0.6, 0}, 0, 190});
                         }).inspect();
  ASSERT_EQ(v.reason, Reason::none) << v.detail;
  EXPECT_EQ(number(v, "fiducials_found"), 3) << warnings(v);
  EXPECT_NEAR(number(v, "shift_x_um"), 310, 4);
}

/// The mark itself is gone and only its look-alike is there: it contradicts the others.
TEST(InspectFiducials, ALookAlikeElsewhereContradictsTheOthers) {
  Laid at;
  at.printed[0].centre_mm += Eigen::Vector2d(0.3, 0.4);
  const BoardVerdict v = placed(at).inspect();
  EXPECT_EQ(v.decision, Decision::invalid);
  EXPECT_THAT(v.detail, HasSubstr("the fiducials disagree"));
}

/// All marks lie 0.2 mm beside the parts: another revision, or wrong artwork. No average.
TEST(InspectFiducials, MarksThatContradictThePartsAreRefused) {
  Laid at;
  for (Fiducial& f : at.printed) f.centre_mm.x() += 0.2;
  const BoardVerdict v = placed(at).inspect();
  EXPECT_EQ(v.decision, Decision::invalid);
  EXPECT_EQ(v.reason, Reason::alignment);
  EXPECT_THAT(v.detail, HasSubstr("fiducials and parts disagree"));
  EXPECT_THAT(v.detail, HasSubstr("parts_offset_um"));
  EXPECT_NEAR(number(v, "parts_off_x_um"), -200, 30);
  const Scene stated = with(placed(at), [](AlignmentRecipe& a) { a.parts_offset_um = 200; });
  EXPECT_EQ(stated.inspect().reason, Reason::none) << "the recipe expects it";
}

/// Parts that look alike when turned by 180 degrees, and marks that do not: they tell which it is.
TEST(InspectFiducials, TellABoardWhosePartsLookAlikeWhenTurned) {
  std::vector<Component> both;
  for (const Component& c : {box("U1", 3, 4, 0, 400), box("U3", 5, 1.6, 90, 500)}) {
    both.push_back(c);
    both.push_back(c);
    both.back().reference += "b";
    both.back().body.centre_mm = Eigen::Vector2d(12, 8) - c.body.centre_mm;
  }
  const auto laid = [&](double turn) {
    Scene s = placed({0.2, -0.1, turn, both});
    s.recipe.components = both;
    return s;
  };
  const BoardVerdict right = laid(0.8).inspect();
  EXPECT_EQ(right.reason, Reason::none) << right.detail;
  EXPECT_EQ(number(right, "fiducials_found"), 3);
  const BoardVerdict turned = laid(180.8).inspect();
  EXPECT_EQ(turned.decision, Decision::invalid);
  EXPECT_THAT(turned.detail, HasSubstr("the board lies turned by 180 degrees"));
  const Scene one_way = with(laid(180.8), [](AlignmentRecipe& a) { a.search_turned = false; });
  const BoardVerdict by_marks = one_way.inspect();
  EXPECT_EQ(by_marks.decision, Decision::invalid);
  EXPECT_THAT(by_marks.detail, HasSubstr("the fiducials lie as those of a board turned by 180 degrees"));
  Scene without = with(laid(180.8), [](AlignmentRecipe& a) { a.fiducials.clear(); });
  EXPECT_THAT(without.inspect().detail, HasSubstr("the board's place is not known"))
      << "parts alone can't tell";
}

TEST(InspectFiducials, NoiseVignettingAndSaturationAreInTheCovariance) {
  const BoardVerdict calm = placed().inspect(),
                     noisy = placed({}, [](TwinGrey&g) {
                               g.noise_grey = 12;
                               g.vignetting = 0.8;
                               for (TwinInk& ink : g.inks) ink.grey *= ink.grey > 100 ? 1.6 : 1;  // saturated
                             }).inspect();
  ASSERT_EQ(noisy.reason, Reason::none) << noisy.detail;
  EXPECT_EQ(number(noisy, "fiducials_found"), 3) << warnings(noisy);
  EXPECT_GT(number(noisy, "F1_u_um"), number(calm, "F1_u_um"));
  EXPECT_NEAR(number(noisy, "shift_x_um"), 310, 10);
  EXPECT_NEAR(number(noisy, "shift_y_um"), -220, 10);
  const BoardVerdict blind = placed({}, [](TwinGrey& g) { g.noise_grey = 150; }).inspect();
  EXPECT_EQ(blind.decision, Decision::invalid);
}

TEST(InspectFiducials, AreInTheVerdictsTextForAnyNumberOfThreads) {
  const Scene s = placed();
  const std::string one = to_json(s.inspect(1));
  EXPECT_EQ(to_json(verdict_from_json(one)), one);
  EXPECT_NE(one.find("F2_left_x_um"), std::string::npos);
  std::string more = to_json(s.inspect(3));
  const auto backend = [](std::string text) { return text.erase(text.find("\"backend\""), 60); };
  EXPECT_EQ(backend(more), backend(one));
}

}  // namespace
}  // namespace datum::inspect_fiducials_test
