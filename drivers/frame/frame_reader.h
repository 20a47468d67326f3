// FrameReader: what makes a frame of a delivery where reading its bytes is not enough.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "drivers/frame/height_frame.h"

namespace datum {

struct SensorProfile;

/// When a frame is measured, and what somebody said of the cell's temperature.
struct CellMoment {
  std::int64_t utc_s = 0;
  std::optional<double> temperature_degc = std::nullopt;  // none: nobody said
  std::int64_t temperature_utc_s = 0, temperature_max_age_s = 0;
};

class FrameReader {
 public:
  virtual ~FrameReader() = default;
  /// The frame of the sidecar `delivery`, with its hand as delivered and not yet accepted (drivers/sensor/read_frame.h).
  /// Of the same bytes the same frame. On any thread. Throws FrameError.
  virtual HeightFrame read(const std::filesystem::path& delivery, const SensorProfile& profile) const = 0;
  /// Names of the files beside the sidecar of this name that belong to its delivery.
  virtual std::vector<std::string> files_of(const std::string& sidecar) const = 0;
  /// Why what it reads must not be measured now, with the remedy; empty: it may.
  virtual std::string refusal(const CellMoment& now) const = 0;
  /// A temperature at which it may; none: it demands none.
  virtual std::optional<double> good_at_degc() const { return std::nullopt; }
};

}  // namespace datum
