// A height map with the scales stated by its file, and their comparison with the sidecar.
#pragma once

#include <optional>

#include "drivers/sensor/raster.h"
#include "drivers/sensor/sidecar.h"
#include "drivers/sensor/stored_image.h"

namespace datum {

struct StatedMap {
  Raster raster;
  std::optional<AxisScale> x, y, z;      // mm, as stated by the file
  std::optional<double> x_step, y_step;  // mm, where it states only a step
  std::optional<double> invalid;         // the sample that marks an invalid pixel
};

/// ENVI: `data` as described by the text header `header`: one band of 16- or 32-bit integers or 32- or 64-bit
/// floats, either byte order. Throws FrameError naming one of the two: another header, several bands, a size
/// that does not match, a scale without unit.
StatedMap read_envi(ByteView data, const std::string& name, ByteView header, const std::string& header_name,
                    std::uint64_t most_pixels = most_frame_pixels);

/// The samples' places in ENVI data of `data_bytes` bytes, and its statements, without a raster. Throws as
/// read_envi.
struct EnviMap {
  StatedMap stated;
  StoredImage image;
};
EnviMap envi_map(std::uint64_t data_bytes, const std::string& name, ByteView header,
                 const std::string& header_name, std::uint64_t most_pixels);

/// X3P (ISO 25178-72): a zip of main.xml and a binary matrix with checksums; coordinates in m. Invalid pixels
/// are NaN. Throws FrameError naming `name`: a wrong or missing checksum, no areal surface, axes that are not
/// incremental, a mask of its own, inconsistent sizes.
StatedMap read_x3p(ByteView file, const std::string& name, std::uint64_t most_pixels = most_frame_pixels);

/// Throws FrameError naming `name` where file and sidecar disagree. A scale may differ by 1e-9 of itself, an
/// offset by 1e-9 mm and 1e-9 of itself: rounding of decimal to binary numbers.
void check_agreement(const StatedMap& map, const FrameSidecar& sidecar, const std::string& name);

}  // namespace datum
