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

/// The drawn points in an order that depends on the points alone.
class Pool {
 public:
  Pool(const PointList& chosen, std::uint64_t seed) {
    const std::uint32_t low = static_cast<std::uint32_t>(seed), high = static_cast<std::uint32_t>(seed >> 32);
    entries_.resize(chosen.size);
    for (std::size_t i = 0; i < chosen.size; ++i) {
      const std::uint32_t x = bits_of(chosen.x[i]), y = bits_of(chosen.y[i]);
      entries_[i] = Entry{point_key(x, y, low, high), bits_of(chosen.z[i]), x, y};
    }
    sort();
  }

  std::uint32_t size() const { return static_cast<std::uint32_t>(entries_.size()); }
  Point operator[](std::uint32_t i) const {
    return Point{float_of(entries_[i].x), float_of(entries_[i].y), float_of(entries_[i].z)};
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
      h[i] = hypothesis_of(static_cast<std::uint32_t>(tried + i), seed, pool, pool.size(), settings.threshold,
                           region);
    kernels.count(counted, h, k, counts);
    for (int i = 0; i < k && tried < rule->needed(); ++i, ++tried) rule->take(h[i], counts[i]);
  }
  return tried;
}

Cloud cloud_of(const PointList& list) { return Cloud{list.x, list.y, list.z, list.size}; }

Plane plane_of(const Hypothesis& h) { return Plane{h.a, h.b, h.c}; }

/// Polishes the best hypotheses on the subset and keeps the one with the least sum(min(r^2, reach^2)).
bool polish(const PlaneKernels& kernels, const Cloud& subset, const SequentialRule& rule,
            const PlaneFitSettings& settings, const FitRegion& region, const PointList& band, Plane* plane) {
  std::array<Refined, candidates> ends;
  std::size_t ended = 0;
  double best = -1;
  for (const Candidate& c : rule.best()) {
    if (c.count < 3 || 4 * c.count < 3 * rule.best().front().count) break;
    const Plane start = plane_of(c.hypothesis);
    if (std::any_of(ends.begin(), ends.begin() + ended,
                    [&](const Refined& end) { return same_basin(start, end, region); }))
      continue;
    const Refined r = refine(kernels, subset, start, settings.threshold, region, band);
    if (!r.spans) continue;
    ends[ended++] = r;
    if (gain_of(r) > best) {
      best = gain_of(r);
      *plane = r.plane;
    }
  }
  return best >= 0;
}

}  // namespace

Draw draw_points(const PlaneKernels& kernels, const Cloud& cloud, std::uint64_t seed, const FitRegion& region,
                 const SearchScratch& scratch) {
  const auto select = [&](const Cloud& from, std::uint32_t limit, PointList to, PointList* chosen) {
    to.size = 0;
    const Survey survey = kernels.select(from, KeyRange{seed, limit}, region.half_x, region.half_y, &to);
    *chosen = to;
    return survey;
  };
  // Mostly every point has a height; where not, the subset is drawn anew from those that have one.
  const std::uint32_t size = static_cast<std::uint32_t>(cloud.size);
  Draw draw;
  draw.survey = select(cloud, key_limit(size, subset_target), scratch.subset, &draw.subset);
  const std::uint32_t valid = draw.survey.valid, limit = key_limit(valid, subset_target);
  if (limit != key_limit(size, subset_target)) select(cloud, limit, scratch.subset, &draw.subset);
  select(cloud_of(draw.subset), key_limit(valid, pool_target), scratch.pool, &draw.pool);
  return draw;
}

Consensus find_consensus(const PlaneKernels& kernels, const Cloud& cloud, const Draw& draw,
                         std::uint64_t seed, const PlaneFitSettings& settings, const FitRegion& region,
                         const PointList& band) {
  Consensus result;
  if (draw.pool.size < 3) return result;
  const Pool pool(draw.pool, seed);
  const bool screened = settings.mode == FitMode::screened;
  const Cloud subset = cloud_of(draw.subset);
  const std::uint32_t points = screened ? static_cast<std::uint32_t>(subset.size) : draw.survey.valid;
  const std::int64_t margin = count_margin(points, draw.survey.valid);
  SequentialRule rule(settings, points, margin);
  result.hypotheses = static_cast<std::uint32_t>(
      run_rule(kernels, screened ? subset : cloud, pool, seed, settings, region, &rule));
  const Candidate& winner = rule.best().front();
  result.found = winner.count >= 3;
  result.plane = plane_of(winner.hypothesis);
  if (screened && result.found)
    result.found = polish(kernels, subset, rule, settings, region, band, &result.plane);
  return result;
}

}  // namespace datum
