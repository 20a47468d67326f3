#include "daemon/design/kicad_board.h"

#include <fmt/format.h>

#include "daemon/design/kicad_footprint.h"
#include "daemon/design/kicad_shape.h"
#include "daemon/design/outline_chain.h"

namespace datum::design {
namespace {

using List = SExpression::List;
using namespace kicad;

constexpr long oldest = 20171130, newest = 20251231;  // KiCad 5.0; 9 writes 20241229

long version_of(const List& board) {
  if (board.word() != "kicad_pcb") board.refuse("is no KiCad board; its first word is kicad_pcb");
  const std::string text = board.child("version").text(0);
  char* end = nullptr;
  const long number = std::strtol(text.c_str(), &end, 10);
  if (*end != '\0' || number < oldest || number > newest)
    board.child("version").refuse(
        fmt::format("is '{}'; KiCad 5 to 9 write {} to 20241229; open the board in one of them and save it",
                    text.substr(0, 20), oldest));
  return number;
}

BoardSetup setup_of(const List& board, Design& design, bool& tented) {
  BoardSetup setup;
  board.each("setup", [&](const List& list) {
    if (list.has("pad_to_mask_clearance"))
      setup.mask_margin_mm = list.child("pad_to_mask_clearance").number(0);
    list.each("stackup", [&](const List& stackup) {
      stackup.each("layer", [&](const List& layer) {
        if (layer.text_or(0, "") == "F.Cu" && layer.has("thickness"))
          design.copper_um = layer.child("thickness").number(0) * 1e3;
      });
    });
    list.each("pcbplotparams", [&](const List& plot) {
      if (plot.has("viasonmask") && plot.child("viasonmask").text_or(0, "") == "true") tented = false;
    });
    if (list.has("tenting") && list.child("tenting").has_word("none")) tented = false;
  });
  return setup;
}

Side side_of(const List& item) { return is_on(item, "F.Cu") ? Side::top : Side::bottom; }
bool is_outer(const List& item) { return is_on(item, "F.Cu") || is_on(item, "B.Cu"); }

void read_track(const List& item, Design& design) {
  if (!is_outer(item)) return;
  const double width = item.child("width").number(0);
  if (item.word() == "segment") {
    design.tracks.push_back(
        {side_of(item), point_of(item.child("start")), point_of(item.child("end")), width});
    return;
  }
  const Side side = side_of(item);
  const auto middle = point_of(item.child("mid"));
  design.tracks.push_back({side, point_of(item.child("start")), middle, width});
  design.tracks.push_back({side, middle, point_of(item.child("end")), width});
}

void read_via(const List& via, bool tented, Design& design) {
  design.vias.push_back({point_of(via.child("at")), via.child("size").number(0),
                         via.has("drill") ? via.child("drill").number(0) : 0, tented});
}

/// True: it has fills, or none is due on outer layers.
bool read_zone(const List& zone, long version, Design& design) {
  if (zone.has("keepout")) return true;
  // Until KiCad 5 a fill's outline is drawn with a pen of min_thickness, and the file says otherwise only in a later form.
  double pen = 0;
  if (version < 20210000 && zone.has("min_thickness")) pen = zone.child("min_thickness").number(0);
  if (zone.has("filled_areas_thickness") && zone.child("filled_areas_thickness").text_or(0, "") == "no")
    pen = 0;
  bool filled = false;
  zone.each("filled_polygon", [&](const List& fill) {
    filled = true;
    const List& named = fill.has("layer") ? fill : zone;
    if (!is_outer(named)) return;
    const Side side = side_of(named);
    Polygon points = points_of(fill.child("pts"));
    if (points.size() < 3) return;
    for (std::size_t i = 0; pen > 0 && i < points.size(); ++i)
      design.tracks.push_back({side, points[i], points[(i + 1) % points.size()], pen});
    design.copper_areas.push_back({side, {std::move(points)}});
  });
  return filled || !is_outer(zone);
}

void read_drawing(const List& item, std::vector<Polygon>& edges, Design& design) {
  if (item.word() == "gr_text") {
    for (const Side side : {Side::top, Side::bottom})
      if (is_on(item, side == Side::top ? "F.SilkS" : "B.SilkS") ||
          is_on(item, side == Side::top ? "F.Cu" : "B.Cu"))
        if (const auto box = text_box(item, item.text_or(0, "")))
          design.silkscreen_texts.push_back({side, *box});
    return;
  }
  auto shape = shape_of(item);
  if (!shape) return;
  if (is_on(item, "Edge.Cuts")) {
    if (shape->closed) shape->points.push_back(Point(shape->points.front()));
    edges.push_back(std::move(shape->points));
    return;
  }
  add_drawn(item, shape->points, shape->closed, shape->filled, shape->width, design);
}

}  // namespace

Design read_kicad_board(std::string_view text, const std::string& name) {
  const SExpression file(text, name);
  const List board = file.root();
  const long version = version_of(board);
  Design design;
  design.format = fmt::format("KiCad {}", version);
  bool tented = true;
  const BoardSetup setup = setup_of(board, design, tented);
  std::vector<Polygon> edges;
  std::size_t empty_zones = 0;
  board.each([&](const List& item) {
    const std::string_view word = item.word();
    if (word == "footprint" || word == "module") return read_footprint(item, setup, design, edges);
    if (word == "segment" || word == "arc") return read_track(item, design);
    if (word == "via") return read_via(item, tented, design);
    if (word == "zone") {
      if (!read_zone(item, version, design)) ++empty_zones;
      return;
    }
    read_drawing(item, edges, design);
  });
  chain_outline(edges, name, design);
  if (design.outline.empty())
    throw DesignError(name + ": has no outline; draw the board's edge on Edge.Cuts");
  if (empty_zones > 0)
    design.remarks.push_back(fmt::format(
        "{} zones are not filled: what lies under the rings is unknown; fill them (key B) and save the board",
        empty_zones));
  design.knows_copper = empty_zones == 0;
  design.knows_mask = true;
  return design;
}

}  // namespace datum::design
