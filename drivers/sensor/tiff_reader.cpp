#include <fmt/format.h>
#include <tiffio.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <memory>

#include "drivers/frame/frame_error.h"
#include "drivers/sensor/raster.h"

namespace datum {
namespace {

// libtiff's handlers are global; its messages for this thread's file are stored here.
thread_local std::string tiff_message;

void keep_message(const char* module, const char* format, va_list values) {
  if (!tiff_message.empty()) return;  // the first message names the cause
  std::array<char, 256> text{};
  std::vsnprintf(text.data(), text.size(), format, values);
  tiff_message = module ? fmt::format("{}: {}", module, text.data()) : text.data();
}

struct Memory {
  ByteView bytes;
  toff_t at = 0;
};

tmsize_t read_memory(thandle_t handle, void* to, tmsize_t size) {
  auto& m = *static_cast<Memory*>(handle);
  if (size < 0 || m.at >= m.bytes.size()) return 0;
  const std::size_t n = std::min<std::size_t>(static_cast<std::size_t>(size), m.bytes.size() - m.at);
  std::memcpy(to, m.bytes.data() + m.at, n);
  m.at += n;
  return static_cast<tmsize_t>(n);
}
tmsize_t write_memory(thandle_t, void*, tmsize_t) { return 0; }
toff_t seek_memory(thandle_t handle, toff_t offset, int whence) {
  auto& m = *static_cast<Memory*>(handle);
  m.at = offset + (whence == SEEK_CUR ? m.at : whence == SEEK_END ? m.bytes.size() : 0);
  return m.at;
}
int close_memory(thandle_t) { return 0; }
toff_t size_memory(thandle_t handle) { return static_cast<Memory*>(handle)->bytes.size(); }

using Tiff = std::unique_ptr<TIFF, void (*)(TIFF*)>;

Tiff open_tiff(Memory& memory) {
  static const bool handlers_set = [] {
    TIFFSetErrorHandler(keep_message);
    TIFFSetWarningHandler(nullptr);  // unknown tags are not relevant
    return true;
  }();
  static_cast<void>(handlers_set);
  tiff_message.clear();
  // m: no memory map; the bytes are already in memory
  return {TIFFClientOpen("TIFF", "rm", &memory, read_memory, write_memory, seek_memory, close_memory,
                         size_memory, nullptr, nullptr),
          TIFFClose};
}

[[noreturn]] void refuse_tiff(const std::string& name, const std::string& what) {
  throw FrameError(fmt::format("{}: {}", name, what));
}

struct Layout {
  std::uint32_t rows = 0, cols = 0;
  unsigned bits = 1, format = SAMPLEFORMAT_UINT;
  unsigned bytes() const { return bits / 8; }
};

std::uint16_t field(TIFF* tiff, std::uint32_t tag) {
  std::uint16_t value = 0;
  TIFFGetFieldDefaulted(tiff, tag, &value);
  return value;
}

void check_storage(TIFF* tiff, const std::string& name) {
  if (const unsigned n = field(tiff, TIFFTAG_SAMPLESPERPIXEL); n != 1) {
    refuse_tiff(name, fmt::format("{} samples per pixel; a height or intensity map has 1 (grey)", n));
  }
  if (const unsigned p = field(tiff, TIFFTAG_PHOTOMETRIC); p != PHOTOMETRIC_MINISBLACK) {
    refuse_tiff(name, fmt::format("photometric interpretation {}; only 1 (grey, 0 is black) is read", p));
  }
  if (const unsigned o = field(tiff, TIFFTAG_ORIENTATION); o != ORIENTATION_TOPLEFT) {
    refuse_tiff(name,
                fmt::format("orientation {}; only 1 (row 0 at the top, column 0 at the left) is read", o));
  }
  static constexpr std::array lossless{COMPRESSION_NONE,    COMPRESSION_LZW,      COMPRESSION_ADOBE_DEFLATE,
                                       COMPRESSION_DEFLATE, COMPRESSION_PACKBITS, COMPRESSION_ZSTD,
                                       COMPRESSION_LZMA};
  const int compression = field(tiff, TIFFTAG_COMPRESSION);
  if (std::find(lossless.begin(), lossless.end(), compression) == lossless.end()) {
    refuse_tiff(
        name,
        fmt::format("compression {} may alter heights; none, LZW, deflate, PackBits, ZSTD or LZMA is read",
                    compression));
  }
}

Layout read_layout(TIFF* tiff, const std::string& name) {
  Layout layout;
  TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &layout.rows);
  TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &layout.cols);
  check_storage(tiff, name);
  layout.bits = field(tiff, TIFFTAG_BITSPERSAMPLE);
  layout.format = field(tiff, TIFFTAG_SAMPLEFORMAT);
  if (layout.format == SAMPLEFORMAT_VOID) layout.format = SAMPLEFORMAT_UINT;
  const bool known = (layout.format == SAMPLEFORMAT_UINT && (layout.bits == 8 || layout.bits == 16)) ||
                     (layout.format == SAMPLEFORMAT_INT && (layout.bits == 16 || layout.bits == 32)) ||
                     (layout.format == SAMPLEFORMAT_IEEEFP && layout.bits == 32);
  if (!known) {
    refuse_tiff(
        name, fmt::format("{} bits of sample format {}; 8 or 16-bit unsigned (1), 16 or 32-bit signed (2) or "
                          "32-bit float (3) is read",
                          layout.bits, layout.format));
  }
  return layout;
}

[[noreturn]] void refuse_data(const std::string& name) {
  refuse_tiff(name, fmt::format("its image data are truncated or damaged{}{}",
                                tiff_message.empty() ? "" : ": ", tiff_message));
}

void read_strips(TIFF* tiff, const Layout& layout, std::uint8_t* to, const std::string& name) {
  std::uint32_t per_strip = layout.rows;
  TIFFGetFieldDefaulted(tiff, TIFFTAG_ROWSPERSTRIP, &per_strip);
  if (per_strip == 0) refuse_data(name);
  per_strip = std::min(per_strip, layout.rows);
  const std::size_t row_bytes = std::size_t{layout.cols} * layout.bytes();
  for (std::uint32_t row = 0, strip = 0; row < layout.rows; row += per_strip, ++strip) {
    const auto size = static_cast<tmsize_t>(std::min(per_strip, layout.rows - row) * row_bytes);
    if (TIFFReadEncodedStrip(tiff, strip, to + row * row_bytes, size) != size) refuse_data(name);
  }
}

void read_tiles(TIFF* tiff, const Layout& layout, std::uint8_t* to, std::size_t file_bytes,
                const std::string& name, std::uint64_t most_pixels) {
  std::uint32_t height = 0, width = 0;
  TIFFGetField(tiff, TIFFTAG_TILELENGTH, &height);
  TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &width);
  check_raster_size(height, width, layout.bytes(), file_bytes, name + " (one tile)", most_pixels);
  const std::size_t row_bytes = std::size_t{layout.cols} * layout.bytes();
  Bytes tile(std::size_t{height} * width * layout.bytes());
  const auto size = static_cast<tmsize_t>(tile.size());
  for (std::uint32_t row = 0; row < layout.rows; row += height) {
    for (std::uint32_t col = 0; col < layout.cols; col += width) {
      const std::uint32_t index = TIFFComputeTile(tiff, col, row, 0, 0);
      if (TIFFReadEncodedTile(tiff, index, tile.data(), size) != size) refuse_data(name);
      const std::size_t part = std::size_t{std::min(width, layout.cols - col)} * layout.bytes();
      for (std::uint32_t r = 0; r < std::min(height, layout.rows - row); ++r) {
        std::memcpy(to + (row + r) * row_bytes + std::size_t{col} * layout.bytes(),
                    tile.data() + std::size_t{r} * width * layout.bytes(), part);
      }
    }
  }
}

Samples samples_of(const Layout& layout) {
  const std::size_t n = std::size_t{layout.rows} * layout.cols;
  if (layout.format == SAMPLEFORMAT_IEEEFP) return std::vector<float>(n);
  if (layout.format == SAMPLEFORMAT_INT && layout.bits == 32) return std::vector<std::int32_t>(n);
  if (layout.format == SAMPLEFORMAT_INT) return std::vector<std::int16_t>(n);
  if (layout.bits == 16) return std::vector<std::uint16_t>(n);
  return std::vector<std::uint8_t>(n);
}

}  // namespace

Raster read_tiff(ByteView file, const std::string& name, std::uint64_t most_pixels) {
  Memory memory{file};
  const Tiff tiff = open_tiff(memory);
  if (!tiff) refuse_tiff(name, fmt::format("is not a readable TIFF file: {}", tiff_message));
  const Layout layout = read_layout(tiff.get(), name);
  if (!TIFFLastDirectory(tiff.get()))
    refuse_tiff(name, "holds several images; which one has the heights is not said");
  check_raster_size(layout.rows, layout.cols, layout.bytes(), file.size(), name, most_pixels);
  Raster raster{static_cast<int>(layout.rows), static_cast<int>(layout.cols), samples_of(layout)};
  std::visit(
      [&](auto& samples) {
        auto* to = reinterpret_cast<std::uint8_t*>(samples.data());
        if (TIFFIsTiled(tiff.get())) {
          read_tiles(tiff.get(), layout, to, file.size(), name, most_pixels);
        } else {
          read_strips(tiff.get(), layout, to, name);
        }
      },
      raster.samples);
  return raster;
}

}  // namespace datum
