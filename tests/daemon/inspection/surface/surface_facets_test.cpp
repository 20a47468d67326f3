// Regions judged by quantiles of deviations and by the facets of their model (PFM, FFM), through the whole stage.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/daemon/inspection/surface/surface_scan.h"

namespace datum::surface_facets_test {
namespace {

using testing::check;
using ::testing::HasSubstr;
using testing::region;
using testing::SurfaceScene;

const std::string facet_map = "[facet_map]\nlongest_mm = 1.2\ngate_mm = 1\nleast_points = 4\n";

std::string top(const std::string& checks) { return region("top", "normal = [0, 0, 1]\n", checks); }

std::string check_of(const std::string& name, double lower, double upper, double quantile = 0) {
  return check(fmt::format("\"{}\"\nlower_um = {}\nupper_um = {}\n", name, lower, upper) +
               (quantile > 0 ? fmt::format("quantile = {}", quantile) : ""));
}

/// 14 x 11 x 6 mm, its top of 5 x 5 fields of 2.8 x 2.2 mm; only the top is seen.
struct Box : SurfaceScene {
  explicit Box(const testing::Offset& offset) : SurfaceScene(testing::box_model(14, 11, 6, 5)) {
    size = "14, 11, 6";
    surface_keys = "max_noise_sigmas = 1e6\n";  // a field's two triangles may have steps
    scan(offset);
  }
  CheckVerdict judged(const std::string& one) {
    const SurfaceInspection part = inspect(recipe(top(one) + facet_map));
    if (part.verdict.components.empty()) ADD_FAILURE() << part.verdict.detail;
    return part.verdict.components.at(0).checks.at(0);
  }
  void add_noise(double sigma_mm, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(0, static_cast<float>(sigma_mm));
    for (float& z : std::get<std::vector<float>>(frame.counts)) z += normal(random);
    sensor.noise.sigma_um = {1000 * sigma_mm};
  }
};

double term(const CheckVerdict& v, const std::string& name) {
  for (const UncertaintyTerm& t : v.budget)
    if (t.name == name) return t.u;
  return -1;
}

const char* const facet_checks[] = {"pfm_mean", "pfm_maximum", "pfm_minimum",
                                    "ffm_mean", "ffm_maximum", "ffm_minimum"};

TEST(SurfaceFacets, JudgeAnOffsetByPointsAndBySurface) {
  Box scene([](const Eigen::Vector3d&) { return 0.1; });
  for (const std::string name : facet_checks) {
    // float coordinates of some hundred mm in the scan, of ten in the model: see facet_map_test
    const CheckVerdict good = scene.judged(check_of(name, 80, 120));
    EXPECT_NEAR(good.value, 100, 0.2) << name << ": " << good.detail;
    EXPECT_GT(good.u, 0) << name;
    EXPECT_EQ(good.decision, Decision::pass) << name << ": " << good.detail;
    EXPECT_EQ(scene.judged(check_of(name, 80, 99)).decision, Decision::fail) << name;
  }
  for (const std::string name : {"deviation_percentile", "pfm_percentile", "ffm_percentile"}) {
    const CheckVerdict v = scene.judged(check_of(name, 80, 120, 0.9));
    EXPECT_NEAR(v.value, 100, 0.2) << name << ": " << v.detail;
    EXPECT_EQ(v.check.parameter, 0.9);
    EXPECT_EQ(v.decision, Decision::pass) << name << ": " << v.detail;
  }
}

// One field of 25 is 300 um lower: 4 % of the area. By facets, those at the box's edges are left out: of 14 x 11 mm a ring
// less than 1.2 mm wide, and the field is then 6.2 % at most. PFM's
// circles reach beyond their facets, so as many again may lie between.
TEST(SurfaceFacets, QuantilesAreOfTheArea) {
  Box scene(
      [](const Eigen::Vector3d& p) { return std::abs(p.x()) < 1.4 && std::abs(p.y()) < 1.1 ? -0.3 : 0.0; });
  for (const std::string name : {"deviation_percentile", "pfm_percentile", "ffm_percentile"}) {
    EXPECT_NEAR(scene.judged(check_of(name, -500, 500, 0.02)).value, -300, 1) << name;
    EXPECT_NEAR(scene.judged(check_of(name, -500, 500, 0.2)).value, 0, 1) << name;
  }
  EXPECT_NEAR(scene.judged(check_of("pfm_minimum", -500, 500)).value, -300, 1);
  EXPECT_NEAR(scene.judged(check_of("ffm_minimum", -500, 500)).value, -300, 1);
  EXPECT_NEAR(scene.judged(check_of("pfm_maximum", -500, 500)).value, 0, 1);
  EXPECT_EQ(scene.judged(check_of("pfm_minimum", -290, 500)).decision, Decision::fail);
}

// What was not seen may lie anywhere: near the middle it widens U, at the ends it decides nothing.
TEST(SurfaceFacets, AQuantileOfWhatWasNotSeenIsInvalid) {
  Box scene([](const Eigen::Vector3d& p) { return 0.02 * p.x() / 7; });
  const CheckVerdict whole = scene.judged(check_of("deviation_percentile", -500, 500, 0.5));
  EXPECT_EQ(whole.reason, Reason::none) << whole.detail;
  for (int row = 0; row < 260; ++row)
    for (int col = 100; col < 125; ++col) scene.pixel(row, col) = PixelClass::no_data;  // 2.5 mm of 14
  for (const std::string name : {"deviation_percentile", "pfm_percentile", "ffm_percentile"}) {
    const CheckVerdict middle = scene.judged(check_of(name, -500, 500, 0.5));
    EXPECT_EQ(middle.reason, Reason::none) << middle.detail;
    // 10 % of an even spread of 40 um and more to either side
    EXPECT_GT(term(middle, "missing"), 2) << name;
    const CheckVerdict end = scene.judged(check_of(name, -500, 500, 0.97));
    EXPECT_EQ(end.reason, Reason::surface_coverage) << name;
    EXPECT_EQ(end.decision, Decision::invalid) << name;
    EXPECT_THAT(end.detail, HasSubstr("its quantile 0.97 may lie there")) << name;
  }
}

TEST(SurfaceFacets, TooFewFacetsWithDataAreInvalid) {
  Box scene([](const Eigen::Vector3d&) { return 0.0; });
  for (int row = 0; row < 260; ++row)
    for (int col = 0; col < 260; ++col)
      if (row % 5 != 0 || col % 5 != 0) scene.pixel(row, col) = PixelClass::no_data;  // a point in 0.25 mm^2
  // windows of one pixel and reach_mm cover the region; four neighbours with a point, which FFM needs, are nowhere
  const CheckVerdict v = scene.judged(check_of("ffm_maximum", -500, 500));
  EXPECT_EQ(v.reason, Reason::surface_coverage);
  EXPECT_THAT(v.detail, HasSubstr("0.00 % of the area of its facets have a measured surface before them"));
}

// The extreme of noisy facets lies too far out; U covers that. The truth is 0, noise 20 um a pixel: of 20 seeds at
// most 4 lie outside U with 99.7 %, where 5 % do.
TEST(SurfaceFacets, NoiseOfExtremesIsWithinU) {
  int outside = 0, outside_surface = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    Box scene([](const Eigen::Vector3d&) { return 0.0; });
    scene.add_noise(0.02, seed);
    scene.surface_keys = "correlation_px = 1\n";
    const CheckVerdict p = scene.judged(check_of("pfm_maximum", -500, 500));
    const CheckVerdict f = scene.judged(check_of("ffm_minimum", -500, 500));
    EXPECT_GT(p.value, 5) << "noise shows";
    EXPECT_LT(f.value, -20) << "noise shows";
    outside += std::abs(p.value) > 2 * p.u;
    outside_surface += std::abs(f.value) > 2 * f.u;
  }
  EXPECT_LE(outside, 4);
  EXPECT_LE(outside_surface, 4);
}

TEST(SurfaceFacets, ThreadsDoNotShow) {
  Box scene([](const Eigen::Vector3d& p) { return 0.05 * std::sin(p.x()); });
  const Recipe recipe = scene.recipe(
      top(check_of("pfm_mean", -500, 500) + check_of("ffm_percentile", -500, 500, 0.3)) + facet_map);
  const auto one = scene.inspect(recipe, 1).verdict, three = scene.inspect(recipe, 3).verdict;
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(one.components[0].checks[k].value, three.components[0].checks[k].value);
    EXPECT_EQ(one.components[0].checks[k].u, three.components[0].checks[k].u);
  }
}

TEST(SurfaceFacets, ARecipeWithoutTheirMapIsRefused) {
  Box scene([](const Eigen::Vector3d&) { return 0.0; });
  const auto refusal = [&](const std::string& rest) {
    try {
      scene.recipe(rest);
      return std::string("accepted");
    } catch (const std::exception& e) {
      return std::string(e.what());
    }
  };
  const std::string checks = top(check_of("pfm_mean", -5, 5));
  EXPECT_THAT(refusal(checks), HasSubstr("facet_map: missing, and region top has the check pfm_mean"));
  EXPECT_THAT(refusal(checks + "[facet_map]\nlongest_mm = 1\ngate_mm = 0.5\n"),
              HasSubstr("gate_mm = 0.5 is below surface.search_mm = 1"));
  EXPECT_THAT(refusal(top(check_of("pfm_percentile", -5, 5)) + facet_map), HasSubstr("quantile"));
  EXPECT_THAT(refusal(top(check_of("pfm_mean", -5, 5, 0.5)) + facet_map), HasSubstr("quantile"));
  EXPECT_THAT(refusal(top(check_of("ffm_percentile", -5, 5, 1)) + facet_map), HasSubstr("out of range"));
}

}  // namespace
}  // namespace datum::surface_facets_test
