#include "daemon/design/kicad_shape.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace datum::design::kicad {
namespace {

using List = SExpression::List;

double angle_of(const Point& p) { return std::atan2(p.y(), p.x()) * 180 / std::numbers::pi; }

/// The arc through three points; a straight one becomes its chord.
Polygon arc_through(const Point& start, const Point& mid, const Point& end) {
  const Point a = mid - start, b = end - start;
  const double cross = a.x() * b.y() - a.y() * b.x();
  Polygon points{start};
  if (std::abs(cross) < 1e-9) {
    points.push_back(end);
    return points;
  }
  const double aa = a.squaredNorm(), bb = b.squaredNorm();
  const Point centre = start + Point(b.y() * aa - a.y() * bb, a.x() * bb - b.x() * aa) / (2 * cross);
  double sweep = normal_angle(angle_of(end - centre) - angle_of(start - centre));
  if (cross < 0) sweep -= 360;  // clockwise
  const Polygon rest = arc_points(centre, start, sweep);
  points.insert(points.end(), rest.begin(), rest.end());
  points.back() = end;
  return points;
}

Polygon arc_of(const List& list) {
  const Point start = point_of(list.child("start")), end = point_of(list.child("end"));
  if (list.has("mid")) return arc_through(start, point_of(list.child("mid")), end);
  // KiCad 5: `start` is the centre, `end` the first point; the angle runs from +x to the file's +y, which points down.
  Polygon points{end};
  const Polygon rest = arc_points(start, end, -list.child("angle").number(0));
  points.insert(points.end(), rest.begin(), rest.end());
  return points;
}

Polygon curve_of(const Polygon& control) {
  Polygon points;
  if (control.size() != 4) return control;
  constexpr int parts = 32;
  for (int i = 0; i <= parts; ++i) {
    const double t = static_cast<double>(i) / parts, s = 1 - t;
    points.push_back(s * s * s * control[0] + 3 * s * s * t * control[1] + 3 * s * t * t * control[2] +
                     t * t * t * control[3]);
  }
  return points;
}

double width_of(const List& list) {
  if (list.has("width")) return list.child("width").number(0);
  if (list.has("stroke") && list.child("stroke").has("width"))
    return list.child("stroke").child("width").number(0);
  return 0;
}

}  // namespace

Point point_of(const List& at) { return {at.number(0), -at.number(1)}; }

Polygon points_of(const List& pts) {
  Polygon points;
  pts.each([&](const List& p) {
    if (p.word() == "xy") points.push_back(point_of(p));
    if (p.word() == "arc") {
      const Polygon arc = arc_of(p);
      points.insert(points.end(), arc.begin(), arc.end());
    }
  });
  return points;
}

std::optional<Shape> shape_of(const List& list) {
  const std::string_view word = list.word();
  if (!word.starts_with("gr_") && !word.starts_with("fp_")) return std::nullopt;
  const std::string_view kind = word.substr(3);
  Shape s;
  if (kind == "line") {
    s.points = {point_of(list.child("start")), point_of(list.child("end"))};
  } else if (kind == "arc") {
    s.points = arc_of(list);
  } else if (kind == "rect") {
    const Point a = point_of(list.child("start")), b = point_of(list.child("end"));
    s.points = {a, {b.x(), a.y()}, b, {a.x(), b.y()}};
    s.closed = true;
  } else if (kind == "circle") {
    s.points = arc_points(point_of(list.child("center")), point_of(list.child("end")), 360);
    s.closed = true;
  } else if (kind == "poly") {
    s.points = points_of(list.child("pts"));
    s.closed = true;
  } else if (kind == "curve") {
    s.points = curve_of(points_of(list.child("pts")));
  } else {
    return std::nullopt;
  }
  s.width = width_of(list);
  const std::string fill = list.has("fill") ? list.child("fill").text_or(0, "none") : "";
  s.filled = s.closed && (fill == "solid" || fill == "yes" || (fill.empty() && kind == "poly"));
  if (s.points.empty()) return std::nullopt;
  return s;
}

bool is_on(const List& list, std::string_view layer) {
  bool found = false;
  const auto look = [&](const List& names) {
    for (const std::string_view name : names.words()) {
      const bool outer = layer.starts_with("F.") || layer.starts_with("B.");
      found = found || name == layer || (name.starts_with("*.") && name.substr(1) == layer.substr(1)) ||
              (outer && name.starts_with("F&B.") && name.substr(3) == layer.substr(1));
    }
  };
  list.each("layer", look);
  list.each("layers", look);
  return found;
}

std::optional<Box> text_box(const List& text, std::string_view shown) {
  bool hidden = text.has_word("hide");
  text.each("hide", [&](const List& hide) { hidden = hidden || hide.text_or(0, "yes") != "no"; });
  if (hidden || !text.has("at") || shown.empty()) return std::nullopt;
  Point size(1, 1);
  double thickness = 0.15;
  bool justified = false;
  text.each("effects", [&](const List& effects) {
    hidden = hidden || effects.has_word("hide");
    effects.each("hide", [&](const List& hide) { hidden = hidden || hide.text_or(0, "yes") != "no"; });
    justified = effects.has("justify");
    effects.each("font", [&](const List& font) {
      if (font.has("size")) size = {font.child("size").number(1), font.child("size").number(0)};
      if (font.has("thickness")) thickness = font.child("thickness").number(0);
    });
  });
  if (hidden) return std::nullopt;
  std::size_t lines = 1, longest = 0, length = 0;
  for (const char c : shown) {
    if (c == '\n') {
      ++lines;
      length = 0;
    } else {
      longest = std::max(longest, ++length);
    }
  }
  // The stroke font's widest letters advance by 1.1 of their size; lines by 1.6.
  Box box;
  const List at = text.child("at");
  box.centre = point_of(at);
  box.rotation_deg = at.number_or(2, 0);
  box.size = {1.1 * size.x() * static_cast<double>(longest) + thickness,
              size.y() * (1.4 + 1.6 * static_cast<double>(lines - 1)) + thickness};
  if (justified) box.size.x() *= 2;  // about its end in place of its middle
  return box;
}

}  // namespace datum::design::kicad
