#include "daemon/pipeline_mirror.h"

#include <algorithm>
#include <cmath>

namespace datum {

std::vector<HeightFrame> mirror_images(const HeightFrame& frame) {
  HeightFrame image = frame;
  image.intensity.reset();
  const auto reverse_rows = [&](auto& values) {
    for (int row = 0; row < image.rows; ++row) {
      const auto begin = values.begin() + static_cast<std::ptrdiff_t>(row) * image.cols;
      std::reverse(begin, begin + image.cols);
    }
  };
  std::visit(reverse_rows, image.counts);
  reverse_rows(image.classes);
  std::vector<HeightFrame> images{image};
  image.x.offset_mm = -frame.x.at(frame.cols - 1);
  // Half a pixel: both show the same places.
  if (std::abs(image.x.offset_mm - frame.x.offset_mm) > frame.x.scale_mm / 2)
    images.push_back(std::move(image));
  return images;
}

}  // namespace datum
