#include "tests/drivers/sensor/tiny_files.h"

#include <png.h>
#include <tiffio.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <type_traits>

namespace datum::testing {
namespace {

constexpr int tile_rows = 16, tile_cols = 32;

void need(bool good, const std::filesystem::path& path) {
  if (!good) throw std::runtime_error("can't write " + path.string());
}

template <class T>
int sample_format_of() {
  if (std::is_floating_point_v<T>) return SAMPLEFORMAT_IEEEFP;
  return std::is_signed_v<T> ? SAMPLEFORMAT_INT : SAMPLEFORMAT_UINT;
}

// libtiff may swap bytes in the passed buffer, hence the copies.
template <class T>
void write_tiles(TIFF* tiff, int rows, int cols, std::vector<T> samples, const std::filesystem::path& path) {
  for (int row = 0; row < rows; row += tile_rows) {
    for (int col = 0; col < cols; col += tile_cols) {
      std::vector<T> tile(tile_rows * tile_cols);
      for (int i = 0; i < tile_rows * tile_cols; ++i) {
        const int r = row + i / tile_cols, c = col + i % tile_cols;
        if (r < rows && c < cols)
          tile[static_cast<std::size_t>(i)] = samples[static_cast<std::size_t>(r) * cols + c];
      }
      const auto index = TIFFComputeTile(tiff, static_cast<uint32_t>(col), static_cast<uint32_t>(row), 0, 0);
      need(
          TIFFWriteEncodedTile(tiff, index, tile.data(), static_cast<tmsize_t>(tile.size() * sizeof(T))) >= 0,
          path);
    }
  }
}

}  // namespace

template <class T>
void write_tiff(const std::filesystem::path& path, int rows, int cols, const std::vector<T>& samples,
                const TiffOptions& o) {
  const std::unique_ptr<TIFF, void (*)(TIFF*)> file(TIFFOpen(path.c_str(), o.big_endian ? "wb" : "wl"),
                                                    TIFFClose);
  need(file != nullptr, path);
  TIFF* tiff = file.get();
  for (int image = 0; image < o.images; ++image) {
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, rows);
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, cols);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, o.samples_per_pixel);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, static_cast<int>(8 * sizeof(T)));
    TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, o.sample_format ? o.sample_format : sample_format_of<T>());
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, o.photometric);
    TIFFSetField(tiff, TIFFTAG_ORIENTATION, o.orientation);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, o.compression);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    if (o.photometric == PHOTOMETRIC_PALETTE) {
      std::vector<std::uint16_t> map(65536);
      TIFFSetField(tiff, TIFFTAG_COLORMAP, map.data(), map.data(), map.data());
    }
    if (o.tiled) {
      TIFFSetField(tiff, TIFFTAG_TILEWIDTH, tile_cols);
      TIFFSetField(tiff, TIFFTAG_TILELENGTH, tile_rows);
      write_tiles(tiff, rows, cols, samples, path);
    } else {
      TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, o.rows_per_strip ? o.rows_per_strip : rows);
      const std::size_t width = static_cast<std::size_t>(cols) * o.samples_per_pixel;
      for (int row = 0; row < rows; ++row) {
        std::vector<T> line(samples.begin() + static_cast<std::ptrdiff_t>(row * width),
                            samples.begin() + static_cast<std::ptrdiff_t>((row + 1) * width));
        need(TIFFWriteScanline(tiff, line.data(), static_cast<uint32_t>(row), 0) == 1, path);
      }
    }
    need(TIFFWriteDirectory(tiff) == 1, path);
  }
}

template void write_tiff(const std::filesystem::path&, int, int, const std::vector<std::uint8_t>&,
                         const TiffOptions&);
template void write_tiff(const std::filesystem::path&, int, int, const std::vector<std::uint16_t>&,
                         const TiffOptions&);
template void write_tiff(const std::filesystem::path&, int, int, const std::vector<std::int16_t>&,
                         const TiffOptions&);
template void write_tiff(const std::filesystem::path&, int, int, const std::vector<std::int32_t>&,
                         const TiffOptions&);
template void write_tiff(const std::filesystem::path&, int, int, const std::vector<float>&,
                         const TiffOptions&);
template void write_tiff(const std::filesystem::path&, int, int, const std::vector<double>&,
                         const TiffOptions&);

template <class T>
void write_png(const std::filesystem::path& path, int rows, int cols, const std::vector<T>& samples,
               int colour_type, bool interlaced) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"), std::fclose);
  need(file != nullptr, path);
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_init_io(png, file.get());
  png_set_IHDR(png, info, static_cast<png_uint_32>(cols), static_cast<png_uint_32>(rows), 8 * sizeof(T),
               colour_type, interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  const png_color black{0, 0, 0};
  if (colour_type == PNG_COLOR_TYPE_PALETTE) png_set_PLTE(png, info, &black, 1);
  png_write_info(png, info);
  if (sizeof(T) == 2) png_set_swap(png);
  std::vector<T> copy = samples;
  std::vector<png_bytep> lines;
  const std::size_t width = copy.size() / static_cast<std::size_t>(rows);
  for (int r = 0; r < rows; ++r)
    lines.push_back(reinterpret_cast<png_bytep>(&copy[static_cast<std::size_t>(r) * width]));
  png_write_image(png, lines.data());
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
}

template void write_png(const std::filesystem::path&, int, int, const std::vector<std::uint8_t>&, int, bool);
template void write_png(const std::filesystem::path&, int, int, const std::vector<std::uint16_t>&, int, bool);

FrameSidecar make_sidecar(const std::string& height_file) {
  FrameSidecar s;
  s.sensor_serial = "SN-1";
  s.job_name = "board-a";
  s.job_hash = "5f3c";
  s.frame_id = "000017";
  s.captured = {1'700'000'000'000'000'000, ClockDomain::utc};
  s.x = {0.02, -0.5};
  s.y = {0.02, 0.25};
  s.z = {0.0005, -1.0};
  s.invalid = {InvalidMark::Kind::value, -32768};
  s.height_file = height_file;
  return s;
}

SensorProfile make_profile() {
  SensorProfile profile;
  profile.serial = "SN-1";
  profile.noise = {{0.0}, {5.0}};
  profile.z_min_mm = -20;
  profile.z_max_mm = 20;
  profile.pixel_pitch_mm = 0.12;
  return profile;
}

std::filesystem::path write_tiny_frame(const std::filesystem::path& folder, const std::string& stem,
                                       std::int16_t first_count) {
  const std::string heights = stem + "_z.tif";
  write_tiff<std::int16_t>(folder / heights, 2, 3, {first_count, 200, -300, INT16_MIN, 0, 32767});
  write_file(folder / (stem + ".json"), write_sidecar(make_sidecar(heights)));
  return folder / (stem + ".json");
}

std::string tiny_ptr() {
  std::string out;
  const auto put = [&](auto v) { out.append(reinterpret_cast<const char*>(&v), sizeof v); };
  for (const std::int32_t v : {2, 2}) put(v);
  for (const float v : {15.0f, 15.0f}) put(v);
  for (const std::int32_t v : {32, 1, 1, 1}) put(v);
  for (const float v : {-100.0f, -4000.0f, 0.0f, 12.5f}) put(v);
  return out;
}

void write_file(const std::filesystem::path& path, const std::string& content) {
  std::ofstream out(path, std::ios::binary);
  out << content;
  need(static_cast<bool>(out.flush()), path);
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

ByteView bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace datum::testing
