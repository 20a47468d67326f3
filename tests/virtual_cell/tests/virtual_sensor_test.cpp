// The daemon's own readers read the virtual sensor's deliveries.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include "drivers/frame/frame_error.h"
#include "drivers/sensor/read_frame.h"
#include "tests/virtual_cell/twin_file.h"
#include "tests/virtual_cell/virtual_sensor_board.h"

namespace datum::virtual_sensor_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const fs::path config_folder = fs::path(DATUM_SOURCE_DIR) / "config";

/// The table [noise.world] of the shipped sample, uncommented, as a table of its own.
std::string world_of_demo() {
  std::ifstream file(config_folder / "twins/demo.toml");
  std::string text;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    inside = line == "#[noise.world]" || (inside && line.rfind("#", 0) == 0);
    if (inside) text += (line == "#[noise.world]" ? "[world]" : line.substr(1)) + "\n";
  }
  return text;
}

class VirtualSensor : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) /
              (std::string("datum_vs_") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// The demo's cell, reduced to its lower left 60 x 40 mm for speed.
  static VirtualCell cell() {
    VirtualCell c = load_cell({config_folder / "recipes/demo-board.toml", config_folder / "twins/demo.toml",
                               config_folder / "calibrations/demo.toml", std::nullopt});
    c.view.rows = 300;
    c.view.cols = 500;
    return c;
  }
  static SensorProfile profile() {
    SensorProfile p;
    p.serial = "VS3D-0001";
    p.handedness = Handedness::left;
    p.noise = {{0}, {3}};
    p.z_min_mm = -8;
    p.z_max_mm = 8;
    return p;
  }
  /// The sidecars in the folder, by name.
  std::set<fs::path> sidecars() const {
    std::set<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder_))
      if (entry.path().extension() == ".json") found.insert(entry.path());
    return found;
  }
  DeliveredBoard deliver(const std::string& spec, DropFormat format = DropFormat::tiff16) {
    const VirtualCell c = cell();
    return deliver_board(c, parse_board(spec, c), {7, 42, 1'700'000'000'000'000'000, format}, folder_);
  }
  std::string refusal() const {
    try {
      read_frame(*sidecars().begin(), profile());
    } catch (const FrameError& e) {
      return e.what();
    }
    return "accepted";
  }
  fs::path folder_;
};

TEST_F(VirtualSensor, EveryFormatIsReadBackAsItWasRendered) {
  const VirtualCell c = cell();
  HeightFrame truth = snapshot_of(c, produce(c.nominal, c.spread, 7), {7, 42, 1'700'000'000'000'000'000});
  mirror_to_right_handed(truth);
  for (const DropFormat format : {DropFormat::tiff16, DropFormat::png16, DropFormat::float32}) {
    const DeliveredBoard board = deliver("good", format);
    const HeightFrame frame = read_frame(folder_ / (board.stem + ".json"), profile());
    ASSERT_EQ(frame.rows, truth.rows);
    ASSERT_EQ(frame.cols, truth.cols);
    EXPECT_EQ(frame.sensor_serial, "VS3D-0001");
    EXPECT_EQ(frame.frame_id, "000042");
    EXPECT_EQ(frame.job, "demo-board");
    EXPECT_EQ(frame.captured.ns, 1'700'000'000'000'000'000);
    EXPECT_EQ(frame.captured.clock, ClockDomain::utc);
    EXPECT_EQ(frame.delivered, Handedness::left);
    EXPECT_NEAR(frame.x.offset_mm, truth.x.offset_mm, 1e-9);
    for (int row = 0; row < truth.rows; ++row) {
      for (int col = 0; col < truth.cols; ++col) {
        const bool ok = truth.class_at(row, col) == PixelClass::ok;
        ASSERT_EQ(frame.class_at(row, col) == PixelClass::ok, ok) << row << ' ' << col;
        // float: heights of up to 8000 um are rounded to 24 bits, 8000 / 2^24 = 0.0005 um
        if (!ok) continue;
        ASSERT_NEAR(frame.z_mm(row, col), truth.z_mm(row, col), 5e-7) << row << ' ' << col;
      }
    }
  }
}

/// A left-handed sensor's: heights and grey are mirrored together when they are read.
TEST_F(VirtualSensor, FiducialsOfTheRecipeAreInTheDeliveredIntensity) {
  std::ifstream sample(config_folder / "recipes/demo-board.toml");
  std::string text((std::istreambuf_iterator<char>(sample)), {});
  text += "\n[alignment]\nmax_shift_mm = 1\nmax_rotation_deg = 1\n";
  for (const char* place : {"4, 4", "50, 30"})
    text += std::string(
                "[[alignment.fiducial]]\nshape = \"circle\"\ncontrast = \"bright\"\nsize_mm = 1.5\ncentre_mm "
                "= [") +
            place + "]\n";
  std::ofstream(folder_ / "marked.toml") << text;
  VirtualCell c = load_cell({folder_ / "marked.toml", config_folder / "twins/demo.toml",
                             config_folder / "calibrations/demo.toml", std::nullopt});
  c.view.rows = 300;
  c.view.cols = 500;
  ASSERT_TRUE(c.grey);
  const Snapshot snapshot{7, 42, 1'700'000'000'000'000'000};
  const DeliveredBoard board = deliver_board(c, parse_board("good", c), snapshot, folder_);
  const HeightFrame frame = read_frame(folder_ / (board.stem + ".json"), profile());
  ASSERT_TRUE(frame.intensity);
  HeightFrame truth = snapshot_of(c, produce(c.nominal, c.spread, 7), snapshot);
  mirror_to_right_handed(truth);
  EXPECT_EQ(frame.intensity->grey, truth.intensity->grey);
  const Eigen::Vector3d at = (c.view.sensor_from_board * Eigen::Vector4d(4, 4, 0, 1)).head<3>();
  const auto grey_at = [&](double x_mm, double y_mm) {
    const int col = int(std::lround((x_mm - frame.x.offset_mm) / frame.x.scale_mm)),
              row = int(std::lround((y_mm - frame.y.offset_mm) / frame.y.scale_mm));
    return frame.intensity->grey.at(std::size_t(row) * std::size_t(frame.cols) + std::size_t(col));
  };
  EXPECT_GT(grey_at(at.x(), at.y()), 3 * grey_at(at.x() + 1, at.y()))
      << "the mark beside its window in the mask";
}

TEST_F(VirtualSensor, TheSameBoardIsTheSameFile) {
  const VirtualCell c = cell();
  const auto bytes = [&](std::uint64_t seed) {
    return encode(snapshot_of(c, produce(c.nominal, c.spread, seed), {seed, 1, 0}), DropFormat::tiff16,
                  "a_z.tif")
        .image;
  };
  EXPECT_EQ(bytes(3), bytes(3));
  EXPECT_NE(bytes(3), bytes(4));
}

TEST_F(VirtualSensor, LeavesNoPartBehindAndNamesAfterSensorFrameAndTime) {
  deliver("good");
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder_)) names.insert(entry.path().filename());
  EXPECT_EQ(names, (std::set<std::string>{"VS3D-0001_000042_20231114T221320Z.json",
                                          "VS3D-0001_000042_20231114T221320Z_z.tif"}));
}

TEST_F(VirtualSensor, DefectsReachTheTruth) {
  const DeliveredBoard board = deliver("lifted=R8:90,missing=C4,height=U1:1010");
  const auto truth = [&](const std::string& reference) {
    return *std::find_if(board.truth.begin(), board.truth.end(),
                         [&](auto& t) { return t.reference == reference; });
  };
  EXPECT_GT(truth("R8").tilt_mdeg, 2000);  // 90 um over 2 mm: 2577 mdeg, about 15 mdeg of seating
  EXPECT_FALSE(truth("C4").present);
  EXPECT_EQ(truth("U1").height_um, 1010);
}

TEST_F(VirtualSensor, ATruncatedImageIsRefused) {
  deliver("good,truncated");
  EXPECT_THAT(refusal(), HasSubstr("_z.tif"));
}

TEST_F(VirtualSensor, AnImageThatIsNotWhatTheSidecarPromisesIsRefused) {
  deliver("wrong-sha");
  EXPECT_THAT(refusal(), HasSubstr("SHA-256"));
}

TEST_F(VirtualSensor, ADuplicateIsTheSameFrameTwice) {
  deliver("duplicate");
  const auto both = sidecars();
  ASSERT_EQ(both.size(), 2u);
  const HeightFrame first = read_frame(*both.begin(), profile()),
                    second = read_frame(*both.rbegin(), profile());
  EXPECT_EQ(first.frame_id, second.frame_id);
  EXPECT_EQ(first.content_sha256, second.content_sha256);
}

TEST_F(VirtualSensor, SpecsAreCheckedBeforeAnythingIsDelivered) {
  EXPECT_THROW(parse_board("missing=U99", cell()), std::invalid_argument);
  EXPECT_THROW(parse_board("good,late", cell()), std::invalid_argument);
  EXPECT_EQ(parse_board("good,sidecar-first", cell()).fault, DropFault::sidecar_first);
}

TEST_F(VirtualSensor, ARecipeInMachineCoordinatesNeedsACalibration) {
  try {
    load_cell({config_folder / "recipes/demo-board.toml", config_folder / "twins/demo.toml", std::nullopt,
               std::nullopt});
    FAIL();
  } catch (const std::exception& e) {
    EXPECT_THAT(e.what(), HasSubstr("--calibration FILE"));
  }
}

TEST_F(VirtualSensor, TheStageMovesTheBoardInTheFrame) {
  VirtualCellFiles files{config_folder / "recipes/demo-board.toml", config_folder / "twins/demo.toml",
                         config_folder / "calibrations/demo.toml", std::nullopt};
  const Eigen::Vector3d at_cal = load_cell(files).view.sensor_from_board.topRightCorner<3, 1>();
  files.position_mm =
      Eigen::Vector3d(121, 80, 35);  // 1 mm along X from q_cal: the sensor moves, the board does not
  const Eigen::Vector3d moved = load_cell(files).view.sensor_from_board.topRightCorner<3, 1>();
  EXPECT_NEAR((moved - at_cal).norm(), 1 + 12e-6, 1e-9);  // scale_ppm of the X axis
  EXPECT_NEAR(moved.x() - at_cal.x(), -1, 1e-4);
}

/// The keys of demo.toml's comments, enabled.
TEST(TwinFile, TheWorldsKeysAreRead) {
  const auto noise = [](const std::string& world) {
    return read_twin_noise(config::TomlTable::from_text(
        "white_um = 3.0\ncorrelated_um = 0.0\ncorrelation_px = 1\ndropout_ratio = 0.0\nspeckle_ratio = 0.0\n"
        "speckle_um = 0.0\noutlier_ratio = 0.0\noutlier_um = 0.0\nlinearity_um = 0.0\n" +
            world,
        "twin.toml"));
  };
  EXPECT_EQ(noise("").world.row_um, 0);
  const TwinWorld w = noise(world_of_demo()).world;
  ASSERT_EQ(w.smooth.size(), 2u);
  EXPECT_EQ(w.smooth[0].um, 2);
  EXPECT_EQ(w.smooth[1].kernel_px, 50);
  EXPECT_EQ(w.row_um, 0.5);
  EXPECT_EQ(w.column_um, 0.5);
  EXPECT_EQ(w.body_noise, 2);
  EXPECT_EQ(w.missing_ratio, 0.2);
  EXPECT_EQ(w.missing_blob_ratio, 0.2);
  EXPECT_EQ(w.spike_ratio, 0.3);
  EXPECT_EQ(w.spike_um, 100);
  EXPECT_EQ(w.spike_px, 3);
  EXPECT_EQ(w.highest_um, 1500.0);
  EXPECT_THROW(noise("[world]\nmissing_ratio = 0.6\n"), config::ConfigError);
  EXPECT_THROW(noise("[world]\nrain_um = 1.0\n"), config::ConfigError);
}

}  // namespace
}  // namespace datum::virtual_sensor_test
