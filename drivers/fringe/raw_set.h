// RawSet: the camera images of one set of fringes, as delivered.
#pragma once

#include <filesystem>
#include <variant>

#include "drivers/frame/sensor_profile.h"
#include "drivers/fringe/set_sidecar.h"

namespace datum {

struct RawSet {
  SetSidecar sidecar;
  int rows = 0, cols = 0;
  /// The images one after the other, each row by row: 8-bit or 16-bit grey, all of the same kind.
  std::variant<std::vector<std::uint8_t>, std::vector<std::uint16_t>> grey;
  std::string content_sha256;  // hex, over the SHA-256 of each image in their order, a line each
  std::string source;          // name of the sidecar

  std::size_t pixels() const { return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols); }
};

/// Reads the set of the sidecar `file`, its images beside it. Throws FrameError "FILE: what; what to do": an image that
/// is missing, that is not the one that the sidecar means (SHA-256), of another size or depth than the first one, not
/// grey of 8 or 16 bits, of more than `most_pixels`, or whose samples exceed settings.camera_maximum.
/// `parser` decodes its images; null: this process.
RawSet read_raw_set(const std::filesystem::path& file, const FringeSettings& settings,
                    std::uint64_t most_pixels = most_frame_pixels, const FrameParser* parser = nullptr);

}  // namespace datum
