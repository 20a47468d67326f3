#include "tests/virtual_cell/twin_design.h"

#include <cmath>
#include <limits>

#include "daemon/design/raster.h"
#include "daemon/design/read_design.h"

namespace datum {
namespace {

using namespace design;

enum Bit : std::uint16_t { inside = 1, copper = 2, pad = 4, open = 8, legend = 16, hole = 32, via = 64 };

/// Letters are bars of a sixth of their box.
void paint_text(const Box& box, Raster& map) {
  const int letters = std::max(1, static_cast<int>(box.size.x() / std::max(0.3, 0.7 * box.size.y())));
  for (int i = 0; i < letters; ++i) {
    const double x = box.size.x() * ((i + 0.5) / letters - 0.5);
    map.fill(Box{box.centre + turned({x, 0}, box.rotation_deg), {0.15, box.size.y() * 0.6}, box.rotation_deg},
             0, legend);
  }
}

void paint(const Design& d, Side side, Raster& map) {
  std::vector<Polygon> edge{d.outline};
  edge.insert(edge.end(), d.cutouts.begin(), d.cutouts.end());
  map.fill(edge, inside);
  for (const Stroke& t : d.tracks)
    if (t.side == side) map.fill(t.from, t.to, t.width, copper);
  for (const Area& a : d.copper_areas)
    if (a.side == side) map.fill(a.rings, copper);
  for (const Area& a : d.mask_openings)
    if (a.side == side) map.fill(a.rings, open);
  for (const Stroke& s : d.silkscreen)
    if (s.side == side) map.fill(s.from, s.to, s.width, legend);
  for (const Text& t : d.silkscreen_texts)
    if (t.side == side) paint_text(t.box, map);
  for (const Via& v : d.vias) {
    map.fill(v.centre, v.land_mm / 2, copper);
    map.fill(v.centre, v.drill_mm / 2, v.tented ? via : hole);
  }
  for (const design::Component& c : d.components)
    for (const Pad& p : c.pads) {
      if (!(side == Side::top ? p.on_top : p.on_bottom)) continue;
      const bool bare = side == Side::top ? p.open_top : p.open_bottom;
      if (p.round)
        map.fill(p.copper.centre, p.copper.size.x() / 2, bare ? pad : copper);
      else
        map.fill(p.copper, 0, bare ? pad : copper);
    }
  for (const Hole& h : d.holes) map.fill(h.from, h.to, h.diameter_mm, hole);
}

double level_of(std::uint16_t cell, const TwinLevels& levels) {
  if (!(cell & inside) || (cell & hole)) return std::numeric_limits<double>::quiet_NaN();
  if (cell & pad) return levels.pad_um;
  if (cell & open) return cell & copper ? levels.pad_um : levels.opening_um;
  const double mask = cell & copper ? levels.masked_copper_um : 0;
  return mask + (cell & via ? levels.via_um : 0) + (cell & legend ? levels.legend_um : 0);
}

}  // namespace

TwinRelief relief_of(const Design& seen, Side side, const TwinLevels& levels) {
  Raster map(box_around(seen.outline, 0).size, 0.025);
  paint(seen, side, map);
  TwinRelief relief{map.pitch_mm(), map.columns(), map.rows(), {}};
  relief.um.reserve(static_cast<std::size_t>(map.columns()) * static_cast<std::size_t>(map.rows()));
  for (int row = 0; row < map.rows(); ++row)
    for (int column = 0; column < map.columns(); ++column)
      relief.um.push_back(static_cast<float>(level_of(map.at(column, row), levels)));
  return relief;
}

void lay_relief(TwinRelief relief, const TwinLevels& levels, TwinBoard& board) {
  board.relief = std::move(relief);
  constexpr double around_mm = 1.5, step_mm = 0.1;
  for (TwinBody& body : board.bodies) {
    const Eigen::Vector2d half = body.outline.size_mm / 2 + Eigen::Vector2d::Constant(around_mm);
    std::size_t laminate = 0, masked = 0;
    for (double x = -half.x(); x <= half.x(); x += step_mm)
      for (double y = -half.y(); y <= half.y(); y += step_mm) {
        if (std::abs(x) < half.x() - around_mm && std::abs(y) < half.y() - around_mm) continue;
        const Point at = body.outline.centre_mm + turned({x, y}, body.outline.rotation_deg);
        const double um = board.relief.at(at.x(), at.y());
        laminate += um == 0;
        masked += um == static_cast<float>(levels.masked_copper_um);
      }
    body.base_um = masked > laminate ? levels.masked_copper_um : 0;
  }
}

void lay_design(const std::string& file, Side side, Turn turn, TwinBoard& board) {
  const TwinLevels levels;
  lay_relief(relief_of(seen_from(load_design(file).design, side, turn), side, levels), levels, board);
}

}  // namespace datum
