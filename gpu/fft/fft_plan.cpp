#include "gpu/fft/fft_plan.h"

namespace datum::fft {
namespace {

struct Wide {
  long double cosine, sine;
};

/// Of an eighth of the circle only, so that mirrored roots are mirrored exactly.
Wide first_eighth(std::size_t k, std::size_t n) {
  const long double angle =
      2 * 3.14159265358979323846264338327950288L * static_cast<long double>(k) / static_cast<long double>(n);
  return {std::cos(angle), std::sin(angle)};
}

Wide wide_root(std::size_t k, std::size_t n) {
  k %= n;
  if (k > n / 2) {
    const Wide w = wide_root(n - k, n);
    return {w.cosine, -w.sine};
  }
  if (k > n / 4) {
    const Wide w = wide_root(n / 2 - k, n);
    return {-w.cosine, w.sine};
  }
  if (k > n / 8) {
    const Wide w = wide_root(n / 4 - k, n);
    return {w.sine, w.cosine};
  }
  return first_eighth(k, n);
}

}  // namespace

template <class Word>
Root<Word> root_of(std::size_t k, std::size_t n) {
  const Wide w = wide_root(k, n);
  return {static_cast<Word>(w.cosine), static_cast<Word>(-w.sine)};
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
