// The robust search as a template over features (robust.h).
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>

#include "calib/fit/point_moments.h"
#include "calib/fit/robust.h"
#include "gpu/core/philox.h"

namespace datum::robust {

/// Thresholds in sigma that contain 86.6 % (consensus) and 99.73 % (fit) of a feature's own points: 1.5 and 3
/// for one residual, as gpu/plane_fit recommends, and the same quantiles of a Rayleigh distribution for two.
constexpr double consensus_at(int residuals) { return residuals == 1 ? 1.5 : 2.006; }
constexpr double inlier_at(int residuals) { return residuals == 1 ? 3.0 : 3.440; }

/// Least N <= limit with (1 - w^m)^N <= 1 - p; limit + 1 if there is none.
int hypotheses_needed(double share, int sample_size, double confidence, int limit);

/// Distinct indices below n, ascending; each is sampled from those not yet chosen.
template <int M>
std::array<std::uint32_t, M> draw_distinct(std::uint32_t n, std::uint32_t hypothesis, std::uint64_t seed) {
  std::array<std::uint32_t, M> taken{};
  PhiloxBlock words{};
  for (std::uint32_t i = 0; i < M; ++i) {
    if (i % 4 == 0) words = philox(PhiloxBlock{{hypothesis, i / 4, 0, 0}}, seed);
    std::uint32_t index = multiply_high(words.word[i % 4], n - i), place = 0;
    while (place < i && index >= taken[place]) ++index, ++place;
    for (std::uint32_t k = i; k > place; --k) taken[k] = taken[k - 1];
    taken[place] = index;
  }
  return taken;
}

/// Throws std::invalid_argument for settings out of range.
void check(const RobustSettings& settings);

/// Indices in the order of the points' coordinates, so that the result depends on the set and not on its
/// order.
std::vector<std::uint32_t> order_of(Points points);

/// One point of each of at most 1024 equal stretches of the ordered points, on which hypotheses are scored.
std::vector<Eigen::Vector3d> counted_on(Points ordered, std::uint64_t seed);

/// Refuses inliers whose standard deviation contradicts the stated noise.
void refuse_scatter(const char* name, const FitEvidence& evidence, int residuals, int parameters,
                    double noise_sigma_mm);

template <class Feature>
struct Consensus {
  std::optional<Feature> feature;
  std::size_t count = 0;
  double sum_mm = 0;  // of the scored points' distances
  double share = 0;
  int hypotheses = 0;
  bool sure = false;  // the sequential stopping rule is satisfied
};

template <class Search>
Consensus<typename Search::Feature> find_consensus(const Search& search, Points ordered, double length_mm,
                                                   const RobustSettings& s) {
  constexpr int m = Search::sample_size;
  const double reach = consensus_at(Search::residuals) * s.noise_sigma_mm;
  const std::vector<Eigen::Vector3d> some = counted_on(ordered, s.seed);
  Consensus<typename Search::Feature> best;
  int needed = s.max_hypotheses;
  for (int k = 0; k < needed; ++k) {
    best.hypotheses = k + 1;
    Eigen::Vector3d const* const p = ordered.data();
    std::array<Eigen::Vector3d, m> sample;
    const auto drawn =
        draw_distinct<m>(static_cast<std::uint32_t>(ordered.size()), static_cast<std::uint32_t>(k), s.seed);
    for (int i = 0; i < m; ++i) sample[i] = p[drawn[i]];
    const auto feature = search.through(sample, length_mm);
    if (!feature) continue;
    std::size_t count = 0;
    double sum = 0;
    for (const Eigen::Vector3d& q : some) {
      const double d = search.distance(*feature, q);
      if (d <= reach) ++count, sum += d;
    }
    if (count < best.count || (count == best.count && !(sum < best.sum_mm))) continue;
    best.feature = feature;
    best.count = count;
    best.sum_mm = sum;
    best.share = static_cast<double>(count) / static_cast<double>(some.size());
    const int enough = hypotheses_needed(best.share, m, s.confidence, s.max_hypotheses);
    best.sure = enough <= s.max_hypotheses;
    needed = std::min(needed, enough);
  }
  return best;
}

template <class Search>
std::vector<std::uint32_t> within(const Search& search, const typename Search::Feature& feature,
                                  Points points, double reach_mm) {
  std::vector<std::uint32_t> inside;
  for (std::uint32_t i = 0; i < points.size(); ++i) {
    if (search.distance(feature, points[i]) <= reach_mm) inside.push_back(i);
  }
  return inside;
}

template <class T>
std::vector<T> taken(std::span<const T> all, const std::vector<std::uint32_t>& indices) {
  std::vector<T> some;
  some.reserve(indices.size());
  for (const std::uint32_t i : indices) some.push_back(all[i]);
  return some;
}

/// Least squares, repeated until the inlier set is unchanged.
template <class Search>
RobustFit<typename Search::Feature, Search::parameters> refined(const Search& search, Points ordered,
                                                                typename Search::Feature feature,
                                                                const RobustSettings& s,
                                                                const FitLimits& limits) {
  constexpr int most_refits = 30;
  const double reach = inlier_at(Search::residuals) * s.noise_sigma_mm;
  RobustFit<typename Search::Feature, Search::parameters> result;
  std::vector<std::uint32_t> inside = within(search, feature, ordered, reach);
  while (inside != result.inliers) {
    if (result.refits == most_refits) {
      refuse_fit(Search::name,
                 "the points that belong to it keep changing: noise_sigma_mm = %.3g is too small, or two "
                 "surfaces lie within a few of it",
                 s.noise_sigma_mm);
    }
    if (static_cast<double>(inside.size()) < s.least_share * static_cast<double>(ordered.size())) {
      refuse_fit(
          Search::name,
          "only %zu of %zu points lie on one (needs %.2g of them): the wrong region, or noise_sigma_mm = "
          "%.3g is too small",
          inside.size(), ordered.size(), s.least_share, s.noise_sigma_mm);
    }
    result.inliers = inside;
    result.fit = search.fit(taken(ordered, inside), limits);
    ++result.refits;
    inside = within(search, result.fit.feature, ordered, reach);
  }
  return result;
}

/// Refuses where the points outside the fit hold a second feature of nearly as many points.
template <class Search>
void refuse_second(const Search& search, Points ordered, const std::vector<std::uint32_t>& inliers,
                   double length_mm, const RobustSettings& s) {
  std::vector<Eigen::Vector3d> rest;
  for (std::uint32_t i = 0, next = 0; i < ordered.size(); ++i) {
    if (next < inliers.size() && inliers[next] == i) {
      ++next;
    } else {
      rest.push_back(ordered[i]);
    }
  }
  const double limit = s.second_share * static_cast<double>(inliers.size());
  if (static_cast<double>(rest.size()) < limit || rest.size() < Search::sample_size) return;
  const auto second = find_consensus(search, rest, length_mm, s);
  if (!second.feature) return;
  const auto others =
      within(search, *second.feature, rest, inlier_at(Search::residuals) * s.noise_sigma_mm).size();
  if (static_cast<double>(others) < limit) return;
  refuse_fit(Search::name,
             "%zu points lie on one and %zu on another: which is meant is open; choose a smaller region",
             inliers.size(), others);
}

template <class Search>
RobustFit<typename Search::Feature, Search::parameters> fit(const Search& search, Points points,
                                                            const RobustSettings& s,
                                                            const FitLimits& limits) {
  check(s);
  const PointMoments m = moments_of(points, Search::name, Search::sample_size + 1);
  const std::vector<std::uint32_t> order = order_of(points);
  const std::vector<Eigen::Vector3d> ordered = taken(points, order);
  const auto consensus = find_consensus(search, ordered, m.length_mm, s);
  if (!consensus.feature || !consensus.sure) {
    refuse_fit(Search::name,
               "no consensus: the best of %d hypotheses has %.2g of the points within %.3g mm; the wrong "
               "region, or noise_sigma_mm is too small",
               consensus.hypotheses, consensus.share, consensus_at(Search::residuals) * s.noise_sigma_mm);
  }
  auto result = refined(search, ordered, *consensus.feature, s, limits);
  refuse_scatter(Search::name, result.fit.evidence, Search::residuals, Search::parameters, s.noise_sigma_mm);
  refuse_second(search, ordered, result.inliers, m.length_mm, s);
  result.hypotheses = consensus.hypotheses;
  result.fit.evidence.points = points.size();
  for (std::uint32_t& i : result.inliers) i = order[i];
  std::sort(result.inliers.begin(), result.inliers.end());
  return result;
}

}  // namespace datum::robust
