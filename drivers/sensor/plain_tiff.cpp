#include "drivers/sensor/plain_tiff.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

namespace datum {
namespace {

static_assert(std::endian::native == std::endian::little, "samples are copied as they lie in the file");

constexpr unsigned most_tags = 32, tag_bytes = 12;

template <class T>
T value_in(ByteView bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

Bytes bytes_at(const ByteSource& file, std::uint64_t at, std::size_t size) {
  Bytes bytes(size);
  file.read(at, bytes.data(), size);
  return bytes;
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

std::vector<std::uint32_t> numbers_of(const ByteSource& file, const Values& values) {
  const unsigned bytes = bytes_of_type(values.type);
  const Bytes stored = bytes_at(file, values.at, std::size_t{values.count} * bytes);
  std::vector<std::uint32_t> numbers(values.count);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = bytes == 2 ? value_in<std::uint16_t>(stored, 2 * i) : value_in<std::uint32_t>(stored, 4 * i);
  return numbers;
}

struct Image {
  std::uint64_t rows = 0, cols = 0, bits = 0, compression = 1, photometric = 0, orientation = 1, samples = 1,
                planes = 1, format = 1, rows_per_strip = std::numeric_limits<std::uint32_t>::max();
  Values offsets, counts;
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

/// `entry`: the tag's 12 bytes, at `at` in the file. False: a tag that is not accepted.
bool take_tag(const ByteSource& file, ByteView entry, std::uint64_t at, Image& image) {
  const auto tag = value_in<std::uint16_t>(entry, 0);
  Values values{value_in<std::uint16_t>(entry, 2), value_in<std::uint32_t>(entry, 4), at + 8};
  const std::uint64_t bytes = std::uint64_t{values.count} * bytes_of_type(values.type);
  if (bytes == 0) return false;
  if (bytes > 4) values.at = value_in<std::uint32_t>(entry, 8);
  if (!file.has(values.at, bytes)) return false;
  if (says_nothing(tag)) return true;
  if (values.type != short_type && values.type != long_type) return false;
  if (tag == 273 || tag == 279) {
    (tag == 273 ? image.offsets : image.counts) = values;
    return true;
  }
  std::uint64_t* const place = place_of(image, tag);
  if (!place || values.count != 1) return false;
  *place = numbers_of(file, values)[0];
  return true;
}

/// The single directory with ascending tags, each once.
std::optional<Image> image_of(const ByteSource& file) {
  constexpr std::array<std::uint8_t, 4> classic{'I', 'I', 42, 0};
  if (!file.has(0, 8)) return std::nullopt;
  const Bytes head = bytes_at(file, 0, 8);
  if (!std::equal(classic.begin(), classic.end(), head.begin())) return std::nullopt;
  const std::uint64_t directory = value_in<std::uint32_t>(head, 4);
  if (!file.has(directory, 2)) return std::nullopt;
  const auto tags = value_in<std::uint16_t>(bytes_at(file, directory, 2), 0);
  const std::size_t size = std::size_t{tag_bytes} * tags;
  if (tags == 0 || tags > most_tags || !file.has(directory + 2, size + 4)) return std::nullopt;
  const Bytes entries = bytes_at(file, directory + 2, size + 4);
  if (value_in<std::uint32_t>(entries, size) != 0) return std::nullopt;
  Image image;
  int before = -1;
  for (std::size_t at = 0; at < size; at += tag_bytes) {
    const auto tag = value_in<std::uint16_t>(entries, at);
    if (tag <= before || !take_tag(file, ByteView(entries).subspan(at, tag_bytes), directory + 2 + at, image))
      return std::nullopt;
    before = tag;
  }
  return image;
}

bool is_plain(const Image& image) {
  return image.compression == 1 && image.photometric == 1 && image.orientation == 1 && image.samples == 1 &&
         image.planes == 1;
}

/// For depths that read_tiff reads; none for others.
std::optional<StoredNumber> number_of(const Image& image) {
  using Kind = StoredNumber::Kind;
  if (image.format == 1 && image.bits == 8) return StoredNumber{Kind::natural, 1};
  if (image.format == 1 && image.bits == 16) return StoredNumber{Kind::natural, 2};
  if (image.format == 2 && image.bits == 16) return StoredNumber{Kind::integer, 2};
  if (image.format == 2 && image.bits == 32) return StoredNumber{Kind::integer, 4};
  if (image.format == 3 && image.bits == 32) return StoredNumber{Kind::real, 4};
  return std::nullopt;
}

Samples samples_of(const StoredImage& image) {
  const std::size_t n = image.size();
  if (image.as.kind == StoredNumber::Kind::real) return std::vector<float>(n);
  if (image.as.kind == StoredNumber::Kind::natural && image.as.bytes == 1)
    return std::vector<std::uint8_t>(n);
  if (image.as.kind == StoredNumber::Kind::natural) return std::vector<std::uint16_t>(n);
  if (image.as.bytes == 2) return std::vector<std::int16_t>(n);
  return std::vector<std::int32_t>(n);
}

/// False: a strip whose length differs from its rows, or that exceeds the file.
bool take_strips(const ByteSource& file, const Image& image, StoredImage& stored) {
  const std::vector<std::uint32_t> offsets = numbers_of(file, image.offsets),
                                   counts = numbers_of(file, image.counts);
  std::size_t strip = 0;
  for (std::uint64_t row = 0; row < image.rows; row += image.rows_per_strip, ++strip) {
    const std::uint64_t samples = std::min(image.rows_per_strip, image.rows - row) * image.cols;
    const std::uint64_t bytes = samples * stored.as.bytes;
    if (counts[strip] != bytes || !file.has(offsets[strip], bytes)) return false;
    stored.add({offsets[strip], row * image.cols, samples});
  }
  return true;
}

}  // namespace

std::optional<StoredImage> plain_tiff_image(const ByteSource& file, std::uint64_t most_pixels) {
  constexpr std::uint64_t most_side = 1 << 20;  // as read_tiff; it also bounds the strips
  const std::optional<Image> image = image_of(file);
  if (!image || !is_plain(*image) || image->rows == 0 || image->cols == 0 || image->rows > most_side ||
      image->cols > most_side || image->rows_per_strip == 0)
    return std::nullopt;
  // Products of two numbers of at most 2^20; after the comparison with the file's size, times four does not
  // overflow.
  const std::uint64_t pixels = image->rows * image->cols;
  if (pixels > most_pixels || pixels > file.size() || pixels * (image->bits / 8) > file.size())
    return std::nullopt;
  const std::uint64_t strips = (image->rows - 1) / image->rows_per_strip + 1;
  if (image->offsets.count != strips || image->counts.count != strips) return std::nullopt;
  const std::optional<StoredNumber> as = number_of(*image);
  if (!as) return std::nullopt;
  StoredImage stored{static_cast<int>(image->rows), static_cast<int>(image->cols), *as, false, {}};
  if (!take_strips(file, *image, stored)) return std::nullopt;
  return stored;
}

std::optional<Raster> read_plain_tiff(ByteView file, std::uint64_t most_pixels) {
  const std::optional<StoredImage> stored = plain_tiff_image(BytesInMemory(file), most_pixels);
  if (!stored) return std::nullopt;
  Samples samples = samples_of(*stored);
  std::visit(
      [&](auto& values) {
        auto* const to = reinterpret_cast<std::uint8_t*>(values.data());
        for (const StoredImage::Run& run : stored->runs)
          std::memcpy(to + run.first * stored->as.bytes, file.data() + run.at,
                      run.samples * stored->as.bytes);
      },
      samples);
  return Raster{stored->rows, stored->cols, std::move(samples)};
}

}  // namespace datum
