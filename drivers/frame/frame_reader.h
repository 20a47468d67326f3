// FrameReader: computes a frame from a delivery whose format holds no heights.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "drivers/frame/height_frame.h"

namespace datum {

struct SensorProfile;

/// Time of a measurement, and the cell's reported temperature.
struct CellMoment {
  std::int64_t utc_s = 0;
  std::optional<double> temperature_degc = std::nullopt;  // none: not reported
  std::int64_t temperature_utc_s = 0, temperature_max_age_s = 0;
};

class FrameReader {
 public:
  virtual ~FrameReader() = default;
  /// The frame of the sidecar `delivery`, with its handedness as delivered and not yet accepted
  /// (drivers/sensor/read_frame.h). Equal bytes give equal frames. Callable on any thread. Throws FrameError.
  virtual HeightFrame read(const std::filesystem::path& delivery, const SensorProfile& profile) const = 0;
  /// Names of the files of a sidecar's delivery, beside the sidecar itself.
  virtual std::vector<std::string> files_of(const std::string& sidecar) const = 0;
  /// Why its frames must not be measured now, with the remedy; empty: they may be.
  virtual std::string refusal(const CellMoment& now) const = 0;
  /// A permitted temperature; none: any.
  virtual std::optional<double> good_at_degc() const { return std::nullopt; }
};

}  // namespace datum
