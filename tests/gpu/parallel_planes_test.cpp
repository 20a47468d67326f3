// Weighted total least squares of parallel planes, against long double and against its own promises.
#include "gpu/parallel_planes/parallel_planes.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <array>
#include <limits>

#include "tests/gpu/parallel_planes_scenes.h"

namespace datum {
namespace {

using namespace testing;
using Wide = long double;
using Vector = Eigen::Matrix<Wide, 3, 1>;
using Matrix = Eigen::Matrix<Wide, 3, 3>;

/// Two passes in long double: the textbook's formula.
struct Reference {
  Vector normal;
  std::vector<Vector> centroid;
};
Reference reference(const Stack& stack, const ParallelSet& set) {
  Reference r;
  Matrix s = Matrix::Zero();
  for (std::uint32_t i = 0; i < set.planes; ++i) {
    const auto& points = stack.points[set.first + i];
    Vector sum = Vector::Zero();
    Wide weight = 0;
    for (const auto& p : points) {
      sum += Wide(p.w) * Vector(p.x, p.y, p.z);
      weight += p.w;
    }
    r.centroid.push_back(sum / weight);
    for (const auto& p : points) {
      const Vector d = Vector(p.x, p.y, p.z) - r.centroid.back();
      s += Wide(p.w) * d * d.transpose();
    }
  }
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(s);
  r.normal = solver.eigenvectors().col(0);
  if (r.normal.z() < 0) r.normal = -r.normal;
  return r;
}

double angle(const Vector& a, const double* b) {
  return static_cast<double>(a.cross(Vector(b[0], b[1], b[2])).norm());
}

TEST(ParallelPlanes, NormalsAndCentroidsAreThoseOfLongDouble) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Stack stack = ragged_stack(seed);
    const StackResult r = fit(stack, stack_settings(), cpu_backend(1));
    for (std::size_t i = 0; i < stack.sets.size(); ++i) {
      const ParallelSet set = stack.sets[i];
      const Reference expected = reference(stack, set);
      if (r.shared[i].status != ParallelStatus::ok) continue;
      // A term of the second moments is rounded by up to 2^-44 of range^2, independently of the others; beside it stand
      // the centroid's two. They tilt the normal by what they are of the second eigenvalue, at a mean weight of 1/2.
      double points = 0;
      for (std::uint32_t k = 0; k < set.planes; ++k)
        points += static_cast<double>(stack.points[set.first + k].size());
      const double rounding =
          3 * std::ldexp(32. * 32, -44) / (0.5 * r.shared[i].mean_square[1]) / std::sqrt(points);
      EXPECT_LT(angle(expected.normal, r.shared[i].normal), points < 1000 ? rounding : 1e-12) << "set " << i;
      for (std::uint32_t k = 0; k < set.planes; ++k)
        for (
            int axis = 0; axis < 3;
            ++axis)  // a term of range 32 and mean weight 1/2 is rounded by 2^-44 of 32: 4e-12, and the weight beside it
          EXPECT_NEAR(r.planes[set.first + k].centroid[axis], static_cast<double>(expected.centroid[k][axis]),
                      8e-12);
    }
  }
}

TEST(ParallelPlanes, AMillionPointsFarFromTheOriginKeepTheirNormal) {
  std::mt19937_64 random(7);
  Stack stack;
  add_set(stack, {1000000, 1000000}, Shape{}, random, true);
  for (auto& plane : stack.points)
    for (auto& p : plane) p.x += 1000;
  for (auto& c : stack.centres) c[0] += 1000;
  const StackResult r = fit(stack, stack_settings(), cpu_backend(0));
  ASSERT_EQ(r.shared[0].status, ParallelStatus::ok);
  EXPECT_LT(angle(reference(stack, stack.sets[0]).normal, r.shared[0].normal), 1e-12);
}

/// One thread of every instruction set of this processor.
std::vector<Backend> all_isas() {
  std::vector<Backend> all{cpu_backend(1)};
  if (all[0].isa == Isa::avx512) {
    all.push_back(all[0]);
    all.back().isa = Isa::avx2;
  }
  all.push_back(all[0]);
  all.back().isa = Isa::scalar;
  return all;
}

TEST(ParallelPlanes, BytesDependOnNeitherInstructionSetNorThreads) {
  for (const std::uint64_t seed : {11, 12}) {
    const Stack stack = ragged_stack(seed);
    const std::string expected = fit(stack, stack_settings(), all_isas().back()).bytes();
    for (Backend backend : all_isas())
      for (const unsigned threads : {1u, 2u, 5u}) {
        backend.threads = threads;
        EXPECT_EQ(fit(stack, stack_settings(), backend).bytes(), expected) << describe(backend);
      }
  }
}

/// Where the thesis' power iteration stays on its first vector.
TEST(ParallelPlanes, AnAxisAlignedPlaneHasItsNormal) {
  Stack stack;
  std::mt19937_64 random(3);
  Shape flat;
  flat.slope_x = flat.slope_y = flat.noise = 0;
  add_set(stack, {5000}, flat, random, false);
  const StackResult r = fit(stack, stack_settings(), cpu_backend(1));
  EXPECT_EQ(r.shared[0].normal[0], 0);
  EXPECT_EQ(r.shared[0].normal[1], 0);
  EXPECT_EQ(r.shared[0].normal[2], 1);
  EXPECT_EQ(r.shared[0].mean_square[2], 0);
}

/// 50 x 2: there it stops 1.25e-3 rad away.
TEST(ParallelPlanes, ANarrowPlaneHasItsNormal) {
  Stack stack;
  std::mt19937_64 random(4);
  Shape narrow;
  narrow.half_x = 25;
  narrow.half_y = 1;
  add_set(stack, {20000, 20000}, narrow, random, true);
  const StackResult r = fit(stack, stack_settings(), cpu_backend(1));
  EXPECT_LT(angle(reference(stack, stack.sets[0]).normal, r.shared[0].normal), 1e-12);
}

TEST(ParallelPlanes, AreaWeightsMakeAResampledHalfChangeNothing) {
  // A plane with a step of 10 um at x = 0; every point of one half is then there a hundred times.
  Stack even, dense;
  std::mt19937_64 random(5);
  add_set(even, {20000}, Shape{}, random, false);
  for (auto& p : even.points[0]) {
    p.w = 100;
    if (p.x > 0) p.z += 0.01f;
  }
  dense = even;
  dense.points[0].clear();
  for (const auto& p : even.points[0])
    for (int i = 0; i < (p.x > 0 ? 100 : 1); ++i)
      dense.points[0].push_back({p.x, p.y, p.z, p.x > 0 ? 1.f : 100.f});
  ParallelPlanesSettings settings = stack_settings();
  settings.max_weight = 100;
  const auto normal = [&](const Stack& s) {
    const StackResult r = fit(s, settings, cpu_backend(1));
    return Vector(r.shared[0].normal[0], r.shared[0].normal[1], r.shared[0].normal[2]);
  };
  const Vector expected = normal(even), weighted = normal(dense);
  EXPECT_LT(static_cast<double>((expected - weighted).norm()), 1e-12);
  for (auto& p : dense.points[0]) p.w = 100;
  EXPECT_GT(static_cast<double>((expected - normal(dense)).norm()), 1e-4) << "unweighted it must show";
}

TEST(ParallelPlanes, DistancesBetweenPlanesAreAlongTheNormal) {
  Stack stack;
  std::mt19937_64 random(6);
  Shape shape;
  shape.noise = 0;
  add_set(stack, {4000, 4000, 4000}, shape, random, false);
  const StackResult r = fit(stack, stack_settings(), cpu_backend(1));
  const double along = 5 / std::sqrt(1 + shape.slope_x * shape.slope_x + shape.slope_y * shape.slope_y);
  // z is a float near 10: rounded by 5e-7 at most, 4000 of them on average by less
  EXPECT_NEAR(distance(r.shared[0], r.planes[0], r.planes[1]).value, along, 5e-8);
  EXPECT_NEAR(distance(r.shared[0], r.planes[2], r.planes[0]).value, -2 * along, 5e-8);
}

TEST(ParallelPlanes, UncertaintiesAreWhatRepeatedSamplesShow) {
  std::mt19937_64 random(8);
  double tilt[2] = {0, 0}, offset = 0, said_tilt[2] = {0, 0}, said_offset = 0, sigma = 0;
  constexpr int repeats = 2000;
  const Shape shape;
  const double slope = std::sqrt(1 + shape.slope_x * shape.slope_x + shape.slope_y * shape.slope_y);
  const double true_normal[3] = {-shape.slope_x / slope, -shape.slope_y / slope, 1 / slope};
  for (int i = 0; i < repeats; ++i) {
    Stack stack;
    add_set(stack, {400, 200}, shape, random, true);
    const StackResult r = fit(stack, stack_settings(), cpu_backend(1));
    const ParallelPlanes& s = r.shared[0];
    for (int k = 0; k < 2; ++k) {
      const double lean =
          s.axis[k][0] * true_normal[0] + s.axis[k][1] * true_normal[1] + s.axis[k][2] * true_normal[2];
      tilt[k] += lean * lean;
      said_tilt[k] += s.tilt_variance[k];
    }
    const PlaneDistance d = distance(s, r.planes[0], r.planes[1]);
    offset += (d.value - shape.step / slope) * (d.value - shape.step / slope);
    said_offset += d.variance;
    sigma += s.sigma;
  }
  // A variance of 2000 values scatters by sqrt(2/2000) = 3.2 %; three times that. Kish's count neglects how weights and
  // places fall together, which averages out over the repeats.
  EXPECT_NEAR(tilt[0] / said_tilt[0], 1, 0.095);
  EXPECT_NEAR(tilt[1] / said_tilt[1], 1, 0.095);
  EXPECT_NEAR(offset / said_offset, 1, 0.095);
  EXPECT_NEAR(sigma / repeats * slope, shape.noise * slope, 0.01 * shape.noise);
}

TEST(ParallelPlanes, VarianceWeightsGiveTheUncertaintyOfTheGoodPoints) {
  // Half of the points are ten times as noisy and say so.
  std::mt19937_64 random(9);
  std::normal_distribution<double> normal;
  double found = 0, said = 0;
  constexpr int repeats = 2000;
  ParallelPlanesSettings settings = stack_settings();
  settings.meaning = WeightMeaning::variance;
  for (int i = 0; i < repeats; ++i) {
    Stack stack;
    Shape shape;
    shape.noise = shape.slope_x = shape.slope_y = 0;
    add_set(stack, {300}, shape, random, false);
    for (std::size_t k = 0; k < 300; ++k) {
      WeightedPoint& p = stack.points[0][k];
      p.w = k % 2 ? 0.01f : 1;
      p.z = static_cast<float>(0.002 * (k % 2 ? 10 : 1) * normal(random));
    }
    const StackResult r = fit(stack, settings, cpu_backend(1));
    found += r.planes[0].centroid[2] * r.planes[0].centroid[2];
    said += r.planes[0].offset_variance;
  }
  EXPECT_NEAR(found / said, 1, 0.095);
}

TEST(ParallelPlanes, ExtremesAreTheFarthestPointsThatCount) {
  Stack stack;
  std::mt19937_64 random(10);
  Shape shape;
  shape.noise = 0;
  add_set(stack, {70000}, shape, random, false);
  stack.points[0][123].z += 0.5f;
  stack.points[0][69999].z -= 0.25f;
  stack.points[0][5] = {0, 0, 9, 0};  // not there
  const StackResult r = fit(stack, stack_settings(), cpu_backend(2));
  const PlaneExtremes e = extremes(stack.samples()[0], r.shared[0], r.planes[0], cpu_backend(2));
  const double slope = std::sqrt(1 + shape.slope_x * shape.slope_x + shape.slope_y * shape.slope_y);
  EXPECT_NEAR(e.highest, 0.5 / slope, 2e-5);  // the two points themselves move the plane by 0.5/70000 x 3
  EXPECT_NEAR(e.lowest, -0.25 / slope, 2e-5);
}

TEST(ParallelPlanes, WhatIsNoPlaneIsSaid) {
  std::mt19937_64 random(13);
  const auto status = [&](const auto& spoil) {
    Stack stack;
    add_set(stack, {3000, 2000}, Shape{}, random, false);
    spoil(stack);
    const ParallelStatus first = fit(stack, stack_settings(), cpu_backend(1)).shared[0].status;
    for (const Backend& backend : all_isas())
      EXPECT_EQ(fit(stack, stack_settings(), backend).shared[0].status, first) << describe(backend);
    return first;
  };
  const float nan = std::numeric_limits<float>::quiet_NaN(),
              infinite = std::numeric_limits<float>::infinity();
  EXPECT_EQ(status([](Stack&) {}), ParallelStatus::ok);
  for (const float bad : {33.f, -33.f, nan, infinite, -infinite}) {
    EXPECT_EQ(status([&](Stack& s) { s.points[0][2999].x = bad; }), ParallelStatus::out_of_range) << bad;
    EXPECT_EQ(status([&](Stack& s) { s.points[0][0].y = bad; }), ParallelStatus::out_of_range) << bad;
    EXPECT_EQ(status([&](Stack& s) { s.points[1][1500].z = bad + 5; }), ParallelStatus::out_of_range) << bad;
  }
  for (const float bad : {-1e-30f, -0.f, 1.0001f, nan, infinite})
    EXPECT_EQ(status([&](Stack& s) { s.points[1][1999].w = bad; }), ParallelStatus::bad_weight) << bad;
  EXPECT_EQ(status([](Stack& s) {
              for (auto& p : s.points[1]) p.w = 0;
            }),
            ParallelStatus::no_points);
  EXPECT_EQ(status([](Stack& s) { s.points[1].clear(); }), ParallelStatus::no_points);
  EXPECT_EQ(status([](Stack& s) {
              for (auto& plane : s.points)
                for (auto& p : plane) p.y = 0;
            }),
            ParallelStatus::strip);
  EXPECT_EQ(status([&](Stack& s) {
              for (auto& plane : s.points)
                for (auto& p : plane) p.z += static_cast<float>(random() % 10);
            }),
            ParallelStatus::no_plane);
}

TEST(ParallelPlanes, SettingsThatMeanNothingAreRefused) {
  Stack stack;
  std::mt19937_64 random(14);
  add_set(stack, {10}, Shape{}, random, false);
  const auto refused = [&](const auto& spoil) {
    ParallelPlanesSettings s = stack_settings();
    spoil(s);
    EXPECT_THROW(fit(stack, s, cpu_backend(1)), std::invalid_argument);
  };
  refused([](auto& s) { s.half_range = 0; });
  refused([](auto& s) { s.half_range = std::numeric_limits<float>::quiet_NaN(); });
  refused([](auto& s) { s.max_weight = -1; });
  refused([](auto& s) { s.towards[2] = 0; });
  refused([](auto& s) { s.min_width_ratio = 1; });
  refused([](auto& s) { s.max_thickness_ratio = 0; });
  stack.sets[0].planes = 2;
  EXPECT_THROW(fit(stack, stack_settings(), cpu_backend(1)), std::invalid_argument);
}

TEST(ParallelPlanes, TheNormalPointsWhereItIsTold) {
  Stack stack;
  std::mt19937_64 random(15);
  add_set(stack, {500}, Shape{}, random, false);
  ParallelPlanesSettings s = stack_settings();
  s.towards[2] = -1;
  EXPECT_LT(fit(stack, s, cpu_backend(1)).shared[0].normal[2], -0.99);
}

}  // namespace
}  // namespace datum
