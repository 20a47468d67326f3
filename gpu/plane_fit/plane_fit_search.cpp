#include "gpu/plane_fit/plane_fit_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

namespace datum {
namespace {

using namespace plane_math;

constexpr int batch = 8;  // hypotheses counted together; the rule below makes it invisible

/// Points drawn by place, put into the order of their keys.
class KeyOrder {
 public:
  KeyOrder(const PointList& points, std::uint64_t seed) {
    const std::uint32_t low = static_cast<std::uint32_t>(seed), high = static_cast<std::uint32_t>(seed >> 32);
    entries_.resize(points.size);
    for (std::size_t i = 0; i < points.size; ++i) {
      const std::uint32_t x = bits_of(points.x[i]), y = bits_of(points.y[i]);
      entries_[i] = Entry{point_key(x, y, low, high), bits_of(points.z[i]), x, y};
    }
    sort();
    for (std::size_t i = 0; i < points.size; ++i) {
      points.x[i] = float_of(entries_[i].x);
      points.y[i] = float_of(entries_[i].y);
      points.z[i] = float_of(entries_[i].z);
    }
  }

 private:
  struct Entry {
    std::uint32_t key, z, x, y;
    bool operator<(const Entry& e) const { return std::tie(key, z, x, y) < std::tie(e.key, e.z, e.x, e.y); }
  };

  /// Keys are uniform, so a distribution by their leading part leaves next to nothing to be sorted.
  void sort() {
    std::uint32_t largest = 0;
    for (const Entry& e : entries_) largest = std::max(largest, e.key);
    const std::uint64_t per_key = (std::uint64_t{buckets} << 32) / (std::uint64_t{largest} + 1);
    const auto bucket_of = [&](const Entry& e) { return static_cast<std::size_t>((e.key * per_key) >> 32); };
    std::array<std::uint32_t, buckets + 1> begin{};
    for (const Entry& e : entries_) ++begin[bucket_of(e) + 1];
    for (std::size_t i = 0; i < buckets; ++i) begin[i + 1] += begin[i];
    const std::array<std::uint32_t, buckets + 1> first = begin;
    std::vector<Entry> sorted(entries_.size());
    for (const Entry& e : entries_) sorted[begin[bucket_of(e)]++] = e;
    for (std::size_t i = 0; i < buckets; ++i)
      std::sort(sorted.begin() + first[i], sorted.begin() + first[i + 1]);
    entries_.swap(sorted);
  }

  static constexpr std::size_t buckets = 256;
  std::vector<Entry> entries_;
};

/// Hypotheses are laid through these.
struct Pool {
  const PointList& points;
  Point operator[](std::uint32_t i) const { return Point{points.x[i], points.y[i], points.z[i]}; }
};

struct Candidate {
  std::int64_t count = -1;
  Hypothesis hypothesis{};
};

/// The paper's loop over counts that come in batches: N shrinks with every new best, equal counts keep the
/// lower index.
class SequentialRule {
 public:
  SequentialRule(const PlaneFitSettings& s, std::uint32_t points, std::int64_t margin)
      : p_(s.confidence), points_(points), margin_(margin), needed_(s.max_hypotheses) {}

  int needed() const { return needed_; }
  void take(const Hypothesis& h, std::uint32_t count) {
    // behind those of equal counts, which came before
    const auto place =
        std::find_if(best_.begin(), best_.end(), [&](const Candidate& c) { return c.count < count; });
    if (place != best_.end()) {
      std::move_backward(place, best_.end() - 1, best_.end());
      *place = Candidate{count, h};
    }
    if (count > top_) {
      top_ = count;
      needed_ = hypotheses_needed(top_ - margin_, points_, p_, needed_);
    }
  }
  const std::array<Candidate, candidates>& best() const { return best_; }

 private:
  double p_;
  std::uint32_t points_;
  std::int64_t margin_, top_ = -1;
  int needed_;
  std::array<Candidate, candidates> best_;
};

int run_rule(const PlaneKernels& kernels, const Cloud& counted, const Pool& pool, std::uint64_t seed,
             const PlaneFitSettings& settings, const FitRegion& region, SequentialRule* rule) {
  int tried = 0;
  while (tried < rule->needed()) {
    Hypothesis h[batch];
    std::uint32_t counts[batch];
    const int k = std::min(batch, rule->needed() - tried);
    for (int i = 0; i < k; ++i)
      h[i] = hypothesis_of(static_cast<std::uint32_t>(tried + i), seed, pool,
                           static_cast<std::uint32_t>(pool.points.size), settings.threshold, region);
    kernels.count(counted, h, k, counts);
    for (int i = 0; i < k && tried < rule->needed(); ++i, ++tried) rule->take(h[i], counts[i]);
  }
  return tried;
}

Cloud cloud_of(const PointList& list) { return Cloud{list.x, list.y, list.z, list.size}; }

Plane plane_of(const Hypothesis& h) { return Plane{h.a, h.b, h.c}; }

/// Planes that polishing ended at.
struct Ends {
  std::array<Polished, candidates> at;
  std::size_t count = 0;
  bool lead_to(const Plane& plane, const FitRegion& region) const {
    return std::any_of(at.begin(), at.begin() + count,
                       [&](const Polished& end) { return same_basin(plane, end, region); });
  }
};

/// Does not span where it is bound to end at one of `ends`.
Polished polish(const PlaneKernels& kernels, const Cloud& subset, const Plane& start, float threshold,
                const FitRegion& region, PointList band, const Ends& ends) {
  Polisher polisher(start, threshold, region);
  for (bool more = true; more;) {
    band.size = 0;
    more = polisher.take(kernels.accumulate(subset, polisher.base(), &band));
    if (ends.lead_to(polisher.result().plane, region)) return Polished{};
  }
  return polisher.result();
}

/// Polishes the best hypotheses and keeps the one with the least sum(min(r^2, reach^2)).
bool polish_best(const PlaneKernels& kernels, const Cloud& subset, const SequentialRule& rule,
                 float threshold, const FitRegion& region, const PointList& band, Plane* plane) {
  Ends ends;
  double best = -1;
  for (const Candidate& c : rule.best()) {
    if (c.count < 3 || 4 * c.count < 3 * rule.best().front().count) break;
    const Plane start = plane_of(c.hypothesis);
    if (ends.lead_to(start, region)) continue;
    const Polished p = polish(kernels, subset, start, threshold, region, band, ends);
    if (!p.spans) continue;
    ends.at[ends.count++] = p;
    if (gain_of(p) > best) {
      best = gain_of(p);
      *plane = p.plane;
    }
  }
  return best >= 0;
}

/// False: too few of the points looked at have a height, or they lie outside.
bool draw_by_number(const Cloud& cloud, std::uint64_t seed, const FitRegion& region,
                    const SearchScratch& scratch, Drawn* drawn) {
  const std::uint32_t size = static_cast<std::uint32_t>(cloud.size), fours = fours_looked_at(size);
  // They lie far apart in memory: all are sent for before the first is waited for.
  std::array<std::uint32_t, most_looked_at / 4> first;
  for (std::uint32_t k = 0; k < fours; ++k) {
    first[k] = 4 * drawn_four(k, size, seed);
    for (const float* of : {cloud.x, cloud.y, cloud.z}) __builtin_prefetch(of + first[k]);
  }
  PointList list = scratch.subset;
  list.size = 0;
  for (std::uint32_t k = 0; k < fours; ++k) {
    for (std::uint32_t i = first[k]; i < std::min(first[k] + 4, size); ++i) {
      const float x = list.x[list.size] = cloud.x[i], y = list.y[list.size] = cloud.y[i],
                  z = list.z[list.size] = cloud.z[i];
      list.size += may_be_drawn(x, y, z, region);
    }
  }
  if (too_few_drawn(static_cast<std::uint32_t>(list.size), size)) return false;
  drawn->subset = drawn->pool = list;
  drawn->of_more = size > most_looked_at;
  return true;
}

void draw_by_place(const PlaneKernels& kernels, const Cloud& cloud, std::uint64_t seed,
                   const FitRegion& region, const SearchScratch& scratch, Drawn* drawn) {
  const auto select = [&](const Cloud& from, std::uint32_t limit, PointList to, PointList* chosen) {
    to.size = 0;
    const Survey survey = kernels.select(from, KeyRange{seed, limit}, region.half_x, region.half_y, &to);
    *chosen = to;
    return survey;
  };
  // Mostly every point has a height; where not, the subset is drawn anew from those that have one.
  const std::uint32_t size = static_cast<std::uint32_t>(cloud.size);
  drawn->survey = select(cloud, key_limit(size, subset_target), scratch.subset, &drawn->subset);
  drawn->surveyed = true;
  const std::uint32_t valid = drawn->survey.valid, limit = key_limit(valid, subset_target);
  if (limit != key_limit(size, subset_target)) select(cloud, limit, scratch.subset, &drawn->subset);
  drawn->of_more = drawn->subset.size < valid;
  select(cloud_of(drawn->subset), key_limit(valid, pool_target), scratch.pool, &drawn->pool);
  KeyOrder(drawn->pool, seed);
}

}  // namespace

Drawn draw_points(const PlaneKernels& kernels, const Cloud& cloud, std::uint64_t seed, DrawBy draw,
                  const FitRegion& region, const SearchScratch& scratch) {
  Drawn drawn;
  const bool by_number = draw == DrawBy::number && region.half_x != 0 && region.half_y != 0 &&
                         draw_by_number(cloud, seed, region, scratch, &drawn);
  if (!by_number) draw_by_place(kernels, cloud, seed, region, scratch, &drawn);
  return drawn;
}

Consensus find_consensus(const PlaneKernels& kernels, const Cloud& cloud, const Drawn& drawn,
                         std::uint64_t seed, const PlaneFitSettings& settings, const FitRegion& region,
                         const PointList& band) {
  Consensus result;
  if (drawn.pool.size < 3) return result;
  const Pool pool{drawn.pool};
  const bool screened = settings.mode == FitMode::screened;
  const Cloud subset = cloud_of(drawn.subset);
  const std::uint32_t points = screened ? static_cast<std::uint32_t>(subset.size) : drawn.survey.valid;
  const std::int64_t margin = count_margin(points, screened && drawn.of_more);
  SequentialRule rule(settings, points, margin);
  result.hypotheses = static_cast<std::uint32_t>(
      run_rule(kernels, screened ? subset : cloud, pool, seed, settings, region, &rule));
  const Candidate& winner = rule.best().front();
  result.found = winner.count >= 3;
  result.plane = plane_of(winner.hypothesis);
  if (!result.found) return result;
  if (screened) {
    result.found = polish_best(kernels, subset, rule, settings.threshold, region, band, &result.plane);
  } else {
    const Polished p = polish(kernels, subset, result.plane, settings.threshold, region, band, Ends{});
    if (p.spans) result.plane = p.plane;
  }
  return result;
}

}  // namespace datum
