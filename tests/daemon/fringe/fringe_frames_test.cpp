// Raw sets of the virtual fringe sensor through the daemon's reader: heights, classes and evidence against the truth.
#include "daemon/fringe/fringe_frames.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "daemon/fringe/fringe_ripple.h"
#include "drivers/frame/frame_error.h"
#include "drivers/profile/sensor_profile_file.h"
#include "drivers/sensor/read_frame.h"
#include "tests/fresh_folder.h"
#include "tests/virtual_cell/virtual_fringe_cell.h"

namespace datum {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

const fs::path shipped = fs::path(DATUM_SOURCE_DIR) / "config";

double number_of(const StepRecord& record, const std::string& name) {
  for (const auto& [key, value] : record.health)
    if (key == name) return value;
  return std::nan("");
}

class FringeFramesTest : public ::testing::Test {
 protected:
  datum::testing::FreshFolder folder;
  VirtualCell cell = load_cell({shipped / "recipes/demo-fringe.toml", shipped / "twins/fringe.toml", {}, {}});
  FringeTwin twin = load_fringe_twin(shipped / "twins/fringe-camera.toml");
  SensorProfile profile = config::load_sensor_profile(shipped / "sensors/fringe.toml");

  /// Around L1 and U2, for speed; C2, R1 and the others are outside.
  void SetUp() override {
    cell.view.cols = 300;
    cell.view.rows = 150;
    cell.view.x.offset_mm = -3;
    cell.view.y.offset_mm = 0;
    in_hand();
  }
  void in_hand() {
    const AxisScale& x = cell.view.x;
    const bool left = profile.handedness == Handedness::left;
    profile.fringe->origin_mm = {left ? -x.at(cell.view.cols - 1) : x.offset_mm, cell.view.y.offset_mm};
  }
  fs::path deliver(const FringeScene& scene, const std::string& stem, std::uint64_t seed) {
    SetSidecar who;
    who.job_name = "demo-fringe";
    who.job_hash = "none";
    who.frame_id = stem;
    who.captured = {1, ClockDomain::sensor};
    deliver_set({profile.serial, profile.handedness, *profile.fringe}, twin, cell.view, scene, {}, seed, who,
                folder.path(), stem);
    return folder.path() / (stem + ".json");
  }
  RawSet plate(double z_mm, std::uint64_t seed) {
    RawSet set;
    set.rows = cell.view.rows;
    set.cols = cell.view.cols;
    std::vector<std::uint8_t> all;
    const FringeScene scene = plate_scene(cell.view, z_mm, twin.plate);
    for (std::size_t period = 0; period < profile.fringe->periods_px.size(); ++period)
      for (int step = 0; step < profile.fringe->steps; ++step) {
        auto grey = fringe_image(twin.camera, cell.view, scene, *profile.fringe, period, step, seed);
        if (profile.handedness == Handedness::left)
          for (auto row = grey.begin(); row != grey.end(); row += set.cols) std::reverse(row, row + set.cols);
        all.insert(all.end(), grey.begin(), grey.end());
        set.sidecar.images.emplace_back();
      }
    set.grey = std::move(all);
    return set;
  }
  /// Calibrated once per handedness and number of steps.
  PhaseCalibration calibrated() {
    static std::map<std::pair<Handedness, int>, PhaseCalibration> made;
    const auto key = std::pair(profile.handedness, profile.fringe->steps);
    if (!made.count(key)) made[key] = calibrate();
    return made[key];
  }
  PhaseCalibration calibrate() { return calibrate({-0.75, 0, 0.75, 1.5, 2.25, 3}); }
  PhaseCalibration calibrate(const std::vector<double>& heights_mm) {
    const auto demodulator = cpu_fringe_demodulator(1);
    PhaseCalibration c;
    c.settings = {static_cast<std::uint32_t>(cell.view.cols),
                  static_cast<std::uint32_t>(cell.view.rows),
                  16,
                  1,
                  true,
                  20,
                  0.3,
                  0.3};
    std::vector<MeasuredFringes> plates;
    for (std::size_t k = 0; k < heights_mm.size(); ++k)
      plates.push_back(
          measure_fringes(plate(heights_mm[k], 101 + k), *profile.fringe, nullptr, *demodulator));
    std::vector<FlatStep> steps;
    for (std::size_t k = 0; k < plates.size(); ++k)
      steps.push_back({heights_mm[k] * 1e3, plates[k].column_px.data(), plates[k].sigma_px.data(),
                       plates[k].classes.data()});
    const PhaseFit fit = fit_phase_heights(steps, c.settings, cpu_backend(1));
    c.id = "test";
    c.sensor_serial = profile.serial;
    c.made_utc_s = 1000;
    c.expires_utc_s = 2000;
    c.periods_px = profile.fringe->periods_px;
    c.projector_px = profile.fringe->projector_px;
    c.columns = fit.columns;
    c.rows = fit.rows;
    c.nodes = fit.nodes;
    c.u_model_um = fit.u_model_um;
    return c;
  }
  void read_by(const PhaseCalibration& c, unsigned threads = 1) {
    profile.reader = std::make_shared<FringeFrames>(*profile.fringe, c, cpu_fringe_demodulator(threads));
  }
};

// Each pixel also receives a share of the light by a mirroring wall at one column of the image.
TEST_F(FringeFramesTest, FringesByWayOfAnotherFaceShowInTheContrast) {
  const PhaseCalibration c = calibrated();
  const HeightModel model = c.model();
  const auto demodulator = cpu_fringe_demodulator(1);
  RawSet set = plate(1.1, 7);
  const auto period = *std::min_element(profile.fringe->periods_px.begin(), profile.fringe->periods_px.end());
  const auto measured = [&] { return measure_fringes(set, *profile.fringe, &model, *demodulator); };
  const MeasuredFringes clean = measured();
  EXPECT_EQ(ripple_of(clean, set.rows, set.cols, period).share, 0);
  constexpr double share = 0.05;
  auto& grey = std::get<std::vector<std::uint8_t>>(set.grey);
  const std::vector<std::uint8_t> direct = grey;
  const auto cols = static_cast<std::size_t>(set.cols);
  for (std::size_t i = 0; i < grey.size(); ++i)
    grey[i] = static_cast<std::uint8_t>(
        std::lround((direct[i] + share * direct[i - i % cols + (cols - 1 - i % cols)]) / (1 + share)));
  const MeasuredFringes seen = measured();
  double worst_um = 0;
  for (std::size_t i = 0; i < seen.height.size(); ++i)
    if (seen.classes[i] == FringeClass::ok && clean.classes[i] == FringeClass::ok)
      worst_um = std::max(worst_um, c.lsb_um * std::abs(seen.height[i] - clean.height[i]));
  const FringeRipple ripple = ripple_of(seen, set.rows, set.cols, period);
  EXPECT_GT(ripple.share, 0.6 * share);
  EXPECT_LT(ripple.share, 3 * share);
  EXPECT_GT(ripple.height_um, 0.4 * worst_um) << worst_um;
}

// A pixel's noise equals the record's, about 3 um. The mean over a plate of 45,000 pixels has noise of 0.02 um, and the
// model's uncertainty with k = 3.
TEST_F(FringeFramesTest, APlateBetweenTheStepsIsFlatAtItsHeightWithTheNoiseThatTheRecordSays) {
  const PhaseCalibration c = calibrated();
  read_by(c);
  const HeightFrame frame = read_frame(deliver(plate_scene(cell.view, 1.1, twin.plate), "flat", 7), profile);
  double sum = 0, squares = 0;
  for (int row = 0; row < frame.rows; ++row)
    for (int col = 0; col < frame.cols; ++col) {
      ASSERT_EQ(frame.class_at(row, col), PixelClass::ok);
      const double off_um = 1e3 * frame.z_mm(row, col) - 1100;
      sum += off_um;
      squares += off_um * off_um;
    }
  const auto n = static_cast<double>(frame.size());
  EXPECT_LT(std::abs(sum / n), 3 * c.u_model_um);
  ASSERT_TRUE(frame.phase_uncertainty);
  EXPECT_EQ(frame.phase_uncertainty->model_um, c.u_model_um);
  const double noise_um = std::sqrt(squares / n);
  EXPECT_NEAR(frame.phase_uncertainty->noise_um, noise_um, 0.1 * noise_um)
      << "0.85 grey: the camera's 0.8 and rounding";
  EXPECT_LT(noise_um, 6);
  EXPECT_EQ(frame.job, "demo-fringe");
  ASSERT_TRUE(frame.intensity);
  EXPECT_EQ(frame.intensity->bits, 8);
}

// Against the surface of the images: a pixel's error is its noise, bounded by 6 sigma, and the model's error.
TEST_F(FringeFramesTest, ABoardsHeightsAreItsOwnWhereTheyAreOkAndOtherwiseSayWhy) {
  read_by(calibrated());
  const FringeScene scene = board_scene(cell, twin, parse_fringe_board("shiny=L1,dark=U2", cell), 3);
  const HeightFrame frame = read_frame(deliver(scene, "board", 3), profile);
  const int cols = cell.view.cols;
  std::size_t ok = 0;
  double worst_um = 0;
  for (int row = 0; row < frame.rows; ++row)
    for (int col = 0; col < cols; ++col) {
      if (frame.class_at(row, col) != PixelClass::ok) continue;
      const auto i =
          static_cast<std::size_t>(row) * static_cast<std::size_t>(cols) + static_cast<std::size_t>(col);
      ASSERT_EQ(scene.surface.classes[i], PixelClass::ok) << "a height where nothing is";
      worst_um = std::max(worst_um, std::abs(frame.z_mm(row, col) - scene.surface.z_mm[i]) * 1e3);
      ++ok;
    }
  EXPECT_GT(ok, frame.size() / 3);
  EXPECT_LT(worst_um, 6 * 1.5 * frame.phase_uncertainty->noise_um)
      << "a dark surface is noisier than the median";
  ASSERT_EQ(frame.stages.size(), 1u);
  const StepRecord& stage = frame.stages[0];
  const double counted = number_of(stage, "OK_px") + number_of(stage, "SATURATED_px") +
                         number_of(stage, "LOW_MODULATION_px") + number_of(stage, "UNWRAP_px") +
                         number_of(stage, "OUT_OF_RANGE_px");
  EXPECT_EQ(counted, static_cast<double>(frame.size()));
  EXPECT_EQ(number_of(stage, "SATURATED_px"), static_cast<double>(frame.count_of(PixelClass::saturated)));
  EXPECT_GT(frame.count_of(PixelClass::saturated), 80u * 80u * 9 / 10 * 9 / 10)
      << "L1's top, 4 mm square, seen half";
  EXPECT_GT(frame.count_of(PixelClass::low_modulation), 1000u) << "U2's top and shadows";
  EXPECT_EQ(stage.parameters[7], (std::pair<std::string, std::string>{"phase_to_height", "test"}));
  EXPECT_TRUE(stage.warnings.empty());
}

TEST_F(FringeFramesTest, TheSameSetGivesTheSameBytesOnAnyNumberOfThreads) {
  const PhaseCalibration c = calibrated();
  const FringeScene scene = board_scene(cell, twin, parse_fringe_board("good", cell), 3);
  const fs::path set = deliver(scene, "board", 3);
  read_by(c, 1);
  const HeightFrame one = read_frame(set, profile);
  read_by(c, 3);
  const HeightFrame three = read_frame(set, profile);
  EXPECT_EQ(one.stages[0].output_sha256, three.stages[0].output_sha256);
  EXPECT_EQ(one.counts, three.counts);
  EXPECT_EQ(one.content_sha256, three.content_sha256);
  std::size_t shadow = 0;
  for (std::size_t i = 0; i < one.size(); ++i)
    shadow += one.classes[i] == PixelClass::low_modulation && scene.surface.classes[i] == PixelClass::ok;
  EXPECT_GT(shadow, 80u * 20 / 2)
      << "L1 is 2 mm high, light comes in at 30 degrees: half of its shadow is in view";
}

// A left-handed camera delivers the mirror image of a right-handed one; datumd undoes it.
TEST_F(FringeFramesTest, BothHandsShowTheSameBoardInTheSamePlace) {
  std::vector<HeightFrame> frames;
  for (const Handedness hand : {Handedness::left, Handedness::right}) {
    profile.handedness = hand;
    in_hand();
    read_by(calibrated());
    frames.push_back(
        read_frame(deliver(board_scene(cell, twin, parse_fringe_board("good", cell), 3), "b", 3), profile));
  }
  EXPECT_NEAR(frames[0].x.offset_mm, frames[1].x.offset_mm, 1e-12);
  std::size_t both = 0;
  for (int row = 0; row < frames[0].rows; ++row)
    for (int col = 0; col < frames[0].cols; ++col) {
      if (frames[0].class_at(row, col) != PixelClass::ok || frames[1].class_at(row, col) != PixelClass::ok)
        continue;
      // the same columns of the projector, but other nodes
      ASSERT_NEAR(frames[0].z_mm(row, col), frames[1].z_mm(row, col), 2e-3);
      ++both;
    }
  EXPECT_GT(both, frames[0].size() / 2);
}

// A wave of 600 px (30 mm) on a carrier of 37 px: the window's Hann shape transmits cos^2(pi / 2 * 37 / (0.75 * 600)),
// 1.7 % of 100 um less. Noise: 5 sigma of the frame's noise; the window's end adds as much.
TEST_F(FringeFramesTest, ASingleImageTellsABowedBoardAndSaysWhatItIsNotFor) {
  const PhaseCalibration c = calibrate({-0.5, -0.2, 0.1, 0.4, 0.7, 1});
  profile.fringe->periods_px = {16};
  profile.fringe->steps = 1;
  read_by(c);
  FringeScene scene = plate_scene(cell.view, 0, twin.plate);
  const int cols = cell.view.cols;
  for (std::size_t i = 0; i < scene.surface.z_mm.size(); ++i)
    scene.surface.z_mm[i] =
        0.3 + 0.1 * std::sin(2 * M_PI * static_cast<double>(i % static_cast<std::size_t>(cols)) / 600);
  const HeightFrame frame = read_frame(deliver(scene, "bow", 5), profile);
  std::size_t ok = 0;
  double worst_um = 0;
  for (int row = 0; row < frame.rows; ++row)
    for (int col = 0; col < cols; ++col) {
      if (frame.class_at(row, col) != PixelClass::ok) continue;
      const auto i =
          static_cast<std::size_t>(row) * static_cast<std::size_t>(cols) + static_cast<std::size_t>(col);
      worst_um = std::max(worst_um, std::abs(frame.z_mm(row, col) - scene.surface.z_mm[i]) * 1e3);
      ++ok;
    }
  const double reached = number_of(frame.stages[0], "ROW_END_px");
  EXPECT_EQ(static_cast<double>(ok), static_cast<double>(frame.size()) - reached);
  EXPECT_GT(ok, frame.size() / 4);
  EXPECT_LT(worst_um, 1.7 + 10 * frame.phase_uncertainty->noise_um)
      << "noise " << frame.phase_uncertainty->noise_um;
  EXPECT_GT(frame.phase_uncertainty->noise_um, 0.5);
  EXPECT_EQ(frame.stages[0].parameters[0], (std::pair<std::string, std::string>{"mode", "fourier"}));
  EXPECT_THAT(frame.stages[0].warnings.at(0), HasSubstr("for bare boards and paste only"));
}

TEST_F(FringeFramesTest, ThreadsDoNotMoveASingleImage) {
  const PhaseCalibration c = calibrate({-0.5, -0.2, 0.1, 0.4, 0.7, 1});
  profile.fringe->periods_px = {16};
  profile.fringe->steps = 1;
  const SingleShot shot(*profile.fringe, c);
  const RawSet set = plate(0.4, 6);
  CpuFringeDemodulator by_one(cpu_backend(1)), by_three(cpu_backend(3));
  const MeasuredFringes one = shot.measure(set, by_one), three = shot.measure(set, by_three);
  EXPECT_GT(std::count(one.classes.begin(), one.classes.end(), FringeClass::ok), 1000);
  EXPECT_EQ(one.classes, three.classes);
  EXPECT_EQ(one.height, three.height);
  EXPECT_EQ(one.column_px, three.column_px);
  EXPECT_EQ(one.sigma_px, three.sigma_px);
  EXPECT_EQ(one.height_sigma_um, three.height_sigma_um);
}

TEST_F(FringeFramesTest, ASingleImageIsRefusedWhereItsPeriodDoesNotTellTheColumn) {
  const PhaseCalibration c = calibrated();  // 3.75 mm move the stripes by 19 px
  profile.fringe->periods_px = {16};
  profile.fringe->steps = 1;
  EXPECT_EQ(mismatch(c, profile.serial, *profile.fringe), "");
  try {
    read_by(c);
    FAIL();
  } catch (const CalibrationError& e) {
    EXPECT_THAT(e.what(),
                HasSubstr("px of the projector, a single image determines columns within 16.00 px only"));
  }
  profile.fringe->periods_px = {17};
  EXPECT_THAT(mismatch(c, profile.serial, *profile.fringe), HasSubstr("the profile has 17 px"));
}

TEST_F(FringeFramesTest, BeyondTheCalibratedRangeNothingIsSaid) {
  read_by(calibrated());
  const HeightFrame frame = read_frame(deliver(plate_scene(cell.view, 3.3, twin.plate), "high", 7), profile);
  EXPECT_EQ(frame.count_of(PixelClass::out_of_range), frame.size());
}

TEST_F(FringeFramesTest, ImagesOfAnotherSizeThanTheCalibrationsAreRefused) {
  read_by(calibrated());
  cell.view.rows = 140;
  try {
    read_frame(deliver(plate_scene(cell.view, 1, twin.plate), "small", 7), profile);
    FAIL();
  } catch (const FrameError& e) {
    EXPECT_THAT(e.what(), HasSubstr("was it calibrated with this camera's size?"));
  }
}

}  // namespace
}  // namespace datum
