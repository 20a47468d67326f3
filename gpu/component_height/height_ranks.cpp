#include "gpu/component_height/height_ranks.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "gpu/component_height/component_height_math.h"
#include "gpu/core/vector_loop.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#endif

namespace datum::height {
namespace {

constexpr std::size_t sample_size = 1024;
constexpr std::size_t lanes = 16;  // so many heights more than chosen may be written
constexpr std::size_t few = 192;   // a sort of so many takes less time than a histogram
constexpr unsigned bucket_bits = 10;
constexpr std::size_t buckets = std::size_t{1} << bucket_bits;

struct Chosen {
  std::size_t size = 0;
  std::uint32_t below = 0;
};

/// Writes each height and goes on where it was chosen: no branch depends on a height.
Chosen choose_one_by_one(const std::int32_t* nm, std::size_t count, std::int32_t low, std::int32_t high,
                         std::int32_t* to) {
  Chosen c;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int32_t h = nm[i];
    to[c.size] = h;
    c.size += static_cast<std::size_t>((h >= low) & (h <= high));
    c.below += h < low;
  }
  return c;
}

#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("avx512f,popcnt"))) Chosen choose_by_lanes(const std::int32_t* nm, std::size_t count,
                                                                 std::int32_t low, std::int32_t high,
                                                                 std::int32_t* to) {
  Chosen c;
  const __m512i lowest = _mm512_set1_epi32(low), highest = _mm512_set1_epi32(high);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const __m512i h = _mm512_loadu_si512(nm + i);
    const __mmask16 under = _mm512_cmplt_epi32_mask(h, lowest);
    const __mmask16 in = _mm512_mask_cmple_epi32_mask(static_cast<__mmask16>(~under), h, highest);
    _mm512_storeu_si512(to + c.size, _mm512_maskz_compress_epi32(in, h));
    c.size += static_cast<std::size_t>(__builtin_popcount(in));
    c.below += static_cast<std::uint32_t>(__builtin_popcount(under));
  }
  const Chosen rest = choose_one_by_one(nm + i, count - i, low, high, to + c.size);
  return {c.size + rest.size, c.below + rest.below};
}
#endif

/// Heights in buckets of one width, in ascending order.
struct Buckets {
  std::uint32_t low = 0;
  unsigned shift = 0;
  std::size_t of(std::int32_t nm) const { return (static_cast<std::uint32_t>(nm) - low) >> shift; }
};

Buckets buckets_over(const std::int32_t* nm, std::size_t count, Isa isa) {
  std::int32_t low = nm[0], high = nm[0];
  vector_loop(isa, [&]() DATUM_VECTOR_LOOP {
    std::int32_t least = low, most = high;
    for (std::size_t i = 0; i < count; ++i) {
      least = nm[i] < least ? nm[i] : least;
      most = nm[i] > most ? nm[i] : most;
    }
    low = least;
    high = most;
  });
  Buckets b{static_cast<std::uint32_t>(low), 0};
  while (b.of(high) >= buckets) ++b.shift;
  return b;
}

}  // namespace

void HeightChoice::choose(const std::int32_t* nm, std::size_t count, std::int32_t low, std::int32_t high,
                          Isa isa) {
  isa_ = isa;
  nm_ = kept_.of(count + lanes);
#if defined(__x86_64__) && defined(__GNUC__)
  const bool by_lanes = isa == Isa::avx512;
  const Chosen c =
      by_lanes ? choose_by_lanes(nm, count, low, high, nm_) : choose_one_by_one(nm, count, low, high, nm_);
#else
  const Chosen c = choose_one_by_one(nm, count, low, high, nm_);
#endif
  size_ = c.size;
  below_ = c.below;
}

void HeightChoice::select(std::uint32_t* ranks, int count, std::int32_t* found) {
  if (size_ > few) keep_buckets_of(ranks, count);
  std::sort(nm_, nm_ + size_);
  for (int i = 0; i < count; ++i) found[i] = nm_[ranks[i] - 1];
}

/// Drops the heights of all buckets without a rank, and counts the ranks anew.
void HeightChoice::keep_buckets_of(std::uint32_t* ranks, int count) {
  const Buckets by = buckets_over(nm_, size_, isa_);
  std::array<std::uint32_t, buckets + 1> before{};  // heights in lower buckets
  for (std::size_t i = 0; i < size_; ++i) ++before[by.of(nm_[i]) + 1];
  for (std::size_t b = 0; b < buckets; ++b) before[b + 1] += before[b];
  std::array<std::uint8_t, buckets> kept{};
  std::uint32_t dropped = 0, end = 0;  // of the last bucket that is kept
  std::size_t bucket = 0;
  for (int i = 0; i < count; ++i) {
    while (before[bucket + 1] < ranks[i]) ++bucket;
    if (!kept[bucket]) {
      kept[bucket] = 1;
      dropped += before[bucket] - end;
      end = before[bucket + 1];
    }
    ranks[i] -= dropped;
  }
  std::size_t size = 0;
  for (std::size_t i = 0; i < size_; ++i) {
    const std::int32_t h = nm_[i];
    nm_[size] = h;
    size += kept[by.of(h)];
  }
  size_ = size;
}

RankSelector::RankSelector(const std::int32_t* nm, std::size_t count, std::uint32_t valid, Isa isa,
                           HeightChoice* choice)
    : nm_(nm), count_(count), valid_(valid), isa_(isa), choice_(choice) {
  if (count < 4 * sample_size) return;
  sample_.reserve(2 * sample_size);
  for (std::size_t i = 0; i < count; i += count / sample_size)
    if (nm[i] != no_height) sample_.push_back(nm[i]);
}

/// Heights of the sample at a place from either end; bounds of all heights beyond them.
void RankSelector::bound(double first, double last, std::int32_t* low, std::int32_t* high) {
  const auto size = static_cast<double>(sample_.size());
  const bool has_low = first >= 0 && first < size, has_high = last >= 0 && last < size;
  *low = no_height + 1;
  *high = INT32_MAX;
  if (!has_low && !has_high) return;
  choice_->choose(sample_.data(), sample_.size(), *low, *high, isa_);
  std::uint32_t ranks[] = {
      has_low ? static_cast<std::uint32_t>(first) + 1 : 1,
      has_high ? static_cast<std::uint32_t>(last) + 1 : static_cast<std::uint32_t>(size)};
  std::int32_t found[2];
  choice_->select(ranks, 2, found);
  if (has_low) *low = found[0];
  if (has_high) *high = found[1];
}

void RankSelector::at(const std::uint32_t* ranks, int count, std::int32_t* found) {
  const auto size = static_cast<double>(sample_.size());
  // four standard deviations of a share in the sample, and one place
  const double reach = 2 * std::sqrt(size) + 1;
  const double first = size * ranks[0] / valid_ - reach, last = size * ranks[count - 1] / valid_ + reach;
  std::int32_t low = 0, high = 0;
  bound(first, last, &low, &high);
  choice_->choose(nm_, count_, low, high, isa_);
  const auto missing = static_cast<std::uint32_t>(count_) - valid_;
  if (ranks[0] + missing <= choice_->below() ||
      ranks[count - 1] + missing > choice_->below() + choice_->size())
    choice_->choose(nm_, count_, no_height + 1, INT32_MAX, isa_);
  std::array<std::uint32_t, 8> among{};
  for (int i = 0; i < count; ++i) among[static_cast<std::size_t>(i)] = ranks[i] + missing - choice_->below();
  choice_->select(among.data(), count, found);
}

}  // namespace datum::height
