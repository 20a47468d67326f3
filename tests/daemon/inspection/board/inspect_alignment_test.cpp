// A board that was not put exactly in its place, and the verdict that says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/inspection/board/pipeline_alignment.h"
#include "daemon/inspection/recipe/alignment_recipe.h"
#include "gpu/phase_correlation/correlator.h"
#include "tests/daemon/inspection/board/inspect_fixture.h"

namespace datum::inspect_alignment_test {
namespace {

using ::testing::HasSubstr;
using testing::make_scene;
using testing::render;
using testing::Scene;

/// An edge along the rows lies anywhere within a pixel of 40 um; and a tenth of a cell of 73 um.
constexpr double shift_um = 20 + 7;

/// The recipe looks for the board at the frame's origin; it lies beside it. Three parts: two alike would repeat.
Scene shifted(double x_mm, double y_mm, double turn_deg = 0) {
  Scene s = make_scene();
  s.recipe.components.push_back(testing::box("U3", 5.8, 1.6, 90, 500));
  const Eigen::Vector3d middle(6, 4, 0);
  s.sensor_from_board = Eigen::Translation3d(middle + Eigen::Vector3d(x_mm, y_mm, 0)) *
                        Eigen::AngleAxisd(turn_deg * M_PI / 180, Eigen::Vector3d::UnitZ()) *
                        Eigen::Translation3d(-middle);
  render(s);
  return s;
}

Scene aligned(Scene s, double max_shift_mm = 1) {
  AlignmentRecipe a;
  a.max_shift_mm = max_shift_mm;
  s.recipe.alignment = std::make_shared<AlignmentRecipe>(a);
  return s;
}

double number(const BoardVerdict& v, const std::string& name) {
  for (const auto& [key, value] : v.stages.at(0).health)
    if (key == name) return value;
  return std::nan("");
}

class NamedCorrelator final : public Correlator {
 public:
  CorrelationShift find(const CorrelationImages& images, const CorrelationSettings& settings) override {
    ++calls;
    return CpuCorrelator(cpu_backend(1)).find(images, settings);
  }
  std::string describe() const override { return "cuda test device"; }
  int calls = 0;
};

TEST(InspectAlignment, TheVerdictNamesWhoCorrelated) {
  const Scene s = aligned(shifted(0.83, -0.61));
  const BoardVerdict here = s.inspect();
  NamedCorrelator correlator;
  InspectionInputs inputs = s.inputs();
  inputs.correlator = &correlator;
  BoardVerdict there = inspect(s.frame, inputs, Backend());
  EXPECT_EQ(correlator.calls, 1);
  EXPECT_EQ(there.backend, here.backend + "; alignment: cuda test device");
  there.backend = here.backend;
  EXPECT_EQ(to_json(there), to_json(here));
}

TEST(InspectAlignment, MeasuresABoardBesideItsPlace) {
  for (const auto& [x, y] : {std::pair{0.0, 0.0}, {0.83, -0.61}, {-0.47, 0.92}}) {
    const Scene s = shifted(x, y);
    const BoardVerdict blind = s.inspect(), v = aligned(s).inspect();
    EXPECT_EQ(v.decision, Decision::pass) << v.detail;
    ASSERT_EQ(v.stages.size(), 1u);
    EXPECT_NEAR(number(v, "shift_x_um"), x * 1e3, shift_um);
    EXPECT_NEAR(number(v, "shift_y_um"), y * 1e3, shift_um);
    EXPECT_GT(number(v, "ratio"), 1.5);
    if (x == 0) {
      EXPECT_EQ(blind.decision, Decision::pass);
    } else {
      EXPECT_NE(blind.decision, Decision::pass);
    }
  }
}

TEST(InspectAlignment, TheHeightsAreThoseOfTheBoardInItsPlace) {
  const BoardVerdict there = shifted(0, 0).inspect(), beside = aligned(shifted(0.8, -0.6)).inspect();
  for (std::size_t i = 0; i < there.components.size(); ++i)
    // 0.8 and 0.6 mm are whole pixels: bodies and floors are the same but for a border row and noise of 2 um.
    EXPECT_NEAR(there.components[i].checks[0].value, beside.components[i].checks[0].value, 0.5);
}

TEST(InspectAlignment, SaysWhatItCannotTell) {
  const BoardVerdict far = aligned(shifted(0.9, 0), 0.5).inspect();
  EXPECT_EQ(far.decision, Decision::invalid);
  EXPECT_EQ(far.reason, Reason::alignment);
  EXPECT_THAT(far.detail, HasSubstr("at most 0.500 mm"));
  EXPECT_NEAR(number(far, "shift_x_um"), 900, shift_um) << "the numbers stand in a refused verdict too";

  Scene empty = make_scene();
  const std::vector<Component> demanded = empty.recipe.components;
  empty.recipe.components.clear();
  render(empty);
  empty.recipe.components = demanded;
  const BoardVerdict none = aligned(empty).inspect();
  EXPECT_EQ(none.reason, Reason::alignment);
  EXPECT_THAT(none.detail, HasSubstr("is there a board?"));

  const BoardVerdict turned = aligned(shifted(0, 0, 180)).inspect();
  EXPECT_EQ(turned.reason, Reason::alignment);
  EXPECT_THAT(turned.detail, HasSubstr("turned around"));

  Scene unseen = shifted(0, 0);
  std::fill(unseen.frame.classes.begin(), unseen.frame.classes.end(), PixelClass::no_data);
  EXPECT_EQ(aligned(unseen).inspect().reason, Reason::alignment);
}

TEST(InspectAlignment, IsInTheVerdictsTextAndMovesItsPicture) {
  const BoardVerdict v = verdict_from_json(to_json(aligned(shifted(0.8, -0.6)).inspect()));
  ASSERT_EQ(v.stages.size(), 1u);
  EXPECT_EQ(v.stages[0].name, "coarse_alignment");
  const Eigen::Vector3d seen = moved(Htm<Board, Sensor>(), v.stages) * Eigen::Vector3d(3.8, 3.4, 0);
  EXPECT_NEAR(seen.x(), 3, shift_um * 1e-3) << "U1's middle";
  EXPECT_NEAR(seen.y(), 4, shift_um * 1e-3);
  EXPECT_EQ(moved(Htm<Board, Sensor>(), {}).matrix(), Eigen::Matrix4d::Identity());
}

TEST(InspectAlignment, ThePictureHasRoomForTheBoardAndItsShift) {
  Scene s = aligned(shifted(0, 0), 1);
  const AlignmentGrid g = alignment_grid(s.recipe);
  EXPECT_EQ(g.cols, 256u);
  EXPECT_NEAR(g.cell_mm, 14.0 * 4 / 3 / 256, 1e-12);
  EXPECT_EQ(g.rows, 256u);  // 10 mm and a third more are 183 cells
  EXPECT_LE(g.origin_mm.x() + g.cols * g.cell_mm / 8, -1 + 1e-9);
  EXPECT_EQ(alignment_height_um(s.recipe), 200);
}

}  // namespace
}  // namespace datum::inspect_alignment_test
