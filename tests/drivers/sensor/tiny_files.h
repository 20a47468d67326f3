// Tiny image files for tests, written by libtiff and libpng, with their sidecars.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "drivers/frame/sensor_profile.h"
#include "drivers/sensor/sidecar.h"

namespace datum::testing {

struct TiffOptions {
  bool big_endian = false;
  bool tiled = false;      // 16 rows x 32 columns a tile
  int rows_per_strip = 0;  // 0: one strip
  int compression = 1;     // none
  int samples_per_pixel = 1;
  int photometric = 1;  // 0 is black
  int orientation = 1;  // top left
  int images = 1;
  int sample_format = 0;  // 0: by T
};

/// T: uint8_t, uint16_t, int16_t, int32_t, float or double.
template <class T>
void write_tiff(const std::filesystem::path& path, int rows, int cols, const std::vector<T>& samples,
                const TiffOptions& options = {});

/// Grey PNG of 8 or 16 bits (T: uint8_t, uint16_t), or of another colour type with those samples.
template <class T>
void write_png(const std::filesystem::path& path, int rows, int cols, const std::vector<T>& samples,
               int colour_type = 0, bool interlaced = false);

/// Sensor SN-1, frame 000017, 20 um pixels, z 0.5 um per count from -1 mm, -32768 invalid, right-handed.
FrameSidecar make_sidecar(const std::string& height_file);
/// The profile for make_sidecar: SN-1, right-handed, z -20 to 20 mm.
SensorProfile make_profile();

/// STEM_z.tif of 2 x 3 int16 heights and STEM.json in `folder`; returns the sidecar's path.
std::filesystem::path write_tiny_frame(const std::filesystem::path& folder, const std::string& stem,
                                       std::int16_t first_count = 100);
/// NAME of a 2 x 2 .ptr with heights -100, -4000, 0, 12.5 um.
std::string tiny_ptr();

void write_file(const std::filesystem::path& path, const std::string& content);
std::string read_file(const std::filesystem::path& path);
ByteView bytes_of(const std::string& text);

}  // namespace datum::testing
