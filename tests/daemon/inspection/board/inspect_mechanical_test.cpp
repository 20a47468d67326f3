// Holes and outline in the height map beside a board's bodies: found in hostile frames, joined with the bodies, or refused with a reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "daemon/inspection/board/pipeline_alignment.h"
#include "daemon/inspection/recipe/alignment_recipe.h"
#include "daemon/inspection/registration/mechanical_motion.h"
#include "tests/daemon/inspection/board/placed_board.h"

namespace datum::inspect_mechanical_test {
namespace {

using testing::box;
using testing::five_parts;
using ::testing::HasSubstr;
using testing::number;
using testing::placed_board;
using testing::Scene;
using testing::warnings;
using testing::with;

/// Pixels of 0.04 mm: 20 and 25 across.
std::vector<AlignmentHole> holes() {
  return {{"H1", {0.9, 1.0}, 0.8, 5}, {"H2", {11.0, 7.0}, 0.8, 5}, {"H3", {6.2, 6.9}, 1.0, 5}};
}

/// What a frame shows in holes and beside the board.
enum class Below : std::uint8_t { nothing, fixture };

struct Laid {
  double x_mm = 0.31, y_mm = -0.22, turn_deg = 1.3;
  std::vector<Component> seen = five_parts();
  std::vector<AlignmentHole> drilled = holes();
  Eigen::Vector2d routed_mm = Eigen::Vector2d::Zero();  // displacement of the outline against the artwork
  Below below = Below::nothing;
  double missing = 0;  // share of all pixels without a height
};

/// Calls change(board point, count, class) for each pixel.
void each_pixel(Scene& s,
                const std::function<void(const Eigen::Vector2d&, std::int16_t&, PixelClass&)>& change) {
  auto& counts = std::get<std::vector<std::int16_t>>(s.frame.counts);
  const Eigen::Isometry3d board_from_sensor = s.sensor_from_board.inverse();
  for (int row = 0; row < s.frame.rows; ++row)
    for (int col = 0; col < s.frame.cols; ++col) {
      const std::size_t i = static_cast<std::size_t>(row) * s.frame.cols + col;
      const Eigen::Vector3d p = board_from_sensor * Eigen::Vector3d(s.frame.x.at(col), s.frame.y.at(row), 0);
      change(p.head<2>(), counts[i], s.frame.classes[i]);
    }
}

void open(Below below, std::int16_t& count, PixelClass& c) {
  if (below == Below::nothing)
    c = PixelClass::no_data;
  else
    count = static_cast<std::int16_t>(count - 3200);  // 1.6 mm of 0.5 um counts
}

Scene placed(const Laid& at = {}) {
  Scene s = placed_board(at.x_mm, at.y_mm, at.turn_deg, at.seen);
  each_pixel(s, [&](const Eigen::Vector2d& p, std::int16_t& count, PixelClass& c) {
    const Eigen::Vector2d in = p - at.routed_mm;
    const bool beside = (in.array() < 0).any() || (in.array() > s.recipe.board_size_mm.array()).any();
    const bool drilled = std::any_of(at.drilled.begin(), at.drilled.end(), [&](const AlignmentHole& h) {
      return (p - h.centre_mm).norm() <= h.diameter_mm / 2;
    });
    if (beside || drilled) open(at.below, count, c);
  });
  std::uint64_t random = 7;
  for (PixelClass& c : s.frame.classes) {
    random = random * 6364136223846793005ull + 1442695040888963407ull;
    if (double(random >> 11) / 9007199254740992.0 < at.missing) c = PixelClass::no_data;
  }
  return with(std::move(s), [](AlignmentRecipe& a) {
    a.holes = holes();
    a.edges = {{"bottom", {0, 0}, {12, 0}, 10},
               {"right", {12, 0}, {12, 8}, 10},
               {"top", {12, 8}, {0, 8}, 10},
               {"left", {0, 8}, {0, 0}, 10}};
    a.holes_offset_um = 5;
    a.edges_offset_um = 20;
  });
}

void expect_covered(const BoardVerdict& v, const Laid& at) {
  EXPECT_LT(std::abs(number(v, "shift_x_um") - at.x_mm * 1e3), 3 * number(v, "u_shift_x_um"));
  EXPECT_LT(std::abs(number(v, "shift_y_um") - at.y_mm * 1e3), 3 * number(v, "u_shift_y_um"));
  EXPECT_LT(std::abs(number(v, "rotation_mdeg") - at.turn_deg * 1e3), 3 * number(v, "u_rotation_mdeg"));
}

/// A rim of 20 pixels has 42 points, each rounded by 0.3 pixels of 40 um: 2.6 um; three holes 1.5. 10 % of the pixels are missing:
/// a rim's place then moves by up to a pixel at every tenth point.
TEST(InspectMechanical, PlaceABoardByHolesAndOutline) {
  for (const Below below : {Below::nothing, Below::fixture})
    for (const auto& [x, y, turn] : {std::tuple{0.0, 0.0, 0.0}, {0.83, -0.61, -2.0}, {-0.47, 0.92, 2.9}}) {
      SCOPED_TRACE(::testing::Message() << x << " " << y << " " << turn << " " << int(below));
      Laid at{x, y, turn};
      at.below = below;
      at.missing = 0.1;
      const BoardVerdict v = placed(at).inspect();
      EXPECT_EQ(v.decision, Decision::pass) << v.detail;
      if (v.decision != Decision::pass) continue;
      EXPECT_EQ(v.stages[0].version, "6");
      EXPECT_EQ(number(v, "holes_found"), 3) << warnings(v);
      EXPECT_EQ(number(v, "edges_found"), 4) << warnings(v);
      EXPECT_NEAR(number(v, "shift_x_um"), x * 1e3, 12);
      EXPECT_NEAR(number(v, "shift_y_um"), y * 1e3, 12);
      EXPECT_NEAR(number(v, "rotation_mdeg"), turn * 1e3, 60);
      EXPECT_NEAR(number(v, "H3_growth_um"), 0, 25);
      expect_covered(v, at);
    }
}

/// Bodies scatter by 20 um and more about their places; holes are known to 7 um.
TEST(InspectMechanical, HolesAreMorePreciseThanBodiesThatScatter) {
  Laid at;
  const double off[][2] = {{0.02, -0.015}, {-0.025, 0.01}, {0.03, 0.02}, {-0.01, -0.03}, {0.015, 0.02}};
  for (std::size_t i = 0; i < 5; ++i) at.seen[i].body.centre_mm += Eigen::Vector2d(off[i][0], off[i][1]);
  const BoardVerdict both = placed(at).inspect();
  ASSERT_EQ(both.reason, Reason::none) << both.detail;
  expect_covered(both, at);
  const BoardVerdict bodies =
      with(placed(at), [](AlignmentRecipe& a) { a.holes.clear(), a.edges.clear(); }).inspect();
  EXPECT_EQ(bodies.stages[0].version, "1");
  EXPECT_GT(number(bodies, "u_shift_x_um"), 1.5 * number(both, "u_shift_x_um"));
  EXPECT_GT(number(bodies, "u_rotation_mdeg"), 1.5 * number(both, "u_rotation_mdeg"));
}

/// H1: solder at the board's level; H2: a screw's head 0.9 mm over it.
TEST(InspectMechanical, FilledAndOccupiedHolesAreNamed) {
  Laid at;
  Scene s = placed(at);
  each_pixel(s, [&](const Eigen::Vector2d& p, std::int16_t& count, PixelClass& c) {
    const bool solder = (p - holes()[0].centre_mm).norm() < 0.45,
               screw = (p - holes()[1].centre_mm).norm() < 0.7;
    if (!solder && !screw) return;
    c = PixelClass::ok;
    count = static_cast<std::int16_t>((screw ? 1800 : 20) - 200);  // counts from 0.1 mm
  });
  s = with(s, [](AlignmentRecipe& a) { a.min_holes = 1; });
  const BoardVerdict v = s.inspect();
  ASSERT_EQ(v.reason, Reason::none) << v.detail;
  EXPECT_EQ(number(v, "holes_found"), 1);
  EXPECT_THAT(warnings(v), HasSubstr("hole H1 is not found: "));
  EXPECT_THAT(warnings(v), HasSubstr("it is filled, covered, or not drilled"));
  EXPECT_THAT(warnings(v), HasSubstr("a pin, a screw or a part stands in it"));
  expect_covered(v, at);
  const BoardVerdict two = with(s, [](AlignmentRecipe& a) { a.min_holes = 2; }).inspect();
  EXPECT_EQ(two.decision, Decision::invalid);
  EXPECT_EQ(two.reason, Reason::alignment);
  EXPECT_THAT(two.detail, HasSubstr("1 of 3 holes are found"));
}

/// In H1's place: a square without heights, half a disc, a slot, a smaller and a larger hole, dust of missing pixels.
TEST(InspectMechanical, MissingDataIsNoHole) {
  const std::vector<std::pair<const char*, std::function<bool(const Eigen::Vector2d&)>>> others{
      {"square", [](const Eigen::Vector2d& d) { return d.cwiseAbs().maxCoeff() < 0.4; }},
      {"half a disc", [](const Eigen::Vector2d& d) { return d.norm() < 0.4 && d.x() > 0; }},
      {"slot", [](const Eigen::Vector2d& d) { return std::abs(d.y()) < 0.4 && std::abs(d.x()) < 0.8; }},
      {"smaller", [](const Eigen::Vector2d& d) { return d.norm() < 0.3; }},
      {"larger", [](const Eigen::Vector2d& d) { return d.norm() < 0.52; }},
      {"stripe", [](const Eigen::Vector2d& d) { return d.norm() < 1.5 && std::abs(d.x() - d.y()) < 0.3; }},
      {"dust", [](const Eigen::Vector2d& d) {
         return d.norm() < 0.5 && (int(std::floor(d.x() / 0.08)) + int(std::floor(d.y() / 0.08))) % 2 == 0;
       }}};
  for (const auto& [name, is_open] : others) {
    Laid at;
    at.drilled.erase(at.drilled.begin());
    Scene s = placed(at);
    each_pixel(s, [&](const Eigen::Vector2d& p, std::int16_t&, PixelClass& c) {
      if (is_open(p - holes()[0].centre_mm)) c = PixelClass::no_data;
    });
    const BoardVerdict v = s.inspect();
    EXPECT_EQ(number(v, "holes_found"), 2) << name;
    EXPECT_THAT(warnings(v), HasSubstr("hole H1 is not found: ")) << name;
  }
}

/// H3 is drilled 0.2 mm beside its place: the others say so. All three are: the bodies do.
TEST(InspectMechanical, HolesThatContradictAreRefused) {
  Laid one;
  one.drilled[2].centre_mm.x() += 0.2;
  const auto wide = [](AlignmentRecipe& a) { a.parts_offset_um = 40; };  // so that it is looked for there
  const BoardVerdict disagree = with(placed(one), wide).inspect();
  EXPECT_EQ(disagree.decision, Decision::invalid);
  EXPECT_THAT(disagree.detail, HasSubstr("the holes disagree"));
  EXPECT_THAT(disagree.detail, HasSubstr("H3 lies"));
  Laid all;
  for (AlignmentHole& h : all.drilled) h.centre_mm.x() += 0.15;
  const BoardVerdict against =
      with(placed(all), [](AlignmentRecipe& a) { a.parts_offset_um = 20; }).inspect();
  EXPECT_EQ(against.decision, Decision::invalid);
  EXPECT_THAT(against.detail, HasSubstr("holes and parts disagree"));
  EXPECT_THAT(against.detail, HasSubstr("alignment.holes_offset_um"));
  const BoardVerdict stated =
      with(placed(all), [](AlignmentRecipe& a) { a.holes_offset_um = 100; }).inspect();
  EXPECT_EQ(stated.reason, Reason::none) << stated.detail;
  expect_covered(stated, all);
}

/// Another hole of its size a diameter and a half beside H1, both within what the parts leave open.
TEST(InspectMechanical, TwoHolesInReachAreNotTold) {
  Laid at;
  at.drilled.push_back({"", {1.95, 1.0}, 0.8, 0});
  at.drilled[0].centre_mm.x() = 0.75;
  Scene s = with(placed(at), [](AlignmentRecipe& a) { a.holes_offset_um = 300; });
  const BoardVerdict v = s.inspect();
  EXPECT_THAT(warnings(v), HasSubstr("two holes that look like it lie within"));
  EXPECT_EQ(number(v, "holes_found"), 2);
}

/// The frame ends before the board's right edge; along the top a rail of 2 mm lies over it.
TEST(InspectMechanical, EdgesOutOfViewOrCoveredAreNamed) {
  Laid at{0.6, 0, 0.5};
  Scene s = placed(at);
  auto& counts = std::get<std::vector<std::int16_t>>(s.frame.counts);
  std::vector<std::int16_t> left;
  std::vector<PixelClass> classes;
  const int cols = 355;  // to x = 12.2 mm, with the edge from 12.53 to 12.67
  for (int row = 0; row < s.frame.rows; ++row) {
    const auto from = static_cast<std::ptrdiff_t>(row) * s.frame.cols;
    left.insert(left.end(), counts.begin() + from, counts.begin() + from + cols);
    classes.insert(classes.end(), s.frame.classes.begin() + from, s.frame.classes.begin() + from + cols);
  }
  counts = left;
  s.frame.classes = classes;
  s.frame.cols = cols;
  each_pixel(s, [&](const Eigen::Vector2d& p, std::int16_t& count, PixelClass& c) {
    if (p.y() < 7.95) return;
    c = PixelClass::ok;
    count = 3800;
  });
  const BoardVerdict v = s.inspect();
  ASSERT_EQ(v.reason, Reason::none) << v.detail;
  EXPECT_EQ(number(v, "edges_found"), 2) << warnings(v);
  EXPECT_THAT(warnings(v), HasSubstr("edge right is not seen: 100 % of it lie beyond the frame"));
  EXPECT_THAT(warnings(v), HasSubstr("edge top is not seen: over 100 % of it something rises"));
  expect_covered(v, at);
  const BoardVerdict three = with(s, [](AlignmentRecipe& a) { a.min_edges = 3; }).inspect();
  EXPECT_EQ(three.decision, Decision::invalid);
  EXPECT_THAT(three.detail, HasSubstr("2 of 4 edges are found, at least alignment.min_edges = 3"));
}

/// The board is routed 0.3 mm beside the artwork. Its other dimension differs by 0.3 mm.
TEST(InspectMechanical, AnOutlineThatContradictsIsRefused) {
  Laid at;
  at.routed_mm = {0.15, 0};
  const auto wide = [](AlignmentRecipe& a) { a.edges_offset_um = 30; };
  const BoardVerdict v = with(placed(at), wide).inspect();
  EXPECT_EQ(v.decision, Decision::invalid);
  EXPECT_THAT(v.detail, HasSubstr("edges and parts disagree"));
  const BoardVerdict narrow = with(placed(), [](AlignmentRecipe& a) {
                                a.edges_offset_um = 60;
                                a.edges[1].from_mm.x() = a.edges[1].to_mm.x() = 12.2;
                              }).inspect();
  EXPECT_EQ(narrow.decision, Decision::invalid);
  EXPECT_THAT(narrow.detail, HasSubstr("the edges disagree"));
}

/// Parts that look alike when turned by 180 degrees; three holes that do not.
TEST(InspectMechanical, HolesTellABoardWhosePartsLookAlikeTurned) {
  const std::vector<Component> alike{box("U1", 3, 4, 0, 400), box("U2", 9, 4, 0, 400),
                                     box("U3", 6, 1.6, 90, 400), box("U4", 6, 6.4, 90, 400)};
  for (const double turn : {0.7, 180.7}) {
    Laid at{
        0.2, 0.1, turn, alike, {{"H1", {1, 1}, 0.8, 5}, {"H2", {11, 7.2}, 0.8, 5}, {"H3", {1.2, 6.8}, 1, 5}}};
    Scene s = placed(at);
    s.recipe.components = alike;
    s = with(s, [&](AlignmentRecipe& a) {
      a.holes = at.drilled;
      a.edges.clear();
      a.min_holes = 3;
    });
    const BoardVerdict v = s.inspect();
    if (turn < 90) {
      EXPECT_EQ(v.decision, Decision::pass) << v.detail;
    } else {
      EXPECT_EQ(v.decision, Decision::invalid);
      EXPECT_THAT(v.detail, HasSubstr("turned by 180 degrees"));
    }
    const BoardVerdict blind = with(s, [](AlignmentRecipe& a) { a.holes.clear(); }).inspect();
    EXPECT_EQ(blind.decision, Decision::invalid);
    EXPECT_THAT(blind.detail, HasSubstr("place is not known"));
    const BoardVerdict one_way = with(s, [](AlignmentRecipe& a) { a.search_turned = false; }).inspect();
    EXPECT_EQ(one_way.decision, turn < 90 ? Decision::pass : Decision::invalid) << one_way.detail;
  }
}

TEST(InspectMechanical, AnyNumberOfThreadsGivesTheSameBytes) {
  Laid at;
  at.missing = 0.1;
  const Scene s = placed(at);
  const BoardVerdict one = s.inspect(1), five = s.inspect(5);
  EXPECT_EQ(one.stages.at(0).health, five.stages.at(0).health);
  EXPECT_GT(one.stages[0].health.size(), 40u);
}

/// One edge along y tells x and, by its ends, rotation; what was known of y stays.
TEST(JoinOffsets, AnEdgeTellsWhatItCrosses) {
  MotionKnown before;
  before.covariance.topLeftCorner<3, 3>() = Eigen::Vector3d(4e-4, 4e-4, 1e-6).asDiagonal();
  MechanicalOffsets o{Eigen::Matrix<double, Eigen::Dynamic, 6>::Zero(2, 6),
                      Eigen::Vector2d(0.02, 0.03),
                      Eigen::Matrix2d(Eigen::Vector2d(1e-4, 1e-4).asDiagonal()),
                      {0, 0}};
  o.rows.leftCols<3>() << 1, 0, 40, 1, 0, -40;
  const MechanicalJoin j = join_offsets(before, o);
  EXPECT_EQ(j.against_freedom, 2);
  EXPECT_EQ(j.own_freedom, 0);
  // Normal equations, by hand: x of the mean 0.025 with 0.5e-4 against 0 with 4e-4, rotation -0.000125 with 1e-4 / 3200.
  EXPECT_NEAR(j.known.correction[0], 0.025 * 4e-4 / (4e-4 + 0.5e-4), 1e-12);
  EXPECT_NEAR(j.known.correction[1], 0, 1e-15);
  EXPECT_NEAR(j.known.correction[2], -0.000125 * 1e-6 / (1e-6 + 1e-4 / 3200), 1e-12);
  EXPECT_NEAR(j.known.covariance(0, 0), 1 / (1 / 4e-4 + 1 / 0.5e-4), 1e-12);
  EXPECT_NEAR(j.known.covariance(1, 1), 4e-4, 1e-15);
  EXPECT_NEAR(j.against_chi2, 0.025 * 0.025 / 4.5e-4 + 0.000125 * 0.000125 / (1e-6 + 1e-4 / 3200), 1e-3);
}

}  // namespace
}  // namespace datum::inspect_mechanical_test
