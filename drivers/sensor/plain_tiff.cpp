#include "drivers/sensor/plain_tiff.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>

namespace datum {
namespace {

static_assert(std::endian::native == std::endian::little, "samples are copied as they lie in the file");

constexpr unsigned most_tags = 32, tag_bytes = 12;

template <class T>
std::optional<T> number_at(ByteView file, std::uint64_t at) {
  if (at > file.size() || file.size() - at < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, file.data() + at, sizeof value);
  return value;
}

enum Type : std::uint16_t { ascii = 2, short_type = 3, long_type = 4, rational = 5 };

/// Size of one value; 0: a type that no tag of such a file has.
unsigned bytes_of_type(std::uint16_t type) {
  switch (type) {
    case ascii:
      return 1;
    case short_type:
      return 2;
    case long_type:
      return 4;
    case rational:
      return 8;
  }
  return 0;
}

/// Values of one tag, within the file.
struct Values {
  std::uint16_t type = 0;
  std::uint32_t count = 0;
  std::uint64_t at = 0;
};

std::uint64_t value_of(ByteView file, const Values& values, std::uint32_t i) {
  if (values.type == short_type) return *number_at<std::uint16_t>(file, values.at + 2 * std::uint64_t{i});
  return *number_at<std::uint32_t>(file, values.at + 4 * std::uint64_t{i});
}

struct Image {
  std::uint64_t rows = 0, cols = 0, bits = 0, compression = 1, photometric = 0, orientation = 1, samples = 1,
                planes = 1, format = 1, rows_per_strip = std::numeric_limits<std::uint32_t>::max();
  Values offsets, counts;

  std::uint64_t row_bytes() const { return cols * (bits / 8); }
};

/// Destination of a single-number tag; nullptr: no such tag.
std::uint64_t* place_of(Image& image, std::uint16_t tag) {
  switch (tag) {
    case 256:
      return &image.cols;
    case 257:
      return &image.rows;
    case 258:
      return &image.bits;
    case 259:
      return &image.compression;
    case 262:
      return &image.photometric;
    case 274:
      return &image.orientation;
    case 277:
      return &image.samples;
    case 278:
      return &image.rows_per_strip;
    case 284:
      return &image.planes;
    case 339:
      return &image.format;
  }
  return nullptr;
}

/// Tags without effect on the samples: description, maker, resolution, software, date, author.
bool says_nothing(std::uint16_t tag) {
  constexpr std::array<std::uint16_t, 9> known{270, 271, 272, 282, 283, 296, 305, 306, 315};
  return std::find(known.begin(), known.end(), tag) != known.end();
}

/// False: a tag that is not accepted.
bool take_tag(ByteView file, std::uint64_t at, std::uint16_t tag, Image& image) {
  Values values{*number_at<std::uint16_t>(file, at + 2), *number_at<std::uint32_t>(file, at + 4), at + 8};
  const std::uint64_t bytes = std::uint64_t{values.count} * bytes_of_type(values.type);
  if (bytes == 0) return false;
  if (bytes > 4) values.at = *number_at<std::uint32_t>(file, at + 8);
  if (values.at > file.size() || file.size() - values.at < bytes) return false;
  if (says_nothing(tag)) return true;
  if (values.type != short_type && values.type != long_type) return false;
  if (tag == 273 || tag == 279) {
    (tag == 273 ? image.offsets : image.counts) = values;
    return true;
  }
  std::uint64_t* const place = place_of(image, tag);
  if (!place || values.count != 1) return false;
  *place = value_of(file, values, 0);
  return true;
}

/// The single directory with ascending tags, each once.
std::optional<Image> image_of(ByteView file) {
  constexpr std::array<std::uint8_t, 4> classic{'I', 'I', 42, 0};
  if (file.size() < 8 || !std::equal(classic.begin(), classic.end(), file.begin())) return std::nullopt;
  const std::uint64_t directory = *number_at<std::uint32_t>(file, 4);
  const auto tags = number_at<std::uint16_t>(file, directory);
  if (!tags || *tags == 0 || *tags > most_tags) return std::nullopt;
  const auto next = number_at<std::uint32_t>(file, directory + 2 + std::uint64_t{tag_bytes} * *tags);
  if (!next || *next != 0) return std::nullopt;
  Image image;
  int before = -1;
  for (unsigned i = 0; i < *tags; ++i) {
    const std::uint64_t at = directory + 2 + std::uint64_t{tag_bytes} * i;
    const auto tag = *number_at<std::uint16_t>(file, at);
    if (tag <= before || !take_tag(file, at, tag, image)) return std::nullopt;
    before = tag;
  }
  return image;
}

bool is_plain(const Image& image) {
  return image.compression == 1 && image.photometric == 1 && image.orientation == 1 && image.samples == 1 &&
         image.planes == 1;
}

/// For depths that read_tiff reads; none for others.
std::optional<Samples> samples_of(const Image& image) {
  const std::size_t n = image.rows * image.cols;
  if (image.format == 1 && image.bits == 8) return std::vector<std::uint8_t>(n);
  if (image.format == 1 && image.bits == 16) return std::vector<std::uint16_t>(n);
  if (image.format == 2 && image.bits == 16) return std::vector<std::int16_t>(n);
  if (image.format == 2 && image.bits == 32) return std::vector<std::int32_t>(n);
  if (image.format == 3 && image.bits == 32) return std::vector<float>(n);
  return std::nullopt;
}

/// False: a strip whose length differs from its rows, or that exceeds the file.
bool copy_strips(ByteView file, const Image& image, std::uint8_t* to) {
  for (std::uint64_t row = 0, strip = 0; row < image.rows; row += image.rows_per_strip, ++strip) {
    const std::uint64_t bytes = std::min(image.rows_per_strip, image.rows - row) * image.row_bytes();
    const std::uint64_t at = value_of(file, image.offsets, static_cast<std::uint32_t>(strip));
    if (value_of(file, image.counts, static_cast<std::uint32_t>(strip)) != bytes || at > file.size() ||
        file.size() - at < bytes)
      return false;
    std::memcpy(to + row * image.row_bytes(), file.data() + at, bytes);
  }
  return true;
}

}  // namespace

std::optional<Raster> read_plain_tiff(ByteView file, std::uint64_t most_pixels) {
  constexpr auto most_side = static_cast<std::uint64_t>(std::numeric_limits<int>::max());
  std::optional<Image> image = image_of(file);
  if (!image || !is_plain(*image) || image->rows == 0 || image->cols == 0 || image->rows > most_side ||
      image->cols > most_side || image->rows_per_strip == 0)
    return std::nullopt;
  // Products of two numbers below 2^31; after the comparison with the file's size, times four does not
  // overflow.
  const std::uint64_t pixels = image->rows * image->cols;
  if (pixels > most_pixels || pixels > file.size() || pixels * (image->bits / 8) > file.size())
    return std::nullopt;
  const std::uint64_t strips = (image->rows - 1) / image->rows_per_strip + 1;
  if (image->offsets.count != strips || image->counts.count != strips) return std::nullopt;
  std::optional<Samples> samples = samples_of(*image);
  if (!samples) return std::nullopt;
  const bool whole = std::visit(
      [&](auto& values) { return copy_strips(file, *image, reinterpret_cast<std::uint8_t*>(values.data())); },
      *samples);
  if (!whole) return std::nullopt;
  return Raster{static_cast<int>(image->rows), static_cast<int>(image->cols), *std::move(samples)};
}

}  // namespace datum
