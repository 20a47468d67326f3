#include "gpu/surface_compare/surface_compare.h"

#include <gtest/gtest.h>

#include "tests/gpu/compare_scenes.h"

namespace datum {
namespace {

using namespace testing;

TEST(FirstPoints, AreThoseOfEachRow) {
  const CompareScene scene(box_model(8, 6, 3, 4), CountType::int16, 3, 5);
  std::uint32_t point = 0;
  std::size_t row = 0;
  for (const SceneShot& shot : scene.shots)
    for (std::size_t i = 0; i < shot.classes.size(); ++i) {
      if (i % static_cast<std::size_t>(shot.rays.cols) == 0) {
        EXPECT_EQ(scene.first[row++], point);
      }
      point += shot.classes[i] == 0;
    }
  EXPECT_EQ(scene.first.size(), row + 1);
  EXPECT_EQ(scene.first.back(), point);
  EXPECT_EQ(first_points(scene.rays.data(), scene.heights.data(), 3, 4), scene.first);
  EXPECT_EQ(first_points(nullptr, nullptr, 0, 4), std::vector<std::uint32_t>{0});
}

TEST(CompareShots, DoesNotDependOnThreads) {
  for (const CountType type : {CountType::int16, CountType::int32, CountType::float32}) {
    const CompareScene scene(sphere_model(6, 24), type, 2, 11);
    EXPECT_TRUE(compared_on_cpu(scene, 1) == compared_on_cpu(scene, 3));
  }
}

// The scenes that a device is compared in have points of every judgement, in numbers.
TEST(CompareShots, FindsEveryJudgementInItsScenes) {
  const Compared box = compared_on_cpu(CompareScene(box_model(8, 6, 3, 4), CountType::int16, 2, 1));
  for (const Judgement j : {Judgement::explained, Judgement::face, Judgement::edge, Judgement::beyond})
    EXPECT_GT(box.count_of(j), 50u) << static_cast<int>(j);
  EXPECT_GT(
      compared_on_cpu(CompareScene(cone_model(6, 4, 5, 12), CountType::int16, 2, 1)).count_of(Judgement::rim),
      20u);
}

TEST(CompareShots, WithoutPointsThereIsNothing) {
  CompareScene scene(box_model(8, 6, 3, 4), CountType::int16, 1, 1, 7, 0);
  EXPECT_EQ(scene.first.back(), 0u);
  const Compared none = compared_on_cpu(scene);
  EXPECT_TRUE(none.distances.empty());
  EXPECT_EQ(none.marks[0], std::vector<std::uint32_t>(none.marks[0].size()));
}

}  // namespace
}  // namespace datum
