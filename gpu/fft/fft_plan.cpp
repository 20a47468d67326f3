#include "gpu/fft/fft_plan.h"

#include <array>

#include "gpu/core/double_double.h"

namespace datum::fft {
namespace {

// As long double has other digits on another processor, and libraries' sines differ in their last one, the roots are reckoned
// here: 106 bits of which 53 are kept.
using Wide = DoubleDouble;
struct Point {
  Wide cosine, sine;
};
constexpr Wide two_pi{6.283185307179586232, 2.44929359829470641e-16};
constexpr int terms = 15;  // x^31 / 31! < 2^-120 for x = pi / 4

Wide negative(const Wide& v) { return {-v.high, -v.low}; }

/// sum over j of (-1)^j y^j / (2 j + odd)!, by Horner.
Wide alternating(const Wide& y, int odd) {
  static const auto coefficients = [] {
    std::array<Wide, 2 * terms + 2> c;
    c[0] = {1, 0};
    for (std::size_t i = 1; i < c.size(); ++i) c[i] = quotient(c[i - 1], Wide{static_cast<double>(i), 0});
    return c;
  }();
  Wide p = coefficients[std::size_t{2} * terms + odd];
  for (int j = terms - 1; j >= 0; --j) p = difference(coefficients[std::size_t{2} * j + odd], product(p, y));
  return p;
}

/// Of an eighth of the circle only, so that mirrored roots are mirrored exactly. k / n is exact: n is a power of two.
Point first_eighth(std::size_t k, std::size_t n) {
  const Wide x = product(two_pi, Wide{static_cast<double>(k) / static_cast<double>(n), 0}), y = product(x, x);
  return {alternating(y, 0), product(x, alternating(y, 1))};
}

Point wide_root(std::size_t k, std::size_t n) {
  k %= n;
  if (k > n / 2) {
    const Point w = wide_root(n - k, n);
    return {w.cosine, negative(w.sine)};
  }
  if (k > n / 4) {
    const Point w = wide_root(n / 2 - k, n);
    return {negative(w.cosine), w.sine};
  }
  if (k > n / 8) {
    const Point w = wide_root(n / 4 - k, n);
    return {w.sine, w.cosine};
  }
  return first_eighth(k, n);
}

}  // namespace

template <class Word>
Root<Word> root_of(std::size_t k, std::size_t n) {
  const Point w = wide_root(k, n);
  return {static_cast<Word>(w.cosine.high), static_cast<Word>(-w.sine.high)};
}

template <class Word>
Plan<Word> plan_of(std::size_t points) {
  Plan<Word> plan;
  plan.points = points;
  plan.passes = radices_of(static_cast<unsigned>(points), plan.radix);
  std::size_t done = static_cast<std::size_t>(plan.radix[0]);
  for (int p = 1; p < plan.passes; ++p) {
    const auto radix = static_cast<std::size_t>(plan.radix[p]);
    plan.first[p] = plan.root.size();
    for (std::size_t r = 1; r < radix; ++r)
      for (std::size_t k = 0; k < done; ++k) plan.root.push_back(root_of<Word>(k * r, done * radix));
    done *= radix;
  }
  for (const Root<Word>& w : plan.root) {
    plan.root_re.push_back(w.re);
    plan.root_im.push_back(w.im);
  }
  for (std::size_t k = 0; k <= points; ++k) plan.half_root.push_back(root_of<Word>(k, 2 * points));
  return plan;
}

template Root<float> root_of<float>(std::size_t, std::size_t);
template Root<double> root_of<double>(std::size_t, std::size_t);
template Plan<float> plan_of<float>(std::size_t);
template Plan<double> plan_of<double>(std::size_t);

}  // namespace datum::fft
