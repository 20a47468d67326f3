#include "gpu/plane_fit/sampling_cpu.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <vector>

namespace datum {

namespace {

using namespace plane_math;

/// Orders points that were sampled by position by their keys.
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

  /// A bucket sort, because keys are uniform.
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

/// Returns false where too few of the sampled points have a height inside the bounds.
bool sample_by_index(const Cloud& cloud, std::uint64_t seed, const FitRegion& region,
                     const SearchScratch& scratch, SampledPoints* sampled) {
  const std::uint32_t size = static_cast<std::uint32_t>(cloud.size), quads = sampled_quads(size);
  // The quads lie far apart in memory: prefetches overlap their latencies.
  std::array<std::uint32_t, max_sampled_points / 4> first;
  for (std::uint32_t k = 0; k < quads; ++k) {
    first[k] = 4 * sampled_quad(k, size, seed);
    for (const float* of : {cloud.x, cloud.y, cloud.z}) __builtin_prefetch(of + first[k]);
  }
  PointList list = scratch.subset;
  list.size = 0;
  for (std::uint32_t k = 0; k < quads; ++k) {
    for (std::uint32_t i = first[k]; i < std::min(first[k] + 4, size); ++i) {
      const float x = list.x[list.size] = cloud.x[i], y = list.y[list.size] = cloud.y[i],
                  z = list.z[list.size] = cloud.z[i];
      list.size += may_be_sampled(x, y, z, region);
    }
  }
  if (too_few_sampled(static_cast<std::uint32_t>(list.size), size)) return false;
  sampled->subset = sampled->pool = list;
  sampled->of_more = size > max_sampled_points;
  return true;
}

void sample_by_position(const PlaneKernels& kernels, const Cloud& cloud, std::uint64_t seed,
                        const FitRegion& region, const SearchScratch& scratch, SampledPoints* sampled) {
  const auto select = [&](const Cloud& from, std::uint32_t limit, PointList to, PointList* chosen) {
    to.size = 0;
    const ValidityScan scan = kernels.select(from, KeyRange{seed, limit}, region.half_x, region.half_y, &to);
    *chosen = to;
    return scan;
  };
  // Nearly always every point has a height; otherwise a second pass samples the subset with the right limit.
  const std::uint32_t size = static_cast<std::uint32_t>(cloud.size);
  sampled->scan = select(cloud, key_limit(size, subset_target), scratch.subset, &sampled->subset);
  sampled->scanned = true;
  const std::uint32_t valid = sampled->scan.valid, limit = key_limit(valid, subset_target);
  if (limit != key_limit(size, subset_target)) select(cloud, limit, scratch.subset, &sampled->subset);
  sampled->of_more = sampled->subset.size < valid;
  select(cloud_of(sampled->subset), key_limit(valid, pool_target), scratch.pool, &sampled->pool);
  KeyOrder(sampled->pool, seed);
}

}  // namespace

SampledPoints sample_points(const PlaneKernels& kernels, const Cloud& cloud, std::uint64_t seed,
                            SamplingOrder order, const FitRegion& region, const SearchScratch& scratch) {
  SampledPoints sampled;
  const bool by_index = order == SamplingOrder::by_index && region.half_x != 0 && region.half_y != 0 &&
                        sample_by_index(cloud, seed, region, scratch, &sampled);
  if (!by_index) sample_by_position(kernels, cloud, seed, region, scratch, &sampled);
  return sampled;
}

}  // namespace datum
