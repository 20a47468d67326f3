#include "daemon/inspection/surface/value_ranks.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <mutex>

#include "daemon/inspection/surface/in_runs.h"

namespace datum {
namespace {

constexpr int bin_bits = 12;
constexpr std::size_t bins = std::size_t{1} << bin_bits;

/// Integers in the order of the floats.
std::uint32_t key_of(float v) {
  const auto bits = std::bit_cast<std::uint32_t>(v);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

std::size_t bin_of(float v) { return key_of(v) >> (32 - bin_bits); }

/// Where a rank's value is.
struct Searched {
  std::size_t rank, bin = 0;
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

}  // namespace datum
