#include "gpu/fourier_profilometry/fourier_profilometry.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "gpu/core/isa_table.h"
#include "gpu/core/parallel_for.h"
#include "gpu/fourier_profilometry/fourier_kernels.h"
#include "gpu/fourier_profilometry/fourier_math.h"

namespace datum {

using namespace fourier;

namespace fourier {

extern const Kernels kernels_scalar, kernels_avx2, kernels_avx512, kernels_neon;

const Kernels& kernels(Isa isa) {
  return loops_of<Kernels>(isa, DATUM_ISA_TABLE(kernels), "Fourier profilometry");
}

}  // namespace fourier

namespace {

struct Memory {
  std::vector<float> rows, scratch, bins, first, second;
  Work of(const Plan& plan, std::size_t width) {
    const std::size_t size = 2 * width * plan.transform.points;
    for (std::vector<float>* v : {&rows, &scratch, &first, &second}) v->resize(size);
    bins.resize(4 * width * plan.gain.size());
    return {rows.data(), scratch.data(), bins.data(), first.data(), second.data()};
  }
};

float sample(const FourierImage& image, std::size_t at) {
  return image.type == SampleType::u8 ? static_cast<const std::uint8_t*>(image.samples)[at]
                                      : static_cast<const std::uint16_t*>(image.samples)[at];
}

/// Row `number` of the image, carried on, to every `stride`th word; zeros where there is none.
void put_row(const Plan& plan, const FourierImage& image, std::size_t number, std::size_t stride, float* to) {
  const std::size_t points = plan.transform.points, width = image.width, at = number * width;
  if (number >= image.height) {
    for (std::size_t i = 0; i < points; ++i) to[i * stride] = 0;
    return;
  }
  for (std::size_t i = 0; i < width; ++i) to[i * stride] = sample(image, at + i);
  const float first = to[0], last = to[(width - 1) * stride];
  for (std::size_t i = width; i < points; ++i) to[i * stride] = bridged(last, first, plan.bridge[i - width]);
}

/// What a row's pixels are, from every `stride`th angle and squared amplitude.
void take_row(const Plan& plan, const FourierImage& image, std::size_t number, const float* angle,
              const float* square, std::size_t stride, const FourierMaps& maps) {
  const std::size_t width = image.width, at = number * width, reach = plan.reach_px;
  std::size_t reached = 0;  // by the filter from the last saturated sample: up to here
  std::size_t ahead = 0;    // samples looked at
  for (std::size_t i = 0; i < width; ++i) {
    for (; ahead < std::min(width, i + reach + 1); ++ahead)
      if (sample(image, at + ahead) >= plan.settings.camera_maximum) reached = ahead + reach + 1;
    const float s = square[i * stride];
    FourierClass c = FourierClass::ok;
    if (i < reach || i + reach >= width) {
      c = FourierClass::row_end;
    } else if (i < reached) {
      c = FourierClass::saturated;
    } else if (!(s >= plan.least_square)) {
      c = FourierClass::low_modulation;
    }
    maps.classes[at + i] = c;
    maps.phase_rad[at + i] = c == FourierClass::ok ? angle[i * stride] : 0;
    if (maps.modulation) maps.modulation[at + i] = 2 * std::sqrt(s);
  }
}

}  // namespace

const char* name_of(FourierClass c) {
  switch (c) {
    case FourierClass::ok:
      return "OK";
    case FourierClass::saturated:
      return "SATURATED";
    case FourierClass::low_modulation:
      return "LOW_MODULATION";
    case FourierClass::row_end:
      return "ROW_END";
  }
  return "unknown";
}

FourierProfilometry::FourierProfilometry(std::uint32_t width, const FourierSettings& settings)
    : plan_(new Plan(plan_of(width, settings))) {}
FourierProfilometry::~FourierProfilometry() = default;

void FourierProfilometry::demodulate(const FourierImage& image, const Backend& backend,
                                     const FourierMaps& maps) const {
  check_call(*plan_, image, maps);
  const Kernels& loops = kernels(backend.isa);
  const std::size_t width = loops.width, group = 2 * width;
  std::vector<Memory> memory(std::max(backend.threads, 1u));
  parallel_for(backend.threads, (image.height + group - 1) / group, [&](std::size_t g, unsigned slot) {
    const Work work = memory[slot].of(*plan_, width);
    for (std::size_t r = 0; r < group; ++r)
      put_row(*plan_, image, g * group + r, group, work.rows + (r % 2) * width + r / 2);
    loops.phases(*plan_, backend.isa, work);
    for (std::size_t r = 0; r < group && g * group + r < image.height; ++r) {
      const float* row = (r % 2 == 0 ? work.first : work.second) + r / 2;
      take_row(*plan_, image, g * group + r, row, row + width, group, maps);
    }
  });
}

const FourierSettings& FourierProfilometry::settings() const { return plan_->settings; }
void FourierProfilometry::check(const FourierImage& image, const FourierMaps& maps) const {
  check_call(*plan_, image, maps);
}
std::uint32_t FourierProfilometry::reach_px() const { return plan_->reach_px; }
double FourierProfilometry::phase_noise_rad(double sigma, double modulation) const {
  return sigma / modulation * plan_->noise_gain;
}
double FourierProfilometry::slope_limit_rad_per_px() const {
  const double width = plan_->settings.width;
  return 2 * 3.14159265358979323846 / static_cast<double>(plan_->settings.period_px) *
         std::min(width, 1.0 / 3);
}

}  // namespace datum
