// A board that was put in turned and shifted, and the verdict that says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "daemon/inspection/board/pipeline_alignment.h"
#include "daemon/inspection/recipe/alignment_recipe.h"
#include "tests/daemon/inspection/board/placed_board.h"

namespace datum::inspect_registration_test {
namespace {

using testing::box;
using testing::five_parts;
using ::testing::HasSubstr;
using testing::make_scene;
using testing::number;
using testing::render;
using testing::Scene;
using testing::with;

/// Three deviations: pixels of 40 um place an edge within 12 um, a body's middle by two edges of three profiles and more, the
/// board by three bodies and more.
constexpr double shift_um = 15, rotation_mdeg = 200;

Scene placed(double x_mm, double y_mm, double turn_deg, std::vector<Component> seen = five_parts()) {
  return testing::placed_board(x_mm, y_mm, turn_deg, std::move(seen));
}

TEST(InspectRegistration, MeasuresABoardThatIsTurned) {
  const BoardVerdict there = placed(0, 0, 0).inspect();
  ASSERT_EQ(there.decision, Decision::pass) << there.detail;
  for (const auto& [x, y, turn] : {std::tuple{0.0, 0.0, 0.5}, {0.83, -0.61, -2.0}, {-0.47, 0.92, 2.9}}) {
    Scene s = placed(x, y, turn);
    const BoardVerdict v = s.inspect();
    EXPECT_EQ(v.decision, Decision::pass) << v.detail;
    EXPECT_NEAR(number(v, "shift_x_um"), x * 1e3, shift_um);
    EXPECT_NEAR(number(v, "shift_y_um"), y * 1e3, shift_um);
    EXPECT_NEAR(number(v, "rotation_mdeg"), turn * 1e3, rotation_mdeg);
    EXPECT_EQ(number(v, "parts_seen"), 5);
    ASSERT_EQ(v.components.size(), there.components.size());
    for (std::size_t i = 0; i < v.components.size(); ++i) {
      const CheckVerdict &a = there.components[i].checks.at(0), &b = v.components[i].checks.at(0);
      EXPECT_LE(std::abs(a.value - b.value), 2 * std::hypot(a.u, b.u)) << v.components[i].reference;
    }
    s.recipe.alignment = nullptr;
    if (x != 0) {
      EXPECT_NE(s.inspect().decision, Decision::pass) << "blind";
    }
  }
}

/// A fixture 1.6 mm below is seen around the board and has heights on more than half of the frame: it is no part of the board's form.
TEST(InspectRegistration, AFixtureThatIsSeenBesideTheBoardBendsNothing) {
  for (const auto& [x, y, turn] : {std::tuple{0.0, 0.0, 0.0}, {0.83, -0.61, -2.0}, {-0.47, 0.92, 2.9}}) {
    Scene s = placed(x, y, turn);
    auto& counts = std::get<std::vector<std::int16_t>>(s.frame.counts);
    const Eigen::Isometry3d board_from_sensor = s.sensor_from_board.inverse();
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const int row = int(i) / s.frame.cols, col = int(i) % s.frame.cols;
      const Eigen::Vector3d p = board_from_sensor * Eigen::Vector3d(s.frame.x.at(col), s.frame.y.at(row), 0);
      if (p.x() < 0 || p.y() < 0 || p.x() > 12 || p.y() > 8) counts[i] -= 3200;  // of 0.5 um
    }
    const BoardVerdict v = s.inspect();
    EXPECT_EQ(v.decision, Decision::pass) << v.detail;
    EXPECT_NEAR(number(v, "shift_x_um"), x * 1e3, shift_um);
    EXPECT_NEAR(number(v, "shift_y_um"), y * 1e3, shift_um);
    EXPECT_EQ(number(v, "parts_seen"), 5);
  }
}

/// U1 lies 0.12 mm to the right and 4 degrees counter-clockwise on a board that is itself shifted and turned.
TEST(InspectRegistration, PlacesOfPartsAreThoseOnTheRegisteredBoard) {
  std::vector<Component> seen = five_parts();
  seen[0].body.centre_mm.x() += 0.12;
  seen[0].body.rotation_deg += 4;
  Scene s = placed(0.83, -0.61, -2.0, seen);
  s.recipe.components[0].checks.clear();
  for (const Characteristic what :
       {Characteristic::offset_x, Characteristic::offset_y, Characteristic::rotation}) {
    Check check;
    check.characteristic = what;
    check.nominal = 0;
    check.lower = -9000;
    check.upper = 9000;
    s.recipe.components[0].checks.push_back(check);
  }
  const BoardVerdict v = s.inspect();
  const double truths[] = {120, 0, 4000};
  for (std::size_t k = 0; k < 3; ++k) {
    const CheckVerdict& check = v.components.at(0).checks.at(k);
    EXPECT_EQ(check.reason, Reason::none) << check.detail;
    EXPECT_LT(std::abs(check.value - truths[k]), 3 * check.u) << name_of(check.check.characteristic);
    const auto term = std::find_if(check.budget.begin(), check.budget.end(),
                                   [](const UncertaintyTerm& t) { return t.name == "alignment"; });
    ASSERT_NE(term, check.budget.end());
    EXPECT_GT(term->u, 0);
  }
}

TEST(InspectRegistration, NamesATurnedAndAMirroredBoard) {
  for (const auto& [turn, name] : {std::pair{180.0, "turned by 180 degrees"},
                                   {90.7, "turned by 90 degrees"},
                                   {268.2, "turned by 270 degrees"}}) {
    const BoardVerdict v = placed(0.2, -0.1, turn).inspect();
    EXPECT_EQ(v.decision, Decision::invalid);
    EXPECT_EQ(v.reason, Reason::alignment);
    EXPECT_THAT(v.detail, HasSubstr(name));
  }
  std::vector<Component> mirrored = five_parts();
  for (Component& c : mirrored) {
    c.body.centre_mm.x() = 12 - c.body.centre_mm.x();
    c.body.rotation_deg = -c.body.rotation_deg;
  }
  const BoardVerdict v = placed(0.2, -0.1, 1, mirrored).inspect();
  EXPECT_EQ(v.reason, Reason::alignment);
  EXPECT_THAT(v.detail, HasSubstr("the board lies mirrored;"));
}

/// Its lower left corner, 12 x 8 mm, becomes the lower right one of the place: the middle moves by [-2, 2] mm.
TEST(InspectRegistration, NamesABoardTurnedAboutACorner) {
  for (const auto& [turn, name, x, y] : {std::tuple{90.4, "turned by 90 degrees", -2.0, 2.0},
                                         {269.5, "turned by 270 degrees", 2.0, 2.0},
                                         {90.0, "turned by 90 degrees", 2.1, -1.9}}) {
    const BoardVerdict v = placed(x, y, turn).inspect();
    EXPECT_EQ(v.decision, Decision::invalid);
    EXPECT_EQ(v.reason, Reason::alignment);
    EXPECT_THAT(v.detail, HasSubstr(name));
  }
  EXPECT_THAT(placed(-2, 2, 90).inspect().detail, HasSubstr("another corner"));
}

TEST(InspectRegistration, RefusesWhatItCannotTell) {
  const BoardVerdict far =
      with(placed(0.7, 0, 0), [](AlignmentRecipe& a) { a.max_shift_mm = 0.6; }).inspect();
  EXPECT_EQ(far.reason, Reason::alignment);
  EXPECT_THAT(far.detail, HasSubstr("at most 0.600 mm"));
  EXPECT_NEAR(number(far, "shift_x_um"), 700, shift_um) << "the numbers stand in a refused verdict too";

  const BoardVerdict none = placed(0, 0, 0, {}).inspect();
  EXPECT_EQ(none.decision, Decision::invalid);
  EXPECT_EQ(none.reason, Reason::alignment);

  const BoardVerdict other =
      placed(0, 0, 0, {box("A", 4.6, 6.4, 0, 900), box("B", 10, 6, 45, 300), box("C", 6, 2.5, 0, 1200)})
          .inspect();
  EXPECT_EQ(other.reason, Reason::alignment);
  EXPECT_THAT(other.detail, HasSubstr("another board"));

  Scene unseen = placed(0, 0, 0);
  std::fill(unseen.frame.classes.begin(), unseen.frame.classes.end(), PixelClass::no_data);
  EXPECT_THAT(unseen.inspect().detail, HasSubstr("is there a board?"));
}

/// Equal parts in rows and columns, the board shifted by one pitch: each place shows a part but the last ones.
TEST(InspectRegistration, RefusesPartsThatRepeat) {
  std::vector<Component> grid;
  for (int k = 0; k < 12; ++k) {
    Component c = box("U" + std::to_string(k), 1.5 + 1.8 * (k % 6), 2 + 3 * (k / 6), 90, 400);
    c.body.size_mm = {1.2, 0.8};
    grid.push_back(c);
  }
  Scene s = placed(0, 0, 0, {grid.begin(), grid.end() - 1});
  s.recipe.components = grid;
  s = with(s, [](AlignmentRecipe& a) { a.max_shift_mm = 2; });
  const BoardVerdict v = s.inspect();
  EXPECT_EQ(v.decision, Decision::invalid);
  EXPECT_THAT(v.detail, HasSubstr("parts that repeat"));
}

/// Turned by 180 degrees it looks the same: within the same limits nobody can tell.
TEST(InspectRegistration, RefusesASymmetricBoard) {
  std::vector<Component> both;
  for (const Component& c : {box("U1", 3, 4, 0, 400), box("U3", 5, 1.6, 90, 500)}) {
    both.push_back(c);
    both.push_back(c);
    both.back().reference += "b";
    both.back().body.centre_mm = Eigen::Vector2d(12, 8) - c.body.centre_mm;
  }
  Scene s = placed(0.3, 0.2, 1, both);
  s.recipe.components = both;
  const BoardVerdict v = s.inspect();
  EXPECT_EQ(v.decision, Decision::invalid);
  EXPECT_THAT(v.detail, HasSubstr("turned by 180 degrees"));
  EXPECT_THAT(v.detail, HasSubstr("search_turned = false"));
  const BoardVerdict in_one_way = with(s, [](AlignmentRecipe& a) { a.search_turned = false; }).inspect();
  EXPECT_EQ(in_one_way.reason, Reason::none) << in_one_way.detail;
  EXPECT_NEAR(number(in_one_way, "shift_x_um"), 300, shift_um);
}

TEST(InspectRegistration, OneMissingPartIsAVerdictOnThatPart) {
  std::vector<Component> four = five_parts();
  four.pop_back();
  const BoardVerdict v = placed(0.5, 0.5, 1.5, four).inspect();
  EXPECT_EQ(v.reason, Reason::none) << v.detail;
  EXPECT_EQ(v.decision, Decision::fail);
  EXPECT_EQ(v.components.at(0).decision, Decision::pass);
  EXPECT_EQ(v.components.at(4).decision, Decision::fail);
}

/// Most places must be empty, and are: they say nothing of where the board lies.
TEST(InspectRegistration, APlaceThatMustBeEmptyIsNotLookedFor) {
  Scene s = placed(0.4, 0.3, -1);
  for (int k = 0; k < 6; ++k) {
    Component c = box("DNP" + std::to_string(k), 1.2 + 1.9 * k, k % 2 ? 7.2 : 0.6, 0, 400);
    c.body.size_mm = {0.8, 0.8};
    c.checks[0] = {};
    c.checks[0].characteristic = Characteristic::presence;
    c.checks[0].upper = 300;
    s.recipe.components.push_back(c);
  }
  const BoardVerdict v = s.inspect();
  EXPECT_EQ(v.reason, Reason::none) << v.detail;
  EXPECT_EQ(number(v, "parts_expected"), 5);
}

/// The board stands at one degree to its placement in the recipe: tops of 2.5 mm lean by 44 um, which is no shift of the board.
TEST(InspectRegistration, TallTopsOfATiltedBoardLean) {
  const auto tall = [] {
    std::vector<Component> all = five_parts();
    for (Component& c : all) c.nominal_height_um += 2000;
    return all;
  };
  Scene s = placed(0, 0, 0, tall());
  s.recipe.components = tall();
  s.sensor_from_board = Eigen::Translation3d(6, 4, 0) *
                        Eigen::AngleAxisd(M_PI / 180, Eigen::Vector3d(0.8, 0.6, 0)) *
                        Eigen::Translation3d(-6, -4, 0);
  render(s);
  s.recipe.floor.form_um = 5;
  const BoardVerdict v = s.inspect();
  EXPECT_EQ(v.reason, Reason::none) << v.detail;
  EXPECT_NEAR(number(v, "shift_x_um"), 0, shift_um);
  EXPECT_NEAR(number(v, "shift_y_um"), 0, shift_um);
}

TEST(InspectRegistration, IsInTheVerdictsTextAndMovesItsPicture) {
  const BoardVerdict v = verdict_from_json(to_json(placed(0.8, -0.6, 2).inspect()));
  ASSERT_EQ(v.stages.size(), 1u);
  EXPECT_EQ(v.stages[0].name, "registration");
  const Eigen::Vector3d u1 =
      Eigen::Vector3d(6.8, 3.4, 0) +
      Eigen::AngleAxisd(2 * M_PI / 180, Eigen::Vector3d::UnitZ()) * Eigen::Vector3d(-3, 0, 0);
  const Eigen::Vector3d seen = moved(Htm<Board, Sensor>(), v.stages) * u1;
  EXPECT_NEAR(seen.x(), 3, 1.5 * shift_um * 1e-3) << "U1's middle";
  EXPECT_NEAR(seen.y(), 4, 1.5 * shift_um * 1e-3);
}

TEST(InspectRegistration, TheSameBytesForAnyNumberOfThreads) {
  const Scene s = placed(0.31, -0.22, -1.3);
  const std::string one = to_json(s.inspect(1));
  for (const unsigned threads : {2u, 3u}) {
    std::string more = to_json(s.inspect(threads));
    const auto backend = [](std::string text) { return text.erase(text.find("\"backend\""), 60); };
    EXPECT_EQ(backend(more), backend(one));
  }
}

/// By what bodies disagree: three bodies displaced by 60 um against each other.
TEST(InspectRegistration, BodiesThatDisagreeAreInItsUncertaintyAndAboveALimitRefused) {
  std::vector<Component> displaced = five_parts();
  displaced[0].body.centre_mm.x() += 0.06;
  displaced[1].body.centre_mm.y() -= 0.06;
  displaced[3].body.centre_mm.x() -= 0.06;
  const BoardVerdict still = placed(0, 0, 1).inspect(), v = placed(0, 0, 1, displaced).inspect();
  EXPECT_EQ(v.reason, Reason::none) << v.detail;
  EXPECT_GT(number(v, "u_shift_x_um"), 2 * number(still, "u_shift_x_um"));
  const Scene strict = with(placed(0, 0, 1, displaced), [](AlignmentRecipe& a) { a.max_residual_um = 10; });
  EXPECT_THAT(strict.inspect().detail, HasSubstr("alignment.max_residual_um = 10"));
}

/// Places of the parts as D = [x, b; b, y] puts them about the board's middle.
std::vector<Component> stretched_parts(double x, double y, double b) {
  std::vector<Component> all = five_parts();
  Eigen::Matrix2d d;
  d << x, b, b, y;
  const Eigen::Vector2d middle(6, 4);
  for (Component& c : all) c.body.centre_mm = middle + d * (c.body.centre_mm - middle);
  return all;
}

Scene modelled(Scene s, BoardModel model, double scale_ppm, double shear_urad) {
  return with(std::move(s), [&](AlignmentRecipe& a) {
    a.model = model;
    a.max_scale_ppm = scale_ppm;
    a.max_shear_urad = shear_urad;
  });
}

/// 4000 ppm of 8 mm are 32 um; an edge's place scatters by 12 um / sqrt(2) in a pair, over arms of 3 mm rms and ten pairs: 1000 ppm.
TEST(InspectRegistration, EstimatesAScaleWithItsUncertainty) {
  for (const double ppm : {0.0, 4000.0, -3000.0}) {
    const double by = 1 + ppm * 1e-6;
    const BoardVerdict v =
        modelled(placed(0.4, -0.3, 1.1, stretched_parts(by, by, 0)), BoardModel::similarity, 5000, 0)
            .inspect();
    EXPECT_EQ(v.reason, Reason::none) << v.detail;
    EXPECT_EQ(v.decision, Decision::pass);
    EXPECT_NEAR(number(v, "scale_ppm"), ppm, 3 * number(v, "u_scale_ppm"));
    EXPECT_GT(number(v, "u_scale_ppm"), 50);
    EXPECT_LT(number(v, "u_scale_ppm"), 2000);
    EXPECT_NEAR(number(v, "shift_x_um"), 400, shift_um);
    EXPECT_EQ(v.stages.at(0).version, "4");
  }
}

TEST(InspectRegistration, EstimatesScalesAlongBothAxesAndAShear) {
  const Scene s =
      modelled(placed(0.2, 0.3, -1.4, stretched_parts(1.004, 0.997, 0.001)), BoardModel::affine, 5000, 5000);
  const BoardVerdict v = verdict_from_json(to_json(s.inspect()));
  EXPECT_EQ(v.reason, Reason::none) << v.detail;
  EXPECT_NEAR(number(v, "scale_x_ppm"), 4000, 3 * number(v, "u_scale_x_ppm"));
  EXPECT_NEAR(number(v, "scale_y_ppm"), -3000, 3 * number(v, "u_scale_y_ppm"));
  EXPECT_NEAR(number(v, "shear_urad"), 2000, 3 * number(v, "u_shear_urad"));
  const auto motion = registered_motion(v.stages.at(0));
  ASSERT_TRUE(motion);
  EXPECT_NEAR(1e6 * motion->stretch[0], 500, 2000) << "read back from the verdict's text";
  EXPECT_NEAR(1e6 * (motion->stretch[0] + motion->stretch[1]), number(v, "scale_x_ppm"), 1e-6);
  EXPECT_NEAR(2e6 * motion->stretch[2], number(v, "shear_urad"), 1e-6);
  const auto seen = stretched_recipe(s.recipe, v.stages);
  ASSERT_TRUE(seen);
  const Eigen::Vector2d truth = stretched_parts(1.004, 0.997, 0.001)[3].body.centre_mm;
  EXPECT_LT((seen->components[3].body.centre_mm - truth).norm(), shift_um * 1e-3);
}

/// A pixel pitch of 25.4 for 26.04, and the other way; heights alone would pass.
TEST(InspectRegistration, AWrongPixelPitchIsNamedAndNeverAbsorbed) {
  for (const double by : {1.0254, 1 / 1.0254, 0.985}) {
    for (const BoardModel model : {BoardModel::similarity, BoardModel::affine}) {
      Scene s = modelled(placed(0.2, 0.1, 0.5), model, 5000, 5000);
      s.frame.x = {s.frame.x.scale_mm * by, s.frame.x.offset_mm * by};
      s.frame.y = {s.frame.y.scale_mm * by, s.frame.y.offset_mm * by};
      const BoardVerdict v = s.inspect();
      EXPECT_EQ(v.decision, Decision::invalid) << by;
      EXPECT_EQ(v.reason, Reason::alignment);
      EXPECT_THAT(v.detail, HasSubstr("a wrong pixel pitch or unit")) << by;
    }
  }
}

TEST(InspectRegistration, AStretchBeyondItsLimitOrNotKnownWellEnoughIsInvalid) {
  const auto far = [](BoardModel model, double x, double y, double b) {
    return modelled(placed(0.4, -0.3, 1.1, stretched_parts(x, y, b)), model, 3000, 3000).inspect();
  };
  EXPECT_THAT(far(BoardModel::similarity, 1.0048, 1.0048, 0).detail,
              HasSubstr("at most alignment.max_scale_ppm = 3000"));
  EXPECT_THAT(far(BoardModel::affine, 1, 1.0048, 0).detail, HasSubstr("a scale along y"));
  EXPECT_THAT(far(BoardModel::affine, 1, 1, 0.003).detail, HasSubstr("a shear"));
  const BoardVerdict vague = modelled(placed(0.4, -0.3, 1.1), BoardModel::similarity, 20, 0).inspect();
  EXPECT_EQ(vague.decision, Decision::invalid);
  EXPECT_THAT(vague.detail, HasSubstr("alignment.max_scale_ppm = 20"));
}

/// Three bodies in a row tell no scale across it and no shear.
TEST(InspectRegistration, PartsOnOneLineTellNoShear) {
  const std::vector<Component> row = {box("U1", 2, 4, 0, 400), box("U2", 5, 4, 0, 600),
                                      box("U3", 9.6, 4, 0, 500), box("U4", 7.2, 4, 90, 450)};
  Scene s = placed(0.1, 0.1, 0, row);
  s.recipe.components = row;
  s = with(std::move(s), [](AlignmentRecipe& a) { a.search_turned = false; });
  EXPECT_EQ(s.inspect().reason, Reason::none) << s.inspect().detail;
  const BoardVerdict v = modelled(s, BoardModel::affine, 5000, 5000).inspect();
  EXPECT_EQ(v.decision, Decision::invalid);
  EXPECT_THAT(v.detail, HasSubstr("on one line"));
}

}  // namespace
}  // namespace datum::inspect_registration_test
