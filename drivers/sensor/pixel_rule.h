// Validity class of a height by its count alone: invalid mark, NaN, measuring range.
#pragma once

#include <limits>

#include "drivers/frame/sensor_profile.h"

namespace datum {

/// Counts from least to most; none where least > most.
template <class Count>
struct CountRange {
  Count least = std::numeric_limits<Count>::lowest(), most = std::numeric_limits<Count>::max();
};

/// The finite counts whose z lies in z_min_mm to z_max_mm. One range, since z.at is monotonic in the count,
/// rounding included; so a comparison of counts classes exactly as one of heights in mm does.
template <class Count>
CountRange<Count> counts_in_range(const AxisScale& z, double z_min_mm, double z_max_mm);

extern template CountRange<std::int16_t> counts_in_range(const AxisScale&, double, double);
extern template CountRange<std::int32_t> counts_in_range(const AxisScale&, double, double);
extern template CountRange<float> counts_in_range(const AxisScale&, double, double);

template <class Count>
struct PixelRule {
  bool has_mark = false;
  Count mark = 0;            // becomes no_data
  bool nan_is_mark = false;  // of floats
  CountRange<Count> range{};
};

}  // namespace datum
