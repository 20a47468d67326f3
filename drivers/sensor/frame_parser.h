// FrameParser: another process that makes heights of a delivery's bytes, so that a file which breaks its reader breaks nothing
// else. The formats that this process reads itself are those of fixed places and no compression (.ptr, ENVI, .gdp, and the
// plainest TIFF: plain_tiff.h).
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "drivers/sensor/raster.h"

namespace datum {

class FrameParser {
 public:
  /// Done here while the other process works: what is wrong with the bytes by its finding (it throws) goes first.
  using Meanwhile = std::function<void()>;

  virtual ~FrameParser() = default;
  /// As read_image. Each call throws FrameError, also where the process ended over these bytes. From any thread.
  virtual Raster image(ByteView file, const std::string& name, std::uint64_t most_pixels,
                       const Meanwhile& meanwhile) const = 0;
  /// As read_height_file, of a format without a header of its own; `sidecar` is the text that says how, `sidecar_name` its
  /// file's name.
  virtual Raster heights(ByteView file, ByteView sidecar, const std::string& sidecar_name,
                         const SensorProfile& profile, const Meanwhile& meanwhile) const = 0;
  /// As read_gocator_csv.
  virtual HeightFrame gocator_csv(ByteView file, const std::string& name, std::uint64_t most_pixels,
                                  const Meanwhile& meanwhile) const = 0;
};

/// An image that this process reads itself, by its name and its bytes: the plainest TIFF. Nothing for all others.
std::optional<Raster> plain_image(ByteView file, const std::string& name, std::uint64_t most_pixels);

/// As FrameParser::image: a plain image here, all others by `parser`, or by read_image where it is null.
Raster image_by(const FrameParser* parser, ByteView file, const std::string& name, std::uint64_t most_pixels,
                const FrameParser::Meanwhile& meanwhile);

}  // namespace datum
