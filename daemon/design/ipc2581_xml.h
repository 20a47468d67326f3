// Elements of an IPC-2581 file: names without prefix, attributes as numbers, polygons and primitives in mm.
#pragma once

#include <map>
#include <pugixml.hpp>
#include <string>

#include "daemon/design/design.h"

namespace datum::design::ipc {

bool is(const pugi::xml_node& node, std::string_view name);
pugi::xml_node child(const pugi::xml_node& node, std::string_view name);

template <class Each>
void each(const pugi::xml_node& node, std::string_view name, Each call) {
  for (const pugi::xml_node& c : node.children())
    if (is(c, name)) call(c);
}

/// Lengths and places, with the unit of their part of the file.
class Reader {
 public:
  Reader(std::string name, double mm_per_unit) : name_(std::move(name)), mm_(mm_per_unit) {}

  [[noreturn]] void refuse(const pugi::xml_node& node, const std::string& what) const;
  double number(const pugi::xml_node& node, const char* attribute) const;
  double number_or(const pugi::xml_node& node, const char* attribute, double fallback) const;
  double mm(const pugi::xml_node& node, const char* attribute) const { return mm_ * number(node, attribute); }
  double mm_or(const pugi::xml_node& node, const char* attribute, double fallback) const {
    return mm_ * number_or(node, attribute, fallback / mm_);
  }
  Point point(const pugi::xml_node& node, const char* x = "x", const char* y = "y") const {
    return {mm(node, x), mm(node, y)};
  }
  /// Location's or the node's own x and y; (0, 0) where it has neither.
  Point location(const pugi::xml_node& node) const;
  /// PolyBegin, PolyStepSegment, PolyStepCurve of a Polygon, Cutout or Polyline.
  Polygon polygon(const pugi::xml_node& node) const;
  const std::string& name() const { return name_; }

 private:
  std::string name_;
  double mm_;
};

/// mm of MILLIMETER, INCH, MICRON, MIL; throws DesignError for another word.
double mm_of_units(const std::string& units, const std::string& name);

/// Box around a primitive about its own origin.
struct Primitive {
  Point size = Point::Zero(), middle = Point::Zero();
  bool round = false;
};
std::optional<Primitive> primitive_of(const pugi::xml_node& node, const Reader& reader);

}  // namespace datum::design::ipc
