#include "daemon/ctl/verify_frame.h"

#include <fmt/format.h>

#include "daemon/version/version.h"
#include "drivers/frame/frame_error.h"

namespace datum {

double noise_mm(const HeightFrame& frame, const SensorProfile& sensor) {
  double sum_mm = 0;
  std::size_t n = 0;
  for (int row = 0; row < frame.rows; ++row) {
    for (int col = 0; col < frame.cols; ++col) {
      if (frame.class_at(row, col) != PixelClass::ok) continue;
      sum_mm += frame.z_mm(row, col);
      ++n;
    }
  }
  if (n == 0) throw FrameError(frame.source + ": not one pixel is measured; take another frame");
  return 1e-3 * sensor.noise.sigma_um_at(sum_mm / static_cast<double>(n));
}

std::string identity_of(const std::string& file, const HeightFrame& frame) {
  return fmt::format("{}, frame {}, sha256 {}", file, frame.frame_id, frame.content_sha256);
}

std::string made_by(const SensorProfile& sensor) {
  return fmt::format("sensor {}  sha256 {}\ndatumctl {}\n", sensor.serial, sensor.sha256, code_id());
}

}  // namespace datum
