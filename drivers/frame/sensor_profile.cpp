#include "drivers/frame/sensor_profile.h"

namespace datum {

double NoiseProfile::sigma_um_at(double height_mm) const {
  if (height_mm <= z_mm.front()) return sigma_um.front();
  for (std::size_t i = 1; i < z_mm.size(); ++i) {
    if (height_mm <= z_mm[i]) {
      const double part = (height_mm - z_mm[i - 1]) / (z_mm[i] - z_mm[i - 1]);
      return sigma_um[i - 1] + part * (sigma_um[i] - sigma_um[i - 1]);
    }
  }
  return sigma_um.back();
}

}  // namespace datum
