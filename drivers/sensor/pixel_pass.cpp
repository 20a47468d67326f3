#include "drivers/sensor/pixel_pass.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "drivers/frame/frame_error.h"
#include "gpu/core/early_frame.h"

namespace datum {
namespace {

// Samples that are treated at once, with a constant number of turns; what lies beyond the last one is of no
// effect. Their counts and classes stay in the first cache.
constexpr std::size_t block = 256;
static_assert(std::endian::native == std::endian::little, "stored samples are taken as they lie");

constexpr std::uint64_t no_sample = std::numeric_limits<std::uint64_t>::max();

[[noreturn]] void refuse_pixels(const std::string& name, const std::string& what) {
  throw FrameError(fmt::format("{}: {}", name, what));
}

template <class Number>
Number byte_swapped(Number number) {
  auto bytes = std::bit_cast<std::array<std::uint8_t, sizeof(Number)>>(number);
  std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<Number>(bytes);
}

template <class Stored, class Count>
PixelRule<Count> rule_of(const AxisScale& z, const PixelPass::Treatment& t, const std::string& name) {
  PixelRule<Count> rule;
  const InvalidMark& mark = t.invalid;
  if (t.profile) rule.range = counts_in_range<Count>(z, t.profile->z_min_mm, t.profile->z_max_mm);
  rule.has_mark = mark.kind == InvalidMark::Kind::value;
  if constexpr (std::is_floating_point_v<Stored>) {
    rule.nan_is_mark = mark.kind == InvalidMark::Kind::nan;
  } else {
    constexpr std::int64_t min = std::numeric_limits<Stored>::min(), max = std::numeric_limits<Stored>::max();
    if (mark.kind == InvalidMark::Kind::nan)
      refuse_pixels(
          name,
          "has whole numbers, but invalid_value is \"nan\"; give the number that marks an invalid pixel");
    if (rule.has_mark && (mark.value < min || mark.value > max))
      refuse_pixels(name,
                    fmt::format("invalid_value {} can't occur in samples of {} to {}", mark.value, min, max));
  }
  rule.mark = static_cast<Count>(mark.value);
  return rule;
}

/// Classes of a whole block, without a branch.
template <bool has_mark, class Count>
void class_block(const Count* counts, PixelClass* classes, const PixelRule<Count>& rule) {
  const Count mark = rule.mark, least = rule.range.least, most = rule.range.most;
  for (std::size_t i = 0; i < block; ++i) {
    const bool out = (counts[i] < least) | (counts[i] > most);
    const PixelClass in_range = out ? PixelClass::out_of_range : PixelClass::ok;
    classes[i] = has_mark && counts[i] == mark ? PixelClass::no_data : in_range;
  }
}

/// NaN becomes no_data here, a mark or not.
void class_nan(const float* counts, PixelClass* classes) {
  for (std::size_t i = 0; i < block; ++i)
    classes[i] = counts[i] != counts[i] ? PixelClass::no_data : classes[i];
}

bool all_finite(const float* counts) {
  std::uint32_t other = 0;
  for (std::size_t i = 0; i < block; ++i)
    other |= std::abs(counts[i]) <= std::numeric_limits<float>::max() ? 0u : 1u;
  return other == 0;
}

/// A block, the last value first.
template <class Value>
void reverse_block(const Value* values, Value* to) {
  if constexpr (sizeof(Value) > 1) {
    for (std::size_t i = 0; i < block; ++i) to[i] = values[block - 1 - i];
  } else {  // the baseline's vector instructions reverse no bytes
    for (std::size_t i = 0; i < block; i += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, values + i, sizeof word);
      word = __builtin_bswap64(word);
      std::memcpy(to + (block - sizeof word - i), &word, sizeof word);
    }
  }
}

/// The first `n` of a block, the last one first. A whole block goes to its place at once: to read again what was just
/// written in smaller words takes longer than to reverse it.
template <class Value>
void put_reversed(const Value* values, std::uint64_t n, Value* to) {
  if (n == block) return reverse_block(values, to);
  std::array<Value, block> reversed;
  reverse_block(values, reversed.data());
  std::memcpy(to, reversed.data() + (block - n), n * sizeof(Value));
}

template <class Stored, class Count>
class Pass final : public PixelPass {
 public:
  Pass(HeightFrame& frame, bool big_endian, const Treatment& treatment, const std::string& name)
      : rule_(rule_of<Stored, Count>(frame.z, treatment, name)),
        counts_(std::get<std::vector<Count>>(frame.counts).data()),
        classes_(frame.classes.data()),
        cols_(static_cast<std::uint64_t>(frame.cols)),
        big_endian_(big_endian),
        reversed_(treatment.reversed),
        early_(frame.early.taken.get()),
        name_(name) {}

  void put(std::uint64_t first, ByteView samples) override {
    std::array<Count, block> counts{};
    std::array<PixelClass, block> classes{};
    const std::uint64_t begin = first, end = first + samples.size() / sizeof(Stored);
    for (const std::uint8_t* from = samples.data(); first < end;) {
      std::uint64_t n = std::min<std::uint64_t>(end - first, block);
      if (reversed_) n = std::min(n, cols_ - first % cols_);
      load(from, n, counts.data());
      classify(counts.data(), classes.data());
      if constexpr (std::is_same_v<Count, float>) find_not_finite(counts.data(), n, first);
      place(counts.data(), classes.data(), first, n, from);
      first += n;
      from += n * sizeof(Stored);
    }
    if (early_) give_early(begin, end);
  }

  void finish() const override {
    const std::uint64_t first = not_finite_.load();
    if (first == no_sample) return;
    const std::uint64_t row = first / cols_, col = first % cols_;
    const bool is_nan = std::isnan(static_cast<double>(counts_[place_of_sample(first)]));
    refuse_pixels(
        name_,
        fmt::format("row {}, column {} is {}; mark invalid pixels by NaN and say \"invalid_value\": \"nan\"",
                    row, col, is_nan ? "NaN" : "infinite"));
  }

 private:
  void load(const std::uint8_t* from, std::uint64_t n, Count* counts) const {
    if constexpr (std::is_same_v<Stored, Count>) {
      std::memcpy(counts, from, n * sizeof(Stored));
      if (big_endian_)
        for (std::size_t i = 0; i < block; ++i) counts[i] = byte_swapped(counts[i]);
    } else {
      std::array<Stored, block> stored{};
      std::memcpy(stored.data(), from, n * sizeof(Stored));
      if (big_endian_)
        for (Stored& sample : stored) sample = byte_swapped(sample);
      for (std::size_t i = 0; i < block; ++i) counts[i] = static_cast<Count>(stored[i]);
    }
  }

  void classify(const Count* counts, PixelClass* classes) const {
    if (rule_.has_mark)
      class_block<true>(counts, classes, rule_);
    else
      class_block<false>(counts, classes, rule_);
    if constexpr (std::is_same_v<Count, float>) class_nan(counts, classes);
  }

  /// Of pixels that are no marks.
  void find_not_finite(const Count* counts, std::uint64_t n, std::uint64_t first) {
    if (all_finite(counts)) return;
    for (std::uint64_t i = 0; i < n; ++i) {
      if (std::isfinite(counts[i]) || (rule_.nan_is_mark && std::isnan(counts[i]))) continue;
      std::uint64_t known = not_finite_.load();
      while (first + i < known && !not_finite_.compare_exchange_weak(known, first + i)) {
      }
      return;
    }
  }

  /// The places of these samples: of reversed rows those of a part lie at the other end.
  void give_early(std::uint64_t first, std::uint64_t end) const {
    FrameView frame;
    frame.counts = counts_;
    frame.classes = reinterpret_cast<const std::uint8_t*>(classes_);
    frame.pitch = static_cast<std::int32_t>(cols_);
    while (first < end) {
      const std::uint64_t in_row = first % cols_;
      const bool whole_rows = !reversed_ || (in_row == 0 && end - first >= cols_);
      const std::uint64_t n = !reversed_   ? end - first
                              : whole_rows ? (end - first) / cols_ * cols_
                                           : std::min(end - first, cols_ - in_row);
      early_->put(frame, whole_rows ? first : place_of_sample(first + n - 1), n);
      first += n;
    }
  }

  std::uint64_t place_of_sample(std::uint64_t index) const {
    return reversed_ ? index + cols_ - 1 - 2 * (index % cols_) : index;
  }

  void place(const Count* counts, const PixelClass* classes, std::uint64_t first, std::uint64_t n,
             const std::uint8_t* from) const {
    if (!reversed_) {
      Count* const to = counts_ + first;
      if (reinterpret_cast<const std::uint8_t*>(to) != from) std::memcpy(to, counts, n * sizeof(Count));
      std::memcpy(classes_ + first, classes, n);
      return;
    }
    const std::uint64_t last = place_of_sample(first + n - 1);
    put_reversed(counts, n, counts_ + last);
    put_reversed(classes, n, classes_ + last);
  }

  const PixelRule<Count> rule_;
  Count* const counts_;
  PixelClass* const classes_;
  const std::uint64_t cols_;
  const bool big_endian_, reversed_;
  EarlyFrame* const early_;  // the frame's
  const std::string name_;
  std::atomic<std::uint64_t> not_finite_{no_sample};
};

}  // namespace

std::unique_ptr<PixelPass> pixel_pass(HeightFrame& frame, const StoredNumber& as, bool big_endian,
                                      const PixelPass::Treatment& t, const std::string& name) {
  using Kind = StoredNumber::Kind;
  if (as.kind == Kind::real && as.bytes == 8)
    return std::make_unique<Pass<double, float>>(frame, big_endian, t, name);
  if (as.kind == Kind::real) return std::make_unique<Pass<float, float>>(frame, big_endian, t, name);
  if (as.bytes == 1) refuse_pixels(name, "heights of 8 bits; deliver 16-bit integers or 32-bit floats");
  if (as.kind == Kind::natural)
    return std::make_unique<Pass<std::uint16_t, std::int32_t>>(frame, big_endian, t, name);
  if (as.bytes == 2) return std::make_unique<Pass<std::int16_t, std::int16_t>>(frame, big_endian, t, name);
  return std::make_unique<Pass<std::int32_t, std::int32_t>>(frame, big_endian, t, name);
}

}  // namespace datum
