// Reader of a delivery that a sidecar describes: its height file, and its intensity and header files.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "drivers/frame/sensor_profile.h"
#include "drivers/sensor/delivered_file.h"
#include "drivers/sensor/stated_sum.h"

namespace datum {

/// A frame with its identity and handedness as delivered, not yet accepted.
struct DeliveredFrame {
  HeightFrame frame{};
  /// Its counts and classes are already those of the accepted frame: ranges and order of columns.
  bool pixels_accepted = false;
  /// Of the height file, where its sidecar states one that is not checked yet.
  std::shared_ptr<StatedSum> sum{};
};

/// Reads the delivery of the sidecar into `to`. Throws FrameError; to.sum then tells whether the file is the
/// announced one at all.
void read_with_sidecar(const std::filesystem::path& sidecar, const SensorProfile& profile,
                       DeliveredFrame& to);

/// Opens a height file of at most the size that profile.most_pixels allow. Throws FrameError.
DeliveredFile open_heights(const std::filesystem::path& path, const std::string& name,
                           const SensorProfile& profile);
/// Its bytes, read by profile.reading.threads.
Bytes bytes_of(const DeliveredFile& file, const ReadSettings& settings);

}  // namespace datum
