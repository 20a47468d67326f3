#include "drivers/genicam/pixel_format.h"

#include <fmt/format.h>

#include <cstring>

namespace datum::genicam {
namespace {

constexpr PixelFormat formats[] = {
    {0x011000B8, "Coord3D_C16", Content::coordinates, "C", Sample::u16, false},
    {0x012000BF, "Coord3D_C32f", Content::coordinates, "C", Sample::f32, false},
    {0x023000B9, "Coord3D_ABC16", Content::coordinates, "ABC", Sample::u16, false},
    {0x023000BA, "Coord3D_ABC16_Planar", Content::coordinates, "ABC", Sample::u16, true},
    {0x026000C0, "Coord3D_ABC32f", Content::coordinates, "ABC", Sample::f32, false},
    {0x026000C1, "Coord3D_ABC32f_Planar", Content::coordinates, "ABC", Sample::f32, true},
    {0x022000BB, "Coord3D_AC16", Content::coordinates, "AC", Sample::u16, false},
    {0x022000BC, "Coord3D_AC16_Planar", Content::coordinates, "AC", Sample::u16, true},
    {0x024000C2, "Coord3D_AC32f", Content::coordinates, "AC", Sample::f32, false},
    {0x024000C3, "Coord3D_AC32f_Planar", Content::coordinates, "AC", Sample::f32, true},
    // Formats with planes in separate parts.
    {0x011000B6, "Coord3D_A16", Content::coordinates, "A", Sample::u16, false},
    {0x012000BD, "Coord3D_A32f", Content::coordinates, "A", Sample::f32, false},
    {0x011000B7, "Coord3D_B16", Content::coordinates, "B", Sample::u16, false},
    {0x012000BE, "Coord3D_B32f", Content::coordinates, "B", Sample::f32, false},
    {0x010800C4, "Confidence1", Content::confidence, "", Sample::u8, false},
    {0x010800C6, "Confidence8", Content::confidence, "", Sample::u8, false},
    {0x011000C7, "Confidence16", Content::confidence, "", Sample::u16, false},
    {0x012000C8, "Confidence32f", Content::confidence, "", Sample::f32, false},
    {0x01080001, "Mono8", Content::intensity, "", Sample::u8, false},
    {0x01100003, "Mono10", Content::intensity, "", Sample::u16, false},
    {0x01100005, "Mono12", Content::intensity, "", Sample::u16, false},
    {0x01100007, "Mono16", Content::intensity, "", Sample::u16, false},
};

}  // namespace

std::size_t bytes_of(Sample sample) {
  switch (sample) {
    case Sample::u8:
      return 1;
    case Sample::u16:
      return 2;
    case Sample::f32:
      return 4;
  }
  return 0;
}

std::size_t PixelFormat::components() const {
  return content == Content::coordinates ? std::strlen(coordinates) : 1;
}

const PixelFormat* pixel_format_of(std::uint32_t number) {
  for (const PixelFormat& format : formats)
    if (format.number == number) return &format;
  return nullptr;
}

std::string name_of_format(std::uint32_t number) {
  const PixelFormat* format = pixel_format_of(number);
  return format ? format->name : fmt::format("0x{:08X}", number);
}

}  // namespace datum::genicam
