// Golden boards on the virtual cell's twins: what stands where, turned boards, turned, shifted and missing parts.
#include "daemon/teach/golden_board.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "calib/calibration_store.h"
#include "config/toml_reader.h"
#include "daemon/teach/proposed_bodies.h"
#include "drivers/profile/sensor_profile_file.h"
#include "gpu/board/cpu_board.h"
#include "tests/virtual_cell/virtual_sensor_board.h"

namespace datum::golden_board_test {
namespace {

using namespace teach;

const std::filesystem::path config_folder = DATUM_SOURCE_DIR "/config";

struct TwinGolden : ::testing::Test {
  TwinGolden()
      : cell(load_cell({config_folder / "recipes/demo-board.toml", config_folder / "twins/demo.toml",
                        config_folder / "calibrations/demo.toml", std::nullopt})),
        recipe(load_recipe(config_folder / "recipes/demo-board.toml")),
        sensor(config::load_sensor_profile(config_folder / "sensors/virtual.toml")),
        calibration(load_calibration(config_folder / "calibrations/demo.toml")) {}

  TwinBody& body(TwinBoard& board, const std::string& reference) {
    for (TwinBody& b : board.bodies)
      if (b.reference == reference) return b;
    throw std::runtime_error("no " + reference);
  }
  GoldenBoard golden(const TwinBoard& board) {
    HeightFrame frame = snapshot_of(cell, board, {7, 1, 1'700'000'000'000'000'000, DropFormat::tiff16});
    mirror_to_right_handed(frame);
    frame.content_sha256 = "0";
    InspectionInputs inputs;
    inputs.recipe = &recipe;
    inputs.sensor = &sensor;
    inputs.calibration = &calibration;
    inputs.now_utc_s = 1'769'000'000;
    inputs.measured_at = "2026-01-21T12:53:20Z";
    inputs.temperature = TemperatureReading{20.0, inputs.now_utc_s};
    inputs.threads = 2;
    CpuBoardMeasurer measurer(cpu_backend(2));
    return measure_golden(frame, inputs, measurer);
  }
  static std::size_t index_in(const Recipe& of, const std::string& reference) {
    for (std::size_t i = 0; i < of.components.size(); ++i)
      if (of.components[i].reference == reference) return i;
    throw std::runtime_error("no " + reference);
  }

  VirtualCell cell;
  Recipe recipe;
  SensorProfile sensor;
  Calibration calibration;
};

TEST_F(TwinGolden, SeesEachBodyWhereItStands) {
  TwinBoard board = produce(cell.nominal, cell.spread, 7);
  body(board, "C3").outline.centre_mm += Eigen::Vector2d(0.5, 0.2);
  body(board, "R2").outline.rotation_deg += 90;
  body(board, "R4").missing = true;
  const GoldenBoard seen = golden(board);
  ASSERT_EQ(seen.why, "");
  ASSERT_EQ(seen.parts.size(), recipe.components.size());
  EXPECT_FALSE(seen.lies_turned);
  EXPECT_NEAR(seen.noise_um, 3.2, 0.3);
  for (std::size_t i = 0; i < seen.parts.size(); ++i) {
    const Component& c = recipe.components[i];
    SCOPED_TRACE(c.reference);
    const GoldenPart& part = seen.parts[i];
    const bool missing = c.reference == "R4", turned = c.reference == "R2";
    EXPECT_EQ(presence_of(part, c), missing ? Presence::missing : Presence::there);
    EXPECT_EQ(is_turned(part, c), turned);
    if (missing || turned) continue;
    ASSERT_TRUE(part.seen);
    EXPECT_FALSE(part.seen->cut);
    const Eigen::Vector2d truth = body(board, c.reference).outline.centre_mm - c.body.centre_mm;
    // A quarter of a pixel of 0.05 mm along x, where a wall's shadow and dropouts hide pixels at one side, and the calibration's own.
    EXPECT_LT((part.seen->off_mm - truth).norm(), 0.05) << part.seen->off_mm.transpose();
    EXPECT_LT((part.seen->size_mm - c.body.size_mm).cwiseAbs().maxCoeff(), 0.1);
    EXPECT_TRUE(part.value || c.reference == "C3") << part.why;
  }
}

TEST_F(TwinGolden, NoticesABoardThatLiesTurned) {
  TwinBoard board = produce(cell.nominal, cell.spread, 8);
  for (TwinBody& b : board.bodies) {
    b.outline.centre_mm = board.size_mm - b.outline.centre_mm;
    b.outline.rotation_deg += 180;
  }
  const GoldenBoard seen = golden(board);
  ASSERT_TRUE(seen.lies_turned);
  EXPECT_EQ(*seen.lies_turned, 180);
}

TEST_F(TwinGolden, AnEmptyBoardLiesInNoDirection) {
  TwinBoard board = produce(cell.nominal, cell.spread, 9);
  for (TwinBody& b : board.bodies) b.missing = true;
  EXPECT_FALSE(golden(board).lies_turned);
}

TEST_F(TwinGolden, FindsBodiesThatTheRecipeLacks) {
  const Recipe whole = recipe;
  std::erase_if(recipe.components, [](const Component& c) {
    return c.reference == "U2" || c.reference == "R3" || c.reference == "X1";
  });
  std::vector<std::vector<BareRegion>> regions;
  for (const std::uint64_t seed : {11, 12}) {
    TwinBoard board = produce(cell.nominal, cell.spread, seed);
    if (seed == 12) body(board, "X1").missing = true;
    HeightFrame frame = snapshot_of(cell, board, {seed, 1, 1'700'000'000'000'000'000, DropFormat::tiff16});
    mirror_to_right_handed(frame);
    InspectionInputs inputs;
    inputs.recipe = &recipe;
    inputs.calibration = &calibration;
    regions.push_back(bare_regions(recipe, frame, board_from_sensor(inputs), 150, 2));
  }
  const KnownPart r3{"R3", "R0603", "no height is known",
                     whole.components[index_in(whole, "R3")].body.centre_mm};
  const FoundBodies found = common_bodies(regions, {r3});
  ASSERT_EQ(found.all.size(), 2u);
  EXPECT_EQ(found.findings.size(), 3u) << "X1 is on one board only";
  for (const FoundBody& one : found.all) {
    const Component& truth = whole.components[index_in(whole, one.reference == "R3" ? "R3" : "U2")];
    SCOPED_TRACE(truth.reference);
    EXPECT_LT((one.region.rect.centre_mm - truth.body.centre_mm).norm(), 0.1);
    const Eigen::Vector2d size = one.region.rect.size_mm;
    EXPECT_NEAR(size.maxCoeff(), truth.body.size_mm.maxCoeff(), 0.15);
    EXPECT_NEAR(size.minCoeff(), truth.body.size_mm.minCoeff(), 0.15);
    EXPECT_NEAR(one.region.height_um, truth.nominal_height_um, 60)
        << "over the board's surface, which is no ring";
  }
  EXPECT_THAT(regions[0], ::testing::SizeIs(3));
  EXPECT_EQ(with_bodies(recipe, found.all).components.size(), recipe.components.size() + 2);
}

}  // namespace
}  // namespace datum::golden_board_test
