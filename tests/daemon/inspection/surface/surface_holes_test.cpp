// Rows of touched holes: place and diameter in the model's coordinates, their budgets, and what has no value.
#include "daemon/inspection/surface/surface_holes.h"

#include <gmock/gmock.h>

#include <cmath>
#include <numbers>

#include "tests/a_calibration.h"

namespace datum::surface_holes_test {
namespace {

using ::testing::HasSubstr;

/// A part turned by 90 degrees about z; the hole's place is (10, 20, 0) of it: (80, 210, 5) in the machine.
struct Scene {
  std::shared_ptr<SurfaceRecipe> surface = std::make_shared<SurfaceRecipe>();
  Recipe recipe;
  Calibration calibration = testing::a_calibration("x");
  SurfaceModel model;
  SensorProfile sensor;
  std::vector<HtmEstimate<Machine, Sensor>> stations{1};
  HoleEvidence touched;

  Scene() {
    Eigen::Matrix4d m;
    m << 0, -1, 0, 100, 1, 0, 0, 200, 0, 0, 1, 5, 0, 0, 0, 1;
    surface->machine_from_model = Htm<Machine, Model>(m);
    surface->holes.push_back({"H1", 0, {10, 20, 0}, 8, 1, 0.5});
    Component component;
    component.reference = "H1";
    component.package = hole_package;
    const auto check = [&](Characteristic c, double lower, double upper) {
      component.checks.push_back({c, 0, std::nullopt, lower, upper});
    };
    check(Characteristic::position_x, -100, 100);
    check(Characteristic::position_y, -100, 100);
    check(Characteristic::true_position, -1, 200);
    check(Characteristic::diameter, 7900, 8100);
    recipe.components.push_back(component);
    recipe.surface = surface;
    touched.state = "DONE";
    touched.center_mm = {80.03, 210.04, 5};  // 40 um along the model's x, -30 um along its y
    touched.radius_mm = 4.01;
    touched.u_mm = {0.001, 0.002, 0.003};
    touched.touches = 8;
    stations[0].covariance.diagonal() << 0, 0, 0, 16e-6, 9e-6, 0;  // 4 and 3 um along the machine's axes
  }
  ComponentVerdict judged(std::optional<Matrix6d> alignment = std::nullopt) {
    SurfaceSources s{*surface, model, sensor, {}, stations, surface->machine_from_model};
    s.alignment = alignment;
    s.calibration = &calibration;
    return judge_hole(recipe, 0, std::span(&touched, 1), s);
  }
};

double term(const CheckVerdict& v, const std::string& name) {
  for (const UncertaintyTerm& t : v.budget)
    if (t.name == name) return t.u;
  return std::nan("");
}

// The numbers are sums of binary fractions near 200 mm: 2^-45 mm is 3e-8 um.
constexpr double rounding_um = 1e-6;

TEST(SurfaceHoles, AreJudgedInTheModelsCoordinates) {
  Scene scene;
  const ComponentVerdict row = scene.judged();
  ASSERT_EQ(row.checks.size(), 4u);
  EXPECT_NEAR(row.checks[0].value, 40, rounding_um);
  EXPECT_NEAR(row.checks[1].value, -30, rounding_um);
  EXPECT_NEAR(row.checks[2].value, 100, rounding_um) << "twice the distance";
  EXPECT_NEAR(row.checks[3].value, 8020, rounding_um);
  EXPECT_EQ(row.decision, Decision::pass);
  EXPECT_NEAR(term(row.checks[0], "touches"), 2, rounding_um) << "the model's x is the machine's y";
  EXPECT_NEAR(term(row.checks[1], "touches"), 1, rounding_um);
  EXPECT_NEAR(term(row.checks[2], "touches"), 4, rounding_um) << "twice the worse";
  EXPECT_NEAR(term(row.checks[3], "touches"), 6, rounding_um);
  EXPECT_EQ(row.hole->touches, 8u);
}

// A placement in machine coordinates knows nothing of the sensor; datums that were scanned do.
TEST(SurfaceHoles, TheSensorsPlaceEntersWhereDatumsWereScanned) {
  Scene scene;
  scene.surface->uncertainty.placement_mm = 0.005;
  EXPECT_NEAR(term(scene.judged().checks[0], "placement"), 5, rounding_um);
  EXPECT_EQ(term(scene.judged().checks[0], "calibration"), 0);
  Matrix6d alignment = Matrix6d::Zero();
  alignment.diagonal() << 0, 0, 0, 49e-6, 0, 0;  // along the model's x
  const ComponentVerdict aligned = scene.judged(alignment);
  EXPECT_NEAR(term(aligned.checks[0], "placement"), 7, rounding_um);
  EXPECT_NEAR(term(aligned.checks[1], "placement"), 0, rounding_um);
  EXPECT_NEAR(term(aligned.checks[0], "calibration"), 3, rounding_um);
  EXPECT_NEAR(term(aligned.checks[1], "calibration"), 4, rounding_um);
  const double u = std::sqrt(4 + 49 + 9);  // touches 2, placement 7, calibration 3
  EXPECT_NEAR(aligned.checks[0].u, u, 1e-5);
}

TEST(SurfaceHoles, ALongWayOnTheScalesIsLessCertain) {
  Scene scene;
  scene.calibration.stage_u.scale_ppm = {10, 10, 0};
  scene.calibration.stage_u.position_um = {0, 0, 0};
  // From the calibration's place (0, 0, 0) 210 mm along the machine's y, which is the model's x.
  EXPECT_NEAR(term(scene.judged().checks[0], "machine"), 210.04 * 10e-3, 1e-4);
  EXPECT_NEAR(term(scene.judged().checks[3], "machine"), 8.02 * 10e-3, 1e-6);
}

TEST(SurfaceHoles, WithoutACircleThereIsNoValue) {
  Scene scene;
  scene.touched.state = "GUARD";
  scene.touched.reason = Reason::hole_touch;
  scene.touched.detail = "ALARM:1";
  const ComponentVerdict row = scene.judged();
  EXPECT_EQ(row.decision, Decision::invalid);
  for (const CheckVerdict& check : row.checks) {
    EXPECT_EQ(check.reason, Reason::hole_touch);
    EXPECT_EQ(check.detail, "ALARM:1");
  }
  SurfaceSources s{
      *scene.surface, scene.model, scene.sensor, {}, scene.stations, scene.surface->machine_from_model};
  s.calibration = &scene.calibration;
  const ComponentVerdict untouched = judge_hole(scene.recipe, 0, {}, s);
  EXPECT_EQ(untouched.decision, Decision::invalid);
  EXPECT_THAT(untouched.checks[0].detail, HasSubstr("nothing was touched"));
  EXPECT_EQ(untouched.hole->state, "NOT TOUCHED");
}

TEST(SurfaceHoles, ATouchThatIsNoNumberPassesNothing) {
  Scene scene;
  scene.touched.center_mm[0] = std::nan("");
  EXPECT_EQ(scene.judged().checks[0].decision, Decision::invalid);
  scene.touched.u_mm[2] = 0.2;
  EXPECT_EQ(scene.judged().checks[3].reason, Reason::uncertainty);
}

}  // namespace
}  // namespace datum::surface_holes_test
