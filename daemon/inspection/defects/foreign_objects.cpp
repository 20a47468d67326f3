#include "daemon/inspection/defects/foreign_objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "daemon/inspection/defects/bare_cells.h"
#include "daemon/inspection/recipe/defect_recipe.h"
#include "daemon/inspection/verdict/decision.h"
#include "daemon/inspection/verdict/uncertainty.h"

namespace datum {
namespace {

constexpr double cells_per_size = 4;           // of the least object's side
constexpr double least_side_share = 0.6;       // of min_size_mm, that a region measures in both directions
constexpr double least_fill_share = 0.5;       // of min_size_mm squared, that its cells cover
constexpr double tile_mm = 5, tile_sizes = 4;  // side of a tile: the larger one
constexpr double quartile = 0.25;
constexpr int least_tile_cells = 20;
constexpr double least_bare_share = 0.5, tile_scales = 3, least_scatter_um = 2;

double lower_share(std::vector<float>& values, double q) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(q * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

class Lattice {
 public:
  Lattice(const BareScene& scene, HeightLattice lattice) : scene_(scene), l_(std::move(lattice)) {
    std::vector<bool> bad;
    for (const ComponentVerdict& row : scene.rows) bad.push_back(row.defect.has_value());
    kind_ = cells_of(scene.recipe, scene.view, l_, bad);
    set_form();
    set_levels();
  }

  std::size_t index(int col, int row) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(l_.cols) + static_cast<std::size_t>(col);
  }
  double seen_share() const {
    return bare_ > 0 ? static_cast<double>(seen_) / static_cast<double>(bare_) : 0;
  }
  std::size_t bare_cells() const { return bare_; }
  double scatter_um() const { return scatter_um_; }
  double cell_mm() const { return l_.cell_mm; }

  struct Object {
    double um = 0;
    Eigen::Vector2d at_mm = Eigen::Vector2d::Zero(), size_mm = Eigen::Vector2d::Zero();
  };
  /// The highest one; none where there is none.
  std::optional<Object> highest(double level_um, double min_size_mm) const;

 private:
  Eigen::Vector2d board_mm(int col, int row) const { return place_of_cell(scene_.view, l_, col, row); }
  void set_form();
  void set_levels();
  float over_um(std::size_t i, int tile) const {
    return l_.mm[i] * 1e3f - level_um_[static_cast<std::size_t>(tile)];
  }
  int tile_of(int col, int row) const { return row / tile_cells_ * tiles_across_ + col / tile_cells_; }

  const BareScene& scene_;
  HeightLattice l_;
  std::vector<CellOf> kind_;
  std::vector<float> level_um_;  // of each tile, over the form
  int tile_cells_ = 1, tiles_across_ = 1, tiles_down_ = 1;
  std::size_t bare_ = 0, seen_ = 0;
  double scatter_um_ = 0;
};

/// Over the form by bare cells.
void Lattice::set_form() {
  for (int row = 0; row < l_.rows; ++row)
    for (int col = 0; col < l_.cols; ++col) {
      const Eigen::Vector2d px = l_.first_px.cast<double>() + l_.step * Eigen::Vector2d(col, row);
      l_.mm[index(col, row)] +=
          static_cast<float>(l_.form.at(px.x(), px.y()) - scene_.form->at(px.x(), px.y()));
    }
}

void Lattice::set_levels() {
  const double side = std::max(tile_mm, tile_sizes * scene_.recipe.defects->foreign->min_size_mm);
  tile_cells_ = std::max(4, static_cast<int>(side / l_.cell_mm));
  tiles_across_ = (l_.cols + tile_cells_ - 1) / tile_cells_;
  tiles_down_ = (l_.rows + tile_cells_ - 1) / tile_cells_;
  std::vector<std::vector<float>> cells(static_cast<std::size_t>(tiles_across_ * tiles_down_));
  for (int row = 0; row < l_.rows; ++row)
    for (int col = 0; col < l_.cols; ++col) {
      const std::size_t i = index(col, row);
      if (kind_[i] != CellOf::bare) continue;
      ++bare_;
      if (!std::isfinite(l_.mm[i])) continue;
      ++seen_;
      cells[static_cast<std::size_t>(tile_of(col, row))].push_back(l_.mm[i] * 1e3f);
    }
  level_um_.assign(cells.size(), 0);
  std::vector<float> levels, off;
  for (std::vector<float>& tile : cells)
    if (tile.size() >= static_cast<std::size_t>(least_tile_cells))
      levels.push_back(static_cast<float>(lower_share(tile, quartile)));
  if (levels.empty()) return;
  const double middle = lower_share(levels, 0.5);
  for (const float level : levels) off.push_back(static_cast<float>(std::abs(level - middle)));
  scatter_um_ = std::max(least_scatter_um, 1.4826 * lower_share(off, 0.5));
  for (std::size_t t = 0; t < cells.size(); ++t) {
    const double level = cells[t].size() >= static_cast<std::size_t>(least_tile_cells)
                             ? lower_share(cells[t], quartile)
                             : middle;
    level_um_[t] = static_cast<float>(
        std::clamp(level, middle - tile_scales * scatter_um_, middle + tile_scales * scatter_um_));
  }
}

std::optional<Lattice::Object> Lattice::highest(double level_um, double min_size_mm) const {
  std::vector<std::uint8_t> raised(l_.mm.size(), 0);
  for (int row = 0; row < l_.rows; ++row)
    for (int col = 0; col < l_.cols; ++col) {
      const std::size_t i = index(col, row);
      raised[i] =
          kind_[i] != CellOf::hidden && std::isfinite(l_.mm[i]) && over_um(i, tile_of(col, row)) > level_um;
    }
  std::optional<Object> best;
  std::vector<std::pair<int, int>> region;
  std::vector<float> um;
  for (int row = 0; row < l_.rows; ++row)
    for (int col = 0; col < l_.cols; ++col) {
      if (!raised[index(col, row)]) continue;
      region.assign(1, {col, row});
      raised[index(col, row)] = 0;
      um.clear();
      bool of_part = false;
      Eigen::Vector2d low = Eigen::Vector2d::Constant(1e9), high = -low;
      for (std::size_t k = 0; k < region.size(); ++k) {
        const auto [x, y] = region[k];
        const std::size_t i = index(x, y);
        um.push_back(over_um(i, tile_of(x, y)));
        of_part = of_part || kind_[i] == CellOf::bad_part;
        low = low.cwiseMin(board_mm(x, y));
        high = high.cwiseMax(board_mm(x, y));
        for (int dy = -1; dy <= 1; ++dy)
          for (int dx = -1; dx <= 1; ++dx)
            if (x + dx >= 0 && y + dy >= 0 && x + dx < l_.cols && y + dy < l_.rows &&
                raised[index(x + dx, y + dy)]) {
              raised[index(x + dx, y + dy)] = 0;
              region.emplace_back(x + dx, y + dy);
            }
      }
      const Eigen::Vector2d size = high - low + Eigen::Vector2d::Constant(l_.cell_mm);
      const double area = static_cast<double>(region.size()) * l_.cell_mm * l_.cell_mm;
      if (of_part || size.minCoeff() < least_side_share * min_size_mm ||
          area < least_fill_share * min_size_mm * min_size_mm)
        continue;
      const double high_um = lower_share(um, 0.5);
      if (!best || high_um > best->um) best = Object{high_um, (low + high) / 2, size};
    }
  return best;
}

}  // namespace

ComponentVerdict judge_foreign(const BareScene& scene, unsigned threads) {
  const ForeignRecipe& f = *scene.recipe.defects->foreign;
  ComponentVerdict row;
  row.reference = f.row.reference;
  row.package = f.row.package;
  CheckVerdict& v = row.checks.emplace_back();
  v.check = f.row.checks.front();
  const double least_um = *v.check.upper;
  const auto refuse = [&](std::string detail) {
    v.reason = Reason::body_coverage;
    v.detail = std::move(detail);
    return row;
  };
  LatticeSettings settings;
  settings.cell_mm = f.min_size_mm / cells_per_size;
  settings.most_cells = 1 << 14;
  settings.lowest_mm = least_um * 1e-3;
  auto lattice = sample_heights(scene.frame, scene.view, scene.recipe.board_size_mm, settings, threads);
  if (!lattice || !scene.form) return refuse("no bare board is seen");
  if (3 * lattice->cell_mm > f.min_size_mm * 1.01)
    return refuse(fmt::format("an object of min_size_mm = {:g} is less than three pixels of {:.3g} mm",
                              f.min_size_mm, lattice->cell_mm));
  const Lattice cells(scene, std::move(*lattice));
  if (cells.bare_cells() == 0 || cells.seen_share() < least_bare_share)
    return refuse(fmt::format("{:.0f} % of the bare board has heights, at least {:.0f} % are demanded",
                              100 * cells.seen_share(), 100 * least_bare_share));
  const auto object = cells.highest(least_um / 2, f.min_size_mm);
  v.value = object ? object->um : 0;
  const double z_mm = scene.view.sensor_z_mm(scene.recipe.board_size_mm / 2);
  v.budget = {{"board_form", cells.scatter_um()}, {"noise", scene.sensor.noise.sigma_um_at(z_mm)}};
  v.u = combined(v.budget);
  decide(v, scene.recipe.rule, scene.recipe.rule_confidence);
  row.decision = worst_of(row.checks);
  if (object && v.value > least_um) {
    DefectEvidence d;
    d.word = Defect::foreign_object;
    d.height_um = object->um;
    d.size_mm = {object->size_mm.x(), object->size_mm.y()};
    d.detail = fmt::format("{:.0f} um high, {:.2f} x {:.2f} mm, at [{:.2f}, {:.2f}] mm", object->um,
                           object->size_mm.x(), object->size_mm.y(), object->at_mm.x(), object->at_mm.y());
    row.defect = d;
  }
  return row;
}

}  // namespace datum
