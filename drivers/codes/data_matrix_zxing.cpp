#define ZX_USE_UTF8 1  // of 1.4: text() is not used, and its header warns otherwise
#include <ZXing/ReadBarcode.h>

#include <algorithm>
#include <numeric>

#include "drivers/codes/data_matrix.h"

namespace datum {
namespace {

#if DATUM_ZXING_MAJOR >= 2
using Options = ZXing::ReaderOptions;
#else
using Options = ZXing::DecodeHints;
#endif

Options options() {
  Options o;
  o.setFormats(ZXing::BarcodeFormat::DataMatrix);
  o.setTryHarder(true);
  o.setTryRotate(true);
  return o;
}

GreyImage inverted(const GreyImage& image) {
  GreyImage out = image;
  for (std::uint8_t& g : out.grey) g = static_cast<std::uint8_t>(255 - g);
  return out;
}

/// Twice as many pixels each way, between them by straight lines: a module of two pixels becomes one of four.
GreyImage enlarged(const GreyImage& image) {
  GreyImage out{2 * image.cols, 2 * image.rows, {}};
  out.grey.resize(static_cast<std::size_t>(out.cols) * static_cast<std::size_t>(out.rows));
  const auto at = [&](int row, int col) {
    return static_cast<int>(image.grey[static_cast<std::size_t>(std::clamp(row, 0, image.rows - 1)) *
                                           static_cast<std::size_t>(image.cols) +
                                       static_cast<std::size_t>(std::clamp(col, 0, image.cols - 1))]);
  };
  for (int row = 0; row < out.rows; ++row)
    for (int col = 0; col < out.cols; ++col) {
      // A pixel of the result lies a quarter of a pixel from its source's centre, towards the neighbour.
      const int r = row / 2, c = col / 2, dr = row % 2 ? 1 : -1, dc = col % 2 ? 1 : -1;
      const int sum = 9 * at(r, c) + 3 * at(r + dr, c) + 3 * at(r, c + dc) + at(r + dr, c + dc);
      out.grey[static_cast<std::size_t>(row) * static_cast<std::size_t>(out.cols) +
               static_cast<std::size_t>(col)] = static_cast<std::uint8_t>((sum + 8) / 16);
    }
  return out;
}

/// Means of 3 x 3 pixels, against noise.
GreyImage smoothed(const GreyImage& image) {
  GreyImage out = image;
  for (int row = 1; row + 1 < image.rows; ++row)
    for (int col = 1; col + 1 < image.cols; ++col) {
      int sum = 0;
      for (int dr = -1; dr <= 1; ++dr)
        for (int dc = -1; dc <= 1; ++dc)
          sum += image.grey[static_cast<std::size_t>(row + dr) * static_cast<std::size_t>(image.cols) +
                            static_cast<std::size_t>(col + dc)];
      out.grey[static_cast<std::size_t>(row) * static_cast<std::size_t>(image.cols) +
               static_cast<std::size_t>(col)] = static_cast<std::uint8_t>((sum + 4) / 9);
    }
  return out;
}

/// Paints a quadrilateral over, enlarged by a fifth about its middle, with the image's mean.
void paint_over(GreyImage& image, const ZXing::Position& at) {
  double x = 0, y = 0;
  for (int i = 0; i < 4; ++i) {
    x += at[i].x / 4.0;
    y += at[i].y / 4.0;
  }
  const auto mean = static_cast<std::uint8_t>(
      std::accumulate(image.grey.begin(), image.grey.end(), std::uint64_t{0}) / image.grey.size());
  for (int row = 0; row < image.rows; ++row)
    for (int col = 0; col < image.cols; ++col) {
      int left = 0, right = 0;
      for (int i = 0; i < 4; ++i) {
        const auto &from = at[i], &to = at[(i + 1) % 4];
        const double fx = x + 1.2 * (from.x - x), fy = y + 1.2 * (from.y - y);
        const double cross = 1.2 * (to.x - from.x) * (row - fy) - 1.2 * (to.y - from.y) * (col - fx);
        left += cross >= 0;
        right += cross <= 0;
      }
      if (left == 4 || right == 4)
        image.grey[static_cast<std::size_t>(row) * static_cast<std::size_t>(image.cols) +
                   static_cast<std::size_t>(col)] = mean;
    }
}

/// The library gives one DataMatrix of an image: what was read is painted over until nothing more is.
void add_codes(GreyImage image, std::vector<ReadCode>& to) {
  constexpr int most_codes = 16;
  for (int n = 0; n < most_codes; ++n) {
    const ZXing::ImageView view(image.grey.data(), image.cols, image.rows, ZXing::ImageFormat::Lum);
    const auto all = ZXing::ReadBarcodes(view, options());
    bool any = false;
    for (const auto& found : all) {
      if (!found.isValid()) continue;
      const auto& bytes = found.bytes();
      ReadCode code{{bytes.begin(), bytes.end()}, found.isMirrored()};
      if (std::find(to.begin(), to.end(), code) == to.end()) to.push_back(std::move(code));
      paint_over(image, found.position());
      any = true;
    }
    if (!any) return;
  }
}

}  // namespace

std::vector<ReadCode> read_data_matrix(const GreyImage& image) {
  const auto pixels = static_cast<std::size_t>(image.cols) * static_cast<std::size_t>(image.rows);
  if (image.cols < 8 || image.rows < 8 || pixels > most_code_pixels || image.grey.size() != pixels)
    throw CodeError("an image of " + std::to_string(image.cols) + " x " + std::to_string(image.rows) +
                    " pixels");
  std::vector<ReadCode> codes;
  // All of them look at the image: a second code may show in one alone.
  for (const GreyImage& variant : {image, smoothed(image), enlarged(image)}) {
    if (static_cast<std::size_t>(variant.cols) * static_cast<std::size_t>(variant.rows) > most_code_pixels)
      continue;
    add_codes(variant, codes);
    add_codes(inverted(variant), codes);
  }
  std::sort(codes.begin(), codes.end(),
            [](const ReadCode& a, const ReadCode& b) { return a.bytes < b.bytes; });
  return codes;
}

}  // namespace datum
