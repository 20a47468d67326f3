#include "daemon/inspection/registration/board_looks.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "daemon/inspection/registration/search_pairs.h"
#include "gpu/core/parallel_for.h"

namespace datum {
namespace {

constexpr int most_joined_cells = 1600;

/// Pixel (0, 0) of a look on the first one's grid.
Eigen::Vector2d grid_offset_px(const BoardLookAt& first, const BoardLookAt& look) {
  return first.view.pixel_of(look.view.origin(), 0);
}

/// Fills cells without a height from one look's samples.
void fill(const HeightLattice& from, const Eigen::Vector2d& offset_px, HeightLattice& to) {
  const Eigen::Vector2d start = offset_px + from.first_px.cast<double>() - to.first_px.cast<double>();
  const auto cells = [](double px, int step) { return static_cast<int>(std::floor(px / step)); };
  const int row0 = std::max(0, cells(start.y(), to.step)), col0 = std::max(0, cells(start.x(), to.step));
  const int row1 = std::min(to.rows - 1, cells(start.y() + from.rows * from.step, to.step) + 1);
  const int col1 = std::min(to.cols - 1, cells(start.x() + from.cols * from.step, to.step) + 1);
  for (int row = row0; row <= row1; ++row) {
    const auto y = static_cast<int>(std::lround((row * to.step - start.y()) / from.step));
    if (y < 0 || y >= from.rows) continue;
    for (int col = col0; col <= col1; ++col) {
      const auto x = static_cast<int>(std::lround((col * to.step - start.x()) / from.step));
      float& cell = to.mm[std::size_t(row) * std::size_t(to.cols) + std::size_t(col)];
      if (x < 0 || x >= from.cols || std::isfinite(cell)) continue;
      cell = from.mm[std::size_t(y) * std::size_t(from.cols) + std::size_t(x)];
    }
  }
}

}  // namespace

HeightLattice joined(std::span<const HeightLattice> lattices, std::span<const BoardLookAt> looks) {
  HeightLattice all;
  Eigen::Vector2d low = Eigen::Vector2d::Constant(1e300), high = -low;
  for (std::size_t k = 0; k < looks.size(); ++k) {
    const HeightLattice& l = lattices[k];
    const Eigen::Vector2d at = grid_offset_px(looks.front(), looks[k]) + l.first_px.cast<double>();
    low = low.cwiseMin(at);
    high = high.cwiseMax(at + l.step * Eigen::Vector2d(l.cols - 1, l.rows - 1));
    all.step = std::max(all.step, l.step);
  }
  all.step = std::max(all.step, static_cast<int>(std::ceil((high - low).maxCoeff() / most_joined_cells)));
  all.first_px = low.array().floor().cast<int>().matrix();
  const Eigen::Vector2i span = high.array().ceil().cast<int>().matrix() - all.first_px;
  all.cols = span.x() / all.step + 1;
  all.rows = span.y() / all.step + 1;
  const BoardView& view = looks.front().view;
  all.cell_mm = all.step * std::max(view.per_col().norm(), view.per_row().norm());
  all.mm.assign(std::size_t(all.cols) * std::size_t(all.rows), std::numeric_limits<float>::quiet_NaN());
  for (std::size_t k = 0; k < looks.size(); ++k)
    fill(lattices[k], grid_offset_px(looks.front(), looks[k]), all);
  return all;
}

double depth_px(const BoardLookAt& look, const Component& component, const MovedPlane& motion) {
  const Eigen::Matrix2d axes = motion.linear() * axes_of(component.body);
  const Eigen::Vector2d centre = motion(component.body.centre_mm), half = component.body.size_mm / 2;
  const Eigen::Vector2d last(look.frame.cols - 1, look.frame.rows - 1);
  double depth = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 4; ++k) {
    const Eigen::Vector2d corner(k % 2 ? half.x() : -half.x(), k / 2 ? half.y() : -half.y());
    const Eigen::Vector2d px = look.view.pixel_of(centre + axes * corner, component.nominal_height_um * 1e-3);
    depth = std::min({depth, px.minCoeff(), (last - px).minCoeff()});
  }
  return depth;
}

std::size_t deepest_look(const std::vector<EdgeScene>& scenes, const Component& component,
                         const MovedPlane& motion) {
  std::size_t best = 0;
  if (scenes.size() == 1) return best;
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < scenes.size(); ++k)
    if (const double px = depth_px({scenes[k].frame, scenes[k].view}, component, motion); px > most) {
      most = px;
      best = k;
    }
  return best;
}

void body_edges(const std::vector<EdgeScene>& scenes, const std::vector<std::size_t>& components,
                std::span<const PlaneMotion> motions, std::span<const EdgeSettings> settings,
                unsigned threads, const std::function<void(std::size_t, const BodyEdges&)>& use) {
  const std::vector<MovedPlane> moved(motions.begin(), motions.end());
  const std::size_t n = components.size();
  std::vector<std::size_t> look(n * motions.size(), 0);
  std::vector<OneBodysEdges> found(look.size());
  parallel_for(threads, found.size(), [&](std::size_t at, unsigned) {
    const std::size_t component = components[at % n];
    const MovedPlane& motion = moved[at / n];
    if (scenes.size() > 1)
      look[at] = deepest_look(scenes, scenes.front().recipe.components[component], motion);
    found[at] = edges_of_body(scenes[look[at]], component, motion, settings[at / n]);
  });
  parallel_for(threads, motions.size(), [&](std::size_t m, unsigned) {
    BodyEdges edges;
    for (std::size_t k = 0; k < scenes.size(); ++k)
      for (std::size_t at = m * n; at < (m + 1) * n; ++at)
        if (look[at] == k) edges.add(found[at]);
    use(m, edges);
  });
}

}  // namespace datum
