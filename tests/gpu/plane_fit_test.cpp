// What fit_planes promises about results: accuracy, status, invariances, refusals.
#include "gpu/plane_fit/plane_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "gpu/plane_fit/refinement.h"
#include "tests/gpu/plane_fit_scene.h"

namespace datum {
namespace {

using namespace testing;
using ::testing::HasSubstr;
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float inf = std::numeric_limits<float>::infinity();

/// Rounding a residual to 14-bit integers moves it by at most half a step, and a step is at most outer / 4096
/// with outer = 1 + boundary_share thresholds along z. The fitted plane at a corner of a uniformly filled square is a sum
/// of residuals whose weights have n * sum(w^2) = 1 + 3 + 3 there, hence sum(|w|) <= sqrt(7). x and y round
/// too, but only slopes of the residuals against the base plane (below boundary_share thresholds over the half width)
/// feel it: less than 1e-4 of the above.
double corner_rounding(double threshold_along_z) {
  return std::sqrt(7.) * (1 + plane_math::boundary_share) * threshold_along_z / 4096 / 2 * 1.001;
}

struct PaperCase {
  double inliers;
  TruePlane plane;
};
void PrintTo(const PaperCase& c, std::ostream* out) {
  *out << c.inliers << " of " << c.plane.a << " x + " << c.plane.b << " y";
}

class PaperData : public ::testing::TestWithParam<std::tuple<PaperCase, FitMode>> {};

TEST_P(PaperData, FitIsTheLeastSquaresPlaneOfTheTrueInliers) {
  const auto& [c, mode] = GetParam();
  std::vector<Scene> scenes;
  for (std::uint64_t i = 0; i < 40; ++i) scenes.push_back(paper_scene(c.plane, c.inliers, 1000 + i));
  const std::vector<PlaneFit> fits = fit_all(scenes, paper_settings(mode));
  std::vector<double> errors, least;
  for (std::size_t i = 0; i < scenes.size(); ++i) {
    const Scene& s = scenes[i];
    const PlaneFit& f = fits[i];
    ASSERT_EQ(f.status, FitStatus::ok);
    EXPECT_TRUE(f.fixed_point);
    // Inliers lie within 0.7 and outliers from 1 on, so a plane good to 0.3 keeps all inliers, and takes
    // outliers only from the shell that its own error lays open. It is the least-squares plane of just these
    // points.
    const double reach = std::sqrt(1 + f.a * f.a + f.b * f.b), blur = corner_rounding(reach);
    const auto distance = [&](std::size_t k) {
      return std::fabs(s.z[k] - (f.a * s.x[k] + f.b * s.y[k] + f.c));
    };
    std::uint32_t inside = 0, unsure = 0, lost = 0;
    for (std::size_t k = 0; k < s.x.size(); ++k) {
      inside += distance(k) <= reach;
      unsure += std::fabs(distance(k) - reach) < blur;
      lost += s.floor[k] && distance(k) > reach;
    }
    EXPECT_EQ(lost, 0u);
    EXPECT_NEAR(f.inliers, inside, unsure);
    // One point of 7 / n leverage more or less moves a corner by 7 / n of its residual.
    EXPECT_LE(
        corner_error(f, least_squares(s, [&](std::size_t k) { return distance(k) <= reach; }), 200, 200),
        blur + unsure * 7 * reach / f.inliers);
    errors.push_back(corner_error(f, c.plane, 200, 200));
    least.push_back(
        corner_error(least_squares(s, [&](std::size_t k) { return s.floor[k]; }), c.plane, 200, 200));
  }
  EXPECT_LE(median(errors), 1.1 * median(least));
  EXPECT_LE(mean(errors), 1.1 * mean(least));
  RecordProperty("median_corner_error", std::to_string(median(errors)));
  RecordProperty("least_possible", std::to_string(median(least)));
}

std::string name_of_case(const ::testing::TestParamInfo<PaperData::ParamType>& info) {
  const auto& [c, mode] = info.param;
  return std::string(mode == FitMode::exact ? "exact" : "screened") +
         (c.plane.a == 1 ? "_steep_" : "_flat_") +
         std::to_string(static_cast<int>(std::lround(100 * c.inliers)));
}

INSTANTIATE_TEST_SUITE_P(
    SectionFour, PaperData,
    ::testing::Combine(::testing::Values(PaperCase{0.5, {-0.1, 0.1, 3}}, PaperCase{0.7, {-0.1, 0.1, 3}},
                                         PaperCase{0.9, {-0.1, 0.1, 3}}, PaperCase{0.5, {1, 2, 3}},
                                         PaperCase{0.7, {1, 2, 3}}, PaperCase{0.9, {1, 2, 3}}),
                       ::testing::Values(FitMode::exact, FitMode::screened)),
    name_of_case);

/// A ring of `side` by `side` pixels at a pitch of 20 um around an empty middle, noise 5 um, a tenth gross
/// outliers.
Scene ring_scene(int side, std::uint64_t seed) {
  Scene s;
  s.half_x = s.half_y = 10.f * static_cast<float>(side - 1);
  s.seed = seed;
  Random random(seed);
  for (int row = 0; row < side; ++row) {
    for (int col = 0; col < side; ++col) {
      const double x = 20. * col - s.half_x, y = 20. * row - s.half_y;
      if (std::max(std::fabs(x), std::fabs(y)) < 0.6 * s.half_x) continue;
      const bool outlier = random.uniform() < 0.1;
      s.add(x, y, 0.01 * x - 0.005 * y + 12 + (outlier ? random.between(60, 600) : 5 * random.gauss()),
            !outlier);
    }
  }
  return s;
}

PlaneFitSettings ring_settings(FitMode mode = FitMode::screened) {
  PlaneFitSettings s;
  s.mode = mode;
  s.threshold = 7.5f;
  s.refit_threshold = 15;
  return s;
}

TEST(PlaneFit, ReportsTheStatisticsOfItsInliers) {
  const Scene s = ring_scene(120, 5);
  const PlaneFit f = fit(s, ring_settings());
  ASSERT_EQ(f.status, FitStatus::ok);
  EXPECT_TRUE(f.fixed_point);
  EXPECT_EQ(f.valid, s.x.size());
  // A point whose residual differs from the threshold by less than the plane's rounding may be told either
  // way.
  const double blur = corner_rounding(15);
  const auto residual = [&](std::size_t i) { return s.z[i] - (f.a * s.x[i] + f.b * s.y[i] + f.c); };
  std::uint32_t inside = 0, unsure = 0;
  long double squares = 0, mx = 0, my = 0, xx = 0, xy = 0, yy = 0;
  for (std::size_t i = 0; i < s.x.size(); ++i) {
    unsure += std::fabs(std::fabs(residual(i)) - 15) < blur;
    if (std::fabs(residual(i)) > 15) continue;
    ++inside;
    squares += residual(i) * residual(i), mx += s.x[i], my += s.y[i];
    xx += s.x[i] * s.x[i], xy += s.x[i] * s.y[i], yy += s.y[i] * s.y[i];
  }
  ASSERT_LE(unsure, 2u);
  EXPECT_NEAR(f.inliers, inside, unsure);
  const double n = inside, half = s.half_x, step = half / 4096, slack = 2.0 * unsure * half / n;
  EXPECT_NEAR(f.rms, std::sqrt(static_cast<double>(squares) / n), blur + unsure * 15.0 / n);
  EXPECT_NEAR(f.mean_x, static_cast<double>(mx) / n, step / 2 + slack);
  EXPECT_NEAR(f.mean_y, static_cast<double>(my) / n, step / 2 + slack);
  // Rounding moves a product x * y by at most half_x * step.
  const double moved = n * half * step + 2 * unsure * half * half;
  EXPECT_NEAR(f.sxx, static_cast<double>(xx - mx * mx / n), moved);
  EXPECT_NEAR(f.sxy, static_cast<double>(xy - mx * my / n), moved);
  EXPECT_NEAR(f.syy, static_cast<double>(yy - my * my / n), moved);
}

TEST(PlaneFit, ScalingHeightsByTwoIsExact) {
  for (const FitMode mode : {FitMode::exact, FitMode::screened}) {
    Scene s = ring_scene(80, 6);
    PlaneFitSettings settings = ring_settings(mode);
    const PlaneFit once = fit(s, settings);
    for (float& z : s.z) z *= 2;
    settings.threshold *= 2;
    settings.refit_threshold *= 2;
    PlaneFit twice = fit(s, settings);
    twice.a /= 2, twice.b /= 2, twice.c /= 2, twice.rms /= 2;
    EXPECT_EQ(bytes_of(once), bytes_of(twice));
  }
}

TEST(PlaneFit, RaisingHeightsRaisesThePlane) {
  Scene s = ring_scene(80, 7);
  for (float& z : s.z) z = std::round(z * 16) / 16;  // so that the sum below is exact
  const PlaneFit low = fit(s, ring_settings());
  for (float& z : s.z) z += 4096;
  const PlaneFit high = fit(s, ring_settings());
  EXPECT_EQ(low.inliers, high.inliers);
  const TruePlane expected{low.a, low.b, low.c + 4096};
  EXPECT_LE(corner_error(high, expected, s.half_x, s.half_y), 2 * corner_rounding(15));
}

TEST(PlaneFit, PointsWithoutAHeightCountForNothing) {
  for (const FitMode mode : {FitMode::exact, FitMode::screened}) {
    const Scene s = ring_scene(80, 8);
    Scene sparse = s;
    Random random(1);
    for (int i = 0; i < 30000; ++i)
      sparse.add(random.between(-1, 1) * s.half_x, random.between(-1, 1) * s.half_y, i % 3 ? nan : inf,
                 false);
    PlaneFitSettings settings = ring_settings(mode);
    settings.sampling = SamplingOrder::by_position;
    EXPECT_EQ(bytes_of(fit(s, settings)), bytes_of(fit(sparse, settings)));
  }
}

TEST(PlaneFit, SaysWhyThereIsNoPlane) {
  Scene s;
  s.half_x = s.half_y = 100;
  EXPECT_EQ(fit(s, ring_settings()).status, FitStatus::too_few_points);
  s.add(1, 2, 3, true);
  s.add(50, 2, 3, true);
  s.add(5, 60, nan, true);
  EXPECT_EQ(fit(s, ring_settings()).status, FitStatus::too_few_points);
  EXPECT_EQ(fit(s, ring_settings()).valid, 2u);
  s.add(5, 60, 3, true);
  const PlaneFit three = fit(s, ring_settings());
  EXPECT_EQ(three.status, FitStatus::ok);
  EXPECT_EQ(three.inliers, 3u);
  s.add(101, 0, 3, true);
  EXPECT_EQ(fit(s, ring_settings()).status, FitStatus::out_of_bounds);
  s.x.back() = nan;
  EXPECT_EQ(fit(s, ring_settings()).status, FitStatus::out_of_bounds);
  s.x.back() = 0, s.y.back() = -100.5f;
  EXPECT_EQ(fit(s, ring_settings()).status, FitStatus::out_of_bounds);
  s.z.back() = nan;  // no height: its place does not matter
  EXPECT_EQ(fit(s, ring_settings()).status, FitStatus::ok);
}

TEST(PlaneFit, RefusesInliersThatSpanNoPlane) {
  for (const FitMode mode : {FitMode::exact, FitMode::screened}) {
    for (const double slope : {0.0, 0.7}) {
      Scene line;
      line.half_x = line.half_y = 1000;
      for (int i = -500; i <= 500; ++i) line.add(2 * i, 2 * i * slope, 5, true);
      EXPECT_EQ(fit(line, ring_settings(mode)).status, FitStatus::no_consensus) << slope;
    }
    Scene flat = ring_scene(40, 3);
    flat.half_y = 0;
    for (float& y : flat.y) y = 0;
    EXPECT_EQ(fit(flat, ring_settings(mode)).status, FitStatus::no_consensus);
    Scene same;
    same.half_x = same.half_y = 10;
    for (int i = 0; i < 100; ++i) same.add(1, 1, 1, true);
    EXPECT_EQ(fit(same, ring_settings(mode)).status, FitStatus::no_consensus);
  }
}

TEST(PlaneFit, SurvivesExtremeHeights) {
  for (const FitMode mode : {FitMode::exact, FitMode::screened}) {
    Scene s = ring_scene(60, 9);
    const PlaneFit expected = fit(s, ring_settings(mode));
    for (std::size_t i = 0; i < s.z.size(); i += 11) s.z[i] = i % 2 ? 3e38f : -3e38f;
    const PlaneFit f = fit(s, ring_settings(mode));
    ASSERT_EQ(f.status, FitStatus::ok);
    EXPECT_NEAR(f.c, expected.c, 1);
    Scene wall;  // slope 1e6
    wall.half_x = wall.half_y = 100;
    for (int i = 0; i < 1000; ++i) {
      const int x = i % 100 - 50, y = i / 10 - 50;
      wall.add(x, y, 1e6 * x, true);
    }
    const PlaneFit steep = fit(wall, ring_settings(mode));
    EXPECT_EQ(steep.status, FitStatus::ok);
    EXPECT_NEAR(steep.a, 1e6, 1);
  }
}

TEST(PlaneFit, RefusesSettingsThatMeanNothing) {
  const Scene s = ring_scene(20, 1);
  const auto message = [&](const PlaneFitSettings& settings, const Scene& scene) -> std::string {
    try {
      fit(scene, settings);
    } catch (const std::invalid_argument& e) {
      return e.what();
    }
    return "accepted";
  };
  const auto with = [](auto change) {
    PlaneFitSettings settings = ring_settings();
    change(settings);
    return settings;
  };
  for (const float bad : {0.f, -1.f, nan, inf, 1e13f, 1e-13f})
    EXPECT_THAT(message(with([&](auto& v) { v.threshold = bad, v.refit_threshold = 0; }), s),
                HasSubstr("plane fit: threshold is"));
  for (const float bad : {7.f, -1.f, nan, inf})
    EXPECT_THAT(message(with([&](auto& v) { v.refit_threshold = bad; }), s), HasSubstr("refit_threshold is"));
  for (const double bad : {0., 1., -0.5, 2., double(nan)})
    EXPECT_THAT(message(with([&](auto& v) { v.confidence = bad; }), s), HasSubstr("confidence is"));
  EXPECT_THAT(message(with([&](auto& v) { v.max_hypotheses = 0; }), s),
              HasSubstr("max_hypotheses is 0; allowed: 1 or more"));
  for (const float bad : {-1.f, nan, inf}) {
    Scene wrong = s;
    wrong.half_y = bad;
    EXPECT_THAT(message(ring_settings(), wrong), HasSubstr("plane 0: half width is"));
  }
  const PlanePoints null{nullptr, nullptr, nullptr, 5, 1, 1, 0};
  PlaneFit out;
  EXPECT_THROW(fit_planes(&null, 1, ring_settings(), cpu_backend(1), &out), std::invalid_argument);
  EXPECT_THROW(fit_planes(nullptr, 1, ring_settings(), cpu_backend(1), &out), std::invalid_argument);
  EXPECT_NO_THROW(fit_planes(nullptr, 0, ring_settings(), cpu_backend(1), nullptr));
}

}  // namespace
}  // namespace datum
