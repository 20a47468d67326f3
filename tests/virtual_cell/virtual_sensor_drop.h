// Delivers frames into a drop folder like a real sensor's computer: under a hidden name on the same file
// system, fsync, rename, the sidecar last. Faults on demand.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "drivers/frame/height_frame.h"

namespace datum {

enum class DropFormat : std::uint8_t {
  tiff16,   // signed 16-bit TIFF, invalid -32768
  png16,    // unsigned 16-bit PNG, count + 32768, invalid 0
  float32,  // 32-bit float TIFF in um, invalid NaN
};

enum class DropFault : std::uint8_t {
  none,
  truncated,      // the image is cut, the sidecar (with the complete image's hash) arrives
  wrong_sha,      // one byte differs from the sidecar's hash
  duplicate,      // the same frame arrives a second time, under another name
  sidecar_first,  // the sidecar arrives before its image
};

/// Pixels in the file's format, with the sidecar's text. Pure: equal frames give equal bytes.
struct EncodedFrame {
  std::vector<std::uint8_t> image;
  std::string sidecar;
  std::vector<std::uint8_t> intensity = {};  // TIFF of 8 bits; empty: the frame has none
};
/// Names of the images in the sidecar. The frame has int16 counts (render); the second name counts where it has an intensity image.
EncodedFrame encode(const HeightFrame& frame, DropFormat format, const std::string& height_file,
                    const std::string& intensity_file = "");

const char* extension_of(DropFormat format);  // ".tif", ".png"

/// Writes <stem>_z.tif, with an intensity image <stem>_i.tif, and <stem>.json into the folder. Throws std::system_error naming the file.
void deliver(const HeightFrame& frame, DropFormat format, DropFault fault,
             const std::filesystem::path& folder, const std::string& stem);

/// A file becomes visible under its name after all of its bytes are on the disk. Throws std::system_error.
void write_whole(const std::filesystem::path& file, const void* bytes, std::size_t size);

}  // namespace datum
