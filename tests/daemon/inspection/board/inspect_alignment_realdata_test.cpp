// Coarse alignment on a real height map: ten dies on a carrier that sags by 300 um.
#include <gtest/gtest.h>

#include "daemon/inspection/board/pipeline_alignment.h"
#include "daemon/inspection/recipe/alignment_recipe.h"
#include "drivers/profile/sensor_profile_file.h"
#include "drivers/sensor/read_frame.h"
#include "gpu/phase_correlation/correlator.h"
#include "tests/real_data.h"

namespace datum::inspect_alignment_realdata_test {
namespace {

const std::filesystem::path source{DATUM_SOURCE_DIR};

constexpr double cell_mm = 1.2;

struct AlignedPemtron {
  Recipe recipe = load_recipe(source / "config/recipes/pemtron-warpage.toml");
  SensorProfile sensor = config::load_sensor_profile(source / "config/sensors/pemtron.toml");
  HeightFrame frame = read_frame(datum::testing::real_data_folder() / "pemtron/board.ptr", sensor);

  explicit AlignedPemtron(bool both_dies) {
    AlignmentRecipe a;
    a.max_shift_mm = 4;
    a.cell_mm = cell_mm;
    recipe.alignment = std::make_shared<AlignmentRecipe>(a);
    if (!both_dies) return;
    const std::vector<Component> left = recipe.components;
    for (Component right : left) {  // as far from the package's centre on its other side
      right.reference += "b";
      right.body.centre_mm.x() += 2 * 4.68;
      recipe.components.push_back(right);
    }
  }
  /// Where the board seems to lie, its place told by so much less.
  Eigen::Vector2d found_mm(double x, double y, std::optional<Refusal>* why) const {
    Eigen::Matrix4d m = Eigen::Matrix4d::Identity();
    m(0, 3) = x;
    m(1, 3) = y;
    const BoardView view(frame, Htm<Board, Sensor>(m));
    CpuCorrelator correlator(cpu_backend(0));
    const BoardShift shift = board_shift(recipe, frame, view, 0, &correlator);
    *why = shift.why;
    return {shift.stage.health.at(0).second * 1e-3, shift.stage.health.at(1).second * 1e-3};
  }
};

TEST(PemtronAlignment, FollowsTheBoard) {
  DATUM_NEED_REAL_DATA("pemtron/board.ptr");
  const AlignedPemtron p(true);
  std::optional<Refusal> why;
  const Eigen::Vector2d there = p.found_mm(0, 0, &why);
  EXPECT_FALSE(why) << why->detail;
  // The recipe's bodies are the inner parts of dies and half of them are guessed: the peak is in the right cell, no more.
  EXPECT_LT(there.cwiseAbs().maxCoeff(), cell_mm / 2);
  for (const auto& [x, y] : {std::pair{-1.2, 0.84}, {2.4, 1.2}, {-0.6, -3.0}}) {
    const Eigen::Vector2d moved_by = p.found_mm(x, y, &why) - there;
    EXPECT_FALSE(why) << why->detail;
    EXPECT_NEAR(moved_by.x(), x, cell_mm / 2);
    EXPECT_NEAR(moved_by.y(), y, cell_mm / 2);
  }
}

TEST(PemtronAlignment, ARecipeThatKnowsHalfOfThePartsIsRefused) {
  DATUM_NEED_REAL_DATA("pemtron/board.ptr");
  std::optional<Refusal> why;
  AlignedPemtron(false).found_mm(0, 0, &why);
  ASSERT_TRUE(why);
  EXPECT_EQ(why->reason, Reason::alignment);
}

}  // namespace
}  // namespace datum::inspect_alignment_realdata_test
