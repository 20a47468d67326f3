// Drawn shapes of a KiCad board: lines, arcs, circles, rectangles, polygons and curves as points.
#pragma once

#include "daemon/design/design.h"
#include "daemon/design/s_expression.h"

namespace datum::design::kicad {

/// Place in the file, with y turned up.
Point point_of(const SExpression::List& at);

struct Shape {
  Polygon points;  // a closed one does not repeat its first point
  bool closed = false;
  bool filled = false;
  double width = 0;
};

/// gr_line, fp_arc, gr_circle ...: nothing where the list is no shape. In the list's own coordinates, y up.
std::optional<Shape> shape_of(const SExpression::List& list);

/// True: (layer X) or (layers ...) names this layer, or a group with it: "*.Cu", "F&B.Cu".
bool is_on(const SExpression::List& list, std::string_view layer);

/// Points of (pts (xy ...) (arc ...)).
Polygon points_of(const SExpression::List& pts);

/// Box about a visible text; none where it is hidden.
std::optional<Box> text_box(const SExpression::List& text, std::string_view shown);

}  // namespace datum::design::kicad
