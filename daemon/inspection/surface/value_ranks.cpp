#include "daemon/inspection/surface/value_ranks.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <mutex>
#include <numeric>

#include "daemon/inspection/surface/in_runs.h"

namespace datum {
namespace {

constexpr int bin_bits = 13;
constexpr std::size_t bins = std::size_t{1} << bin_bits;

/// Integers in the order of the floats.
std::uint32_t key_of(float v) {
  const auto bits = std::bit_cast<std::uint32_t>(v);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

std::size_t bin_of(float v) { return key_of(v) >> (32 - bin_bits); }

/// Where a rank's value is.
struct Searched {
  std::size_t rank = 0, bin = 0;
  std::vector<float> in_bin = {};
};

void locate(Searched& s, const std::vector<std::size_t>& count) {
  while (s.rank >= count[s.bin]) s.rank -= count[s.bin++];
}

float value_of(Searched& s) {
  const auto at = s.in_bin.begin() + static_cast<std::ptrdiff_t>(s.rank);
  std::nth_element(s.in_bin.begin(), at, s.in_bin.end());
  return *at;
}

}  // namespace

std::pair<float, float> values_at(std::span<const float> values, std::size_t first, std::size_t second,
                                  unsigned threads) {
  std::vector<std::size_t> count(bins);
  std::mutex joining;
  in_runs(threads, values.size(), [&](std::size_t, std::size_t from, std::size_t to) {
    std::vector<std::uint32_t> own(bins);
    for (std::size_t i = from; i < to; ++i) ++own[bin_of(values[i])];
    const std::lock_guard lock(joining);
    for (std::size_t b = 0; b < bins; ++b) count[b] += own[b];
  });
  Searched low{first}, high{second};
  locate(low, count);
  locate(high, count);
  in_runs(threads, values.size(), [&](std::size_t, std::size_t from, std::size_t to) {
    std::vector<float> lower, upper;
    for (std::size_t i = from; i < to; ++i) {
      const std::size_t bin = bin_of(values[i]);
      if (bin == low.bin) lower.push_back(values[i]);
      if (bin == high.bin) upper.push_back(values[i]);
    }
    const std::lock_guard lock(joining);
    low.in_bin.insert(low.in_bin.end(), lower.begin(), lower.end());
    high.in_bin.insert(high.in_bin.end(), upper.begin(), upper.end());
  });
  return {value_of(low), value_of(high)};
}

void find_ends(std::span<const float> values, std::span<const std::uint16_t> region, double share,
               unsigned threads, std::vector<RegionEnds>& ends) {
  const auto each = [&](std::size_t run, const auto& visit) {
    for (std::size_t i = run * run_length; i < std::min(values.size(), (run + 1) * run_length); ++i)
      if (const std::size_t r = region[i]; r < ends.size() && ends[r].wanted) visit(r, values[i]);
  };
  const std::size_t runs = runs_of(values.size());
  std::vector<std::vector<std::uint32_t>> of_slot(std::max(1u, threads));
  parallel_for(threads, runs, [&](std::size_t run, unsigned slot) {
    std::vector<std::uint32_t>& own = of_slot[slot];
    if (own.empty()) own.resize(ends.size() * bins);
    each(run, [&](std::size_t r, float v) { ++own[r * bins + bin_of(v)]; });
  });
  std::vector<Searched> low(ends.size()), high(ends.size());
  for (std::size_t r = 0; r < ends.size(); ++r) {
    if (!ends[r].wanted) continue;
    std::vector<std::size_t> count(bins);
    for (const std::vector<std::uint32_t>& own : of_slot)
      for (std::size_t b = 0; !own.empty() && b < bins; ++b) count[b] += own[r * bins + b];
    ends[r].values = std::accumulate(count.begin(), count.end(), std::size_t{0});
    if (ends[r].values == 0) continue;
    low[r].rank = static_cast<std::size_t>(share * static_cast<double>(ends[r].values - 1));
    high[r].rank = ends[r].values - 1 - low[r].rank;
    locate(low[r], count);
    locate(high[r], count);
  }
  std::mutex joining;
  parallel_for(threads, runs, [&](std::size_t run, unsigned) {
    std::vector<std::pair<std::size_t, float>> lower, upper;
    each(run, [&](std::size_t r, float v) {
      const std::size_t bin = bin_of(v);
      if (bin == low[r].bin) lower.emplace_back(r, v);
      if (bin == high[r].bin) upper.emplace_back(r, v);
    });
    const std::lock_guard lock(joining);
    for (const auto& [r, v] : lower) low[r].in_bin.push_back(v);
    for (const auto& [r, v] : upper) high[r].in_bin.push_back(v);
  });
  parallel_for(threads, 2 * ends.size(), [&](std::size_t k, unsigned) {
    RegionEnds& e = ends[k / 2];
    if (e.values == 0) return;
    (k % 2 ? e.high : e.low) = value_of((k % 2 ? high : low)[k / 2]);
  });
}

}  // namespace datum
