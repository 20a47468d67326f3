#include "daemon/design/kicad_footprint.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "daemon/design/kicad_shape.h"
#include "daemon/design/text_decoding.h"

namespace datum::design::kicad {
namespace {

using List = SExpression::List;

struct Frame {
  Point origin;
  double rotation_deg;
  Point board(const Point& local) const { return origin + turned(local, rotation_deg); }
};

bool contains(const std::string& text, std::string_view part) {
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

/// Half-extent of a shape of a custom pad in the pad's own axes.
void widen(const List& primitives, Point& low, Point& high) {
  primitives.each([&](const List& list) {
    if (const auto shape = shape_of(list))
      for (const Point& p : shape->points) {
        low = low.cwiseMin(p - Point::Constant(shape->width / 2));
        high = high.cwiseMax(p + Point::Constant(shape->width / 2));
      }
  });
}

void add_hole(const List& pad, const Frame& frame, const Point& at, double rotation_deg, Design& design) {
  if (!pad.has("drill")) return;
  const List drill = pad.child("drill");
  const bool oval = drill.text_or(0, "") == "oval";
  if (!oval && drill.text_or(0, "").empty()) return;  // an offset alone
  const double width = drill.number(oval ? 1 : 0), height = oval ? drill.number_or(2, width) : width;
  const double longer = std::max(width, height), thinner = std::min(width, height);
  const Point along =
      turned(width >= height ? Point(1, 0) : Point(0, 1), rotation_deg) * ((longer - thinner) / 2);
  const Point centre = frame.board(at);
  design.holes.push_back({centre - along, centre + along, thinner});
}

Pad pad_of(const List& list, const Frame& frame, double mask_margin_mm, Design& design) {
  Pad pad;
  pad.number = list.text_or(0, "");
  const List at = list.child("at"), size = list.child("size");
  pad.copper.rotation_deg = at.number_or(2, 0);  // absolute
  const Point local = point_of(at);
  const std::string shape = list.text_or(2, "");
  Point low = -Point(size.number(0), size.number(1)) / 2, high = -low;
  if (list.has("rect_delta")) {
    const List delta = list.child("rect_delta");
    const Point more(std::abs(delta.number(1)) / 2, std::abs(delta.number(0)) / 2);
    low -= more;
    high += more;
  }
  if (list.has("primitives")) widen(list.child("primitives"), low, high);
  Point offset = (low + high) / 2;
  if (list.has("drill") && list.child("drill").has("offset"))
    offset += point_of(list.child("drill").child("offset"));
  pad.copper.size = high - low;
  pad.copper.centre = frame.board(local) + turned(offset, pad.copper.rotation_deg);
  pad.round = shape == "circle";
  const bool copper = list.text_or(1, "") != "np_thru_hole";
  pad.on_top = copper && is_on(list, "F.Cu");
  pad.on_bottom = copper && is_on(list, "B.Cu");
  pad.open_top = is_on(list, "F.Mask");
  pad.open_bottom = is_on(list, "B.Mask");
  pad.mask_margin_mm = list.has("solder_mask_margin")
                           ? list.child("solder_mask_margin").number_or(0, mask_margin_mm)
                           : mask_margin_mm;
  add_hole(list, frame, local, pad.copper.rotation_deg, design);
  return pad;
}

bool says_yes(std::string value) {
  value = lower_case(std::move(value));
  return !value.empty() && value != "0" && value != "no" && value != "false" && value != "~";
}

void read_field(const std::string& key, const std::string& value, Component& c) {
  if (key == "Reference" || key == "reference") c.reference = value;
  if (key == "Value" || key == "value") c.value = value;
  if (key == "MPN" || key == "Manufacturer_Part_Number" || key == "PartNumber") c.part_number = value;
  // KiCad 5 to 7 have no such attribute on the board; plug-ins of assembly houses read these fields.
  if ((key == "DNP" || key == "dnp" || key == "DNF" || key == "dnf") && says_yes(value))
    c.population = Population::not_populated;
  if (key == "Config" && (contains(value, "dnf") || contains(value, "dnp")))
    c.population = Population::not_populated;
}

void read_attributes(const List& footprint, Component& c) {
  c.mount = Mount::through_hole;  // KiCad 5 names no attribute for it
  c.population = Population::populated;
  footprint.each("attr", [&](const List& attr) {
    if (attr.has_word("smd")) c.mount = Mount::surface;
    if (attr.has_word("dnp")) c.population = Population::not_populated;
    if (attr.has_word("virtual") || attr.has_word("board_only") ||
        (attr.has_word("exclude_from_pos_files") && attr.has_word("exclude_from_bom")))
      c.mechanical = true;
  });
  for (const char* name : {"MountingHole", "TestPoint", "NetTie", "Logo"})
    c.mechanical |= contains(c.package, name);
  c.fiducial = contains(c.package, "fiducial");
}

void add_text(const List& list, const std::string& shown, const Frame& frame, Design& design) {
  for (const Side side : {Side::top, Side::bottom}) {
    if (!is_on(list, side == Side::top ? "F.SilkS" : "B.SilkS")) continue;
    if (auto box = text_box(list, shown)) {
      box->centre = frame.board(box->centre);  // its angle is absolute
      design.silkscreen_texts.push_back({side, *box});
    }
  }
}

void read_texts(const List& footprint, const Frame& frame, Component& c, Design& design) {
  const auto shown = [&](std::string text) {
    for (const auto& [name, value] :
         {std::pair{"${REFERENCE}", &c.reference}, std::pair{"${VALUE}", &c.value},
          std::pair{"%R", &c.reference}, std::pair{"%V", &c.value}})
      if (const auto at = text.find(name); at != std::string::npos)
        text.replace(at, std::string(name).size(), *value);
    return text;
  };
  footprint.each([&](const List& list) {
    if (list.word() == "fp_text") read_field(list.text_or(0, ""), list.text_or(1, ""), c);
    if (list.word() == "property") read_field(list.text_or(0, ""), list.text_or(1, ""), c);
  });
  footprint.each([&](const List& list) {
    if (list.word() == "fp_text" || list.word() == "property")
      add_text(list, shown(list.text_or(1, "")), frame, design);
  });
}

}  // namespace

void add_drawn(const List& list, const Polygon& points, bool closed, bool filled, double width,
               Design& design) {
  for (const Side side : {Side::top, Side::bottom}) {
    const std::string of(side == Side::top ? "F." : "B.");
    const auto add = [&](std::vector<Stroke>* strokes, std::vector<Area>& areas) {
      if (filled) areas.push_back({side, {points}});
      if (!strokes || (filled && width <= 0)) return;
      for (std::size_t i = closed ? 0 : 1; i < points.size(); ++i)
        strokes->push_back({side, points[i == 0 ? points.size() - 1 : i - 1], points[i], width});
    };
    if (is_on(list, of + "Cu")) add(&design.tracks, design.copper_areas);
    if (is_on(list, of + "SilkS")) add(&design.silkscreen, design.silkscreen_areas);
    if (is_on(list, of + "Mask"))
      add(&design.silkscreen, design.mask_openings);  // its strokes are no floor either
  }
}

void read_footprint(const List& footprint, const BoardSetup& setup, Design& design,
                    std::vector<Polygon>& edges) {
  Component c;
  c.line = footprint.line();
  const std::string name = footprint.text_or(0, "");
  c.package = name.substr(name.rfind(':') == std::string::npos ? 0 : name.rfind(':') + 1);
  c.side = footprint.child("layer").text(0) == "B.Cu" ? Side::bottom : Side::top;
  const List at = footprint.child("at");
  const Frame frame{point_of(at), at.number_or(2, 0)};
  c.origin = frame.origin;
  c.rotation_deg = normal_angle(c.side == Side::top ? frame.rotation_deg : 180 - frame.rotation_deg);
  read_attributes(footprint, c);
  read_texts(footprint, frame, c, design);
  const double margin = footprint.has("solder_mask_margin") ? footprint.child("solder_mask_margin").number(0)
                                                            : setup.mask_margin_mm;
  const std::string of(c.side == Side::top ? "F." : "B.");
  Polygon body, courtyard;
  footprint.each([&](const List& list) {
    if (list.word() == "pad") {
      c.pads.push_back(pad_of(list, frame, margin, design));
      list.each("property",
                [&](const List& p) { c.fiducial |= p.text_or(0, "").starts_with("pad_prop_fiducial"); });
      return;
    }
    auto shape = shape_of(list);
    if (!shape) return;
    for (Point& p : shape->points) p = frame.board(p);
    if (is_on(list, of + "Fab")) body.insert(body.end(), shape->points.begin(), shape->points.end());
    if (is_on(list, of + "CrtYd"))
      courtyard.insert(courtyard.end(), shape->points.begin(), shape->points.end());
    if (is_on(list, "Edge.Cuts")) {
      if (shape->closed) shape->points.push_back(Point(shape->points.front()));
      edges.push_back(shape->points);
    } else {
      add_drawn(list, shape->points, shape->closed, shape->filled, shape->width, design);
    }
  });
  const auto boxed = [&](const Polygon& points) {
    if (points.empty()) return Polygon();
    const Box box = box_around(points, frame.rotation_deg);
    return box.size.minCoeff() > 0 ? corners_of(box) : Polygon();
  };
  c.body = boxed(body);
  if (!c.body.empty()) c.body_source = of + "Fab";
  c.courtyard = boxed(courtyard);
  c.mechanical |= c.pads.empty();
  if (c.fiducial && !c.pads.empty()) {
    const Pad& pad = c.pads.front();
    design.fiducials.push_back({c.reference, c.side, pad.copper.centre, pad.copper.size.x(), true});
  }
  design.components.push_back(std::move(c));
}

}  // namespace datum::design::kicad
