#include "daemon/fringe/single_shot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "calib/htm.h"
#include "drivers/frame/frame_error.h"
#include "gpu/core/parallel_for.h"
#include "gpu/fourier_profilometry/fourier_profilometry.h"

namespace datum {
namespace {

/// Camera pixels per period along a row, signed by the direction of the column, over the calibrated nodes.
double carrier_px(const PhaseCalibration& c, double period_px) {
  double columns = 0, ways = 0;
  for (std::uint32_t row = 0; row < c.rows; ++row)
    for (std::uint32_t i = 0; i + 1 < c.columns; ++i) {
      const HeightNode &a = c.nodes[std::size_t{row} * c.columns + i], &b = (&a)[1];
      if (std::isnan(a.per_px) || std::isnan(b.per_px)) continue;
      columns += static_cast<double>(b.centre_px) - a.centre_px;
      ways += c.settings.cell_px;
    }
  if (columns == 0) throw CalibrationError("calibration '" + c.id + "' has no two neighbouring nodes");
  return period_px * ways / columns;
}

void check_range(const PhaseCalibration& c, double period_px) {
  for (const HeightNode& n : c.nodes) {
    if (std::isnan(n.per_px) || 2 / n.per_px < period_px) continue;
    throw CalibrationError(fmt::format(
        "calibration '{}' reaches over {:.2f} px of the projector, a single image determines columns "
        "within {:.2f} px only: "
        "calibrate over a smaller range of heights, or take longer periods",
        c.id, 2 / n.per_px, period_px));
  }
}

std::unique_ptr<const FourierProfilometry> filter_of(const FringeSettings& s, const PhaseCalibration& c,
                                                     double carrier) {
  FourierSettings f;
  f.period_px = static_cast<float>(std::abs(carrier));
  f.camera_maximum = static_cast<float>(s.camera_maximum);
  f.min_modulation = static_cast<float>(s.min_modulation);
  try {
    return std::make_unique<const FourierProfilometry>(c.settings.width, f);
  } catch (const std::invalid_argument& error) {
    throw CalibrationError(
        fmt::format("a period is {:.2f} pixels of the camera: {}", std::abs(carrier), error.what()));
  }
}

/// Centre of the calibrated columns at a pixel, bilinear between the nodes; NaN: not calibrated.
double centre_at(const PhaseCalibration& c, std::size_t row, std::size_t col) {
  const std::size_t cell = c.settings.cell_px;
  const HeightNode* n = &c.nodes[row / cell * c.columns + col / cell];
  const double x = static_cast<double>(col % cell) / static_cast<double>(cell);
  const double y = static_cast<double>(row % cell) / static_cast<double>(cell);
  for (const HeightNode* node : {n, n + 1, n + c.columns, n + c.columns + 1})
    if (std::isnan(node->per_px)) return std::nan("");
  return (1 - y) * ((1 - x) * n[0].centre_px + x * n[1].centre_px) +
         y * ((1 - x) * n[c.columns].centre_px + x * n[c.columns + 1].centre_px);
}

FringeClass class_of(FourierClass c) {
  switch (c) {
    case FourierClass::ok:
      return FringeClass::ok;
    case FourierClass::saturated:
      return FringeClass::saturated;
    case FourierClass::low_modulation:
      return FringeClass::low_modulation;
    case FourierClass::row_end:
      return row_end_class;
  }
  return row_end_class;
}

/// Slope of the height over the column in um/px, on the side within the range.
double slope_um_per_px(const HeightModel& model, std::uint32_t row, std::uint32_t col, float u, double z_um) {
  constexpr float step = 0.05f;
  const double above = height_um(model, row, col, u + step);
  return std::isnan(above) ? (z_um - height_um(model, row, col, u - step)) / step : (above - z_um) / step;
}

}  // namespace

SingleShot::SingleShot(const FringeSettings& settings, const PhaseCalibration& calibration)
    : settings_(settings), calibration_(calibration) {
  const double period = settings_.periods_px.front();
  check_range(calibration_, period);
  const double carrier = carrier_px(calibration_, period);
  direction_ = carrier > 0 ? 1 : -1;
  profilometry_ = filter_of(settings_, calibration_, carrier);
}

SingleShot::~SingleShot() = default;

MeasuredFringes SingleShot::measure(const RawSet& set, FringeDemodulator& demodulator) const {
  const auto rows = calibration_.settings.height, cols = calibration_.settings.width;
  if (static_cast<std::uint32_t>(set.rows) != rows || static_cast<std::uint32_t>(set.cols) != cols)
    throw FrameError(
        fmt::format("{}: {} x {} pixels, calibration '{}' is of {} x {}; was it made with this camera's "
                    "size?",
                    set.source, set.cols, set.rows, calibration_.id, cols, rows));
  const std::size_t n = set.pixels();
  std::vector<FourierClass> kinds(n);
  std::vector<float> phase(n);
  MeasuredFringes m;
  m.modulation.resize(n);
  const bool bytes = std::holds_alternative<std::vector<std::uint8_t>>(set.grey);
  const void* samples = std::visit([](const auto& grey) -> const void* { return grey.data(); }, set.grey);
  demodulator.demodulate(*profilometry_, {samples, bytes ? SampleType::u8 : SampleType::u16, cols, rows},
                         {kinds.data(), phase.data(), m.modulation.data()});
  m.classes.resize(n);
  m.height.assign(n, 0);
  for (auto* map : {&m.column_px, &m.sigma_px, &m.height_sigma_um}) map->assign(n, 0.f);
  const HeightModel model = calibration_.model();
  const double period = settings_.periods_px.front(), per_rad = period / (2 * std::numbers::pi);
  parallel_for(demodulator.threads(), rows, [&](std::size_t r, unsigned) {
    const auto row = static_cast<std::uint32_t>(r);
    for (std::uint32_t col = 0; col < cols; ++col) {
      const std::size_t i = r * cols + col;
      m.classes[i] = class_of(kinds[i]);
      if (kinds[i] != FourierClass::ok) continue;
      const double u0 = direction_ * phase[i] * per_rad, centre = centre_at(calibration_, row, col);
      const auto u = static_cast<float>(u0 + period * std::nearbyint((centre - u0) / period));
      const double z_um = height_um(model, row, col, u);
      if (std::isnan(z_um)) {
        m.classes[i] = FringeClass::out_of_range;
        continue;
      }
      // the mean grey value is unknown; at full contrast it equals the modulation, so twice the modulation is an upper
      // bound
      const double light = 2 * m.modulation[i], noise = settings_.camera_noise_grey;
      const double grey = std::sqrt(noise * noise + settings_.camera_noise_per_grey * light);
      m.column_px[i] = u;
      m.sigma_px[i] = static_cast<float>(per_rad * profilometry_->phase_noise_rad(grey, m.modulation[i]));
      m.height[i] = static_cast<std::int32_t>(std::nearbyint(z_um / calibration_.lsb_um));
      m.height_sigma_um[i] =
          static_cast<float>(std::abs(slope_um_per_px(model, row, col, u, z_um)) * m.sigma_px[i]);
    }
  });
  return m;
}

}  // namespace datum
