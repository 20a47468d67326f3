#include <cmath>
#include <utility>

#include "tests/bench/fft_peers.h"

namespace datum::bench {

void pease_transform(const Complex* in, std::size_t points, Complex* out, Complex* other) {
  int stages = 0;
  while ((std::size_t{1} << stages) < points) ++stages;
  Complex* from = stages % 2 == 0 ? out : other;  // the last stage writes to out
  Complex* to = stages % 2 == 0 ? other : out;
  for (std::size_t i = 0, reversed = 0; i < points; ++i) {
    from[reversed] = in[i];
    std::size_t bit = points / 2;
    for (; reversed & bit; bit /= 2) reversed ^= bit;
    reversed |= bit;
  }
  for (int stage = 0; stage < stages; ++stage) {
    for (std::size_t i = 0; i < points / 2; ++i) {
      const float angle =
          -3.14159265f / static_cast<float>(1 << stage) * static_cast<float>(i >> (stages - 1 - stage));
      const float c = std::cos(angle), s = std::sin(angle);
      const Complex a = from[2 * i], b = from[2 * i + 1];
      const Complex w{b.real() * c - b.imag() * s, b.imag() * c + b.real() * s};
      to[i] = a + w;
      to[i + points / 2] = a - w;
    }
    std::swap(from, to);
  }
}

}  // namespace datum::bench
