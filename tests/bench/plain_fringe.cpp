#include "tests/bench/plain_fringe.h"

#include <cmath>

namespace datum::bench {

void plain_fringes(const std::uint8_t* const* images, const FringePattern& pattern,
                   const FringeLimits& limits, std::size_t begin, std::size_t end, FringeClass* classes,
                   float* column_px) {
  constexpr float turn = 6.28318531f;
  const float t1 = pattern.period_px[0], t2 = pattern.period_px[1], t3 = pattern.period_px[2];
  const float beat = t1 * t2 / (t2 - t1), other = t2 * t3 / (t3 - t2),
              longest = beat * other / (other - beat);
  for (std::size_t at = begin; at < end; ++at) {
    float f[3];
    bool saturated = false, dark = false;
    for (int i = 0; i < 3; ++i) {
      const float a = images[4 * i][at], b = images[4 * i + 1][at], c = images[4 * i + 2][at],
                  d = images[4 * i + 3][at];
      saturated = saturated || a >= limits.camera_maximum || b >= limits.camera_maximum ||
                  c >= limits.camera_maximum || d >= limits.camera_maximum;
      const float cosine = a - c, sine = d - b;
      dark = dark || 0.5f * std::sqrt(cosine * cosine + sine * sine) < limits.min_modulation;
      f[i] = std::atan2(sine, cosine) / turn;
    }
    const float middle = pattern.width_px / 2, g = f[0] - 2 * f[1] + f[2];
    float near = longest * (std::round(middle / longest - g) + g);
    near = beat * (std::round(near / beat - (f[0] - f[1])) + f[0] - f[1]);
    const float x1 = t1 * (std::round(near / t1 - f[0]) + f[0]),
                x2 = t2 * (std::round(near / t2 - f[1]) + f[1]),
                x3 = t3 * (std::round(near / t3 - f[2]) + f[2]);
    const bool apart = std::fabs(x1 - middle) > middle + limits.agreement_px ||
                       std::fabs(x2 - x1) > limits.agreement_px * t2 / t1 ||
                       std::fabs(x3 - x1) > limits.agreement_px * t3 / t1;
    const float w1 = 1 / (t1 * t1), w2 = 1 / (t2 * t2), w3 = 1 / (t3 * t3);
    classes[at] = saturated ? FringeClass::saturated
                  : dark    ? FringeClass::low_modulation
                  : apart   ? FringeClass::unwrap
                            : FringeClass::ok;
    column_px[at] = classes[at] == FringeClass::ok ? (w1 * x1 + w2 * x2 + w3 * x3) / (w1 + w2 + w3) : 0;
  }
}

}  // namespace datum::bench
