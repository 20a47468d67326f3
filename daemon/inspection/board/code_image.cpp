#include "daemon/inspection/board/code_image.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace datum {
namespace {

/// Grey value at a place between pixels' centres, which are whole numbers.
double grey_at(const IntensityImage& image, const Eigen::Vector2d& px) {
  const int col = std::clamp(static_cast<int>(std::floor(px.x())), 0, image.cols - 2);
  const int row = std::clamp(static_cast<int>(std::floor(px.y())), 0, image.rows - 2);
  const double right = px.x() - col, down = px.y() - row;
  const auto at = [&](int r, int c) {
    return static_cast<double>(image.grey[static_cast<std::size_t>(r) * static_cast<std::size_t>(image.cols) +
                                          static_cast<std::size_t>(c)]);
  };
  return (1 - down) * ((1 - right) * at(row, col) + right * at(row, col + 1)) +
         down * ((1 - right) * at(row + 1, col) + right * at(row + 1, col + 1));
}

GreyImage spread(const std::vector<float>& values, int cols, int rows) {
  std::vector<float> sorted = values;
  const std::size_t tail = values.size() / 200;  // a glare spot must not darken the rest
  const auto low = sorted.begin() + static_cast<std::ptrdiff_t>(tail);
  std::nth_element(sorted.begin(), low, sorted.end());
  const float dark = *low;
  const auto high = sorted.end() - 1 - static_cast<std::ptrdiff_t>(tail);
  std::nth_element(sorted.begin(), high, sorted.end());
  const float scale = *high > dark ? 255 / (*high - dark) : 0;
  GreyImage image{cols, rows, {}};
  image.grey.reserve(values.size());
  for (const float v : values)
    image.grey.push_back(static_cast<std::uint8_t>(std::clamp((v - dark) * scale, 0.0F, 255.0F) + 0.5F));
  return image;
}

}  // namespace

CodePicture code_picture(const HeightFrame& frame, const BoardView& view, const CodeRegion& region) {
  if (!frame.intensity)
    return {std::nullopt,
            "the recipe names the region of a code and the frame has no intensity image; let the sensor "
            "deliver one"};
  const IntensityImage& grey = *frame.intensity;
  const double pitch_mm = std::min(view.per_col().norm(), view.per_row().norm());
  const int cols = static_cast<int>(std::ceil(region.size_mm.x() / pitch_mm));
  const int rows = static_cast<int>(std::ceil(region.size_mm.y() / pitch_mm));
  if (static_cast<double>(cols) * rows > most_code_pixels)
    return {
        std::nullopt,
        fmt::format("the region of the code has {} x {} pixels, at most {} are looked at; make it smaller",
                    cols, rows, most_code_pixels)};
  const Eigen::Vector2d corner =
      region.centre_mm + Eigen::Vector2d(-region.size_mm.x(), region.size_mm.y()) / 2;
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(cols) * static_cast<std::size_t>(rows));
  for (int row = 0; row < rows; ++row)
    for (int col = 0; col < cols; ++col) {
      const Eigen::Vector2d board = corner + pitch_mm * Eigen::Vector2d(col + 0.5, -(row + 0.5));
      const Eigen::Vector2d px = view.pixel_of(board, 0);
      if (!(px.x() >= 0 && px.y() >= 0 && px.x() <= grey.cols - 1 && px.y() <= grey.rows - 1))
        return {std::nullopt,
                fmt::format("the region of the code leaves the frame at [{:.2f}, {:.2f}] mm of the board",
                            board.x(), board.y())};
      values.push_back(static_cast<float>(grey_at(grey, px)));
    }
  return {spread(values, cols, rows), ""};
}

}  // namespace datum
