// RawSet: the camera images of one fringe set, as delivered.
#pragma once

#include <filesystem>
#include <variant>

#include "drivers/frame/sensor_profile.h"
#include "drivers/fringe/set_sidecar.h"

namespace datum {

struct RawSet {
  SetSidecar sidecar;
  int rows = 0, cols = 0;
  /// Images in sequence, each row by row: 8-bit or 16-bit grey, all of one kind.
  std::variant<std::vector<std::uint8_t>, std::vector<std::uint16_t>> grey;
  std::string content_sha256;  // hex, over one line per image with its SHA-256, in order
  std::string source;          // name of the sidecar

  std::size_t pixels() const { return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols); }
};

/// Reads the set of the sidecar `file`, with its images beside it. Throws FrameError "FILE: what; what to
/// do": an image that is missing, has another SHA-256 than in the sidecar, differs in size or depth from the
/// first one, is not grey of 8 or 16 bits, has more than `most_pixels`, or whose samples exceed
/// settings.camera_maximum. `parser` decodes the images; null: in this process.
RawSet read_raw_set(const std::filesystem::path& file, const FringeSettings& settings,
                    std::uint64_t most_pixels = most_frame_pixels, const FrameParser* parser = nullptr);

}  // namespace datum
