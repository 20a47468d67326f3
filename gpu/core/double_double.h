// Sums and products of doubles with what rounding cuts off (Dekker 1971, Knuth TAOCP 2, 4.2.2): about 106 bits for the
// few places where two large numbers almost cancel. C++17.
#pragma once

#include <cmath>

#include "gpu/core/portable.h"

namespace datum {

/// The unevaluated sum high + low, |low| <= half a unit in the last place of high.
struct DoubleDouble {
  double high, low;
};

DATUM_HD DoubleDouble two_sum(double a, double b) {
  const double s = a + b, t = s - a;
  return DoubleDouble{s, (a - (s - t)) + (b - t)};
}

DATUM_HD DoubleDouble product(const DoubleDouble& a, const DoubleDouble& b) {
  const double p = a.high * b.high;
  const double rest = ::fma(a.high, b.high, -p);
  return two_sum(p, rest + (a.high * b.low + a.low * b.high));
}

DATUM_HD DoubleDouble difference(const DoubleDouble& a, const DoubleDouble& b) {
  const DoubleDouble s = two_sum(a.high, -b.high);
  return two_sum(s.high, s.low + (a.low - b.low));
}

/// b.high is not 0.
DATUM_HD DoubleDouble quotient(const DoubleDouble& a, const DoubleDouble& b) {
  const double first = a.high / b.high;
  const DoubleDouble rest = difference(a, product(b, DoubleDouble{first, 0}));
  const double second = rest.high / b.high;
  const DoubleDouble left = difference(rest, product(b, DoubleDouble{second, 0}));
  const DoubleDouble q = two_sum(first, second);
  return two_sum(q.high, q.low + left.high / b.high);
}

}  // namespace datum
