// An independent reference for least-squares fits: Newton's method with the exact second derivatives of the
// sum of squares, in 113-bit arithmetic, from many starts. It shares nothing with calib/fit: other
// parameters, derivatives (forward, second order), steps and arithmetic.
#pragma once

#include <array>
#include <cmath>
#include <optional>
#include <random>

namespace datum::testing {

#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 Quad;
#else
using Quad = long double;  // binary128 on aarch64
static_assert(__LDBL_MANT_DIG__ == 113);
#endif

inline Quad quad_sqrt(Quad x) {
  if (!(x > 0)) return 0;
  Quad y = std::sqrt(static_cast<double>(x));
  for (int i = 0; i < 3; ++i) y = (y + x / y) / 2;  // 53 -> 106 -> 113 bits
  return y;
}

/// Value, gradient and Hessian in N variables.
template <int N>
struct Jet {
  Quad v = 0;
  std::array<Quad, N> g{};
  std::array<std::array<Quad, N>, N> h{};

  Jet() = default;
  Jet(Quad value) : v(value) {}
  Jet(double value) : v(value) {}
  static Jet variable(Quad value, int index) {
    Jet j(value);
    j.g[index] = 1;
    return j;
  }
};

template <int N>
Jet<N> operator+(const Jet<N>& a, const Jet<N>& b) {
  Jet<N> c(a.v + b.v);
  for (int i = 0; i < N; ++i) {
    c.g[i] = a.g[i] + b.g[i];
    for (int k = 0; k < N; ++k) c.h[i][k] = a.h[i][k] + b.h[i][k];
  }
  return c;
}

template <int N>
Jet<N> operator*(const Jet<N>& a, const Jet<N>& b) {
  Jet<N> c(a.v * b.v);
  for (int i = 0; i < N; ++i) {
    c.g[i] = a.g[i] * b.v + a.v * b.g[i];
    for (int k = 0; k < N; ++k) {
      c.h[i][k] = a.h[i][k] * b.v + a.g[i] * b.g[k] + a.g[k] * b.g[i] + a.v * b.h[i][k];
    }
  }
  return c;
}

/// f(a) from f, f' and f'' at a.
template <int N>
Jet<N> chain(const Jet<N>& a, Quad f, Quad f1, Quad f2) {
  Jet<N> c(f);
  for (int i = 0; i < N; ++i) {
    c.g[i] = f1 * a.g[i];
    for (int k = 0; k < N; ++k) c.h[i][k] = f1 * a.h[i][k] + f2 * a.g[i] * a.g[k];
  }
  return c;
}

template <int N>
Jet<N> operator-(const Jet<N>& a, const Jet<N>& b) {
  return a + chain(b, -b.v, -1, 0);
}

template <int N>
Jet<N> inverse(const Jet<N>& a) {
  const Quad i = 1 / a.v;
  return chain(a, i, -i * i, 2 * i * i * i);
}

template <int N>
Jet<N> sqrt(const Jet<N>& a) {
  const Quad s = quad_sqrt(a.v);
  return chain(a, s, 1 / (2 * s), -1 / (4 * s * a.v));
}

/// Solves (H + mu I) x = -g; none where a pivot is not positive (symmetric elimination).
template <int N>
std::optional<std::array<Quad, N>> newton_step(const Jet<N>& f, Quad mu) {
  auto a = f.h;
  std::array<Quad, N> x;
  for (int i = 0; i < N; ++i) {
    a[i][i] += mu;
    x[i] = -f.g[i];
  }
  for (int i = 0; i < N; ++i) {
    if (!(a[i][i] > 0)) return std::nullopt;
    for (int r = i + 1; r < N; ++r) {
      const Quad q = a[r][i] / a[i][i];
      for (int k = i; k < N; ++k) a[r][k] -= q * a[i][k];
      x[r] -= q * x[i];
    }
  }
  for (int i = N - 1; i >= 0; --i) {
    for (int k = i + 1; k < N; ++k) x[i] -= a[i][k] * x[k];
    x[i] /= a[i][i];
  }
  return x;
}

template <int N>
struct QuadMinimum {
  std::array<Quad, N> at;
  Quad value;
};

template <int N, class Function>
Jet<N> evaluate(const Function& sum_squares, const std::array<Quad, N>& at) {
  std::array<Jet<N>, N> x;
  for (int i = 0; i < N; ++i) x[i] = Jet<N>::variable(at[i], i);
  return sum_squares(x);
}

/// Descends from one start until a step moves nothing by more than 1e-24 of it; none where it does not settle.
template <int N, class Function>
std::optional<QuadMinimum<N>> descend(const Function& sum_squares, std::array<Quad, N> at) {
  Jet<N> f = evaluate<N>(sum_squares, at);
  Quad mu = 0;
  for (int iteration = 0; iteration < 300; ++iteration) {
    const auto step = newton_step(f, mu);
    bool descends = false, small = mu == 0;
    if (step) {
      std::array<Quad, N> there = at;
      for (int i = 0; i < N; ++i) {
        there[i] += (*step)[i];
        const Quad size = (at[i] < 0 ? -at[i] : at[i]) + 1, move = (*step)[i] < 0 ? -(*step)[i] : (*step)[i];
        small = small && move <= Quad(1e-24) * size;
      }
      if (small) return QuadMinimum<N>{there, f.v};
      const Jet<N> next = evaluate<N>(sum_squares, there);
      descends = next.v <= f.v * (1 + Quad(1e-28));  // the sum's own rounding is no rise
      if (descends) {
        at = there;
        f = next;
      }
    }
    if (descends) {
      mu = mu < Quad(1e-9) ? Quad(0) : mu / 10;
    } else {
      mu = mu > 0 ? mu * 10 : Quad(1e-6);
    }
  }
  return std::nullopt;
}

/// The lowest minimum from `start` and from `others` starts around it, each parameter moved by up to `spread`.
template <int N, class Function>
QuadMinimum<N> lowest(const Function& sum_squares, const std::array<double, N>& start,
                      const std::array<double, N>& spread, int others) {
  std::mt19937_64 bits(7);
  std::uniform_real_distribution<double> move(-1, 1);
  std::optional<QuadMinimum<N>> best;
  for (int trial = 0; trial <= others; ++trial) {
    std::array<Quad, N> at;
    for (int i = 0; i < N; ++i) at[i] = start[i] + (trial ? spread[i] * move(bits) : 0.0);
    const auto found = descend<N>(sum_squares, at);
    if (found && (!best || found->value < best->value)) best = found;
  }
  return best.value();
}

}  // namespace datum::testing
