// FrameParser: parses a delivery's bytes in another process, so that a malicious file can't harm this one.
// This process itself parses only formats of fixed layout without compression (.ptr, ENVI, .gdp, and the
// plainest TIFF: plain_tiff.h).
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "drivers/sensor/raster.h"

namespace datum {

class FrameParser {
 public:
  /// Work for this process while the other one parses. A fault that it throws takes precedence.
  using Meanwhile = std::function<void()>;

  virtual ~FrameParser() = default;
  /// As read_image. Every function throws FrameError, also where the process died over these bytes. Callable
  /// from any thread.
  virtual Raster image(ByteView file, const std::string& name, std::uint64_t most_pixels,
                       const Meanwhile& meanwhile) const = 0;
  /// As read_height_file, for a format without a header of its own; `sidecar` is the describing text,
  /// `sidecar_name` its file's name.
  virtual Raster heights(ByteView file, ByteView sidecar, const std::string& sidecar_name,
                         const SensorProfile& profile, const Meanwhile& meanwhile) const = 0;
  /// As read_gocator_csv.
  virtual HeightFrame gocator_csv(ByteView file, const std::string& name, std::uint64_t most_pixels,
                                  const Meanwhile& meanwhile) const = 0;
};

/// An image that this process parses itself, by name and content: the plainest TIFF. None for all others.
std::optional<Raster> plain_image(ByteView file, const std::string& name, std::uint64_t most_pixels);

/// As FrameParser::image: a plain image in this process, all others by `parser`, or by read_image where it is
/// null.
Raster image_by(const FrameParser* parser, ByteView file, const std::string& name, std::uint64_t most_pixels,
                const FrameParser::Meanwhile& meanwhile);

}  // namespace datum
