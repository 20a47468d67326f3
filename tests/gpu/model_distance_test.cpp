// Signed distances against all facets, against double arithmetic and against shapes whose distances are known.
#include "gpu/model_distance/model_distance.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <limits>

#include "gpu/model_distance/facet_tree.h"
#include "gpu/model_distance/model_distance_finish.h"
#include "tests/gpu/model_scenes.h"

namespace datum {
namespace {

using namespace testing;
using Eigen::Vector3d;

/// Least distance by dividing the plane of the facet into its seven regions (Ericson, Real-Time Collision Detection, 5.1.5),
/// in double.
double true_distance(const TriangleModel& m, std::size_t i, const ModelPoint& at) {
  const auto corner = [&](int k) {
    const auto& c = m.corner[i][static_cast<std::size_t>(k)];
    return Vector3d(c[0], c[1], c[2]);
  };
  const Vector3d a = corner(0), b = corner(1), c = corner(2), p(at.x, at.y, at.z);
  const Vector3d n = (b - a).cross(c - a);
  const auto on_side = [&](const Vector3d& u, const Vector3d& v) {
    const double t = std::clamp((p - u).dot(v - u) / (v - u).squaredNorm(), 0.0, 1.0);
    return (p - (u + t * (v - u))).norm();
  };
  const auto inner = [&](const Vector3d& u, const Vector3d& v) { return n.cross(v - u).dot(p - u) >= 0; };
  if (inner(a, b) && inner(b, c) && inner(c, a)) return std::fabs(n.normalized().dot(p - a));
  return std::min({on_side(a, b), on_side(b, c), on_side(c, a)});
}

TEST(ModelDistance, IsTheLeastOfAllFacets) {
  for (const std::size_t facets : {1, 7, 8, 9, 64, 65, 700}) {
    const TriangleModel model = triangle_model(soup_model(facets, facets));
    const auto points = points_in_cube(1500, 14, 3);
    const auto found = find(model, points, 100);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const ModelPoint& p = points[i];
      float least = std::numeric_limits<float>::infinity();
      std::uint32_t facet = 0;
      double truth = 1e9;
      for (std::uint32_t k = 0; k < model.corner.size(); ++k) {
        const float square = model::square_of(model::facet_of(model, k), p.x, p.y, p.z);
        if (square < least) {
          least = square;
          facet = k;
        }
        truth = std::min(truth, true_distance(model, k, p));
      }
      EXPECT_EQ(found[i].facet, facet) << facets << " facets, point " << i;
      EXPECT_EQ(std::fabs(found[i].distance), std::sqrt(least));
      // coordinates up to 14, lengths up to 14 sqrt(12): a dozen roundings of 2^-24 on them
      EXPECT_NEAR(std::fabs(found[i].distance), truth, 12 * std::ldexp(49, -24));
    }
  }
}

TEST(ModelDistance, BytesDependOnNeitherInstructionSetNorThreadsNorOrder) {
  const TriangleModel model = triangle_model(soup_model(3000, 5));
  const auto points = points_in_cube(5000, 12, 6);
  Backend backend = cpu_backend(1);
  const Isa best = backend.isa;
  backend.isa = Isa::scalar;
  const auto expected = find(model, points, 3, backend);
  for (const Isa isa : {best, best == Isa::avx512 ? Isa::avx2 : best})
    for (const unsigned threads : {1u, 3u}) {
      backend.isa = isa;
      backend.threads = threads;
      EXPECT_EQ(bytes_of(find(model, points, 3, backend)), bytes_of(expected)) << describe(backend);
    }
  std::vector<ModelPoint> turned(points.rbegin(), points.rend());
  auto back = find(model, turned, 3, backend);
  std::reverse(back.begin(), back.end());
  EXPECT_EQ(bytes_of(back), bytes_of(expected));
}

/// Points 100 um off a surface, in mm; the mean error of the distance in um, and how many signs are wrong.
struct OffsetError {
  double mean_um = 0;
  int wrong = 0, used = 0;
};
template <class Truth>
OffsetError offset_error(const RawModel& raw, const std::vector<ModelPoint>& points, const Truth& truth) {
  const TriangleModel model = triangle_model(raw);
  const auto found = find(model, points, 5);
  OffsetError e;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (found[i].kind != MatchClass::face) continue;
    const double expected = truth(points[i]);
    e.mean_um += 1000 * (found[i].distance - expected);
    e.wrong += (found[i].distance < 0) != (expected < 0);
    ++e.used;
  }
  e.mean_um /= e.used;
  return e;
}

TEST(ModelDistance, OffABoxIsWhatItIs) {
  std::vector<ModelPoint> points;
  std::mt19937_64 random(8);
  std::uniform_real_distribution<float> along(-19, 19);
  for (int i = 0; i < 20000; ++i) {
    float p[3] = {along(random), along(random), along(random)};
    p[i % 3] = (i & 8 ? 1.f : -1.f) * (20 + (i & 16 ? 1.f : -1.f) * (i & 32 ? 0.1f : 5e-4f));
    points.push_back({p[0], p[1], p[2]});
  }
  const auto e = offset_error(box_model(40, 40, 40, 9), points, [](const ModelPoint& p) {
    return std::max({std::fabs(p.x), std::fabs(p.y), std::fabs(p.z)}) - 20.0;
  });
  EXPECT_LT(std::fabs(e.mean_um), 0.05);
  EXPECT_EQ(e.wrong, 0);
  EXPECT_EQ(e.used, 20000);
}

TEST(ModelDistance, OffAPlaneIsWhatItIs) {
  RawModel raw;
  add_patch(raw, 50, 50, [](double u, double v) {
    return Place3{80 * (u - 0.5), 80 * (v - 0.5), 3 * u + 2 * v};
  });
  const double slope = std::sqrt(1 + std::pow(3 / 80., 2) + std::pow(2 / 80., 2));
  auto points = points_in_cube(20000, 38, 9);
  for (std::size_t i = 0; i < points.size(); ++i)
    points[i].z =
        static_cast<float>(3 * points[i].x / 80 + 2 * points[i].y / 80 + (i % 2 ? 0.1 : -0.1) * slope);
  const auto e = offset_error(raw, points, [&](const ModelPoint& p) {
    return (double{p.z} - 3 * double{p.x} / 80 - 2 * double{p.y} / 80) / slope;
  });
  EXPECT_LT(std::fabs(e.mean_um), 0.05);
  EXPECT_EQ(e.wrong, 0);
  EXPECT_EQ(e.used, 20000);
}

TEST(ModelDistance, OffASphereIsWhatItIs) {
  // Cells of pi / 250: a chord lies up to (pi / 250)^2 / 8 = 0.020 um within, the middle of a cell twice that.
  std::mt19937_64 random(10);
  std::normal_distribution<double> normal;
  std::vector<ModelPoint> points;
  for (int i = 0; i < 20000; ++i) {
    const Vector3d d =
        Vector3d(normal(random), normal(random), normal(random)).normalized() * (i % 2 ? 1.1 : 0.9);
    points.push_back({static_cast<float>(d.x()), static_cast<float>(d.y()), static_cast<float>(d.z())});
  }
  const auto e = offset_error(sphere_model(1, 250), points,
                              [](const ModelPoint& p) { return Vector3d(p.x, p.y, p.z).norm() - 1; });
  EXPECT_LT(std::fabs(e.mean_um), 0.05);
  EXPECT_EQ(e.wrong, 0);
  EXPECT_GT(e.used, 19900);
}

TEST(ModelDistance, OffAConeIsWhatItIs) {
  // radius 5, height 10, sectors of 5 x 2 pi / 2500 at the rim: a chord lies 0.004 um within
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> unit(0, 1);
  const double slant = std::sqrt(125.0);
  std::vector<ModelPoint> points;
  for (int i = 0; i < 20000; ++i) {
    const double u = 0.1 + 0.8 * unit(random), turn = 2 * M_PI * unit(random), off = i % 2 ? 0.1 : -0.1;
    const double ring = 5 * u + off * 10 / slant;
    points.push_back(
        {static_cast<float>(ring * std::cos(turn)), static_cast<float>(ring * std::sin(turn)),
         static_cast<float>(10 * (1 - u) + off * 5 / slant - 5)});  // the model's origin is at half height
  }
  const auto e = offset_error(cone_model(5, 10, 40, 2500), points, [&](const ModelPoint& p) {
    return (std::hypot(double{p.x}, double{p.y}) - 5 * (1 - (double{p.z} + 5) / 10)) * 10 / slant;
  });
  EXPECT_LT(std::fabs(e.mean_um), 0.05);
  EXPECT_EQ(e.wrong, 0);
  EXPECT_GT(e.used, 19900);
}

/// A thin spike: beside its tip the nearest facet's own normal points the wrong way for half of the places.
TEST(ModelDistance, TheSideIsRightAroundSharpEdgesAndTips) {
  RawModel raw;
  raw.vertices = {{0, 0, 10}, {0.3, 0, 0}, {-0.2, 0.2, 0}, {-0.2, -0.3, 0}};
  raw.facets = {{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {1, 3, 2}};
  const TriangleModel model = triangle_model(raw);
  EXPECT_EQ(model.faults.open_edges + model.faults.turned_edges, 0u);
  const auto points = points_in_cube(40000, 6, 12);
  const auto found = find(model, points, 50);
  int inside = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    double deepest = -1e9;  // the spike is convex: inside of all four planes
    for (const auto& c : model.corner) {
      const Vector3d a(c[0][0], c[0][1], c[0][2]), b(c[1][0], c[1][1], c[1][2]), d(c[2][0], c[2][1], c[2][2]);
      deepest = std::max(deepest, (b - a).cross(d - a).normalized().dot(
                                      Vector3d(points[i].x, points[i].y, points[i].z) - a));
    }
    if (std::fabs(deepest) < 1e-5) continue;
    inside += deepest < 0;
    EXPECT_EQ(found[i].distance < 0, deepest < 0) << i;
  }
  EXPECT_GT(inside, 10);
}

TEST(ModelDistance, ClassesSayWhatADistanceIsWorth) {
  const TriangleModel box = triangle_model(box_model(10, 10, 10, 4));
  const float nan = std::numeric_limits<float>::quiet_NaN(),
              infinite = std::numeric_limits<float>::infinity();
  const std::vector<ModelPoint> points{{1, 2, 5.5f},       {6, 6, 1},    {6, 6, 6},   {0, 0, 5 + 2.f},
                                       {0, 0, 5 + 2.001f}, {nan, 0, 0},  {0, nan, 5}, {0, 0, nan},
                                       {infinite, 0, 0},   {1e20f, 0, 0}};
  const auto found = find(box, points, 2);
  const MatchClass expected[] = {MatchClass::face,    MatchClass::edge,    MatchClass::edge,
                                 MatchClass::face,    MatchClass::no_data, MatchClass::no_data,
                                 MatchClass::no_data, MatchClass::no_data, MatchClass::no_data,
                                 MatchClass::no_data};
  for (std::size_t i = 0; i < points.size(); ++i) EXPECT_EQ(found[i].kind, expected[i]) << i;
  EXPECT_EQ(found[3].distance, 2);
  EXPECT_FLOAT_EQ(found[2].distance, std::sqrt(3.f));

  const TriangleModel cone = triangle_model(cone_model(5, 10, 20, 90));
  EXPECT_EQ(cone.faults.open_edges, 90u);
  const auto at = find(cone, {{0, 0, 6}, {6, 0, -5.5f}, {3, 0.01f, 1}}, 5);
  EXPECT_EQ(at[0].kind, MatchClass::edge) << "the tip";
  EXPECT_EQ(at[1].kind, MatchClass::rim);
  EXPECT_EQ(at[2].kind, MatchClass::face);
}

TEST(TriangleModel, CountsWhatAFileLeavesToBeDesired) {
  RawModel raw = box_model(2, 2, 2, 1);
  EXPECT_EQ(triangle_model(raw).corner.size(), 12u);
  EXPECT_EQ(triangle_model(raw).faults.open_edges, 0u) << "patches with vertices of their own are welded";
  std::swap(raw.facets[0][0], raw.facets[0][1]);
  EXPECT_EQ(triangle_model(raw).faults.turned_edges, 3u);
  raw.facets.push_back({raw.facets[3][0], raw.facets[3][0], raw.facets[3][1]});
  raw.facets.erase(raw.facets.begin());
  const TriangleModel model = triangle_model(raw);
  EXPECT_EQ(model.faults.degenerate, 1u);
  EXPECT_EQ(model.faults.open_edges, 3u);
  EXPECT_EQ(model.facet.back(), 10u) << "numbers are those of the file";
  raw.facets.push_back(raw.facets[0]);
  EXPECT_GT(triangle_model(raw).faults.branched_edges, 0u);
}

TEST(TriangleModel, RefusesWhatIsNoModel) {
  RawModel raw = box_model(2, 2, 2, 1);
  raw.facets[4][1] = 1000;
  EXPECT_THROW(triangle_model(raw), std::invalid_argument);
  raw = box_model(2, 2, 2, 1);
  raw.vertices[3][2] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(triangle_model(raw), std::invalid_argument);
  EXPECT_THROW(triangle_model(RawModel{}), std::invalid_argument);
  raw = box_model(2, 2, 0, 1);
  raw.facets.resize(2);
  raw.facets[0] = raw.facets[1] = {0, 0, 1};
  EXPECT_THROW(triangle_model(raw), std::invalid_argument);
}

TEST(ModelDistance, RefusesSettingsThatMeanNothing) {
  const TriangleModel model = triangle_model(box_model(2, 2, 2, 1));
  for (const float bad : {0.f, -1.f, std::numeric_limits<float>::quiet_NaN(), 1e20f})
    EXPECT_THROW(find(model, {{0, 0, 0}}, bad), std::invalid_argument) << bad;
}

}  // namespace
}  // namespace datum
