#include "gpu/phase_correlation/correlation_plan.h"

#include <cmath>
#include <stdexcept>
#include <string>

#include "gpu/phase_correlation/correlation_cpu.h"
#include "gpu/phase_correlation/correlator.h"

namespace datum::correlation {
namespace {

constexpr double pi = 3.14159265358979323846;

[[noreturn]] void refuse(const std::string& what) {
  throw std::invalid_argument("phase correlation: " + what);
}

void check_side(std::uint32_t side) {
  if (side < 16 || side > 4096 || (side & (side - 1)) != 0)
    refuse("a side has 16 to 4096 px, a power of two, not " + std::to_string(side));
}

void check_settings(const CorrelationSettings& s, std::uint32_t cols, std::uint32_t rows) {
  check_side(cols);
  check_side(rows);
  if (!(s.smoothing_px >= 0.5f && s.smoothing_px <= 4)) refuse("smoothing is 0.5 to 4 px");
  if (!(s.least_ratio >= 1) || !std::isfinite(s.least_ratio)) refuse("the least ratio of peaks is 1 or more");
  if (!(s.most_shift_px > 0) || 2 * s.most_shift_px >= static_cast<float>(std::min(cols, rows)))
    refuse("the largest shift is above 0 and below half the image");
}

/// A cosine's flank on the outer eighths, 1 between (Tukey).
std::vector<float> tukey(std::uint32_t n) {
  std::vector<float> w(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    const double from_end = std::min(i, n - i) / (n / 8.0);
    w[i] = from_end >= 1 ? 1.f : static_cast<float>(0.5 - 0.5 * std::cos(pi * from_end));
  }
  return w;
}

/// The Gaussian's transform; its sum over all bins n of one axis is 1, so that a whole shift's peak is 1.
std::vector<float> low_pass(std::uint32_t n, std::uint32_t bins, double sigma_px) {
  std::vector<double> g(n);
  double sum = 0;
  for (std::uint32_t k = 0; k < n; ++k) {
    const double f = std::min(k, n - k) / static_cast<double>(n);
    sum += g[k] = std::exp(-2 * pi * pi * sigma_px * sigma_px * f * f);
  }
  std::vector<float> gain(bins);
  for (std::uint32_t k = 0; k < bins; ++k) gain[k] = static_cast<float>(g[k] * n / sum);
  return gain;
}

/// Between -1 and 1: where a parabola through three logarithms has its top.
double top_of(double before, double at, double after) {
  if (!(before > 0 && after > 0 && at >= before && at >= after)) return 0;
  const double a = std::log(before), b = std::log(at), c = std::log(after), bend = a - 2 * b + c;
  return bend < 0 ? 0.5 * (a - c) / bend : 0;
}

double cyclic(std::uint32_t place, std::uint32_t n) {
  return place < n / 2 ? place : static_cast<double>(place) - n;
}

}  // namespace

void check_values(const float* values, std::size_t count, const char* what) {
  for (std::size_t i = 0; i < count; ++i)
    if (!std::isfinite(values[i]))
      refuse(std::string(what) + " has a value that is not finite at " + std::to_string(i));
}

Plan plan_of(const float* reference, std::uint32_t cols, std::uint32_t rows,
             const CorrelationSettings& settings) {
  check_settings(settings, cols, rows);
  check_values(reference, std::size_t{cols} * rows, "the reference");
  const std::uint32_t bins = cols / 2 + 1;
  Plan plan{settings,
            cols,
            rows,
            bins,
            Fft<float>(cols),
            Fft<float>(rows),
            tukey(cols),
            tukey(rows),
            low_pass(cols, bins, static_cast<double>(settings.smoothing_px)),
            low_pass(rows, rows, static_cast<double>(settings.smoothing_px)),
            {},
            static_cast<std::uint32_t>(std::ceil(4 * settings.smoothing_px))};
  plan.reference = spectrum_of(plan, reference, cpu_backend(1));
  for (std::complex<float>& v : plan.reference) v = std::conj(v);
  return plan;
}

CorrelationShift shift_of(const Plan& plan, const Peak& first, const Peak& second, const float* near) {
  CorrelationShift s;
  if (!(first.value > 0)) return s;
  s.peak = static_cast<double>(first.value);
  s.ratio = second.value > 0 ? s.peak / static_cast<double>(second.value) : 1e6;
  s.x_px = cyclic(first.index % plan.cols, plan.cols) + top_of(near[0], s.peak, near[1]);
  s.y_px = cyclic(first.index / plan.cols, plan.rows) + top_of(near[2], s.peak, near[3]);
  const auto most = static_cast<double>(plan.settings.most_shift_px);
  if (s.ratio < static_cast<double>(plan.settings.least_ratio)) {
    s.kind = CorrelationClass::ambiguous;
  } else if (std::fabs(s.x_px) > most || std::fabs(s.y_px) > most) {
    s.kind = CorrelationClass::too_far;
  } else {
    s.kind = CorrelationClass::ok;
  }
  return s;
}

}  // namespace datum::correlation

namespace datum {

void check(const CorrelationImages& images, const CorrelationSettings& settings) {
  correlation::check_settings(settings, images.cols, images.rows);
  correlation::check_values(images.reference, images.size(), "the reference");
  correlation::check_values(images.image, images.size(), "the image");
}

}  // namespace datum
