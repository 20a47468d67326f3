// The reader of the plainest TIFF: libtiff gives the same image for every accepted file, with any byte
// altered; all others are left to datumd-parse.
#include "drivers/sensor/plain_tiff.h"

#include <gmock/gmock.h>

#include <cstring>

#include "drivers/frame/frame_error.h"
#include "drivers/sensor/frame_parser.h"
#include "tests/drivers/sensor/tiny_files.h"
#include "tests/fresh_folder.h"

namespace datum::plain_tiff_test {
namespace {

using namespace datum::testing;

constexpr int rows = 5, cols = 3;

class PlainTiff : public ::testing::Test {
 protected:
  template <class T>
  std::string file_of(const TiffOptions& options = {}) {
    std::vector<T> samples;
    for (int i = 0; i < rows * cols; ++i) samples.push_back(static_cast<T>(7 * i - 20));
    write_tiff(folder_.path() / "a.tif", rows, cols, samples, options);
    return read_file(folder_.path() / "a.tif");
  }

 private:
  FreshFolder folder_;
};

/// Whether the plain reader accepts it, with libtiff's result verified.
bool is_accepted(const std::string& file) {
  const auto plain = read_plain_tiff(bytes_of(file), 1000);
  if (!plain) return false;
  const Raster all = read_tiff(bytes_of(file), "a.tif", 1000);
  EXPECT_EQ(plain->rows, all.rows);
  EXPECT_EQ(plain->cols, all.cols);
  // Compared bitwise: an altered real may be NaN.
  std::visit(
      [&](const auto& mine) {
        const auto* other = std::get_if<std::decay_t<decltype(mine)>>(&all.samples);
        EXPECT_TRUE(other && other->size() == mine.size() &&
                    std::memcmp(other->data(), mine.data(), mine.size() * sizeof mine[0]) == 0);
      },
      plain->samples);
  return true;
}

TEST_F(PlainTiff, ReadsEachDepthInOneStripAndInSeveral) {
  for (const int rows_per_strip : {0, 2, 5, 100}) {
    TiffOptions o;
    o.rows_per_strip = rows_per_strip;
    EXPECT_TRUE(is_accepted(file_of<std::uint8_t>(o))) << rows_per_strip;
    EXPECT_TRUE(is_accepted(file_of<std::uint16_t>(o))) << rows_per_strip;
    EXPECT_TRUE(is_accepted(file_of<std::int16_t>(o))) << rows_per_strip;
    EXPECT_TRUE(is_accepted(file_of<std::int32_t>(o))) << rows_per_strip;
    EXPECT_TRUE(is_accepted(file_of<float>(o))) << rows_per_strip;
  }
}

// As written by tifffile; and out of order, missing or repeated tags (tests/fuzz/corpus).
TEST_F(PlainTiff, KnowsTagsThatSayNothingOfTheSamples) {
  const auto kept = [](const std::string& name) {
    return read_file(std::filesystem::path(DATUM_SOURCE_DIR) / "tests/fuzz/corpus/tiff" / name);
  };
  for (const char* name :
       {"plain", "plain_described", "plain_strips", "plain_strips_swapped", "plain_rows_per_strip_missing"})
    EXPECT_TRUE(is_accepted(kept(name))) << name;
  for (const char* name :
       {"plain_tag_twice", "plain_counts_missing", "plain_offsets_too_few", "plain_unsorted",
        "plain_rows_per_strip_zero", "plain_count_longer", "plain_huge", "plain_text_without_end"})
    EXPECT_FALSE(is_accepted(kept(name))) << name;
}

TEST_F(PlainTiff, LeavesEveryOtherFormToItsReader) {
  const auto is_left = [&](auto alter) {
    TiffOptions o;
    alter(o);
    return !is_accepted(file_of<std::int16_t>(o));
  };
  EXPECT_TRUE(is_left([](TiffOptions& o) { o.big_endian = true; }));
  EXPECT_TRUE(is_left([](TiffOptions& o) { o.tiled = true; }));
  EXPECT_TRUE(is_left([](TiffOptions& o) { o.compression = 5; }));
  EXPECT_TRUE(is_left([](TiffOptions& o) { o.photometric = 0; }));
  EXPECT_TRUE(is_left([](TiffOptions& o) { o.orientation = 4; }));
  EXPECT_TRUE(is_left([](TiffOptions& o) { o.images = 2; }));
  EXPECT_TRUE(is_left([](TiffOptions& o) { o.sample_format = 1; }) == false);  // unsigned: another depth
  const std::string file = file_of<std::int16_t>();
  EXPECT_FALSE(read_plain_tiff(bytes_of(file), rows * cols - 1));
  EXPECT_FALSE(read_plain_tiff({}, 1000));
}

// Each byte of the file with each value, and each truncation: accepted files equal libtiff's result.
TEST_F(PlainTiff, AgreesWithLibtiffOverEveryAlteredByte) {
  TiffOptions o;
  o.rows_per_strip = 2;
  const std::string good = file_of<std::int16_t>(o);
  int accepted = 0;
  for (std::size_t at = 0; at < good.size(); ++at)
    for (int value = 0; value < 256; ++value) {
      std::string bad = good;
      bad[at] = static_cast<char>(value);
      ASSERT_NO_THROW(accepted += is_accepted(bad)) << "byte " << at << " is " << value;
    }
  EXPECT_GT(accepted, 256 * rows * cols * 2 - 1);  // every sample may be any
  for (std::size_t size = 0; size < good.size(); ++size)
    ASSERT_NO_THROW(is_accepted(good.substr(0, size))) << size << " bytes";
}

class CountingParser final : public FrameParser {
 public:
  mutable int images = 0;
  Raster image(ByteView, const std::string&, std::uint64_t, const Meanwhile&) const override {
    ++images;
    return {};
  }
  Raster heights(ByteView, ByteView, const std::string&, const SensorProfile&,
                 const Meanwhile&) const override {
    return {};
  }
  HeightFrame gocator_csv(ByteView, const std::string&, std::uint64_t, const Meanwhile&) const override {
    return {};
  }
};

TEST_F(PlainTiff, IsReadHereAndAllElseByTheParser) {
  const CountingParser parser;
  const auto read = [&](const std::string& file, const char* name, const FrameParser::Meanwhile& meanwhile) {
    return image_by(&parser, bytes_of(file), name, 1000, meanwhile);
  };
  const std::string plain = file_of<std::int16_t>();
  EXPECT_EQ(read(plain, "a.TIF", [] {}).cols, cols);
  EXPECT_EQ(parser.images, 0);
  EXPECT_THROW(read(plain, "a.tif", [] { throw FrameError("another sum"); }), FrameError);
  read(plain, "a.png", [] {});
  TiffOptions lzw;
  lzw.compression = 5;
  read(file_of<std::int16_t>(lzw), "a.tif", [] {});
  EXPECT_EQ(parser.images, 2);
}

}  // namespace
}  // namespace datum::plain_tiff_test
