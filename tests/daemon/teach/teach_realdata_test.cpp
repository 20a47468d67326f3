// Teaching on a real map: a carrier with five equal packages, sagging by 300 um.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/teach/lesson.h"
#include "drivers/profile/sensor_profile_file.h"
#include "drivers/sensor/read_frame.h"
#include "gpu/board/cpu_board.h"
#include "tests/real_data.h"

namespace datum::teach_realdata_test {
namespace {

using namespace teach;

TEST(RealTeaching, TheCarriersFivePackagesAreProposedAtTheirHeights) {
  DATUM_NEED_REAL_DATA("pemtron/board.ptr");
  const std::filesystem::path config = DATUM_SOURCE_DIR "/config";
  const Recipe recipe = load_recipe(config / "recipes/pemtron-warpage.toml");
  const SensorProfile sensor = config::load_sensor_profile(config / "sensors/pemtron.toml");
  const HeightFrame frame = read_frame(testing::real_data_folder() / "pemtron/board.ptr", sensor);
  InspectionInputs inputs;
  inputs.recipe = &recipe;
  inputs.sensor = &sensor;
  inputs.measured_at = "2026-01-21T12:53:20Z";
  inputs.now_utc_s = 1'769'000'000;
  inputs.threads = 2;
  CpuBoardMeasurer measurer(cpu_backend(2));
  const std::vector<GoldenBoard> boards{measure_golden(frame, inputs, measurer)};
  const Lesson lesson = lesson_of(recipe, sensor, boards);
  EXPECT_TRUE(lesson.is_golden()) << lesson.faults[0];
  EXPECT_THAT(lesson.findings, ::testing::IsEmpty());
  ASSERT_EQ(lesson.proposals.size(), 5u);
  // Medians over least-squares ring planes, computed apart (README of the data); the floors here differ from those by their
  // inliers, by less than a micrometre.
  const double known[] = {1163.9, 1162.1, 1169.4, 1164.9, 1165.9};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(lesson.proposals[i].nominal_um, known[i], 1) << i;
}

}  // namespace
}  // namespace datum::teach_realdata_test
