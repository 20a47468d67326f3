#include "daemon/design/ipc2581_xml.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <numbers>

namespace datum::design::ipc {

bool is(const pugi::xml_node& node, std::string_view name) {
  const std::string_view full = node.name();
  return full == name ||
         (full.size() > name.size() && full.ends_with(name) && full[full.size() - name.size() - 1] == ':');
}

pugi::xml_node child(const pugi::xml_node& node, std::string_view name) {
  for (const pugi::xml_node& c : node.children())
    if (is(c, name)) return c;
  return {};
}

void Reader::refuse(const pugi::xml_node& node, const std::string& what) const {
  throw DesignError(
      fmt::format("{}: byte {}: {}: {}", name_, node.offset_debug(), node ? node.name() : "?", what));
}

double Reader::number(const pugi::xml_node& node, const char* attribute) const {
  const char* text = node.attribute(attribute).value();
  double value = 0;
  const char* const end = text + std::strlen(text);
  const auto [to, fault] = std::from_chars(*text == '+' ? text + 1 : text, end, value);
  if (*text == '\0' || fault != std::errc() || to != end || !(std::abs(value) <= 1e9))
    refuse(node, fmt::format("{} = \"{:.40}\" is no number", attribute, text));
  return value;
}

double Reader::number_or(const pugi::xml_node& node, const char* attribute, double fallback) const {
  return node.attribute(attribute) ? number(node, attribute) : fallback;
}

Point Reader::location(const pugi::xml_node& node) const {
  if (const auto at = child(node, "Location")) return point(at);
  return node.attribute("x") && node.attribute("y") ? point(node) : Point::Zero();
}

Polygon Reader::polygon(const pugi::xml_node& node) const {
  Polygon points;
  for (const pugi::xml_node& step : node.children()) {
    if (is(step, "PolyBegin") || is(step, "PolyStepSegment")) {
      points.push_back(point(step));
    } else if (is(step, "PolyStepCurve")) {
      if (points.empty()) refuse(step, "stands before PolyBegin");
      const Point centre = point(step, "centerX", "centerY"), from = points.back(), to = point(step);
      const auto angle = [&](const Point& p) {
        return std::atan2(p.y() - centre.y(), p.x() - centre.x()) * 180 / std::numbers::pi;
      };
      double sweep = normal_angle(angle(to) - angle(from));
      if (sweep < 1e-9) sweep = 360;
      if (step.attribute("clockwise").as_bool()) sweep = sweep == 360 ? -360 : sweep - 360;
      const Polygon arc = arc_points(centre, from, sweep);
      points.insert(points.end(), arc.begin(), arc.end());
      points.back() = to;
    }
  }
  return points;
}

double mm_of_units(const std::string& units, const std::string& name) {
  if (units == "MILLIMETER") return 1;
  if (units == "INCH") return 25.4;
  if (units == "MICRON") return 1e-3;
  if (units == "MIL") return 25.4e-3;
  throw DesignError(
      fmt::format("{}: units = \"{:.30}\"; MILLIMETER, INCH, MICRON or MIL is allowed", name, units));
}

std::optional<Primitive> primitive_of(const pugi::xml_node& node, const Reader& r) {
  const auto box = [&](const char* width, const char* height, bool round = false) {
    return Primitive{{r.mm(node, width), r.mm(node, height)}, Point::Zero(), round};
  };
  if (is(node, "Circle")) return box("diameter", "diameter", true);
  for (const char* name : {"RectCenter", "RectRound", "RectCham", "Oval", "Ellipse", "Diamond"})
    if (is(node, name)) return box("width", "height");
  if (is(node, "RectCorner")) {
    const Point low = r.point(node, "lowerLeftX", "lowerLeftY"),
                high = r.point(node, "upperRightX", "upperRightY");
    return Primitive{high - low, (low + high) / 2, false};
  }
  if (is(node, "Donut") || is(node, "Thermal")) return box("outerDiameter", "outerDiameter", true);
  if (is(node, "Hexagon") || is(node, "Octagon")) return box("length", "length");
  if (is(node, "Contour")) {
    const Polygon points = r.polygon(child(node, "Polygon"));
    if (points.size() < 3) return std::nullopt;
    const Box around = box_around(points, 0);
    return Primitive{around.size, around.centre, false};
  }
  return std::nullopt;
}

}  // namespace datum::design::ipc
