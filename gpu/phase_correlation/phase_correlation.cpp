#include "gpu/phase_correlation/phase_correlation.h"

#include "gpu/phase_correlation/correlation_cpu.h"

namespace datum {

using namespace correlation;
using Complex = std::complex<float>;

namespace correlation {
namespace {

/// rows x cols values to cols x rows, in tiles that stay in the cache.
void transpose(const std::vector<Complex>& in, std::size_t rows, std::size_t cols,
               std::vector<Complex>& out) {
  constexpr std::size_t tile = 16;
  out.resize(in.size());
  for (std::size_t y0 = 0; y0 < rows; y0 += tile)
    for (std::size_t x0 = 0; x0 < cols; x0 += tile)
      for (std::size_t x = x0; x < std::min(cols, x0 + tile); ++x)
        for (std::size_t y = y0; y < std::min(rows, y0 + tile); ++y) out[x * rows + y] = in[y * cols + x];
}

Peak highest(const std::vector<float>& surface, const Plan& plan, const Peak* but) {
  std::uint64_t best = 0;
  for (std::uint32_t i = 0; i < surface.size(); ++i)
    if (!but || apart(i, but->index, plan.cols, plan.rows, plan.lobe))
      best = std::max(best, key_of(surface[i], i));
  return peak_of(best);
}

}  // namespace

std::vector<Complex> spectrum_of(const Plan& plan, const float* image, const Backend& backend) {
  std::vector<float> windowed(std::size_t{plan.cols} * plan.rows);
  for (std::size_t y = 0; y < plan.rows; ++y)
    for (std::size_t x = 0; x < plan.cols; ++x)
      windowed[y * plan.cols + x] = image[y * plan.cols + x] * (plan.window_x[x] * plan.window_y[y]);
  std::vector<Complex> rows(std::size_t{plan.bins} * plan.rows), columns;
  plan.along_rows.forward_real(windowed.data(), plan.rows, backend, rows.data());
  transpose(rows, plan.rows, plan.bins, columns);
  plan.along_cols.forward(columns.data(), plan.bins, backend, columns.data());
  return columns;
}

}  // namespace correlation

const char* name_of(CorrelationClass c) {
  switch (c) {
    case CorrelationClass::ok:
      return "OK";
    case CorrelationClass::no_peak:
      return "NO_PEAK";
    case CorrelationClass::ambiguous:
      return "AMBIGUOUS";
    case CorrelationClass::too_far:
      return "TOO_FAR";
  }
  return "unknown";
}

PhaseCorrelation::PhaseCorrelation(const float* reference, std::uint32_t cols, std::uint32_t rows,
                                   const CorrelationSettings& settings)
    : plan_(new Plan(plan_of(reference, cols, rows, settings))) {}
PhaseCorrelation::~PhaseCorrelation() = default;

CorrelationShift PhaseCorrelation::find(const float* image, const Backend& backend) const {
  const Plan& p = *plan_;
  check_values(image, std::size_t{p.cols} * p.rows, "the image");
  std::vector<Complex> columns = spectrum_of(p, image, backend), rows;
  for (std::uint32_t x = 0; x < p.bins; ++x)
    for (std::uint32_t y = 0; y < p.rows; ++y) {
      Complex& v = columns[std::size_t{x} * p.rows + y];
      const Complex& r = p.reference[std::size_t{x} * p.rows + y];
      const auto q = phase_of({v.real(), v.imag()}, {r.real(), r.imag()},
                              gain_of(p.gain_x[x], p.gain_y[y], x, y, p.rows));
      v = {q.re, q.im};
    }
  p.along_cols.inverse(columns.data(), p.bins, backend, columns.data());
  transpose(columns, p.bins, p.rows, rows);
  std::vector<float> surface(std::size_t{p.cols} * p.rows);
  p.along_rows.inverse_real(rows.data(), p.rows, backend, surface.data());
  const Peak first = highest(surface, p, nullptr), second = highest(surface, p, &first);
  const std::uint32_t x = first.index % p.cols, y = first.index / p.cols;
  const auto at = [&](std::uint32_t px, std::uint32_t py) {
    return surface[std::size_t{py & (p.rows - 1)} * p.cols + (px & (p.cols - 1))];
  };
  const float near[4] = {at(x - 1, y), at(x + 1, y), at(x, y - 1), at(x, y + 1)};
  return shift_of(p, first, second, near);
}

}  // namespace datum
