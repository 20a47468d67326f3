#include "daemon/inspection/board/pipeline_mirror.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "daemon/inspection/board/site_map.h"

namespace datum {

std::vector<HeightFrame> mirror_images(const HeightFrame& frame) {
  HeightFrame image = frame;
  const auto reverse_rows = [&](auto& values) {
    for (int row = 0; row < image.rows; ++row) {
      const auto begin = values.begin() + static_cast<std::ptrdiff_t>(row) * image.cols;
      std::reverse(begin, begin + image.cols);
    }
  };
  std::visit(reverse_rows, image.counts);
  reverse_rows(image.classes);
  if (image.intensity) reverse_rows(image.intensity->grey);
  std::vector<HeightFrame> images{image};
  image.x.offset_mm = -frame.x.at(frame.cols - 1);
  // Within half a pixel both show the same places.
  if (std::abs(image.x.offset_mm - frame.x.offset_mm) > frame.x.scale_mm / 2)
    images.push_back(std::move(image));
  return images;
}

namespace {

constexpr int body_samples = 16;  // per body, along either axis

Eigen::Matrix2d turned_axes(const BoardRect& rect) {
  const double turn = rect.rotation_deg * std::numbers::pi / 180;
  Eigen::Matrix2d axes;
  axes << std::cos(turn), -std::sin(turn), std::sin(turn), std::cos(turn);
  return axes;
}

/// Height of the recipe's board at a place.
double nominal_height_um(const Recipe& recipe, const Eigen::Vector2d& at_mm) {
  double height_um = 0;
  for (const Component& c : recipe.components) {
    const Eigen::Vector2d way = turned_axes(c.body).transpose() * (at_mm - c.body.centre_mm);
    if ((way.cwiseAbs().array() <= c.body.size_mm.array() / 2).all())
      height_um = std::max(height_um, c.nominal_height_um);
  }
  return height_um;
}

/// Mean height of the mirrored recipe's board over a body's pixels. The shift of a place by its height over a
/// tilted board is neglected: up to 5 degrees it is below a tenth of the height.
double mirrored_height_um(const Recipe& recipe, const Component& c, const BoardView& view,
                          const BoardView& image) {
  const Eigen::Matrix2d axes = turned_axes(c.body);
  double sum = 0;
  for (int k = 0; k < body_samples; ++k)
    for (int i = 0; i < body_samples; ++i) {
      const Eigen::Vector2d share((i + 0.5) / body_samples - 0.5, (k + 0.5) / body_samples - 0.5);
      const Eigen::Vector2d at = c.body.centre_mm + axes * share.cwiseProduct(c.body.size_mm);
      const Eigen::Vector2d pixel = view.pixel_of(at, 0);
      const double col = view.cols() - 1 - pixel.x();
      sum += nominal_height_um(recipe, image.origin() + col * image.per_col() + pixel.y() * image.per_row());
    }
  return sum / (body_samples * body_samples);
}

bool is_height(Characteristic c) { return c <= Characteristic::top_mean; }

}  // namespace

bool wrong_hand_explains(const Recipe& recipe, const JudgedFrame& as_is, const JudgedFrame& image) {
  if (image.verdict.decision != Decision::pass) return false;
  const BoardView view(as_is.frame, as_is.board_from_sensor), mirror(image.frame, image.board_from_sensor);
  bool any = false;
  for (std::size_t i = 0; i < recipe.components.size(); ++i) {
    const Component& c = recipe.components[i];
    const std::vector<CheckVerdict>& checks = as_is.verdict.components[i].checks;
    for (std::size_t k = 0; k < checks.size(); ++k) {
      if (checks[k].decision != Decision::fail || !is_height(checks[k].check.characteristic)) continue;
      const double nominal = checks[k].check.nominal.value_or(c.nominal_height_um), value = checks[k].value;
      const double off = std::abs(value - nominal);
      if (!(std::abs(value - mirrored_height_um(recipe, c, view, mirror)) < off)) return false;
      if (!(std::abs(image.verdict.components[i].checks[k].value - nominal) < off)) return false;
      any = true;
    }
  }
  return any;
}

}  // namespace datum
