#include "calib/artefact/lines_artefact.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <fstream>
#include <regex>
#include <sstream>

#include "calib/artefact/grey_edges.h"
#include "config/toml_reader.h"
#include "tests/calib/artefact/artefact_poses.h"
#include "tests/calib/artefact/lines_picture.h"
#include "tests/fresh_folder.h"
#include "tests/refusal.h"

namespace datum {
namespace {

using ::testing::HasSubstr;
using testing::mounting;
using testing::Picture;
using testing::picture;
using testing::pose;

constexpr double deg = 180 / std::numbers::pi;
const std::filesystem::path sample =
    std::filesystem::path(DATUM_SOURCE_DIR) / "config/artefacts/plane-and-lines.toml";

/// The sample with perfect lines and plate.
LinesDrawing ideal() {
  LinesDrawing d = load_lines_drawing(sample);
  d.form_um = d.edge_um = 0;
  return d;
}

std::string refusal_of(const HeightFrame& frame, const LinesDrawing& drawing) {
  return testing::refusal_of<SegmentationRefused>([&] { locate_lines(frame, drawing); });
}

TEST(GreyEdges, AveragesOverSymmetricWindows) {
  const std::vector<double> grey{0, 10, 20, 60, 10};
  EXPECT_EQ(moving_average(grey, 1), (std::vector<double>{0, 10, 30, 30, 10}));
  EXPECT_EQ(moving_average(grey, 2), (std::vector<double>{0, 10, 20, 30, 10}));
  EXPECT_EQ(moving_average(grey, 0), grey);
}

// Pixels integrate: an edge at 3.3 leaves pixel 3 (from 2.5 to 3.5) bright with a share of 0.8.
TEST(GreyEdges, FindAStepWithinAPixelExactly) {
  std::vector<double> grey(40, 200);
  const double left = 12.3, right = 25.9;
  for (std::size_t i = 0; i < grey.size(); ++i) {
    const double from = static_cast<double>(i) - 0.5, to = from + 1;
    grey[i] -= 150 * std::max(0.0, std::min(to, right) - std::max(from, left));
  }
  const auto run = dark_line(grey, 19, 13.6, 30, 2);
  ASSERT_TRUE(run);
  EXPECT_NEAR(run->left, left, 1e-12);
  EXPECT_NEAR(run->right, right, 1e-12);
  const auto runs = dark_runs(moving_average(grey, 2), 125);
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_NEAR(runs[0].middle(), (left + right) / 2, 1e-12);
  EXPECT_NEAR(runs[0].width(), right - left, 1e-12);
  EXPECT_FALSE(dark_line(grey, 19, 13.6, 160, 2)) << "too little contrast";
  EXPECT_FALSE(dark_line(grey, 19, 9, 30, 2)) << "another width";
  EXPECT_FALSE(dark_line(grey, 5, 13.6, 30, 2)) << "another place";
}

// Brighter on one side: each flank is evaluated at half of its own height.
TEST(GreyEdges, UnevenBrightnessMovesNoEdge) {
  std::vector<double> grey(40, 60);
  for (std::size_t i = 0; i <= 12; ++i) grey[i] = 200;
  for (std::size_t i = 27; i < 40; ++i) grey[i] = 120;
  grey[12] = 60 + 0.8 * 140;  // bright up to 12.3
  grey[26] = 60 + 0.6 * 60;   // bright from 25.9
  const auto run = dark_line(grey, 19, 13.6, 30, 2);
  ASSERT_TRUE(run);
  EXPECT_NEAR(run->left, 12.3, 1e-12);
  EXPECT_NEAR(run->right, 25.9, 1e-12);
}

TEST(LinesArtefact, FindsThePoseAndItsCovarianceIsHonest) {
  const LinesDrawing drawing = ideal();
  testing::Inside inside;
  double worst_deg = 0, worst_um = 0;
  for (std::uint64_t k = 0; k < 60; ++k) {
    const auto truth = mounting<Sensor>(k);
    Picture p;
    p.seed = k;
    const LinesLocation found = locate_lines(picture(drawing, truth, p), drawing);
    inside.add(difference(found.estimate.htm, truth), found.estimate.covariance);
    const Vector6d u = 2 * found.estimate.covariance.diagonal().cwiseSqrt();
    worst_deg = std::max(worst_deg, u.head<3>().maxCoeff() * deg);
    worst_um = std::max(worst_um, 1e3 * u.tail<3>().maxCoeff());
    EXPECT_NEAR(found.long_line.width_mm, drawing.long_line.width_mm, 0.03) << "of its cosine at 8 degrees";
    EXPECT_NEAR(found.plane_sigma_um, 10, 0.3);
  }
  // The share of 60 intervals of 95.45 % has a standard deviation of 2.7 %: four of them.
  for (int i = 0; i < 6; ++i) EXPECT_GE(inside.share[i], 0.85) << i;
  EXPECT_LT(worst_deg, 0.01);
  EXPECT_LT(worst_um, 5);
  std::printf("60 mountings, 3 grey levels of noise: U(k=2) up to %.5f deg, %.3f um; inside", worst_deg,
              worst_um);
  for (double share : inside.share) std::printf(" %.3f", share);
  std::printf("\n");
}

// Light that falls off by 30 % towards the corners changes by 1 % over one edge of 5 pixels. This shifts the
// half height by 1 % of that, 7 um, at most equally at both edges.
TEST(LinesArtefact, UnevenLightMovesNoLine) {
  const LinesDrawing drawing = ideal();
  const auto truth = mounting<Sensor>(3);
  Picture p;
  p.falloff = 0.3;
  p.grey_noise = 0;
  const Vector6d error = difference(locate_lines(picture(drawing, truth, p), drawing).estimate.htm, truth);
  EXPECT_LT(error.tail<3>().norm(), 0.007) << error.transpose();
  EXPECT_LT(error.head<3>().norm() * deg, 0.01) << error.transpose();
}

TEST(LinesArtefact, WhatTheDrawingStatesOfLinesAndPlateIsInTheCovariance) {
  const LinesDrawing drawing = load_lines_drawing(sample);
  const auto found = locate_lines(picture(drawing, pose<Sensor>({0, 0, 0}, {3, 8, 0}), {}), drawing).estimate;
  const auto u = [&](int i) { return std::sqrt(found.covariance(i, i)); };
  // x and y at the origin: 5 um of shift, and 5 um over half the length; the fitted middles are 5 mm and 21
  // mm away.
  EXPECT_NEAR(u(3), 0.005 * std::hypot(1, 5 / 23.0), 0.0003);
  EXPECT_NEAR(u(4), 0.005 * std::hypot(1, 21 / 15.0), 0.0005);
  EXPECT_NEAR(u(2), 0.005 / 23, 1e-5);
  EXPECT_GT(u(5), 0.002);
}

TEST(LinesArtefact, RefusesWithTheReason) {
  const LinesDrawing drawing = ideal();
  const auto at = mounting<Sensor>(1);
  HeightFrame frame = picture(drawing, at, {});
  frame.intensity.reset();
  EXPECT_EQ(refusal_of(frame, drawing),
            "the frame has no grey image: switch the sensor's intensity output on");
  frame = picture(drawing, at, {});
  frame.delivered = Handedness::left;
  EXPECT_EQ(refusal_of(frame, drawing), "the frame is left-handed: mirror it first");
  const auto of = [&](auto change) {
    LinesDrawing other = drawing;
    change(other);
    return refusal_of(picture(other, at, {}), drawing);
  };
  EXPECT_EQ(of([](LinesDrawing&) {}), "(accepted)");
  EXPECT_THAT(of([](LinesDrawing& d) { d.long_line.width_mm = 3.5; }), HasSubstr("the long line is 3.50"));
  EXPECT_THAT(of([](LinesDrawing& d) {
                d.long_line = {3.175, -28, 18};
                d.plate.y_min_mm = -32;
              }),
              HasSubstr("the long line"));
  EXPECT_THAT(of([](LinesDrawing& d) { d.short_line = {3.175, -36, -6}; }), HasSubstr("the short line"));
  EXPECT_THAT(of([](LinesDrawing& d) {
                d.long_line.to_mm = 31;
                d.long_line.from_mm = -21;
              }),
              HasSubstr("goes on beyond its drawn ends"));
  EXPECT_THAT(of([](LinesDrawing& d) {
                d.short_line = {0.5, 6, 36};
              }),
              HasSubstr("the short line is not found"));
  frame = picture(drawing, pose<Sensor>({0, 0, 0}, {0, 0, 0}), {});
  for (int row = 0; row < frame.rows; ++row) {
    const double y = frame.y.at(row);
    if (y < 10 || y > 25) continue;  // 15 of its 46 mm
    for (int col = 0; col < frame.cols; ++col)
      frame.intensity->grey[static_cast<std::size_t>(row) * frame.cols + col] = 190;
  }
  EXPECT_THAT(refusal_of(frame, drawing), HasSubstr("the long line is seen at "));
  Picture bent;
  bent.bend_um = 100;
  EXPECT_THAT(refusal_of(picture(drawing, at, bent), drawing), HasSubstr("it is bent or dirty"));
  Picture noisy;
  noisy.height_um = 80;
  EXPECT_THAT(refusal_of(picture(drawing, at, noisy), drawing), HasSubstr("the plate's points scatter by"));
  EXPECT_THAT(refusal_of(picture(drawing, pose<Sensor>({0, 0, 0.4}, {0, 0, 0}), {}), drawing),
              HasSubstr("turned by -22.9 deg"));
  EXPECT_THAT(refusal_of(picture(drawing, pose<Sensor>({0.22, 0, 0}, {0, 0, 0}), {}), drawing),
              HasSubstr("tilted by 12.6 deg"));
  // Rows and columns of unequal scale, from a sensor with a wrong profile, at 8 degrees.
  frame = picture(drawing, pose<Sensor>({0, 0, 0.14}, {0, 0, 0}), {});
  frame.y.scale_mm *= 1.03;
  EXPECT_THAT(refusal_of(frame, drawing), HasSubstr("the lines meet at"));
}

// A mirrored snapshot shows the short line on the left.
TEST(LinesArtefact, AMirroredSnapshotIsRefused) {
  const LinesDrawing drawing = ideal();
  HeightFrame frame = picture(drawing, mounting<Sensor>(1), {});
  frame.delivered = Handedness::left;  // mirroring then flips the image
  mirror_to_right_handed(frame);
  EXPECT_THAT(refusal_of(frame, drawing), HasSubstr("the short line"));
}

TEST(LinesDrawing, SampleAndRefusals) {
  std::ifstream in(sample);
  std::ostringstream all;
  all << in.rdbuf();
  const auto why = [&](const std::string& from, const std::string& to) {
    std::string text = all.str();
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    const testing::FreshFolder folder;
    try {
      load_lines_drawing(folder.write("l.toml", text.replace(at, from.size(), to)));
    } catch (const config::ConfigError& error) {
      return std::regex_replace(std::string(error.what()), std::regex("^.*l\\.toml:[0-9]+:[0-9]+: "), "");
    }
    return std::string("(accepted)");
  };
  EXPECT_EQ(why("form_um = 2.0", "form_um = 2.5"), "(accepted)");
  EXPECT_EQ(
      why("ends_mm = [-18.0, 28.0]", "ends_mm = [-18.0, 38.0]"),
      "long_line.ends_mm: is no line on the plate; allowed: the lower and the higher end, from -22 to 32");
  EXPECT_EQ(why("ends_mm = [6.0, 36.0]", "ends_mm = [6.0, 12.0]"),
            "short_line.ends_mm: the line is shorter than four times its width; allowed: a longer or "
            "narrower line");
  EXPECT_EQ(why("edge_um = 5.0", "edge_mm = 5.0").substr(0, 18), "tolerance.edge_um:");
  EXPECT_EQ(why("\"plane-and-lines\"", "\"angled-slot\""),
            "kind: 'angled-slot' is not known; allowed: one of: plane-and-lines");
}

}  // namespace
}  // namespace datum
