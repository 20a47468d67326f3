#include "daemon/fringe/fringe_maps.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "drivers/frame/frame_error.h"

namespace datum {
namespace {

/// Start addresses of the images in their order.
std::vector<const void*> images_of(const RawSet& set) {
  std::vector<const void*> images;
  std::visit(
      [&](const auto& grey) {
        for (std::size_t i = 0; i < set.sidecar.images.size(); ++i)
          images.push_back(grey.data() + i * set.pixels());
      },
      set.grey);
  return images;
}

}  // namespace

FringePattern pattern_of(const FringeSettings& s) {
  FringePattern p;
  p.steps = static_cast<std::uint32_t>(s.steps);
  p.periods = static_cast<std::uint32_t>(s.periods_px.size());
  for (std::size_t i = 0; i < s.periods_px.size(); ++i) p.period_px[i] = static_cast<float>(s.periods_px[i]);
  p.width_px = static_cast<float>(s.projector_px);
  p.direction = static_cast<float>(s.shift);
  return p;
}

FringeLimits limits_of(const FringeSettings& s) {
  FringeLimits l;
  l.camera_maximum = static_cast<float>(s.camera_maximum);
  l.min_modulation = static_cast<float>(s.min_modulation);
  l.agreement_px = static_cast<float>(s.agreement_px);
  l.noise_grey = static_cast<float>(s.camera_noise_grey);
  l.noise_per_grey = static_cast<float>(s.camera_noise_per_grey);
  return l;
}

MeasuredFringes measure_fringes(const RawSet& set, const FringeSettings& settings, const HeightModel* model,
                                FringeDemodulator& demodulator) {
  const std::vector<const void*> images = images_of(set);
  const bool bytes = std::holds_alternative<std::vector<std::uint8_t>>(set.grey);
  const FringeImages all{images.data(), bytes ? SampleType::u8 : SampleType::u16,
                         static_cast<std::uint32_t>(set.cols), static_cast<std::uint32_t>(set.rows)};
  const std::size_t n = set.pixels();
  MeasuredFringes m;
  m.classes.resize(n);
  for (auto* map : {&m.column_px, &m.sigma_px, &m.modulation, &m.mean}) map->resize(n);
  if (settings.steps > 3) m.residual.resize(n);
  FringeMaps maps{m.classes.data(), m.column_px.data(), m.sigma_px.data(), m.modulation.data(),
                  m.mean.data()};
  if (!m.residual.empty()) maps.residual = m.residual.data();
  if (model) {
    m.height.resize(n);
    m.height_sigma_um.resize(n);
    maps.height = m.height.data();
    maps.height_sigma_um = m.height_sigma_um.data();
  }
  try {
    demodulator.demodulate(all, pattern_of(settings), limits_of(settings), model, maps);
  } catch (const std::invalid_argument& error) {
    throw FrameError(set.source + ": " + error.what() +
                     "; correct the profile's [fringe], or calibrate again");
  }
  return m;
}

std::size_t count_of(const MeasuredFringes& m, FringeClass c) {
  return static_cast<std::size_t>(std::count(m.classes.begin(), m.classes.end(), c));
}

double median_of_ok(const MeasuredFringes& m, const std::vector<float>& values) {
  std::vector<float> good;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (m.classes[i] == FringeClass::ok) good.push_back(values[i]);
  if (good.empty()) return std::nan("");
  const auto middle = good.begin() + static_cast<std::ptrdiff_t>(good.size() / 2);
  std::nth_element(good.begin(), middle, good.end());
  return *middle;
}

}  // namespace datum
