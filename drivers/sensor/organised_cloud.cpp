#include "drivers/sensor/organised_cloud.h"

#include <fmt/format.h>

#include <cmath>

#include "drivers/frame/frame_error.h"

namespace datum {
namespace {

// Half a unit of the last place: of a float, twice, since it may have been computed in floats before it was
// stored; of six decimal digits, the default precision of C and C++.
double rounding(double value, bool printed) { return std::abs(value) * (printed ? 0.5e-5 : 0x1p-23); }

}  // namespace

Raster raster_of_cloud(OrganisedCloud&& cloud, const FrameSidecar& sidecar, const SensorProfile& profile,
                       const std::string& name) {
  const auto refuse = [&](const std::string& what) { throw FrameError(fmt::format("{}: {}", name, what)); };
  const double unit_mm = std::abs(sidecar.z.scale_mm);
  const auto cols = static_cast<std::size_t>(cloud.cols);
  for (std::size_t i = 0; i < cloud.z.size(); ++i) {
    const std::size_t row = i / cols, col = i % cols;
    const double x_mm = cloud.x[i] * unit_mm, y_mm = cloud.y[i] * unit_mm;
    if (std::isnan(cloud.z[i]) && std::isnan(cloud.x[i]) && std::isnan(cloud.y[i])) continue;
    if (!std::isfinite(cloud.z[i]) || !std::isfinite(x_mm) || !std::isfinite(y_mm)) {
      // A known place may lack a height.
      if (std::isnan(cloud.z[i]) && std::isfinite(x_mm) && std::isfinite(y_mm)) continue;
      refuse(fmt::format("row {}, column {} is ({}, {}, {}); no point is NaN in all three", row, col,
                         cloud.x[i], cloud.y[i], cloud.z[i]));
    }
    const double noise_mm = profile.noise.sigma_um_at(sidecar.z.at(cloud.z[i])) / 1000;
    const double places[2][2] = {{x_mm, sidecar.x.at(static_cast<double>(col))},
                                 {y_mm, sidecar.y.at(static_cast<double>(row))}};
    for (int axis = 0; axis < 2; ++axis) {
      const auto& [is, belongs] = places[axis];
      if (std::abs(is - belongs) <= noise_mm + rounding(is, cloud.printed)) continue;
      refuse(
          fmt::format("row {}, column {} lies at {} = {:.6f} mm where the sidecar's grid has {:.6f} mm; "
                      "allowed beside it: {:.6f} mm, a pixel's noise. Export a regular grid",
                      row, col, "xy"[axis], is, belongs, noise_mm));
    }
  }
  return {cloud.rows, cloud.cols, std::move(cloud.z)};
}

}  // namespace datum
