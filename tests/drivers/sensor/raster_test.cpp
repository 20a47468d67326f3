#include "drivers/sensor/raster.h"

#include <gmock/gmock.h>
#include <png.h>
#include <tiffio.h>

#include <numeric>

#include "tests/drivers/sensor/expect_refusal.h"
#include "tests/drivers/sensor/tiny_files.h"
#include "tests/fresh_folder.h"

namespace datum {
namespace {

using namespace datum::testing;

constexpr int rows = 21, cols = 37;  // more than one tile in each direction, and not a multiple

template <class T>
std::vector<T> ramp(double first, double step) {
  std::vector<T> v;
  for (int i = 0; i < rows * cols; ++i) v.push_back(static_cast<T>(first + step * i));
  return v;
}

class RasterFiles : public ::testing::Test {
 protected:
  FreshFolder folder;

  template <class T>
  std::vector<T> tiff_and_back(const std::vector<T>& samples, const TiffOptions& options) {
    write_tiff(folder.path() / "a.tif", rows, cols, samples, options);
    const Raster raster = read_tiff(bytes_of(read_file(folder.path() / "a.tif")), "a.tif");
    EXPECT_EQ(raster.rows, rows);
    EXPECT_EQ(raster.cols, cols);
    return std::get<std::vector<T>>(raster.samples);
  }

  void refuse_tiff(const std::string& message) {
    const std::string file = read_file(folder.path() / "a.tif");
    expect_refusal([&] { read_tiff(bytes_of(file), "a.tif"); }, message);
  }
  void refuse_png(const std::string& message) {
    const std::string file = read_file(folder.path() / "a.png");
    expect_refusal([&] { read_png(bytes_of(file), "a.png"); }, message);
  }
};

TEST_F(RasterFiles, TiffOfEverySampleTypeOrderLayoutAndLosslessCompression) {
  const auto u8 = ramp<std::uint8_t>(0, 0.3);
  const auto u16 = ramp<std::uint16_t>(65535, -80);
  const auto s16 = ramp<std::int16_t>(-32768, 84);
  const auto s32 = ramp<std::int32_t>(-2147483648.0, 5.5e6);
  const auto f32 = ramp<float>(-3.25, 0.0625);
  for (const bool big_endian : {false, true}) {
    for (const bool tiled : {false, true}) {
      for (const int compression : {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_ADOBE_DEFLATE}) {
        TiffOptions o;
        o.big_endian = big_endian;
        o.tiled = tiled;
        o.compression = compression;
        o.rows_per_strip = 4;  // the last strip is shorter
        SCOPED_TRACE(::testing::Message() << big_endian << tiled << compression);
        EXPECT_EQ(tiff_and_back(u8, o), u8);
        EXPECT_EQ(tiff_and_back(u16, o), u16);
        EXPECT_EQ(tiff_and_back(s16, o), s16);
        EXPECT_EQ(tiff_and_back(s32, o), s32);
        EXPECT_EQ(tiff_and_back(f32, o), f32);
      }
    }
  }
}

TEST_F(RasterFiles, TiffThatIsNoGreyHeightMapIsRefused) {
  const auto u16 = ramp<std::uint16_t>(0, 1);
  const std::vector<std::uint16_t> rgb(3 * u16.size());
  TiffOptions o;
  o.samples_per_pixel = 3;
  o.photometric = PHOTOMETRIC_RGB;
  write_tiff(folder.path() / "a.tif", rows, cols, rgb, o);
  refuse_tiff("a.tif: 3 samples per pixel; a height or intensity map has 1 (grey)");
  o = {};
  o.photometric = PHOTOMETRIC_PALETTE;
  write_tiff(folder.path() / "a.tif", rows, cols, u16, o);
  refuse_tiff("a.tif: photometric interpretation 3; only 1 (grey, 0 is black) is read");
  o.photometric = PHOTOMETRIC_MINISWHITE;
  write_tiff(folder.path() / "a.tif", rows, cols, u16, o);
  refuse_tiff("a.tif: photometric interpretation 0; only 1 (grey, 0 is black) is read");
  o = {};
  o.orientation = ORIENTATION_BOTLEFT;
  write_tiff(folder.path() / "a.tif", rows, cols, u16, o);
  refuse_tiff("a.tif: orientation 4; only 1 (row 0 at the top, column 0 at the left) is read");
  o = {};
  o.images = 2;
  write_tiff(folder.path() / "a.tif", rows, cols, u16, o);
  refuse_tiff("a.tif: holds several images; which one has the heights is not said");
}

TEST_F(RasterFiles, TiffOfOtherSamplesOrALossyCompressionIsRefused) {
  const char* allowed = "; 8 or 16-bit unsigned (1), 16 or 32-bit signed (2) or 32-bit float (3) is read";
  write_tiff(folder.path() / "a.tif", rows, cols, ramp<double>(0, 1));
  refuse_tiff(std::string("a.tif: 64 bits of sample format 3") + allowed);
  TiffOptions o;
  o.sample_format = SAMPLEFORMAT_UINT;
  write_tiff(folder.path() / "a.tif", rows, cols, ramp<std::int32_t>(0, 1), o);
  refuse_tiff(std::string("a.tif: 32 bits of sample format 1") + allowed);
  o.sample_format = SAMPLEFORMAT_INT;
  write_tiff(folder.path() / "a.tif", rows, cols, ramp<std::uint8_t>(0, 1), o);
  refuse_tiff(std::string("a.tif: 8 bits of sample format 2") + allowed);
  o = {};
  o.compression = COMPRESSION_JPEG;
  write_tiff(folder.path() / "a.tif", rows, cols, ramp<std::uint8_t>(0, 1), o);
  refuse_tiff("a.tif: compression 7 may alter heights; none, LZW, deflate, PackBits, ZSTD or LZMA is read");
}

TEST_F(RasterFiles, TruncatedTiffIsRefusedAtEveryLength) {
  // a directory in front of its data, as written by cameras, survives truncation: the data are then missing
  for (const int compression : {COMPRESSION_NONE, COMPRESSION_ADOBE_DEFLATE}) {
    TiffOptions o;
    o.compression = compression;
    write_tiff(folder.path() / "a.tif", rows, cols, ramp<std::int16_t>(0, 7), o);
    const std::string whole = read_file(folder.path() / "a.tif");
    for (std::size_t size = 0; size + 1 < whole.size(); size += 13) {
      const std::string part = whole.substr(0, size);
      EXPECT_THROW(read_tiff(bytes_of(part), "a.tif"), FrameError) << size << " of " << whole.size();
    }
  }
  folder.write("a.tif", "not a TIFF at all");
  refuse_tiff(
      "a.tif: is not a readable TIFF file: TIFF: Not a TIFF or MDI file, bad magic number 28526 (0x6f6e)");
}

TEST_F(RasterFiles, PngOfBothDepthsAndInterlaced) {
  const auto u8 = ramp<std::uint8_t>(0, 0.3);
  const auto u16 = ramp<std::uint16_t>(65535, -80);
  for (const bool interlaced : {false, true}) {
    write_png(folder.path() / "a.png", rows, cols, u16, PNG_COLOR_TYPE_GRAY, interlaced);
    Raster raster = read_png(bytes_of(read_file(folder.path() / "a.png")), "a.png");
    EXPECT_EQ(raster.rows, rows);
    EXPECT_EQ(raster.cols, cols);
    EXPECT_EQ(std::get<std::vector<std::uint16_t>>(raster.samples), u16);
    write_png(folder.path() / "a.png", rows, cols, u8, PNG_COLOR_TYPE_GRAY, interlaced);
    raster = read_png(bytes_of(read_file(folder.path() / "a.png")), "a.png");
    EXPECT_EQ(std::get<std::vector<std::uint8_t>>(raster.samples), u8);
  }
}

TEST_F(RasterFiles, PngThatIsNoGreyMapIsRefused) {
  write_png(folder.path() / "a.png", rows, cols, std::vector<std::uint16_t>(std::size_t{3} * rows * cols),
            PNG_COLOR_TYPE_RGB);
  refuse_png("a.png: 16 bits of colour type 2; grey (0) of 8 or 16 bits is read");
  write_png(folder.path() / "a.png", rows, cols, std::vector<std::uint8_t>(std::size_t{rows} * cols),
            PNG_COLOR_TYPE_PALETTE);
  refuse_png("a.png: 8 bits of colour type 3; grey (0) of 8 or 16 bits is read");
}

TEST_F(RasterFiles, DamagedPngIsRefused) {
  write_png(folder.path() / "a.png", rows, cols, ramp<std::uint16_t>(0, 1));
  const std::string whole = read_file(folder.path() / "a.png");
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    const std::string part = whole.substr(0, size);
    EXPECT_THROW(read_png(bytes_of(part), "a.png"), FrameError) << size << " of " << whole.size();
  }
  folder.write("a.png", whole.substr(0, whole.size() - 12));
  refuse_png("a.png: its image data are damaged: the file ends too early");
  folder.write("a.png", whole + "xy");
  refuse_png("a.png: 2 bytes follow the end of the image; the file is damaged");
  std::string flipped = whole;
  flipped[whole.size() - 13] ^= 1;  // the checksum of the last data chunk
  folder.write("a.png", flipped);
  refuse_png("a.png: its image data are damaged: IDAT: CRC error");
}

TEST(CheckRasterSize, RefusesWhatNoFileOfThatSizeCanHold) {
  EXPECT_NO_THROW(check_raster_size(4096, 4096, 2, 8192, "a"));
  expect_refusal([] { check_raster_size(4096, 4097, 2, 8192, "a"); },
                 "a: 4096 rows x 4097 columns can't come from 8192 bytes; the file is truncated or damaged");
  expect_refusal([] { check_raster_size(0, 5, 2, 100, "a"); }, "a: the image is empty (0 x 5)");
  expect_refusal([] { check_raster_size(5, 0, 2, 100, "a"); }, "a: the image is empty (5 x 0)");
  constexpr std::uint64_t side = 1 << 20;
  EXPECT_NO_THROW(check_raster_size(side, 1, 1, side, "a"));
  EXPECT_NO_THROW(check_raster_size(1, side, 1, side, "a"));
  expect_refusal([] { check_raster_size(side + 1, 1, 1, side, "a"); },
                 "a: 1048577 rows x 1 columns; at most 2^20 each and 2^28 together are read");
  expect_refusal([] { check_raster_size(1, side + 1, 1, side, "a"); },
                 "a: 1 rows x 1048577 columns; at most 2^20 each and 2^28 together are read");
  EXPECT_NO_THROW(check_raster_size(1000, 2000, 2, 1000, "a", 2'000'000));
  expect_refusal(
      [] { check_raster_size(1000, 2000, 2, 1000, "a", 1'999'999); },
      "a: 1000 rows x 2000 columns; at most 1.999999 million pixels are read; where the sensor's frames "
      "are larger, raise sensor.max_frame_mpix");
  expect_refusal([] { check_raster_size(0xffffffff, 0xffffffff, 4, 100, "a"); },
                 "a: 4294967295 rows x 4294967295 columns; at most 2^20 each and 2^28 together are read");
}

}  // namespace
}  // namespace datum
