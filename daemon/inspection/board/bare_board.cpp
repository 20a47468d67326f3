#include "daemon/inspection/board/bare_board.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "calib/linear/median.h"
#include "daemon/inspection/board/warp_recipe.h"
#include "gpu/core/parallel_for.h"

namespace datum {
namespace {

constexpr double tiles_per_patch = 4, most_tiles_a_side = 256;
constexpr int least_px = 9, most_px_a_side = 8;
/// Normal distribution: standard deviation over median absolute deviation, and standard uncertainty of a
/// median over that of a mean (sqrt(pi / 2)).
constexpr double sigma_per_mad = 1.4826, median_per_mean = 1.2533;

double pitch_mm(const HeightFrame& frame) { return std::max(frame.x.scale_mm, frame.y.scale_mm); }

/// One of some hundred tiles exceeds 3 standard uncertainties by chance.
constexpr double chance_sigmas = 3;

/// Median reduced by its chance deviation, at least 0.
double told_um(std::vector<double> um, const PixelNoise& noise) {
  const auto n = static_cast<double>(um.size());
  const double level = median_of(um);
  for (double& v : um) v = std::abs(v - level);
  const double sigma_um = std::max(noise.sigma_um, sigma_per_mad * median_of(um));
  const double u = median_per_mean * sigma_um * std::sqrt(std::min(1.0, noise.correlation / n));
  return std::copysign(std::max(0.0, std::abs(level) - chance_sigmas * u), level);
}

}  // namespace

struct BareBoard::Scene {
  /// A rectangle or circle of the board that is not bare.
  struct Hidden {
    Eigen::Vector2d centre_mm, half_mm;  // for a circle: half its diameter in both directions
    double cosine, sine;
    bool is_circle;

    bool holds(const Eigen::Vector2d& at) const {
      const Eigen::Vector2d d = at - centre_mm;
      if (is_circle) return d.squaredNorm() <= half_mm.x() * half_mm.x();
      return std::abs(cosine * d.x() + sine * d.y()) <= half_mm.x() &&
             std::abs(cosine * d.y() - sine * d.x()) <= half_mm.y();
    }
  };

  const BareView& look;
  std::vector<Hidden> hidden;
  std::vector<std::vector<std::uint32_t>> at;  // of each tile: those that overlap it

  void hide(const BoardRect& rect, double margin_mm) {
    const double turn = rect.rotation_deg * std::numbers::pi / 180;
    hidden.push_back({rect.centre_mm, rect.size_mm / 2 + Eigen::Vector2d::Constant(margin_mm), std::cos(turn),
                      std::sin(turn), false});
  }
  /// Adds the areas that are also cut out of patches of bare board.
  void hide(const Recipe& recipe) {
    const double margin_mm = std::max(recipe.floor.neighbour_margin_mm, recipe.floor.inner_margin_mm);
    for (const Component& c : recipe.components) hide(c.floor_outline ? *c.floor_outline : c.body, margin_mm);
    for (const BoardRect& rect : recipe.exclusions) hide(rect, 0);
    for (const BoardCircle& hole : recipe.holes)
      hidden.push_back({hole.centre_mm, Eigen::Vector2d::Constant(hole.diameter_mm / 2), 1, 0, true});
  }
  bool hides(std::size_t tile, const Eigen::Vector2d& place) const {
    return std::any_of(at[tile].begin(), at[tile].end(),
                       [&](std::uint32_t k) { return hidden[k].holds(place); });
  }
};

BareBoard::BareBoard(const BareView& look, const ThinPlate& surface, const std::vector<LookedAt>& places,
                     const PixelNoise& noise, unsigned threads) {
  const Eigen::Vector2d size_mm = look.recipe.board_size_mm;
  side_mm_ = std::max({look.recipe.warp->patch_mm / tiles_per_patch, 3 * pitch_mm(look.frame),
                       size_mm.maxCoeff() / most_tiles_a_side});
  cols_ = static_cast<int>(std::ceil(size_mm.x() / side_mm_));
  rows_ = static_cast<int>(std::ceil(size_mm.y() / side_mm_));
  off_um_.assign(index(0, rows_), std::nan(""));
  Scene scene{look, {}, std::vector<std::vector<std::uint32_t>>(off_um_.size())};
  scene.hide(look.recipe);
  for (std::uint32_t i = 0; i < scene.hidden.size(); ++i)
    near(scene.hidden[i].centre_mm, scene.hidden[i].half_mm.norm() + side_mm_,
         [&](int col, int row) { scene.at[index(col, row)].push_back(i); });
  std::vector<std::uint8_t> is_wanted(off_um_.size());
  for (const auto& [at, reach_mm] : places)
    near(at, reach_mm, [&](int col, int row) { is_wanted[index(col, row)] = 1; });
  parallel_for(threads, static_cast<std::size_t>(rows_), [&](std::size_t r, unsigned) {
    const int row = static_cast<int>(r);
    for (int col = 0; col < cols_; ++col)
      if (is_wanted[index(col, row)])
        off_um_[index(col, row)] = off_um(scene, surface, col, row, noise).value_or(std::nan(""));
  });
}

void BareBoard::add(const BareBoard& other) {
  if (off_um_.empty()) {
    *this = other;
    return;
  }
  for (std::size_t i = 0; i < off_um_.size(); ++i)
    if (std::isnan(off_um_[i]) || std::abs(other.off_um_[i]) > std::abs(off_um_[i]))
      off_um_[i] = other.off_um_[i];
}

/// Tiles that overlap a square about a place.
template <class Visit>
void BareBoard::near(const Eigen::Vector2d& at_mm, double reach_mm, const Visit& visit) const {
  const auto tile = [&](double mm, int count) {
    return static_cast<int>(std::clamp(std::floor(mm / side_mm_), 0.0, count - 1.0));
  };
  for (int row = tile(at_mm.y() - reach_mm, rows_); row <= tile(at_mm.y() + reach_mm, rows_); ++row)
    for (int col = tile(at_mm.x() - reach_mm, cols_); col <= tile(at_mm.x() + reach_mm, cols_); ++col)
      visit(col, row);
}

std::optional<double> BareBoard::off_um(const Scene& scene, const ThinPlate& surface, int col, int row,
                                        const PixelNoise& noise) const {
  const HeightFrame& f = scene.look.frame;
  const Eigen::Vector2d middle = middle_mm(col, row);
  const Eigen::Vector2d slope = surface.gradient_um_per_mm(middle);
  const double level_um = surface.value_um(middle), half = side_mm_ / 2, border_mm = pitch_mm(f);
  const Eigen::Array2d board = scene.look.recipe.board_size_mm.array() - border_mm;
  Eigen::Vector2d low = Eigen::Vector2d::Constant(1e9), high = -low;  // column, row
  for (const auto& [u, v] : {std::pair(-half, -half), {half, -half}, {half, half}, {-half, half}}) {
    const Eigen::Vector2d px = scene.look.view.pixel_of(middle + Eigen::Vector2d(u, v), level_um * 1e-3);
    low = low.cwiseMin(px);
    high = high.cwiseMax(px);
  }
  low = low.cwiseMax(0);
  high = high.cwiseMin(Eigen::Vector2d(f.cols - 1, f.rows - 1));
  const Eigen::Vector2d step = ((high - low) / most_px_a_side).cwiseMax(1);
  std::vector<double> um;
  for (double y = std::ceil(low.y()); y <= high.y(); y += std::floor(step.y()))
    for (double x = std::ceil(low.x()); x <= high.x(); x += std::floor(step.x())) {
      const std::size_t i =
          static_cast<std::size_t>(y) * static_cast<std::size_t>(f.cols) + static_cast<std::size_t>(x);
      if (f.classes[i] != PixelClass::ok) continue;
      const double count =
          std::visit([i](const auto& counts) { return static_cast<double>(counts[i]); }, f.counts);
      const Eigen::Vector3d p =
          scene.look.board_from_sensor * Eigen::Vector3d(f.x.at(x), f.y.at(y), f.z.at(count));
      const Eigen::Vector2d at = p.head<2>();
      const bool on_board = (at.array() >= border_mm).all() && (at.array() <= board).all();
      if (!on_board || ((at - middle).array().abs() > half).any()) continue;
      if (scene.hides(index(col, row), at)) continue;
      um.push_back(p.z() * 1e3 - level_um - slope.dot(at - middle));
    }
  if (um.size() < static_cast<std::size_t>(least_px)) return std::nullopt;
  return told_um(std::move(um), noise);
}

std::optional<WarpOffEvidence> BareBoard::farthest(const Eigen::Vector2d& at_mm, double reach_mm) const {
  std::optional<WarpOffEvidence> farthest;
  if (off_um_.empty()) return farthest;
  near(at_mm, reach_mm, [&](int col, int row) {
    const double um = off_um_[index(col, row)];
    if (std::isnan(um) || (farthest && std::abs(um) <= std::abs(farthest->um))) return;
    const Eigen::Vector2d middle = middle_mm(col, row);
    farthest = WarpOffEvidence{um, {middle.x(), middle.y()}};
  });
  return farthest;
}

std::optional<WarpOffEvidence> BareBoard::farthest() const {
  return farthest({0, 0}, std::max(cols_, rows_) * side_mm_);
}

}  // namespace datum
