#include "daemon/design/ipc2581_features.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace datum::design::ipc {

void Features::read_dictionaries(const pugi::xml_node& content, const std::string& name) {
  const auto unit = [&](const pugi::xml_node& dictionary) {
    return Reader(name, mm_of_units(dictionary.attribute("units").value(), name));
  };
  each(content, "DictionaryStandard", [&](const pugi::xml_node& dictionary) {
    const Reader reader = unit(dictionary);
    each(dictionary, "EntryStandard", [&](const pugi::xml_node& entry) {
      for (const pugi::xml_node& shape : entry.children())
        if (const auto p = primitive_of(shape, reader)) shapes_[entry.attribute("id").value()] = *p;
    });
  });
  each(content, "DictionaryLineDesc", [&](const pugi::xml_node& dictionary) {
    const Reader reader = unit(dictionary);
    each(dictionary, "EntryLineDesc", [&](const pugi::xml_node& entry) {
      if (const auto line = child(entry, "LineDesc"))
        widths_[entry.attribute("id").value()] = reader.mm(line, "lineWidth");
    });
  });
}

void Features::add_layer(const std::string& name, const std::string& function, const std::string& side) {
  Layer layer;
  if (side == "TOP") layer.side = Side::top;
  if (side == "BOTTOM") layer.side = Side::bottom;
  if (function == "CONDUCTOR" || function == "PLANE" || function == "SIGNAL" || function == "MIXED")
    layer.kind = Kind::copper;
  if (function == "SOLDERMASK") layer.kind = Kind::mask;
  if (function == "SILKSCREEN" || function == "LEGEND") layer.kind = Kind::silkscreen;
  if (function == "DRILL" || function == "ROUT") layer.kind = Kind::drill;
  layers_[name] = layer;
}

std::optional<Side> Features::side_of(const std::string& name) const {
  const auto layer = layers_.find(name);
  return layer == layers_.end() ? std::nullopt : layer->second.side;
}

std::vector<PlacedPad> Features::pads_of(const std::string& reference, const std::string& pin) const {
  constexpr std::int64_t first = std::numeric_limits<std::int64_t>::min();
  std::vector<PlacedPad> pads;
  for (auto at = pads_.lower_bound({reference, pin, first, first});
       at != pads_.end() && std::get<0>(at->first) == reference && std::get<1>(at->first) == pin; ++at)
    pads.push_back(at->second);
  return pads;
}

std::optional<Primitive> Features::shape_in(const pugi::xml_node& node) const {
  for (const pugi::xml_node& c : node.children()) {
    if (is(c, "StandardPrimitiveRef"))
      if (const auto shape = shapes_.find(c.attribute("id").value()); shape != shapes_.end())
        return shape->second;
    if (const auto own = primitive_of(c, r_)) return own;
  }
  return std::nullopt;
}

double Features::width_of(const pugi::xml_node& drawn) const {
  if (const auto ref = child(drawn, "LineDescRef"))
    if (const auto width = widths_.find(ref.attribute("id").value()); width != widths_.end())
      return width->second;
  if (const auto line = child(drawn, "LineDesc")) return r_.mm_or(line, "lineWidth", 0);
  return 0;
}

void Features::read(const pugi::xml_node& node) {
  const auto found = layers_.find(node.attribute("layerRef").value());
  if (found == layers_.end()) return;
  const Layer& layer = found->second;
  if (layer.kind != Kind::drill && !layer.side) return;  // an inner layer
  has_copper_ |= layer.kind == Kind::copper;
  has_mask_ |= layer.kind == Kind::mask;
  each(node, "Set", [&](const pugi::xml_node& set) { read_set(set, layer); });
}

void Features::read_set(const pugi::xml_node& set, const Layer& layer) {
  for (const pugi::xml_node& item : set.children()) {
    if (is(item, "Hole") || is(item, "SlotCavity")) {
      read_hole(item);
    } else if (!layer.side) {
      continue;
    } else if (is(item, "Pad")) {
      read_pad(item, layer);
    } else if (is(item, "Features")) {
      read_drawn(item, layer);
    } else if (is(item, "GlobalFiducial") || is(item, "LocalFiducial")) {
      read_fiducial(item, *layer.side, is(item, "GlobalFiducial"));
    }
  }
}

void Features::read_pad(const pugi::xml_node& node, const Layer& layer) {
  const auto shape = shape_in(node);
  const pugi::xml_node xform = child(node, "Xform");
  const double rotation = xform ? r_.number_or(xform, "rotation", 0) : 0;
  const Point size = shape ? shape->size : Point(0.2, 0.2);
  const Point at = r_.location(node);
  const Box box{at + (shape ? turned(shape->middle, rotation) : Point::Zero()), size, normal_angle(rotation)};
  if (layer.kind == Kind::mask) {
    design_.mask_openings.push_back({*layer.side, {corners_of(box)}});
    return;
  }
  if (layer.kind != Kind::copper) return;
  bool owned = false;
  each(node, "PinRef", [&](const pugi::xml_node& ref) {
    owned = true;
    PlacedPad& placed = pads_[{ref.attribute("componentRef").value(), ref.attribute("pin").value(),
                               std::llround(at.x() * 1e3), std::llround(at.y() * 1e3)}];
    placed.at = at;
    Pad& pad = placed.pad;
    pad.number = ref.attribute("pin").value();
    pad.copper = box;
    pad.round = shape && shape->round;
    (*layer.side == Side::top ? pad.on_top : pad.on_bottom) = true;
    (*layer.side == Side::top ? pad.open_top : pad.open_bottom) = true;
  });
  if (!owned) design_.vias.push_back({box.centre, box.size.maxCoeff(), 0, true});
}

void Features::read_hole(const pugi::xml_node& node) {
  if (!node.attribute("diameter")) return;
  const Point at = r_.location(node);
  design_.holes.push_back({at, at, r_.mm(node, "diameter")});
}

void Features::read_drawn(const pugi::xml_node& features, const Layer& layer) {
  const Point at = r_.location(features);
  const auto moved = [&](Polygon points) {
    for (Point& p : points) p += at;
    return points;
  };
  const auto stroke = [&](const pugi::xml_node& drawn, const Polygon& points) {
    if (layer.kind == Kind::other || layer.kind == Kind::drill) return;
    auto& strokes = layer.kind == Kind::copper ? design_.tracks : design_.silkscreen;
    for (std::size_t i = 1; i < points.size(); ++i)
      strokes.push_back({*layer.side, points[i - 1], points[i], width_of(drawn)});
  };
  for (const pugi::xml_node& drawn : features.children()) {
    if (is(drawn, "Polyline")) {
      stroke(drawn, moved(r_.polygon(drawn)));
    } else if (is(drawn, "Line")) {
      stroke(drawn, moved({r_.point(drawn, "startX", "startY"), r_.point(drawn, "endX", "endY")}));
    } else if (is(drawn, "Contour")) {
      Area area{*layer.side, {moved(r_.polygon(child(drawn, "Polygon")))}};
      each(drawn, "Cutout", [&](const pugi::xml_node& c) { area.rings.push_back(moved(r_.polygon(c))); });
      if (area.rings.front().size() < 3) continue;
      if (layer.kind == Kind::copper)
        design_.copper_areas.push_back(std::move(area));
      else if (layer.kind == Kind::mask)
        design_.mask_openings.push_back(std::move(area));
      else if (layer.kind == Kind::silkscreen)
        design_.silkscreen_areas.push_back(std::move(area));
    }
  }
}

void Features::read_fiducial(const pugi::xml_node& mark, Side side, bool global) {
  const auto shape = shape_in(mark);
  design_.fiducials.push_back(
      {mark.attribute("name").value(), side, r_.location(mark), shape ? shape->size.x() : 0, global});
}

}  // namespace datum::design::ipc
