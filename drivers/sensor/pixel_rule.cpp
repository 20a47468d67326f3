#include "drivers/sensor/pixel_rule.h"

#include <bit>
#include <cstdint>
#include <type_traits>

namespace datum {
namespace {

/// Finite values in ascending order as consecutive whole numbers; -0 is left out, it compares as 0.
template <class Count>
Count count_of_key(std::int64_t key) {
  if constexpr (std::is_floating_point_v<Count>) {
    const auto bits = static_cast<std::uint32_t>(key < 0 ? -key : key);
    return key < 0 ? -std::bit_cast<float>(bits) : std::bit_cast<float>(bits);
  } else {
    return static_cast<Count>(key);
  }
}

template <class Count>
constexpr std::int64_t last_key() {
  if constexpr (std::is_floating_point_v<Count>)
    return std::bit_cast<std::int32_t>(std::numeric_limits<Count>::max());
  else
    return std::numeric_limits<Count>::max();
}

template <class Count>
constexpr std::int64_t first_key() {
  return std::is_floating_point_v<Count> ? -last_key<Count>()
                                         : static_cast<std::int64_t>(std::numeric_limits<Count>::lowest());
}

/// First key of `from` to `end` of which `is` holds; `end`: of none. `is` holds of every key after it.
template <class Is>
std::int64_t first_where(std::int64_t from, std::int64_t end, const Is& is) {
  while (from < end) {
    const std::int64_t middle = from + (end - from) / 2;
    if (is(middle))
      end = middle;
    else
      from = middle + 1;
  }
  return from;
}

}  // namespace

template <class Count>
CountRange<Count> counts_in_range(const AxisScale& z, double z_min_mm, double z_max_mm) {
  const bool rises = z.scale_mm > 0;
  const auto z_of = [&](std::int64_t key) { return z.at(static_cast<double>(count_of_key<Count>(key))); };
  const auto is_low = [&](double mm) { return mm < z_min_mm; };
  const auto is_high = [&](double mm) { return mm > z_max_mm; };
  const std::int64_t first = first_key<Count>(), end = last_key<Count>() + 1;
  const std::int64_t least =
      first_where(first, end, [&](auto key) { return !(rises ? is_low(z_of(key)) : is_high(z_of(key))); });
  const std::int64_t after =
      first_where(first, end, [&](auto key) { return rises ? is_high(z_of(key)) : is_low(z_of(key)); });
  if (least >= after) return {std::numeric_limits<Count>::max(), std::numeric_limits<Count>::lowest()};
  return {count_of_key<Count>(least), count_of_key<Count>(after - 1)};
}

template CountRange<std::int16_t> counts_in_range(const AxisScale&, double, double);
template CountRange<std::int32_t> counts_in_range(const AxisScale&, double, double);
template CountRange<float> counts_in_range(const AxisScale&, double, double);

}  // namespace datum
