// A build of a first demo (DATUM_OFFLINE=OFF, DATUM_SURFACES=OFF, no CUDA): what it says of alignments, raw fringe images and GPUs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/fringe/load_sensor.h"
#include "daemon/gpu_worker/backend_choice.h"
#include "daemon/inspection/board/snapshot_registration.h"
#include "daemon/inspection/recipe/alignment_recipe.h"
#include "drivers/link_error.h"
#include "tests/daemon/inspection/board/inspect_fixture.h"

namespace datum::first_demo_absent_test {
namespace {

using ::testing::HasSubstr;

constexpr const char* no_alignment =
    "a first demo aligns no boards; ./datum demo --cad, test or install builds it";

testing::Scene aligned() {
  testing::Scene scene = testing::make_scene();
  scene.recipe.alignment = std::make_shared<AlignmentRecipe>();
  testing::render(scene);
  return scene;
}

TEST(FirstDemoAbsent, ABoardThatIsToBeAlignedIsInvalidAndSaysWhatBuildsIt) {
  const testing::Scene scene = aligned();
  const BoardVerdict v = scene.inspect();
  EXPECT_EQ(v.decision, Decision::invalid);
  EXPECT_EQ(v.reason, Reason::alignment);
  EXPECT_THAT(v.detail, HasSubstr(no_alignment));
  ASSERT_EQ(v.stages.size(), 1u);
  EXPECT_EQ(v.stages[0].name, "coarse_alignment");
  EXPECT_STREQ(why_no_alignment(), no_alignment);
}

TEST(FirstDemoAbsent, ABoardThatLiesAtItsPlaceIsMeasured) {
  testing::Scene scene = testing::make_scene();
  testing::render(scene);
  EXPECT_EQ(scene.inspect().decision, Decision::pass);
}

TEST(FirstDemoAbsent, SeveralSnapshotsOfSuchABoardAreInvalidToo) {
  const BoardShift shift = registered_snapshots({}, {});
  ASSERT_TRUE(shift.why);
  EXPECT_EQ(shift.why->detail, no_alignment);
}

TEST(FirstDemoAbsent, AFringeSensorIsRefused) {
  const std::filesystem::path sensors = DATUM_SOURCE_DIR "/config/sensors";
  EXPECT_EQ(load_sensor(sensors / "virtual.toml", 1).serial, "VS3D-0001");
  for (const auto& load : {+[](const std::filesystem::path& file) { return load_sensor(file, nullptr); },
                           +[](const std::filesystem::path& file) { return load_sensor(file, 1); }}) {
    try {
      load(sensors / "fringe.toml");
      ADD_FAILURE() << "it was loaded";
    } catch (const CalibrationError& error) {
      EXPECT_THAT(
          error.what(),
          HasSubstr("fringe.toml: fringe: a first demo reads no raw fringe images; ./datum demo --fringe"));
    }
  }
  EXPECT_THAT(fringe_faults({}, 0), ::testing::ElementsAre(HasSubstr("./datum demo --fringe")));
}

TEST(FirstDemoAbsent, BoardsAreMeasuredOnTheCpu) {
  BackendSettings settings;
  const auto choose = [&] {
    return choose_backend(settings, Timeout::of_a_cell, [](bool, const std::string&) {});
  };
  EXPECT_FALSE(has_gpu_worker());
  EXPECT_THAT(choose().why, HasSubstr("built without datumd-gpu"));
  EXPECT_THAT(choose().measurer->describe(), HasSubstr("cpu"));
  EXPECT_EQ(choose().fault(), "");
  EXPECT_TRUE(choose().worker_restarts().empty());
  settings.kind = BackendSettings::Kind::cpu;
  EXPECT_THAT(choose().why, HasSubstr("as configured"));
  settings.kind = BackendSettings::Kind::cuda;
  try {
    choose();
    ADD_FAILURE() << "a GPU was chosen";
  } catch (const RefusedError& error) {
    EXPECT_THAT(error.what(), HasSubstr("no usable GPU: a first demo without CUDA"));
  }
}

}  // namespace
}  // namespace datum::first_demo_absent_test
