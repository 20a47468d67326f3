#include "daemon/inspection/defects/part_window.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

#include "daemon/inspection/registration/search_pairs.h"

namespace datum {
namespace {

struct MarginRect {
  Eigen::Vector2d centre, half;
  Eigen::Matrix2d axes;
  MarginRect(const BoardRect& rect, double margin_mm)
      : centre(rect.centre_mm),
        half(rect.size_mm / 2 + Eigen::Vector2d::Constant(margin_mm)),
        axes(axes_of(rect)) {}
  bool holds(const Eigen::Vector2d& at) const {
    return ((axes.transpose() * (at - centre)).cwiseAbs().array() <= half.array()).all();
  }
};

}  // namespace

Floor floor_by_form(const BoardForm& form, const HeightFrame& frame, const BoardView& view,
                    const Site& site) {
  const Eigen::Vector2d px = site.centre_px;
  const double plane = view.sensor_z_mm(view.origin()), at = form.at(px.x(), px.y());
  Floor floor;
  floor.fit.c = at * 1e3;
  floor.fit.a =
      (view.sensor_z_mm(view.origin() + view.per_col()) - plane + form.at(px.x() + 1, px.y()) - at) /
      frame.x.scale_mm;
  floor.fit.b =
      (view.sensor_z_mm(view.origin() + view.per_row()) - plane + form.at(px.x(), px.y() + 1) - at) /
      frame.y.scale_mm;
  return floor;
}

bool stands_alone(const Component& c) { return c.overlaps.empty() && !c.floor_outline; }

bool lies_on_part(const Floor& ring, const Floor& board, const Component& c) {
  constexpr double most_form_um = 200;
  return ring.fit.c - board.fit.c > std::max(most_form_um, c.nominal_height_um / 2);
}

PartWindow::PartWindow(const PartScene& s) : view_(s.view) {
  const double height_mm = s.component.nominal_height_um * 1e-3;
  const Eigen::Vector2d centre = s.component.body.centre_mm;
  const double reach_mm = s.component.body.size_mm.norm() / 2 + s.recipe.floor.outer_margin_mm;
  Eigen::Vector2d low = Eigen::Vector2d::Constant(1e9), high = -low;
  for (int k = 0; k < 4; ++k) {
    const Eigen::Vector2d px = s.view.pixel_of(
        centre + reach_mm * Eigen::Vector2d(k % 2 ? 1 : -1, k / 2 ? 1 : -1), k % 2 ? height_mm : 0);
    low = low.cwiseMin(px);
    high = high.cwiseMax(px);
  }
  const auto bound = [](double px, int count) {
    return static_cast<int>(std::clamp(std::floor(px), 0.0, static_cast<double>(count)));
  };
  first_col_ = bound(low.x(), s.frame.cols);
  first_row_ = bound(low.y(), s.frame.rows);
  cols_ = bound(high.x() + 1, s.frame.cols) - first_col_;
  rows_ = bound(high.y() + 1, s.frame.rows) - first_row_;
  per_col_ = s.view.per_col();
  per_row_ = s.view.per_row();
  origin_ = s.view.origin() + first_col_ * per_col_ + first_row_ * per_row_;
  const Eigen::Vector2d px = s.view.pixel_of(centre, 0) - s.view.pixel_of(centre, 1);
  shift_ = px.x() * per_col_ + px.y() * per_row_;
  set_heights(s);
  set_places(s);
}

void PartWindow::set_heights(const PartScene& s) {
  const HeightFrame& f = s.frame;
  const PlaneFit& plane = s.floor.fit;
  um_.assign(index(0, rows_), std::numeric_limits<float>::quiet_NaN());
  const double lift = std::sqrt(1 + plane.a * plane.a + plane.b * plane.b);
  std::visit(
      [&](const auto& counts) {
        for (int row = 0; row < rows_; ++row)
          for (int col = 0; col < cols_; ++col) {
            const std::size_t i =
                static_cast<std::size_t>(first_row_ + row) * static_cast<std::size_t>(f.cols) +
                static_cast<std::size_t>(first_col_ + col);
            if (f.classes[i] != PixelClass::ok) continue;
            const double z_um = (f.z.at(static_cast<double>(counts[i])) - s.site.reference_z_mm) * 1e3;
            const double x_um = (f.x.at(first_col_ + col) - s.site.centre_mm.x()) * 1e3,
                         y_um = (f.y.at(first_row_ + row) - s.site.centre_mm.y()) * 1e3;
            um_[index(col, row)] = static_cast<float>(
                (z_um - plane.a * x_um - plane.b * y_um - plane.c - s.floor.form_um) / lift);
          }
      },
      f.counts);
}

void PartWindow::set_places(const PartScene& s) {
  place_.assign(um_.size(), PlaceOf::around);
  const Eigen::Vector2d centre = s.component.body.centre_mm;
  const double reach_mm =
      std::sqrt(2.0) * (s.component.body.size_mm.norm() / 2 + s.recipe.floor.outer_margin_mm);
  // A pixel of its wall is of the other part too.
  const double margin_mm = std::max(s.recipe.floor.neighbour_margin_mm, 2 * pixel_mm());
  std::vector<MarginRect> others;
  for (const Component& c : s.recipe.components)
    if (&c != &s.component &&
        (c.body.centre_mm - centre).norm() <= reach_mm + c.body.size_mm.norm() / 2 + 2 * margin_mm)
      others.emplace_back(c.body, margin_mm);
  const bool alone = stands_alone(s.component);
  const MarginRect own(s.component.body, 0);
  const double height_mm = s.component.nominal_height_um * 1e-3;
  for (int row = 0; row < rows_; ++row)
    for (int col = 0; col < cols_; ++col) {
      const Eigen::Vector2d at = board_mm({col, row}, height_mm);
      PlaceOf& place = place_[index(col, row)];
      if (own.holds(at))
        place = PlaceOf::body;
      else if (!alone ||
               std::any_of(others.begin(), others.end(), [&](const MarginRect& r) { return r.holds(at); }))
        place = PlaceOf::other;
    }
}

}  // namespace datum
