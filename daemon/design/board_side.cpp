#include "daemon/design/board_side.h"

#include <fmt/format.h>

namespace datum::design {
namespace {

class View {
 public:
  View(const Box& outline, Side side, Turn turn)
      : low_(outline.centre - outline.size / 2),
        high_(outline.centre + outline.size / 2),
        side_(side),
        turn_(turn) {}

  void move(Point& p) const {
    const Point from = p;
    p = from - low_;
    if (side_ == Side::top) return;
    if (turn_ == Turn::vertical)
      p.x() = high_.x() - from.x();
    else
      p.y() = high_.y() - from.y();
  }
  void move(Polygon& polygon) const {
    for (Point& p : polygon) move(p);
  }
  void move(Box& box) const {
    move(box.centre);
    if (side_ == Side::bottom) box.rotation_deg = (turn_ == Turn::vertical ? 180 : 0) - box.rotation_deg;
  }
  /// Of a part of the side that is seen.
  double rotation(double deg) const {
    return normal_angle(side_ == Side::bottom && turn_ == Turn::horizontal ? deg + 180 : deg);
  }

 private:
  Point low_, high_;
  Side side_;
  Turn turn_;
};

void move(Component& c, const View& view) {
  view.move(c.origin);
  view.move(c.body);
  view.move(c.courtyard);
  for (Pad& pad : c.pads) view.move(pad.copper);
  c.rotation_deg = view.rotation(c.rotation_deg);
}

}  // namespace

Design seen_from(Design d, Side side, Turn turn) {
  if (d.outline.empty())
    throw DesignError(d.name + ": the design has no outline; state the board's size with --size");
  const View view(box_around(d.outline, 0), side, turn);
  view.move(d.outline);
  for (Polygon& cutout : d.cutouts) view.move(cutout);
  for (Component& c : d.components) move(c, view);
  for (Via& via : d.vias) view.move(via.centre);
  for (Hole& hole : d.holes) {
    view.move(hole.from);
    view.move(hole.to);
  }
  for (auto* strokes : {&d.tracks, &d.silkscreen})
    for (Stroke& s : *strokes) {
      view.move(s.from);
      view.move(s.to);
    }
  for (auto* areas : {&d.copper_areas, &d.mask_openings, &d.silkscreen_areas})
    for (Area& area : *areas)
      for (Polygon& ring : area.rings) view.move(ring);
  for (Text& text : d.silkscreen_texts) view.move(text.box);
  for (Fiducial& f : d.fiducials) view.move(f.centre);
  return d;
}

Point instance_offset(const Design& d, int column, int row, Side side, Turn turn, double rotation_deg) {
  if (d.panel.size() != 1)
    throw DesignError(
        fmt::format("{}: the file states {} panels of this board, one is needed; state the board's own place "
                    "with --origin",
                    d.name, d.panel.size()));
  const StepRepeat& panel = d.panel.front();
  if (column < 1 || column > panel.columns || row < 1 || row > panel.rows)
    throw DesignError(fmt::format("{}: the panel has no board in column {}, row {}; it has {} x {}", d.name,
                                  column, row, panel.columns, panel.rows));
  if (panel.mirrored)
    throw DesignError(
        d.name + ": the panel shows these boards from their other side; state their places with --origin");
  // Along the axes of the board itself, which is turned in the panel; then as its side is seen.
  Point own = turned(Point((column - 1) * panel.pitch.x(), (row - 1) * panel.pitch.y()), -panel.angle_deg);
  if (side == Side::bottom) (turn == Turn::vertical ? own.x() : own.y()) *= -1;
  return turned(own, rotation_deg);
}

PanelPlaces panel_places(const Design& d, const Point& board_mm, Side side, Turn turn) {
  PanelPlaces all;
  Point least = Point::Zero(), most = Point::Zero();
  instance_offset(d, 1, 1, side, turn, 0);  // refuses what has no such panel
  for (int row = 1; row <= d.panel.front().rows; ++row)
    for (int column = 1; column <= d.panel.front().columns; ++column) {
      const Point at = instance_offset(d, column, row, side, turn, 0);
      least = least.cwiseMin(at);
      most = most.cwiseMax(at);
      all.places.emplace_back(fmt::format("{}-{}", column, row), at);
    }
  for (auto& [name, at] : all.places) at -= least;
  all.first_mm = -least;
  all.size_mm = most - least + board_mm;
  return all;
}

}  // namespace datum::design
