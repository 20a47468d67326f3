// Image files in memory, by libtiff and libpng.
#include <png.h>
#include <tiffio.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <stdexcept>

#include "tests/virtual_cell/virtual_sensor_image.h"

namespace datum {
namespace {

/// A file in memory for TIFFClientOpen.
struct Memory {
  std::vector<std::uint8_t> bytes;
  std::size_t at = 0;
};

tmsize_t memory_read(thandle_t handle, void* to, tmsize_t size) {
  auto& m = *static_cast<Memory*>(handle);
  const std::size_t n =
      std::min(static_cast<std::size_t>(size), m.bytes.size() - std::min(m.at, m.bytes.size()));
  std::memcpy(to, m.bytes.data() + m.at, n);
  m.at += n;
  return static_cast<tmsize_t>(n);
}

tmsize_t memory_write(thandle_t handle, void* from, tmsize_t size) {
  auto& m = *static_cast<Memory*>(handle);
  const auto n = static_cast<std::size_t>(size);
  if (m.bytes.size() < m.at + n) m.bytes.resize(m.at + n);
  std::memcpy(m.bytes.data() + m.at, from, n);
  m.at += n;
  return size;
}

toff_t memory_seek(thandle_t handle, toff_t offset, int whence) {
  auto& m = *static_cast<Memory*>(handle);
  const std::size_t base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? m.at : m.bytes.size();
  m.at = base + static_cast<std::size_t>(offset);
  return m.at;
}

int memory_close(thandle_t) { return 0; }
toff_t memory_size(thandle_t handle) { return static_cast<Memory*>(handle)->bytes.size(); }

}  // namespace

std::vector<std::uint8_t> tiff_of(const void* pixels, int rows, int cols, TiffSample sample) {
  Memory memory;
  const bool is_float = sample == TiffSample::float32, is_byte = sample == TiffSample::uint8;
  const unsigned sample_bytes = is_float ? 4 : is_byte ? 1 : 2;
  std::unique_ptr<TIFF, void (*)(TIFF*)> tiff(
      TIFFClientOpen("memory", "w", &memory, memory_read, memory_write, memory_seek, memory_close,
                     memory_size, nullptr, nullptr),
      TIFFClose);
  if (!tiff) throw std::runtime_error("libtiff opens no file in memory");
  TIFFSetField(tiff.get(), TIFFTAG_IMAGEWIDTH, static_cast<std::uint32_t>(cols));
  TIFFSetField(tiff.get(), TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(rows));
  TIFFSetField(tiff.get(), TIFFTAG_BITSPERSAMPLE, 8 * sample_bytes);
  TIFFSetField(tiff.get(), TIFFTAG_SAMPLESPERPIXEL, 1);
  TIFFSetField(tiff.get(), TIFFTAG_SAMPLEFORMAT,
               is_float  ? SAMPLEFORMAT_IEEEFP
               : is_byte ? SAMPLEFORMAT_UINT
                         : SAMPLEFORMAT_INT);
  TIFFSetField(tiff.get(), TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
  TIFFSetField(tiff.get(), TIFFTAG_ROWSPERSTRIP, static_cast<std::uint32_t>(64));
  const std::size_t stride = static_cast<std::size_t>(cols) * sample_bytes;
  std::vector<std::uint8_t> line(stride);
  for (int row = 0; row < rows; ++row) {
    std::memcpy(line.data(),
                static_cast<const std::uint8_t*>(pixels) + static_cast<std::size_t>(row) * stride, stride);
    if (TIFFWriteScanline(tiff.get(), line.data(), static_cast<std::uint32_t>(row)) != 1)
      throw std::runtime_error("libtiff writes no row");
  }
  tiff.reset();
  return std::move(memory.bytes);
}

std::vector<std::uint8_t> png_of(const std::vector<std::uint16_t>& pixels, int rows, int cols) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(cols);
  image.height = static_cast<png_uint_32>(rows);
  image.format = PNG_FORMAT_LINEAR_Y;
  png_alloc_size_t size = 0;
  std::vector<std::uint8_t> bytes;
  if (!png_image_write_to_memory(&image, nullptr, &size, 0, pixels.data(), 0, nullptr))
    throw std::runtime_error(std::string("libpng: ") + image.message);
  bytes.resize(size);
  if (!png_image_write_to_memory(&image, bytes.data(), &size, 0, pixels.data(), 0, nullptr))
    throw std::runtime_error(std::string("libpng: ") + image.message);
  bytes.resize(size);
  return bytes;
}

}  // namespace datum
