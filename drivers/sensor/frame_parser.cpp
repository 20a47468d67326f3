#include "drivers/sensor/frame_parser.h"

#include <utility>

#include "drivers/sensor/height_file.h"
#include "drivers/sensor/plain_tiff.h"

namespace datum {

std::optional<Raster> plain_image(ByteView file, const std::string& name, std::uint64_t most_pixels) {
  const std::string extension = lower_extension(name);
  if (extension != ".tif" && extension != ".tiff") return std::nullopt;
  return read_plain_tiff(file, most_pixels);
}

Raster image_by(const FrameParser* parser, ByteView file, const std::string& name, std::uint64_t most_pixels,
                const FrameParser::Meanwhile& meanwhile) {
  std::optional<Raster> plain = plain_image(file, name, most_pixels);
  if (!plain && parser) return parser->image(file, name, most_pixels, meanwhile);
  meanwhile();
  return plain ? *std::move(plain) : read_image(file, name, most_pixels);
}

}  // namespace datum
