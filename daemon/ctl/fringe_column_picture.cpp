#include "daemon/ctl/fringe_column_picture.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "daemon/pictures/page.h"

namespace datum {
namespace {

/// Columns less their least-squares plane; NaN where not ok. Centred coordinates keep the normal equations well
/// conditioned.
std::vector<float> less_their_plane(const std::vector<float>& column, const std::vector<FringeClass>& classes,
                                    int width, int height) {
  Eigen::Matrix3d normal = Eigen::Matrix3d::Zero();
  Eigen::Vector3d right = Eigen::Vector3d::Zero();
  const auto at = [&](std::size_t i) {
    const std::size_t row = i / static_cast<std::size_t>(width), col = i % static_cast<std::size_t>(width);
    return Eigen::Vector3d(static_cast<double>(col) - width / 2.0, static_cast<double>(row) - height / 2.0,
                           1);
  };
  for (std::size_t i = 0; i < column.size(); ++i) {
    if (classes[i] != FringeClass::ok) continue;
    normal += at(i) * at(i).transpose();
    right += static_cast<double>(column[i]) * at(i);
  }
  const Eigen::Vector3d plane = normal.completeOrthogonalDecomposition().solve(right);
  std::vector<float> left(column.size(), NAN);
  for (std::size_t i = 0; i < column.size(); ++i)
    if (classes[i] == FringeClass::ok)
      left[i] = static_cast<float>(static_cast<double>(column[i]) - plane.dot(at(i)));
  return left;
}

float quantile(std::vector<float> values, double part) {
  values.erase(std::remove_if(values.begin(), values.end(), [](float v) { return std::isnan(v); }),
               values.end());
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

Rgb color_of(FringeClass c) {
  if (c == FringeClass::saturated) return {255, 0, 0};
  return c == FringeClass::unwrap ? Rgb{255, 255, 255} : Rgb{0, 0, 0};
}

}  // namespace

std::string write_column_picture(const std::filesystem::path& file, const std::vector<float>& column_px,
                                 const std::vector<FringeClass>& classes, int width, int height) {
  const std::vector<float> left = less_their_plane(column_px, classes, width, height);
  const float low = quantile(left, 0.01), high = quantile(left, 0.99);
  PixelImage image(width, height, {});
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const std::size_t i =
          static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x);
      const float part = high > low ? std::clamp((left[i] - low) / (high - low), 0.f, 1.f) : 0.5f;
      image.set(x, y,
                classes[i] == FringeClass::ok ? height_colors()[static_cast<std::size_t>(part * 255)]
                                              : color_of(classes[i]));
    }
  Page page(width, height, {});
  page.image(page.box(), image);
  page.write(file);
  return fmt::format("{}: columns less their plane, {:.2f} px dark to {:.2f} px light\n", file.string(), low,
                     high);
}

}  // namespace datum
