// Heights over a component's floor at the pixels around it.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "daemon/inspection/board/floor.h"
#include "daemon/inspection/board/site_map.h"
#include "daemon/inspection/registration/height_lattice.h"

namespace datum {

/// One component in one frame. Borrowed. `view` is that of the board's place as measured.
struct PartScene {
  const Recipe& recipe;
  const HeightFrame& frame;
  const BoardView& view;
  const Component& component;
  const Site& site;
  const Floor& floor;
};

/// The floor of a part whose ring is refused, for words alone: the board's quadratic form about its site.
Floor floor_by_form(const BoardForm& form, const HeightFrame& frame, const BoardView& view, const Site& site);
/// The ring's floor is the top of a part that covers the ring: higher than the board by more than half the nominal height, and by
/// more than a board deviates from its form.
bool lies_on_part(const Floor& ring, const Floor& board, const Component& component);

/// Whether the surroundings of the body are its floor: another body may not overlap it, nor may its ring start farther out (a
/// die on its package).
bool stands_alone(const Component& component);

enum class PlaceOf : std::uint8_t {
  around,
  body,
  other
};  // other: another component's body, with its margin; all but the body
                                                     // of a part that does not stand alone

/// Pixels by rows from (first_col, first_row): the body, turned about its centre by any angle, with the ring's outer margin.
class PartWindow {
 public:
  explicit PartWindow(const PartScene& scene);

  int cols() const { return cols_; }
  int rows() const { return rows_; }
  std::size_t size() const { return um_.size(); }
  std::size_t index(int col, int row) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(cols_) + static_cast<std::size_t>(col);
  }
  bool holds(int col, int row) const { return col >= 0 && row >= 0 && col < cols_ && row < rows_; }
  float um(std::size_t i) const { return um_[i]; }  // NaN: no height
  PlaceOf place(std::size_t i) const { return place_[i]; }

  /// Board coordinates in mm of a point `height_mm` over the board, seen at this pixel of the window.
  Eigen::Vector2d board_mm(const Eigen::Vector2d& px, double height_mm) const {
    return origin_ + px.x() * per_col_ + px.y() * per_row_ + height_mm * shift_;
  }
  Eigen::Vector2d pixel_of(const Eigen::Vector2d& board_mm, double height_mm) const {
    return view_.pixel_of(board_mm, height_mm) - Eigen::Vector2d(first_col_, first_row_);
  }
  double pixel_mm() const { return std::max(per_col_.norm(), per_row_.norm()); }
  double pixel_mm2() const { return std::abs(per_col_.x() * per_row_.y() - per_col_.y() * per_row_.x()); }

 private:
  void set_heights(const PartScene& scene);
  void set_places(const PartScene& scene);

  const BoardView& view_;
  int first_col_ = 0, first_row_ = 0, cols_ = 0, rows_ = 0;
  Eigen::Vector2d origin_, per_col_, per_row_, shift_;
  std::vector<float> um_;
  std::vector<PlaceOf> place_;
};

}  // namespace datum
