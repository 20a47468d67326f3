// A part whose corners lie on the sensor's pixels: points that belong to a datum under one pose and not under the next.
#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "calib/registration/model_fit_step.h"
#include "daemon/inspection/surface/surface_alignment.h"
#include "daemon/inspection/surface/surface_placing.h"

namespace datum::surface_lattice_test {
namespace {

using Eigen::Vector3d;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

enum Region : std::uint16_t { top, front, left, others };

/// A plate whose top is 40 x 30 mm and whose four sides fall at 45 degrees by 4 mm; seen straight down in pixels of
/// 0.25 mm, so that every corner is a pixel.
struct Plate {
  HeightFrame frame;
  std::shared_ptr<TriangleModel> triangles;
  std::unique_ptr<ModelSearch> search;
  std::vector<std::uint16_t> region_of_facet;

  static double z_mm(double x, double y) { return std::min({0.0, x, y, 40 - x, 30 - y}); }

  /// burr_mm: of a ridge on the front side, 2 mm wide, near the end at +x.
  explicit Plate(double noise_um, unsigned seed = 1, double burr_mm = 0) {
    frame.rows = 153;
    frame.cols = 193;
    frame.x = frame.y = {0.25, -4};
    frame.z = {1, 0};
    std::mt19937_64 random(seed);
    std::normal_distribution<double> noise(0, noise_um * 1e-3);
    std::vector<float> z;
    for (int row = 0; row < frame.rows; ++row)
      for (int col = 0; col < frame.cols; ++col) {
        const double x = frame.x.at(col), y = frame.y.at(row);
        const bool on_burr = y < 0 && x > 34 && x < 36;
        frame.classes.push_back(z_mm(x, y) < -4 ? PixelClass::no_data : PixelClass::ok);
        z.push_back(static_cast<float>(z_mm(x, y) + noise(random) + (on_burr ? burr_mm : 0)));
      }
    frame.counts = z;
    make_model();
  }

  PlacedPart placed(double max_datum_pull_um) const {
    SurfaceRecipe recipe;
    recipe.machine_from_model = Htm<Machine, Model>();
    recipe.alignment.emplace();
    recipe.alignment->datums = {top, front, left};
    recipe.alignment->search_mm = 1.5;
    recipe.alignment->max_datum_pull_um = max_datum_pull_um;
    SurfaceModel model;
    model.triangles = triangles;
    model.search = std::make_shared<ModelSearch>(triangles);
    model.region_of_facet = region_of_facet;
    model.regions.resize(4);
    model.regions[top].name = "top";
    model.regions[front].name = "front";
    model.regions[left].name = "left";
    const HeightFrame* const frames[] = {&frame};
    return place_part(recipe, model, frames, {}, cpu_backend(2));
  }

  RegionModel model() const { return {triangles, search.get(), region_of_facet}; }

  ModelFit aligned(const Vector6d& off) const {
    const PlacedFrame placed{&frame, Htm<Machine, Sensor>()};
    const std::vector<std::uint16_t> datums{top, front, left};
    const Htm<Machine, Model> start(model_fit::motion_of({{20, 15, 0}, 1}, off));
    return align_to_datums(model(), {&placed, 1}, datums, start, AlignmentSettings{1.5}, cpu_backend(2));
  }

 private:
  void make_model() {
    RawModel raw;
    const auto quad = [&](const Vector3d& a, const Vector3d& b, const Vector3d& c, const Vector3d& d,
                          Region region) {
      const auto n = static_cast<std::uint32_t>(raw.vertices.size());
      for (const Vector3d& v : {a, b, c, d}) raw.vertices.push_back({v.x(), v.y(), v.z()});
      raw.facets.push_back({n, n + 1, n + 2});
      raw.facets.push_back({n, n + 2, n + 3});
      regions.insert(regions.end(), 2, region);
    };
    const Vector3d a(0, 0, 0), b(40, 0, 0), c(40, 30, 0), d(0, 30, 0);
    const Vector3d e(-4, -4, -4), f(44, -4, -4), g(44, 34, -4), h(-4, 34, -4);
    quad(a, b, c, d, top);
    quad(e, f, b, a, front);
    quad(h, e, a, d, left);
    quad(f, g, c, b, others);
    quad(g, h, d, c, others);
    triangles = std::make_shared<TriangleModel>(triangle_model(raw));
    search = std::make_unique<ModelSearch>(triangles);
    for (const std::uint32_t i : triangles->facet) region_of_facet.push_back(regions[i]);
  }
  std::vector<std::uint16_t> regions;
};

Vector6d by_hand() { return (Vector6d() << 3e-3, -2e-3, 3.5e-3, 0.3, -0.2, 0.15).finished(); }

TEST(SurfaceLattice, APartWhoseCornersArePixelsSettles) {
  for (const double noise_um : {0.0, 1.0, 5.0, 20.0})
    for (const bool off : {false, true}) {
      const Plate plate(noise_um);
      const ModelFit fit = plate.aligned(off ? by_hand() : Vector6d(Vector6d::Zero()));
      EXPECT_THAT(fit.refusal, IsEmpty()) << noise_um << " um, " << off;
      // where it truly is: at the origin
      for (const Vector3d& place : {Vector3d(0, 0, 0), Vector3d(40, 30, 0)}) {
        const Vector3d error = fit.model_from_machine.htm * place - place;
        const Eigen::Matrix3d covariance = point_covariance(fit.model_from_machine, place);
        for (int k = 0; k < 3; ++k)
          EXPECT_LE(std::abs(error[k]), 4 * std::sqrt(covariance(k, k)) + 0.1e-3)
              << noise_um << " um, " << off;
      }
    }
}

// A ridge of 0.3 mm, 2 mm wide, near an end of the side that turns the part: it moves the side by about 0.3 mm 2 / 40 / sqrt 2
// = 11 um on the whole, and turns it.
TEST(SurfaceLattice, ABurrOnADatumIsNamed) {
  const Plate good(2), burred(2, 1, 0.3);
  const ModelFit fit = good.aligned(by_hand()), turned = burred.aligned(by_hand());
  ASSERT_THAT(fit.refusal, IsEmpty());
  for (const FitStep& step : fit.steps) EXPECT_LT(step.off.pull_mm, 1e-3);
  ASSERT_EQ(turned.steps.size(), 3u);
  const OffDatum& off = turned.steps[1].off;
  EXPECT_GT(off.groups, 0u);
  EXPECT_GT(off.pull_mm, 8e-3);
  EXPECT_GT(off.largest_mm, 0.1);
  EXPECT_NEAR(off.at_mm.x(), 35, 2);
  EXPECT_LT(off.at_mm.y(), 0);
  EXPECT_LT(turned.steps[0].off.pull_mm, 1e-3);
}

TEST(SurfaceLattice, ABurrThatMovesThePartRefusesIt) {
  const Plate burred(2, 1, 0.3);
  const PlacedPart part = burred.placed(5);
  for (const char* word : {"datum 2 (region front): ", "stand off it", "move the part by ",
                           "alignment.max_datum_pull_um allows 5 um", "burr or dirt"})
    EXPECT_THAT(part.refusal, HasSubstr(word));
  ASSERT_TRUE(part.evidence);
  EXPECT_GT(part.evidence->datums[1].off_pull_um.value_or(0), 5);
  EXPECT_THAT(burred.placed(100).refusal, IsEmpty());
  EXPECT_THAT(Plate(2).placed(1).refusal, IsEmpty());
}

}  // namespace
}  // namespace datum::surface_lattice_test
