// Parts of the registration of a board: rotations, edges' fit and its covariance.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "daemon/inspection/registration/board_registration.h"
#include "daemon/inspection/registration/edge_votes.h"
#include "daemon/inspection/registration/motion_fit.h"
#include "daemon/inspection/registration/nearest_index.h"
#include "daemon/inspection/registration/own_place.h"
#include "daemon/inspection/registration/search_pairs.h"

namespace datum::board_registration_test {
namespace {

/// A first place that matches as well as the second, and a third one at the second's place that matches better.
TEST(BoardRegistration, TheSecondPlaceIsNeverTheBestOnesOwn) {
  const auto fitted = [](double x_mm, double match) {
    RegisteredMotion m;
    m.motion.shift_mm = {x_mm, 0};
    m.match = match;
    return m;
  };
  BoardRegistration r;
  choose_places({fitted(-2, 0.9), fitted(1, 0.9), fitted(1.01, 1)}, 0.5, {80, 60}, r);
  ASSERT_TRUE(r.best && r.second);
  EXPECT_EQ(r.best->motion.shift_mm.x(), 1.01);
  EXPECT_EQ(r.second->motion.shift_mm.x(), -2);
  BoardRegistration alone;
  choose_places({fitted(1, 0.9), fitted(1.01, 1)}, 0.5, {80, 60}, alone);
  EXPECT_FALSE(alone.second);
  choose_places({}, 0.5, {80, 60}, r = {});
  EXPECT_FALSE(r.best);
}

TEST(NearestIndex, RoundsAsFloorDoes) {
  const double least = std::nextafter(0.5, 0);  // least + 0.5 is 1, rounded to even
  for (const double x :
       {-1e9, -2.5, -1.5, -1.0, -0.75, -0.5, -0.25, -0.0, 0.25, least, 0.5, 1.5, 4095.49, 1e9})
    EXPECT_EQ(nearest_index(x), static_cast<int>(std::floor(x + 0.5))) << x;
}

TEST(PlaneMotion, RotationsAreThoseOfTheLibraryWithinRounding) {
  for (double deg = -720; deg <= 720; deg += 0.37) {
    const Eigen::Matrix2d r = rotation_by_deg(deg);
    // The argument itself, of up to 13 rad, is rounded there.
    EXPECT_NEAR(r(0, 0), std::cos(deg * M_PI / 180), 4e-15) << deg;
    EXPECT_NEAR(r(1, 0), std::sin(deg * M_PI / 180), 4e-15) << deg;
    EXPECT_NEAR(r.determinant(), 1, 4e-16) << deg;
  }
  EXPECT_EQ(rotation_by_deg(90), (Eigen::Matrix2d() << 0, -1, 1, 0).finished());
  EXPECT_EQ(rotation_by_deg(-180), Eigen::Matrix2d(-Eigen::Matrix2d::Identity()));
}

TEST(PlaneMotion, TheWayBackUndoesIt) {
  const PlaneMotion m{{50, 40}, {1.2, -0.7}, 2.5};
  const Eigen::Vector2d there = MovedPlane(m)({10, 70});
  const Eigen::Vector4d back = back_of(m) * Eigen::Vector4d(there.x(), there.y(), 3, 1);
  EXPECT_NEAR((back - Eigen::Vector4d(10, 70, 3, 1)).norm(), 0, 1e-12);
}

TEST(PlaneMotion, EightTurnsDiffer) {
  for (int i = 0; i < board_turns; ++i) {
    EXPECT_EQ(matrix_of(board_turn(i)).determinant(), i < 4 ? 1 : -1);
    for (int k = 0; k < i; ++k) EXPECT_NE(matrix_of(board_turn(i)), matrix_of(board_turn(k)));
  }
  EXPECT_TRUE(as_designed(board_turn(0)));
}

/// Bodies at random with displacements by `motion`, noise and outliers.
std::vector<EdgePair> pairs_of(int bodies, const PlaneMotion& truth, double noise_mm, double outliers,
                               unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform;
  std::normal_distribution<double> normal;
  std::vector<EdgePair> pairs;
  for (int i = 0; i < bodies; ++i) {
    const Eigen::Vector2d at(100 * uniform(random), 80 * uniform(random)), off = MovedPlane(truth)(at) - at;
    const Eigen::Matrix2d axes = rotation_by_deg(360 * uniform(random));
    for (int axis = 0; axis < 2; ++axis) {
      EdgePair p;
      p.at_mm = at;
      p.axis = axes.col(axis);
      p.off_mm = p.axis.dot(off) + noise_mm * normal(random) +
                 (uniform(random) < outliers ? uniform(random) - 0.3 : 0);
      pairs.push_back(p);
    }
  }
  return pairs;
}

TEST(MotionFit, FindsTheMotionAmongOutliers) {
  const PlaneMotion none{{50, 40}, {0, 0}, 0}, truth{{50, 40}, {0.2, -0.1}, 0.05};
  const MotionFit fit = fit_motion(pairs_of(40, truth, 0.01, 0.3, 1), none, 0.4, 1e-3);
  ASSERT_TRUE(fit.solved);
  const PlaneMotion found = corrected(none, fit.correction);
  EXPECT_LT((found.shift_mm - truth.shift_mm).norm(), 3 * 0.01 / std::sqrt(40 * 0.7) * std::sqrt(2.0));
  EXPECT_NEAR(found.rotation_deg, truth.rotation_deg, 3 * std::sqrt(fit.covariance(2, 2)) * 180 / M_PI);
  EXPECT_LT(fit.used, fit.pairs);
}

/// U at k = 2 covers 95.4 % of normal errors; a share of 2,000 has a standard error of 0.5 %. The biweight's own scale and few
/// pairs leave a little more or less.
TEST(MotionFit, ItsUncertaintyCoversFewBodiesAndMany) {
  const PlaneMotion none{{50, 40}, {0, 0}, 0};
  for (const int bodies : {4, 6, 12, 50}) {
    int covered = 0, all = 0;
    for (unsigned seed = 1; seed <= 667; ++seed) {
      const MotionFit fit = fit_motion(pairs_of(bodies, none, 0.02, 0, seed), none, 0.4, 1e-4);
      ASSERT_TRUE(fit.solved);
      for (int i = 0; i < 3; ++i, ++all)
        covered += std::abs(fit.correction[i]) <= 2 * std::sqrt(fit.covariance(i, i));
    }
    EXPECT_GT(covered, 0.935 * all) << bodies;
    EXPECT_LT(covered, 0.975 * all) << bodies;
  }
}

/// All edges at +x lie 12 um too far outward, as spikes or a shadow make them: the board seems shifted by 6 um.
TEST(MotionFit, EdgesBiasedOnOneSideAreInItsUncertainty) {
  const PlaneMotion none{{50, 40}, {0, 0}, 0};
  std::vector<EdgePair> pairs = pairs_of(200, none, 1e-3, 0, 1);
  for (EdgePair& p : pairs)
    if (std::abs(p.axis.x()) > 0.7) {
      p.size_off_mm = 0.012;
      p.off_mm += p.axis.x() > 0 ? 0.006 : -0.006;
    }
  const MotionFit fit = fit_motion(pairs, none, 0.4, 1e-4);
  EXPECT_NEAR(std::sqrt(fit.covariance(0, 0)), 0.012 / std::sqrt(12.0), 2e-4);
  EXPECT_LE(std::abs(fit.correction.x()), 2 * std::sqrt(fit.covariance(0, 0)));
  EXPECT_LT(std::sqrt(fit.covariance(1, 1)), 1e-3);
  for (EdgePair& p : pairs) p.unresolved_mm = 0.03;
  EXPECT_NEAR(std::sqrt(fit_motion(pairs, none, 0.4, 1e-4).covariance(0, 0)), 0.03 / std::sqrt(24.0), 5e-4)
      << "whole pixels explain it, and are what is left";
}

/// Pixels of 40 um, bodies on their grid: all are rounded alike and agree to a micrometre.
TEST(MotionFit, WhatAllBodiesAreRoundedByIsInItsUncertainty) {
  const PlaneMotion none{{50, 40}, {0, 0}, 0};
  std::vector<EdgePair> pairs = pairs_of(50, none, 1e-3, 0, 1);
  for (EdgePair& p : pairs) p.unresolved_mm = 0.04;
  const MotionFit on_grid = fit_motion(pairs, none, 0.4, 1e-4);
  EXPECT_NEAR(std::sqrt(on_grid.covariance(0, 0)), 0.04 / std::sqrt(24.0), 5e-4);
  EXPECT_GT(std::sqrt(on_grid.covariance(2, 2)), 0.04 / std::sqrt(24.0) / 65);
  pairs = pairs_of(50, none, 0.01, 0, 1);
  const double before = fit_motion(pairs, none, 0.4, 1e-4).covariance(0, 0);
  for (EdgePair& p : pairs) p.unresolved_mm = 0.04;
  EXPECT_EQ(fit_motion(pairs, none, 0.4, 1e-4).covariance(0, 0), before) << "they disagree by more";
}

TEST(MotionFit, IsNotSolvedByTooFewOrOneDirection) {
  const PlaneMotion none{{50, 40}, {0, 0}, 0};
  std::vector<EdgePair> pairs = pairs_of(1, none, 0.01, 0, 1);
  EXPECT_FALSE(fit_motion(pairs, none, 0.4, 1e-3).solved);
  pairs = pairs_of(10, none, 0.01, 0, 1);
  for (EdgePair& p : pairs) p.axis = Eigen::Vector2d::UnitX();
  EXPECT_FALSE(fit_motion(pairs, none, 0.4, 1e-3).solved);
}

/// Rows of pixels across an edge, at 0 and turned by `slope`; a share of them is missing, a share of those beside it are spikes.
EdgeVotes rows_of_pixels(double slope, double edge_px, double missing, double spikes, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform;
  EdgeVotes votes(0, 3);
  for (int row = -20; row <= 20; ++row)
    for (int col = -4; col <= 4; ++col) {
      if (uniform(random) < missing) continue;
      const double at = col - slope * row;  // from the line, which is at edge_px
      if (at < edge_px || uniform(random) < spikes)
        votes.above(at);
      else
        votes.below(at);
    }
  return votes;
}

TEST(EdgeVotes, PlaceAnEdgeFinerThanAPixelWhereItCrossesThem) {
  std::mt19937 random(1);
  for (const double edge : {-0.7, -0.31, 0.0, 0.22, 0.49}) {
    const auto clean = rows_of_pixels(0.03, edge, 0, 0, random).edge(0.1, 0.6);
    ASSERT_TRUE(clean);
    EXPECT_NEAR(clean->at_mm, edge, 0.06) << "41 rows: a pixel's place each 1 / 41, and a bin of 6 / 128";
    EXPECT_LT(clean->unresolved_mm, 0.12);
    const auto hostile = rows_of_pixels(0.03, edge, 0.3, 0.1, random).edge(0.1, 0.6);
    ASSERT_TRUE(hostile);
    EXPECT_NEAR(hostile->at_mm, edge, 0.2) << "a mean would follow one pixel in ten outward";
  }
}

TEST(EdgeVotes, SayWhatPixelsAlongTheEdgeLeaveOpen) {
  std::mt19937 random(1);
  const auto along = rows_of_pixels(0, 0.3, 0, 0, random).edge(0.1, 0.6);
  ASSERT_TRUE(along);
  EXPECT_NEAR(along->at_mm, 0.5, 0.03) << "between pixel 0 and pixel 1";
  EXPECT_NEAR(along->unresolved_mm, 1, 0.1);
}

TEST(EdgeVotes, RefuseWhatIsNoEdge) {
  std::mt19937 random(1);
  EXPECT_FALSE(rows_of_pixels(0, 0, 0, 1, random).edge(0.1, 0.6)) << "above on both sides";
  EXPECT_FALSE(rows_of_pixels(0.03, 0, 0, 0.7, random).edge(0.1, 0.6))
      << "most of the floor is above as well";
  EXPECT_FALSE(rows_of_pixels(0.03, 5, 0, 0, random).edge(0.1, 0.6)) << "the floor is not in reach";
}

TEST(SearchPairs, KeepsOffOtherBodies) {
  Recipe recipe;
  recipe.board_size_mm = {20, 10};
  recipe.components.resize(2);
  recipe.components[0].body = {{5, 5}, {4, 2}, 0};
  recipe.components[1].body = {{7.3, 5}, {0.5, 2}, 0};  // 0.05 mm beside it
  recipe.components[0].nominal_height_um = recipe.components[1].nominal_height_um = 500;
  const SearchPairs s = search_pairs(recipe, 0.4, 0.2, 64);
  EXPECT_EQ(s.bodies, 2u);
  EXPECT_EQ(s.pairs.size(), 6u) << "the two edges between them have none";
  EXPECT_EQ(s.levels_mm.size(), 1u);
  EXPECT_EQ(search_pairs(recipe, 0.4, 0.6, 64).bodies, 0u) << "too low";
}

/// A flat board of 60 x 60 mm with so many bodies of 2 x 1.6 mm, 1 mm high, irregularly placed; pixels of 50 um, each of 5 um steps.
struct DrawnBoard {
  Recipe recipe;
  HeightFrame frame;
  DrawnBoard(int bodies, const PlaneMotion& motion, int missing_each) {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> jitter(-0.4, 0.4);
    recipe.board_size_mm = {60, 60};
    const int across = static_cast<int>(std::ceil(std::sqrt(bodies)));
    for (int i = 0; i < bodies; ++i) {
      Component c;
      const double pitch = 56.0 / across;
      c.body = {
          {2 + pitch * (i % across + 0.5) + jitter(random), 2 + pitch * (i / across + 0.5) + jitter(random)},
          {2, 1.6},
          0};
      c.nominal_height_um = 1000;
      recipe.components.push_back(c);
    }
    frame.cols = frame.rows = 1400;
    frame.z = {0.005, 0};
    frame.x = frame.y = {0.05, -5};
    std::vector<std::int16_t> counts(std::size_t(frame.cols) * std::size_t(frame.rows), 0);
    const MovedPlane moved(motion);
    for (int i = 0; i < bodies; ++i) {
      if (missing_each > 0 && i % missing_each == 0) continue;
      const BoardRect& body = recipe.components[std::size_t(i)].body;
      const Eigen::Vector2d centre = moved(body.centre_mm);
      for (int row = int((centre.y() - 2 + 5) / 0.05); row < (centre.y() + 2 + 5) / 0.05; ++row)
        for (int col = int((centre.x() - 2 + 5) / 0.05); col < (centre.x() + 2 + 5) / 0.05; ++col) {
          const Eigen::Vector2d in =
              moved.linear().transpose() * (Eigen::Vector2d(col * 0.05 - 5, row * 0.05 - 5) - centre);
          if (std::abs(in.x()) <= 1 && std::abs(in.y()) <= 0.8)
            counts[std::size_t(row) * std::size_t(frame.cols) + std::size_t(col)] = 200;
        }
    }
    frame.classes.assign(counts.size(), PixelClass::ok);
    frame.counts = std::move(counts);
  }
};

/// 196 bodies: the fit takes 150 of them. Every fifth one is missing: 40.
TEST(BoardRegistration, CountsBodiesThatTheFitLeftOutToo) {
  const PlaneMotion truth{{30, 30}, {0.71, -0.33}, 0.8};
  const DrawnBoard b(196, truth, 5);
  const BoardView view(b.frame, Htm<Board, Sensor>(Eigen::Matrix4d(Eigen::Matrix4d::Identity())));
  const BoardLookAt look{b.frame, view};
  RegistrationSettings settings;
  settings.max_shift_mm = 1;
  settings.max_rotation_deg = 1;
  settings.lowest_mm = 0.4;
  for (const unsigned threads : {1u, 4u}) {
    const BoardRegistration r = register_board(b.recipe, {&look, 1}, settings, threads);
    ASSERT_TRUE(r.best);
    EXPECT_EQ(r.expected, 196u);
    EXPECT_EQ(r.seen, 156u);
    // Each edge's place is open by a pixel, its displacement by 50 um / sqrt(24); 120 of them and more.
    EXPECT_LT((r.best->motion.shift_mm - truth.shift_mm).norm(),
              3 * 0.05 / std::sqrt(24.0 * 120) * std::sqrt(2.0));
    EXPECT_TRUE(r.best->is_last);
  }
}

/// Three times the quantiles of F (3, n) that tables give for 0.1 %: 12.56 for 10, 8.10 for 20, 6.17 for 60, 5.42 for many.
TEST(OwnPlace, LimitsAreQuantilesOfF) {
  constexpr double z = 3.090232306167813;
  for (const auto& [freedom, quantile] : {std::pair{10.0, 12.56}, {20.0, 8.10}, {60.0, 6.17}, {1e6, 5.42}})
    EXPECT_NEAR(chi2_of_limit(z, freedom), 3 * quantile, 0.04 * 3 * quantile) << freedom;
  EXPECT_TRUE(std::isinf(chi2_of_limit(z, 3)));
}

}  // namespace
}  // namespace datum::board_registration_test
