#include "calib/fringe/phase_calibration.h"

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>

#include "config/toml_reader.h"
#include "tests/fresh_folder.h"

namespace datum {
namespace {

using ::testing::HasSubstr;

constexpr std::uint32_t width = 150, height = 90;

/// A pinhole projector 400 mm above a telecentric camera's plane and 230 mm beside it; pixels of 0.1 mm, 10
/// columns per mm.
double column_of(double row, double col, double z_um) {
  const double x = 0.1 * col, z = z_um * 1e-3, y = 0.1 * row;
  const double along = 400 - z - 0.01 * y;  // mounted slightly askew
  return 4600 * (x + 230) / along - 2500;
}

/// Uniform noise in whole thousandths of a pixel: the same on every machine.
double noise_px(std::size_t i, double sigma_px) {
  const auto mixed = static_cast<std::uint32_t>((i + 1) * 2654435761u) >> 8;
  return (static_cast<double>(mixed % 2001) - 1000) / 1000 * std::sqrt(3.0) * sigma_px;
}

struct Flat {
  double z_um;
  std::vector<float> column, sigma;
  std::vector<FringeClass> classes;
  FlatStep step() const { return {z_um, column.data(), sigma.data(), classes.data()}; }
};

Flat flat_at(double z_um, double sigma_px) {
  Flat f{z_um,
         {},
         std::vector<float>(std::size_t{width} * height, static_cast<float>(sigma_px)),
         std::vector<FringeClass>(std::size_t{width} * height, FringeClass::ok)};
  for (std::uint32_t row = 0; row < height; ++row)
    for (std::uint32_t col = 0; col < width; ++col) {
      const std::size_t i = std::size_t{row} * width + col;
      f.column.push_back(static_cast<float>(
          column_of(row, col, z_um) + noise_px(i + static_cast<std::size_t>(z_um + 1e6) * 77, sigma_px)));
    }
  return f;
}

class PhaseFitTest : public ::testing::Test {
 protected:
  PhaseFitSettings settings{width, height, 16, 1, true, 20, 0.3, 0.4};
  std::vector<Flat> flats;

  void SetUp() override { measure({-500, 0, 500, 1000, 1500, 2000, 2500}, 0.01); }
  void measure(const std::vector<double>& z_um, double sigma_px) {
    flats.clear();
    for (const double z : z_um) flats.push_back(flat_at(z, sigma_px));
  }
  PhaseFit fit() const {
    std::vector<FlatStep> steps;
    for (const Flat& f : flats) steps.push_back(f.step());
    return fit_phase_heights(steps, settings, cpu_backend(1));
  }
  std::string refusal() const {
    try {
      fit();
      return "";
    } catch (const CalibrationError& e) {
      return e.what();
    }
  }
  PhaseCalibration calibration() const {
    const PhaseFit f = fit();
    PhaseCalibration c;
    c.id = "fp-1-a";
    c.sensor_serial = "FP-1";
    c.made_utc_s = 1'770'000'000;
    c.expires_utc_s = 1'780'000'000;
    c.operator_name = "A \"B\"";
    c.software = "test";
    c.temperature = TemperatureWindow{20.5, 18.5, 22.5};
    c.periods_px = {16, 15, 14};
    c.projector_px = 1024;
    c.settings = settings;
    c.columns = f.columns;
    c.rows = f.rows;
    c.nodes = f.nodes;
    c.node_u_um = f.node_u_um;
    for (const StepResidual& r : f.steps) c.steps.push_back({r, "000001", std::string(64, 'a')});
    c.residual_rms_um = f.residual_rms_um;
    c.u_model_um = f.u_model_um;
    return c;
  }
};

// A column is 150 um of height. Columns are floats of 300 to 500 px: 2^-16 px, in the centre, the pixel and
// t: 0.01 um. Their mixed derivative is 4600 * 0.1 / 400 * 0.001 / 400 = 3e-6 per px^2, less along the rows.
// Bilinear interpolation contains the first, quadratic surfaces at the nodes both.
TEST_F(PhaseFitTest, APinholeProjectorIsModelledExactly) {
  measure({-500, 0, 500, 1000, 1500, 2000, 2500}, 0);
  const PhaseFit f = fit();
  EXPECT_EQ(f.calibrated, f.nodes.size());
  EXPECT_LT(f.residual_rms_um, 0.01);
  const HeightModel model{settings.cell_px, f.columns, f.rows, f.nodes.data()};
  for (const double z_um : {-432.0, 77.0, 1234.5, 2345.0})
    for (const auto& [row, col] : {std::pair{0u, 0u}, {89u, 149u}, {40u, 71u}, {89u, 0u}})
      EXPECT_NEAR(height_um(model, row, col, static_cast<float>(column_of(row, col, z_um))), z_um, 0.03);
  EXPECT_TRUE(std::isnan(height_um(model, 40, 71, static_cast<float>(column_of(40, 71, 2600)))))
      << "beyond the steps nothing is said";
}

// Dust of 10 px that moves with the plate: the model absorbs part of it, the residual names its place.
TEST_F(PhaseFitTest, DustOnThePlateIsNamed) {
  EXPECT_TRUE(fit().spots.empty());
  for (Flat& f : flats)
    for (std::uint32_t row = 40; row < 50; ++row)
      for (std::uint32_t col = 66; col < 76; ++col)
        f.column[std::size_t{row} * width + col] +=
            static_cast<float>(column_of(row, col, f.z_um + 40) - column_of(row, col, f.z_um));
  const PhaseFit dusty = fit();
  ASSERT_FALSE(dusty.spots.empty());
  EXPECT_NEAR(dusty.spots[0].row, 45, 8);
  EXPECT_NEAR(dusty.spots[0].column, 71, 8);
  EXPECT_GT(dusty.spots[0].off_um, 5);
}

// A straight line leaves the pinhole's bend: z^2 / 400 mm over +- 1.5 mm, 5.6 um at its ends.
TEST_F(PhaseFitTest, WithoutTheBendWhatIsLeftStandsInItsUncertainty) {
  settings.bend = false;
  const PhaseFit straight = fit();
  settings.bend = true;
  const PhaseFit bent = fit();
  EXPECT_GT(straight.u_model_um, 1.5);
  EXPECT_GT(straight.residual_rms_um, 1.5 * bent.residual_rms_um);
  settings.bend = false;
  settings.degree = 3;
  EXPECT_LT(fit().u_model_um, bent.u_model_um * 1.05) << "a cubic follows it";
}

// Residuals are the pixels' noise: 0.01 px of 150 um. The model's own, from 33 x 33 pixels for each of 7
// steps, is far below the steps' 0.3 um and the plate's 0.4 um, together 0.5 um.
TEST_F(PhaseFitTest, NoiseIsToldFromTheModelsOwnUncertainty) {
  const PhaseFit f = fit();
  double slope_um_per_px = 1000 / (column_of(45, 75, 1500) - column_of(45, 75, 500));
  EXPECT_NEAR(f.residual_rms_um, 0.01 * slope_um_per_px, 0.05 * 0.01 * slope_um_per_px);
  for (const StepResidual& r : f.steps) EXPECT_NEAR(r.noise_um, r.rms_um, 0.05 * r.rms_um) << r.z_um;
  EXPECT_GT(f.u_model_um, 0.5);
  EXPECT_LT(f.u_model_um, 0.7);
  EXPECT_LT(f.worst_backward_error, 1e-15);
  EXPECT_LT(f.worst_condition, 100);
  settings.u_step_um = 40;
  settings.u_plate_um = 30;
  EXPECT_NEAR(fit().u_model_um, 50, 0.1);
}

TEST_F(PhaseFitTest, RefusesTooFewStepsAndOneHeightTwice) {
  measure({0, 500, 1000, 1500}, 0.01);
  EXPECT_THAT(refusal(), HasSubstr("4 steps; a model of degree 1 with bend needs 5 or more"));
  measure({0, 500, 500, 1000, 1500}, 0.01);
  EXPECT_THAT(refusal(), HasSubstr("two steps are at 0.5000 mm"));
}

TEST_F(PhaseFitTest, RefusesASetOfAnotherHeight) {
  std::swap(flats[2].column, flats[3].column);
  EXPECT_THAT(refusal(), HasSubstr("against the other steps: a set belongs to another height"));
}

TEST_F(PhaseFitTest, RefusesAResidualAboveItsLimitAndNamesTheStep) {
  flats[3] = flat_at(1060, 0.01);
  flats[3].z_um = 1000;
  EXPECT_THAT(refusal(), HasSubstr("the step at 1.0000 mm is off by"));
  settings.max_residual_um = 100;
  EXPECT_EQ(refusal(), "");
}

TEST_F(PhaseFitTest, WhereThePlateWasNotSeenNothingIsCalibrated) {
  for (std::size_t i = 0; i < flats[4].classes.size(); ++i)
    if (i % width < 60) flats[4].classes[i] = FringeClass::saturated;
  const PhaseFit f = fit();
  EXPECT_TRUE(std::isnan(f.nodes[0].per_px));
  EXPECT_FALSE(std::isnan(f.nodes.back().per_px));
  EXPECT_LT(f.calibrated, f.nodes.size());
  for (Flat& flat : flats) std::fill(flat.classes.begin(), flat.classes.end(), FringeClass::low_modulation);
  EXPECT_THAT(refusal(), HasSubstr("nowhere is the plate seen in every step"));
}

TEST_F(PhaseFitTest, AStoredCalibrationReadsBackTheSameAndNoneThatWasEdited) {
  const datum::testing::FreshFolder folder;
  const auto file = folder.path() / "a.toml";
  PhaseCalibration c = calibration();
  c.nodes[3].per_px = std::numeric_limits<float>::quiet_NaN();
  const std::string text = to_toml(c);
  std::ofstream(file) << text;
  const PhaseCalibration back = load_phase_calibration(file);
  EXPECT_EQ(to_toml(back), text);
  EXPECT_EQ(back.sha256, checksum_of(c));
  EXPECT_TRUE(std::isnan(back.nodes[3].per_px));
  EXPECT_EQ(back.operator_name, "A \"B\"");

  std::string edited = text;
  const auto at = edited.find("u_model_um = ") + 13;
  edited[at] = edited[at] == '9' ? '8' : '9';
  std::ofstream(file) << edited;
  try {
    load_phase_calibration(file);
    FAIL();
  } catch (const config::ConfigError& e) {
    EXPECT_THAT(e.what(), HasSubstr("checksum: is not that of the content"));
  }
}

TEST_F(PhaseFitTest, HoldsForItsSensorItsFringesItsTimeAndItsTemperature) {
  const PhaseCalibration c = calibration();
  FringeSettings s;
  s.periods_px = {16, 15, 14};
  s.projector_px = 1024;
  EXPECT_EQ(mismatch(c, "FP-1", s), "");
  EXPECT_THAT(mismatch(c, "FP-2", s), HasSubstr("is for sensor FP-1, the profile is of sensor FP-2"));
  s.periods_px = {15, 16, 14};
  EXPECT_THAT(mismatch(c, "FP-1", s), HasSubstr("the profile has 15, 16, 14 px"));
  const CellMoment good{1'775'000'000, 20.0, 1'774'999'999, 3600};
  EXPECT_EQ(datum::refusal(c, good), "");
  CellMoment now = good;
  now.utc_s = c.expires_utc_s;
  EXPECT_THAT(datum::refusal(c, now), HasSubstr("phase-to-height calibration 'fp-1-a' expired at"));
  now = good;
  now.temperature_degc = 25;
  EXPECT_THAT(datum::refusal(c, now), HasSubstr("the cell has 25.00 degC"));
  now.temperature_degc.reset();
  EXPECT_THAT(datum::refusal(c, now), HasSubstr("no host reported the cell's temperature"));
}

}  // namespace
}  // namespace datum
