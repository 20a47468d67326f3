// Sampling by index: which points are sampled, when they do not suffice, and what the result says of the other points.
#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <set>

#include "gpu/plane_fit/hypotheses.h"
#include "gpu/plane_fit/local_optimization.h"
#include "gpu/plane_fit/local_optimization_cpu.h"
#include "tests/gpu/plane_fit_scene.h"

namespace datum {
namespace {

using namespace plane_math;
using namespace testing;

constexpr float no_height = std::numeric_limits<float>::quiet_NaN(),
                endless = std::numeric_limits<float>::infinity();

/// Numbers of the points that a plane of `size` points samples, in their order.
std::vector<std::uint32_t> sampled_numbers(std::uint32_t size, std::uint64_t seed) {
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t k = 0; k < sampled_quads(size); ++k)
    for (std::uint32_t i = 0, first = 4 * sampled_quad(k, size, seed); i < 4 && first + i < size; ++i)
      numbers.push_back(first + i);
  return numbers;
}

/// sample_points() with the memory that it needs.
class Sampling {
 public:
  Sampling(const Scene& s, SamplingOrder order, bool perpendicular = false)
      : cloud_{s.x.data(), s.y.data(), s.z.data(), s.x.size()},
        seed_(s.seed),
        region_{s.half_x, s.half_y, perpendicular},
        memory_(9 * (s.x.size() + simd_padding)) {
    const std::size_t room = s.x.size() + simd_padding;
    const auto list = [&](std::size_t i) {
      float* x = memory_.data() + 3 * i * room;
      return PointList{x, x + room, x + 2 * room, 0};
    };
    boundary_ = list(2);
    sampled_ = sample_points(plane_kernels(best_isa()), cloud_, seed_, order, region_,
                             SearchScratch{list(0), list(1), boundary_});
    if (sampled_.scanned) return;  // exact mode scans all points before it searches
    PointList none = list(1);
    sampled_.scan = plane_kernels(best_isa()).select(cloud_, KeyRange{0, 0}, s.half_x, s.half_y, &none);
  }
  const Cloud& cloud() const { return cloud_; }
  const SampledPoints& sampled() const { return sampled_; }
  const FitRegion& region() const { return region_; }
  Point operator[](std::uint32_t i) const {
    return Point{sampled_.pool.x[i], sampled_.pool.y[i], sampled_.pool.z[i]};
  }
  Consensus consensus(const PlaneFitSettings& settings) const {
    return find_consensus(plane_kernels(best_isa()), cloud_, sampled_, seed_, settings, region_, boundary_);
  }
  /// Where the LocalOptimizer ends from `start`.
  LocalOptimum optimum(const Plane& start, float threshold) const {
    LocalOptimizer optimizer(start, threshold, region_);
    PointList none = boundary_;
    for (bool more = true; more;)
      more = optimizer.advance(
          plane_kernels(Isa::scalar).accumulate(cloud_of(sampled_.subset), optimizer.base(), &none));
    return optimizer.result();
  }

 private:
  Cloud cloud_;
  std::uint64_t seed_;
  FitRegion region_;
  std::vector<float> memory_;
  PointList boundary_{};
  SampledPoints sampled_;
};

/// Points whose x is their number.
Scene numbered_scene(std::uint32_t size, std::uint64_t seed) {
  Scene s;
  s.half_x = s.half_y = static_cast<float>(size) + 1;
  s.seed = seed;
  for (std::uint32_t i = 0; i < size; ++i) s.add(i, 0.5 * i, 7, true);
  return s;
}

/// A floor with noise of 5 and a fifth of gross outliers, its points in any order.
Scene rough_floor(std::uint32_t size, std::uint64_t seed) {
  Scene s;
  s.half_x = 400, s.half_y = 300;
  s.seed = seed;
  Random random(seed);
  for (std::uint32_t i = 0; i < size; ++i) {
    const double x = random.between(-400, 400), y = random.between(-300, 300);
    const bool outlier = random.uniform() < 0.2;
    const double off = outlier ? random.between(-500, 500) : 5 * random.gauss();
    s.add(x, y, 0.02 * x - 0.03 * y + 100 + off, !outlier);
  }
  return s;
}

PlaneFitSettings floor_settings_of(FitMode mode, SamplingOrder order = SamplingOrder::by_index,
                                   Residual residual = Residual::vertical) {
  PlaneFitSettings s;
  s.mode = mode, s.sampling = order, s.residual = residual;
  s.threshold = 7.5f, s.refit_threshold = 15;
  return s;
}

constexpr std::array<FitMode, 2> both_modes{FitMode::exact, FitMode::screened};
constexpr std::array<SamplingOrder, 2> both_orders{SamplingOrder::by_index, SamplingOrder::by_position};

TEST(SampledByIndex, TakesAllOfAFewPoints) {
  for (const std::uint32_t size : {0u, 1u, 2u, 3u, 4u, 5u, 1535u, 1536u}) {
    for (const std::uint64_t seed : {0u, 77u}) {
      const Sampling sampling(numbered_scene(size, seed), SamplingOrder::by_index);
      const SampledPoints& d = sampling.sampled();
      ASSERT_EQ(d.subset.size, size);
      for (std::uint32_t i = 0; i < size; ++i) ASSERT_EQ(d.subset.x[i], static_cast<float>(i)) << size;
      EXPECT_FALSE(d.scanned || d.of_more) << size;
    }
  }
}

TEST(SampledByIndex, TakesOneQuadOfEachOf256EqualParts) {
  for (const std::uint32_t size : {1537u, 1538u, 1541u, 40001u}) {
    const std::uint64_t quads = (size + 3) / 4;
    const auto begin_of = [&](std::uint64_t k) { return k * quads / 256; };
    bool with_last = false, without_last = false;
    Scene s = numbered_scene(size, 0);
    for (s.seed = 0; s.seed < 300; ++s.seed) {  // the last quad is one of 40 at most: missed with e^-7.6
      std::vector<float> expected;
      for (std::uint32_t k = 0; k < 256; ++k) {
        const std::uint32_t quad = sampled_quad(k, size, s.seed);
        ASSERT_GE(quad, begin_of(k));
        ASSERT_LT(quad, begin_of(k + 1));
        for (std::uint32_t i = 4 * quad; i < 4 * quad + 4 && i < size; ++i)
          expected.push_back(static_cast<float>(i));
      }
      const Sampling sampling(s, SamplingOrder::by_index);
      const PointList& sampled = sampling.sampled().subset;
      ASSERT_EQ(std::vector<float>(sampled.x, sampled.x + sampled.size), expected) << size << " " << s.seed;
      EXPECT_EQ(sampling.sampled().pool.x, sampled.x);
      EXPECT_EQ(sampling.sampled().pool.size, sampled.size);
      EXPECT_TRUE(sampling.sampled().of_more);
      EXPECT_FALSE(sampling.sampled().scanned);
      const bool last = expected.back() == static_cast<float>(size - 1);
      EXPECT_EQ(sampled.size, last ? 1024 - (4 - size % 4) % 4 : 1024);
      (last ? with_last : without_last) = true;
    }
    EXPECT_TRUE(with_last && without_last) << size;
  }
}

TEST(SampledByIndex, IsUniformInsideAPart) {
  constexpr std::uint32_t places = 40, parts = 256, seeds = 500;
  std::vector<double> all(places), each(std::size_t{places} * parts), pairs(std::size_t{places} * places);
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    std::uint32_t before = 0;
    for (std::uint32_t k = 0; k < parts; ++k) {
      const std::uint32_t at = sampled_quad(k, 4 * places * parts, seed) - k * places;
      ASSERT_LT(at, places);
      ++all[at], ++each[k * places + at];
      if (k > 0) ++pairs[before * places + at];
      before = at;
    }
  }
  // Chi square over equal cells with f degrees of freedom: mean f, variance below 2 f. Beyond 5 s of it: 5 in 10^5 for
  // the 39, the most lopsided.
  const auto expect_uniform = [](const std::vector<double>& cells, double samples, double freedom) {
    double chi = 0;
    const double expected = samples / static_cast<double>(cells.size());
    for (const double n : cells) chi += (n - expected) * (n - expected) / expected;
    EXPECT_LT(std::fabs(chi - freedom), 5 * std::sqrt(2 * freedom)) << cells.size() << " cells";
  };
  expect_uniform(all, parts * seeds, places - 1);
  expect_uniform(each, parts * seeds, parts * (places - 1));  // as many samples in each part
  expect_uniform(pairs, (parts - 1) * seeds, places * places - 1);
}

TEST(SampledByIndex, DiffersWithEachWordOfTheSeed) {
  // 256 parts of 40 places agree in 256 / 40 = 6.4 by chance, s = 2.5; 5 s above it are 18.9.
  for (const std::uint64_t other : {std::uint64_t{1}, std::uint64_t{1} << 32}) {
    int same = 0;
    for (std::uint32_t k = 0; k < 256; ++k)
      same += sampled_quad(k, 40960, 0) == sampled_quad(k, 40960, other);
    EXPECT_LE(same, 18);
  }
}

/// Removes the heights of a share of the points: anywhere, or of the first ones.
Scene thinned(Scene s, double share, bool scattered) {
  Random random(5);
  for (std::size_t i = 0; i < s.z.size(); ++i) {
    const bool missing = scattered ? random.uniform() < share
                                   : static_cast<double>(i) < share * static_cast<double>(s.z.size());
    if (missing) s.z[i] = i % 2 ? no_height : endless;
  }
  return s;
}

// Of 1024 points sampled 410 +- 16 have a height where 60 % have none, 614 +- 16 where 40 % have none: 512 is 6 s away.
TEST(SampledByIndex, IsByPositionWhereFewerThanHalfHaveAHeight) {
  for (const std::uint32_t size : {1000u, 40001u}) {
    for (const bool scattered : {true, false}) {
      const Scene whole = rough_floor(size, 3), sparse = thinned(whole, 0.6, scattered);
      const Scene fair = thinned(whole, 0.4, scattered);
      EXPECT_TRUE(Sampling(sparse, SamplingOrder::by_index).sampled().scanned);
      EXPECT_FALSE(Sampling(fair, SamplingOrder::by_index).sampled().scanned);
      for (const FitMode mode : both_modes) {
        const PlaneFitSettings by_index = floor_settings_of(mode),
                               by_position = floor_settings_of(mode, SamplingOrder::by_position);
        EXPECT_EQ(bytes_of(fit(sparse, by_index)), bytes_of(fit(sparse, by_position)));
        EXPECT_EQ(fit(sparse, by_index).status, FitStatus::ok);
        EXPECT_NE(bytes_of(fit(fair, by_index)), bytes_of(fit(fair, by_position)));
        EXPECT_EQ(fit(fair, by_index).status, FitStatus::ok);
      }
    }
  }
}

TEST(SampledByIndex, HalfOfTheHeightsSuffice) {
  Scene s = rough_floor(1000, 4);
  for (std::size_t i = 0; i < 500; ++i) s.z[2 * i] = no_height;
  EXPECT_FALSE(Sampling(s, SamplingOrder::by_index).sampled().scanned);
  s.x[1] = -2 * s.half_x;  // one out of bounds is not sampled either
  EXPECT_TRUE(Sampling(s, SamplingOrder::by_index).sampled().scanned);
}

/// The first number from `from` on that is not sampled.
std::uint32_t unsampled(const Scene& s, std::uint32_t from) {
  const std::vector<std::uint32_t> numbers = sampled_numbers(static_cast<std::uint32_t>(s.x.size()), s.seed);
  const std::set<std::uint32_t> sampled(numbers.begin(), numbers.end());
  while (sampled.count(from) > 0) ++from;
  return from;
}

std::uint32_t heights_of(const Scene& s) {
  return static_cast<std::uint32_t>(
      std::count_if(s.z.begin(), s.z.end(), [](float z) { return std::isfinite(z); }));
}

/// Expects the result of a plane that cannot be fitted.
void expect_refused(const Scene& s, FitStatus status, std::uint32_t hypotheses) {
  for (const FitMode mode : both_modes) {
    for (const SamplingOrder order : both_orders) {
      for (const Isa isa : runnable_isas()) {
        PlaneFit none;
        none.status = status;
        none.valid = heights_of(s);
        none.hypotheses = hypotheses;
        const Backend backend{BackendKind::cpu, isa, 1, ""};
        EXPECT_EQ(bytes_of(fit_all({s}, floor_settings_of(mode, order), backend).front()), bytes_of(none))
            << static_cast<int>(mode) << static_cast<int>(order) << " " << name_of(isa);
      }
    }
  }
}

Scene line_of(std::uint32_t size) {
  Scene s;
  s.half_x = s.half_y = 1000;
  s.seed = 8;
  for (std::uint32_t i = 0; i < size; ++i) {
    const double at = 1000 * (2. * i / size - 1);
    s.add(at, 0.7 * at, i % 3 == 1 ? no_height : 5, true);
  }
  return s;
}

TEST(Unsampled, OutOfBoundsIsToldOfOnePointThatIsNotSampled) {
  for (const bool consensus : {true, false}) {
    const Scene inside = consensus ? thinned(rough_floor(40001, 6), 0.3, true) : line_of(40001);
    for (const std::uint32_t from : {0u, 20000u, 39990u}) {
      Scene s = inside;
      const std::uint32_t i = unsampled(s, from);
      const float x = s.x[i], y = s.y[i];
      s.z[i] = no_height;  // its place does not matter
      s.x[i] = 2 * s.half_x;
      for (const FitMode mode : both_modes)
        EXPECT_EQ(fit(s, floor_settings_of(mode)).status,
                  consensus ? FitStatus::ok : FitStatus::no_consensus);
      s.z[i] = 100;
      expect_refused(s, FitStatus::out_of_bounds, 0);
      s.x[i] = x, s.y[i] = -s.half_y * 1.001f;
      expect_refused(s, FitStatus::out_of_bounds, 0);
      s.y[i] = no_height;
      expect_refused(s, FitStatus::out_of_bounds, 0);
      s.y[i] = y;
      EXPECT_NE(fit(s, floor_settings_of(FitMode::screened)).status, FitStatus::out_of_bounds);
    }
  }
}

TEST(Unsampled, ManyOutOfBoundsOnTheFloorAreToldToo) {  // their sums overflow before anybody knows
  Scene s = rough_floor(40001, 6);
  const std::vector<std::uint32_t> sampled = sampled_numbers(40001, s.seed);
  const std::set<std::uint32_t> kept(sampled.begin(), sampled.end());
  for (std::uint32_t i = 0; i < s.x.size(); ++i) {
    if (kept.count(i) > 0) continue;
    s.x[i] = 1599, s.y[i] = 1199;  // 25,584 and 19,184 in 14-bit integers that end at 8,191
    s.z[i] = 0.02f * s.x[i] - 0.03f * s.y[i] + 100;
  }
  expect_refused(s, FitStatus::out_of_bounds, 0);
}

TEST(Unsampled, HeightsAreCountedWhereNothingIsFound) {
  const std::uint32_t tried = static_cast<std::uint32_t>(PlaneFitSettings{}.max_hypotheses);
  for (const std::uint32_t size : {3u, 4u, 100u, 1536u, 1537u, 40001u}) {
    const Scene s = line_of(size);
    const bool enough = heights_of(s) >= 3;
    expect_refused(s, enough ? FitStatus::no_consensus : FitStatus::too_few_points, enough ? tried : 0);
  }
  Scene two = thinned(rough_floor(40001, 7), 1, false);
  two.z[123] = two.z[39999] = 4;
  expect_refused(two, FitStatus::too_few_points, 0);
}

/// The paper's rule over the hypotheses of a pool, as it is written, with counts of its own.
struct PlainRule {
  std::uint32_t hypotheses = 0;
  std::int64_t best = -1;
  Hypothesis winner{};

  PlainRule(const Sampling& d, std::uint64_t seed, const PlaneFitSettings& settings) {
    const Cloud& c = d.cloud();
    std::uint32_t valid = 0;
    for (std::size_t i = 0; i < c.size; ++i) valid += std::isfinite(c.z[i]);
    const auto pool_size = static_cast<std::uint32_t>(d.sampled().pool.size);
    int needed = settings.max_hypotheses;
    for (; static_cast<int>(hypotheses) < needed; ++hypotheses) {
      const Hypothesis h = hypothesis_of(hypotheses, seed, d, pool_size, settings.threshold, d.region());
      std::int64_t count = 0;
      for (std::size_t i = 0; i < c.size; ++i)
        count += std::fabs(std::fma(-h.a, c.x[i], std::fma(-h.b, c.y[i], c.z[i] - h.c))) <= h.z_threshold;
      if (count <= best) continue;
      best = count;
      winner = h;
      needed = std::min(needed, hypotheses_needed(best, valid, settings.confidence, needed));
    }
  }
};

TEST(ExactMode, KeepsToThePapersRuleOverTheSampledPoints) {
  for (const std::uint32_t size : {5u, 12u, 30u, 600u, 1537u, 9001u}) {
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
      const Scene s = thinned(rough_floor(size, seed), 0.2, true);
      for (const SamplingOrder order : both_orders) {
        for (const Residual residual : {Residual::vertical, Residual::perpendicular}) {
          PlaneFitSettings settings = floor_settings_of(FitMode::exact, order, residual);
          settings.max_hypotheses = 150;
          const Sampling sampling(s, order, residual == Residual::perpendicular);
          const PlainRule rule(sampling, s.seed, settings);
          const Consensus found = sampling.consensus(settings);
          ASSERT_TRUE(found.found);
          EXPECT_EQ(found.hypotheses, rule.hypotheses);
          for (const Isa isa : runnable_isas()) {
            std::uint32_t count = 0;
            plane_kernels(isa).count(sampling.cloud(), &rule.winner, 1, &count);
            EXPECT_EQ(count, rule.best) << name_of(isa);
          }
          const Plane winner{rule.winner.a, rule.winner.b, rule.winner.c};
          const LocalOptimum optimum = sampling.optimum(winner, settings.threshold);
          const Plane& expected = optimum.spans ? optimum.plane : winner;
          EXPECT_EQ(found.plane.a, expected.a);
          EXPECT_EQ(found.plane.b, expected.b);
          EXPECT_EQ(found.plane.c, expected.c);
          EXPECT_EQ(fit(s, settings).hypotheses, rule.hypotheses);
        }
      }
    }
  }
}

// The points sampled lie in a strip too narrow for least squares in 11 bits, the others do not.
TEST(ExactMode, KeepsAWinnerThatTheSampledPointsCannotOptimize) {
  Scene s;
  s.half_x = s.half_y = 1000;  // 11 bits: whole numbers
  s.seed = 4;
  Random random(4);
  const std::vector<std::uint32_t> sampled = sampled_numbers(40000, s.seed);
  const std::set<std::uint32_t> narrow(sampled.begin(), sampled.end());
  for (std::uint32_t i = 0; i < 40000; ++i) {
    const double x = random.between(-1000, 1000), y = random.between(-2, 2) * (narrow.count(i) > 0 ? 1 : 500);
    s.add(x, y, 0.02 * x - 0.03 * y + 100, true);
  }
  const Sampling sampling(s, SamplingOrder::by_index);
  EXPECT_FALSE(sampling.optimum({0.02, -0.03, 100}, 7.5f).spans);  // variance 4/3 of y; 4 are needed
  const PlaneFit exact = fit(s, floor_settings_of(FitMode::exact));
  EXPECT_EQ(exact.status, FitStatus::ok);
  EXPECT_EQ(exact.inliers, 40000u);
  const PlaneFit screened = fit(s, floor_settings_of(FitMode::screened));
  EXPECT_EQ(screened.status, FitStatus::no_consensus);
  EXPECT_EQ(screened.valid, 40000u);
  EXPECT_GT(screened.hypotheses, 0u);
}

}  // namespace
}  // namespace datum
