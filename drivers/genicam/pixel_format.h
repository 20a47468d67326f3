// Pixel formats of 3D payloads by number, independent of the receiving library. Pure. Numbers: GenICam Pixel
// Format Naming Convention (PFNC).
#pragma once

#include <cstdint>
#include <string>

namespace datum::genicam {

enum class Sample : std::uint8_t { u8, u16, f32 };  // little-endian in the payload
std::size_t bytes_of(Sample sample);

enum class Content : std::uint8_t { coordinates, confidence, intensity };

struct PixelFormat {
  std::uint32_t number = 0;
  const char* name = "";
  Content content = Content::coordinates;
  const char* coordinates = "";  // of "ABC", in the order of their samples
  Sample sample = Sample::u16;
  bool planar = false;  // one coordinate's samples are contiguous

  /// Samples of one pixel.
  std::size_t components() const;
  std::size_t pixel_bytes() const { return components() * bytes_of(sample); }
};

/// nullptr: not supported (packed formats, 8-bit heights, colours).
const PixelFormat* pixel_format_of(std::uint32_t number);
/// "Coord3D_C16", or the number in hex for an unsupported format.
std::string name_of_format(std::uint32_t number);

}  // namespace datum::genicam
