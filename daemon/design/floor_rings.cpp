#include "daemon/design/floor_rings.h"

#include <algorithm>
#include <cmath>

#include "daemon/design/raster.h"

namespace datum::design {
namespace {

enum Bit : std::uint16_t {
  copper_area = 1,
  track = 2,         // with a margin
  cut_vector = 4,    // an exclusion or a hole of the recipe, where a ring meets it
  cut_cells = 8,     // areas that become exclusions by cells
  outside = 16,      // beyond the board's edge
  on_laminate = 32,  // in a ring whose floor is the bare mask
  on_copper = 64,    // in a ring whose floor is masked copper
  in_ring = 128,
  body = 256,
  bare_track = 512,  // without it
};
constexpr std::uint16_t cut = cut_vector | cut_cells | outside | body;

// Margins, mm. Openings: registration of the mask 0.1 and a pixel; silkscreen: its registration of 0.15 and 0.05; copper: the
// meniscus of the mask at an edge, 0.1 (PLACEMENT, 10).
constexpr double opening_mm = 0.15, silkscreen_mm = 0.2, copper_mm = 0.1, hole_mm = 0.2;
constexpr double one_state = 0.6;

/// An obstacle that a recipe can state as it is.
struct Obstacle {
  Box box;                     // or
  double radius = 0;           // a circle about the box's centre
  bool laminate_only = false;  // a track: no obstacle in a ring on copper
};

Box box_of(const Stroke& s, double margin_mm) {
  const Point along = s.to - s.from;
  const double angle = along.norm() > 0 ? std::atan2(along.y(), along.x()) * 180 / M_PI : 0;
  return {(s.from + s.to) / 2, {along.norm() + s.width + 2 * margin_mm, s.width + 2 * margin_mm}, angle};
}

class Rings {
 public:
  /// `forced`: the surface of all rings; none: each ring's own.
  Rings(const DraftSettings& settings, const std::vector<Box>& neighbours, std::optional<Surface> forced,
        Draft& draft)
      : s_(settings),
        d_(draft),
        map_(draft.size_mm, settings.pitch_mm),
        neighbours_(neighbours),
        forced_(forced) {}

  void find() {
    paint_board();
    paint_copper();
    paint_areas();
    gather();
    for (const DraftComponent& c : d_.components) map_.fill(c.body, s_.neighbour_mm, body);
    for (const Box& box : neighbours_) map_.fill(box, s_.neighbour_mm, body);
    for (const Obstacle& o : obstacles_) paint(o, o.laminate_only ? 0 : cut_vector);
    for (DraftComponent& c : d_.components) choose_surface(c);
    emit_obstacles();
    emit_cells();
    for (DraftComponent& c : d_.components) count(c);
  }

 private:
  bool is_here(Side side) const { return side == s_.side; }

  void paint_board() {
    std::vector<Polygon> rings{d_.design.outline};
    rings.insert(rings.end(), d_.design.cutouts.begin(), d_.design.cutouts.end());
    inside_ = Raster(d_.size_mm, s_.pitch_mm);
    inside_->fill(rings, 1);
    // Cells beyond the outline and in cut-outs become exclusions where a ring meets them.
    map_.visit({d_.size_mm / 2, d_.size_mm, 0}, 1, [&](int column, int row, std::uint16_t& cell) {
      cell = inside_->at(column, row) ? 0 : cut_cells;
    });
    inside_.reset();
  }

  void paint_copper() {
    for (const Stroke& t : d_.design.tracks)
      if (is_here(t.side)) map_.fill(t.from, t.to, t.width + 2 * copper_mm, track);
    for (const Stroke& t : d_.design.tracks)
      if (is_here(t.side)) map_.fill(t.from, t.to, t.width, bare_track);
    for (const Area& a : d_.design.copper_areas)
      if (is_here(a.side)) map_.fill(a.rings, copper_area);
  }

  void paint_areas() {
    for (const auto* areas : {&d_.design.mask_openings, &d_.design.silkscreen_areas})
      for (const Area& a : *areas)
        if (is_here(a.side)) map_.fill(a.rings, cut_cells);
  }

  void gather() {
    const bool top = s_.side == Side::top;
    for (const Component& c : d_.design.components)
      for (const Pad& pad : c.pads) {
        const bool open = top ? pad.open_top : pad.open_bottom, copper = top ? pad.on_top : pad.on_bottom;
        if (!open && !copper) continue;
        const double margin = open ? std::max(0.0, pad.mask_margin_mm) + opening_mm : copper_mm;
        if (pad.round)
          obstacles_.push_back({pad.copper, pad.copper.size.x() / 2 + margin});
        else
          obstacles_.push_back(
              {{pad.copper.centre, pad.copper.size + Point::Constant(2 * margin), pad.copper.rotation_deg}});
      }
    for (const Via& v : d_.design.vias)
      obstacles_.push_back({{v.centre}, v.land_mm / 2 + (v.tented ? copper_mm : opening_mm)});
    for (const Hole& h : d_.design.holes) {
      if ((h.to - h.from).norm() < 1e-6)
        obstacles_.push_back({{h.from}, h.diameter_mm / 2 + hole_mm});
      else
        obstacles_.push_back({box_of({s_.side, h.from, h.to, h.diameter_mm}, hole_mm)});
    }
    for (const Stroke& s : d_.design.silkscreen)
      if (is_here(s.side)) obstacles_.push_back({box_of(s, silkscreen_mm)});
    for (const Text& t : d_.design.silkscreen_texts)
      if (is_here(t.side))
        obstacles_.push_back(
            {{t.box.centre, t.box.size + Point::Constant(2 * silkscreen_mm), t.box.rotation_deg}});
    for (const Stroke& t : d_.design.tracks)
      if (is_here(t.side)) obstacles_.push_back({box_of(t, copper_mm), 0, true});
  }

  void paint(const Obstacle& o, std::uint16_t bits) {
    if (bits == 0) return;
    if (o.radius > 0)
      map_.fill(o.box.centre, o.radius, bits);
    else
      map_.fill(o.box, 0, bits);
  }

  /// Calls each(side, cell) for the ring's cells: beyond its inner border.
  template <class Each>
  void each_of_ring(const DraftComponent& c, Each each) {
    const Box& o = c.floor_outline;
    const Point inner = o.size / 2 + Point::Constant(s_.inner_mm);
    const Point axis_x = turned({1, 0}, o.rotation_deg), axis_y = turned({0, 1}, o.rotation_deg);
    map_.visit(o, s_.outer_mm, [&](int column, int row, std::uint16_t& cell) {
      const Point d = map_.middle(column, row) - o.centre;
      const Point own(d.dot(axis_x), d.dot(axis_y));
      if (std::abs(own.x()) <= inner.x() && std::abs(own.y()) <= inner.y()) return;
      // The seams run from the inner corners to the outer ones, as in site_map.
      const double beyond_x = std::abs(own.x()) - inner.x(), beyond_y = std::abs(own.y()) - inner.y();
      const std::size_t side = beyond_x >= beyond_y ? (own.x() < 0 ? 0 : 1) : (own.y() < 0 ? 2 : 3);
      each(side, cell);
    });
  }

  void choose_surface(DraftComponent& c) {
    std::size_t laminate = 0, copper = 0;
    each_of_ring(c, [&](std::size_t, std::uint16_t cell) {
      if (cell & cut) return;
      ++((cell & (copper_area | track)) ? copper : laminate);
    });
    const double all = static_cast<double>(laminate + copper);
    c.ring.surface = !d_.design.knows_copper                            ? Surface::unknown
                     : forced_                                          ? *forced_
                     : static_cast<double>(laminate) >= one_state * all ? Surface::laminate
                     : static_cast<double>(copper) >= one_state * all   ? Surface::copper
                                                                        : Surface::both;
    const bool one = c.ring.surface == Surface::laminate || c.ring.surface == Surface::copper;
    c.surface_um = one ? known_surface_um : d_.design.copper_um / 2;
    const std::uint16_t bits = in_ring | (c.ring.surface == Surface::laminate ? on_laminate
                                          : c.ring.surface == Surface::copper ? on_copper
                                                                              : 0);
    each_of_ring(c, [&](std::size_t, std::uint16_t& cell) { cell |= bits; });
  }

  bool meets_ring(const Obstacle& o) {
    bool meets = false;
    const std::uint16_t ring = o.laminate_only ? on_laminate : in_ring;
    const auto look = [&](int, int, std::uint16_t cell) {
      meets = meets || ((cell & ring) && !(cell & (outside | body)));
    };
    if (o.radius > 0)
      map_.visit({o.box.centre, Point::Zero(), 0}, o.radius, look);
    else
      map_.visit(o.box, 0, look);
    return meets;
  }

  void emit_obstacles() {
    for (const Obstacle& o : obstacles_) {
      if (!meets_ring(o)) continue;
      paint(o, cut_vector);
      if (o.radius > 0)
        d_.holes.push_back({o.box.centre, o.box.centre, 2 * o.radius});
      else
        d_.exclusions.push_back(o.box);
    }
    for (const Box& box : neighbours_) {
      const Obstacle o{{box.centre, box.size + Point::Constant(2 * s_.neighbour_mm), box.rotation_deg}};
      bool meets = false;
      map_.visit(o.box, 0, [&](int, int, std::uint16_t cell) { meets = meets || (cell & in_ring); });
      if (meets) d_.exclusions.push_back(o.box);
    }
  }

  bool is_cut_cell(int column, int row) const {
    const std::uint16_t cell = map_.at(column, row);
    if (!(cell & in_ring) || (cell & (cut_vector | body | outside))) return false;
    if (cell & cut_cells) return true;
    if ((cell & on_laminate) && (cell & copper_area)) return true;
    return (cell & on_copper) && !(cell & on_laminate) && !(cell & (copper_area | track));
  }

  /// Blocks of cells that are cut become rectangles: runs in a row, joined with an equal run of the row above.
  void emit_cells() {
    const int block = std::max(1, static_cast<int>(std::lround(0.1 / map_.pitch_mm())));
    struct Run {
      int from, to, first, last;
    };
    std::vector<Run> open, next;
    const auto close = [&](const Run& r) {
      const Point low(r.from * map_.pitch_mm(), r.first * map_.pitch_mm()),
          high(std::min(r.to, map_.columns()) * map_.pitch_mm(),
               std::min(r.last, map_.rows()) * map_.pitch_mm());
      const Box box{(low + high) / 2, high - low, 0};
      d_.exclusions.push_back(box);
      map_.fill(box, 0, cut_vector);
    };
    for (int row = 0; row < map_.rows(); row += block) {
      next.clear();
      for (int column = 0; column < map_.columns(); column += block) {
        bool is_cut = false;
        for (int r = row; r < std::min(row + block, map_.rows()) && !is_cut; ++r)
          for (int c = column; c < std::min(column + block, map_.columns()); ++c)
            is_cut = is_cut || is_cut_cell(c, r);
        if (!is_cut) continue;
        if (!next.empty() && next.back().to == column)
          next.back().to = column + block;
        else
          next.push_back({column, column + block, row, row + block});
      }
      for (Run& r : next)
        for (Run& o : open)
          if (o.from == r.from && o.to == r.to) {
            r.first = o.first;
            o.from = -1;
          }
      for (const Run& o : open)
        if (o.from >= 0) close(o);
      open = next;
    }
    for (const Run& o : open) close(o);
  }

  void count(DraftComponent& c) {
    std::array<double, 4> sides{};
    double whole = 0;
    // What another ring's surface keeps from being cut is a second level here.
    const auto is_other_level = [surface = c.ring.surface](std::uint16_t cell) {
      const bool is_copper = cell & (copper_area | bare_track);
      return surface == Surface::copper ? !is_copper : surface == Surface::laminate && is_copper;
    };
    each_of_ring(c, [&](std::size_t side, std::uint16_t cell) {
      ++whole;
      if (!(cell & cut) && !is_other_level(cell)) ++sides[side];
    });
    const double scale = std::pow(map_.pitch_mm() / s_.pitch_mm, 2);
    int good = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      c.ring.sides[i] = static_cast<std::uint32_t>(sides[i] * scale);
      c.ring.pixels += c.ring.sides[i];
      good += c.ring.sides[i] >= static_cast<std::uint32_t>(s_.min_side_pixels);
    }
    c.ring.whole = static_cast<std::uint32_t>(whole * scale);
    c.ring.is_floor = good >= s_.min_sides;
  }

  const DraftSettings& s_;
  Draft& d_;
  Raster map_;
  const std::vector<Box>& neighbours_;
  std::optional<Surface> forced_;
  std::optional<Raster> inside_;
  std::vector<Obstacle> obstacles_;
};

}  // namespace

void find_rings(const DraftSettings& settings, const std::vector<Box>& neighbours, Draft& draft) {
  const auto floors = [](const Draft& d) {
    return std::count_if(d.components.begin(), d.components.end(),
                         [](const DraftComponent& c) { return c.ring.is_floor; });
  };
  const Draft bare = draft;
  Rings(settings, neighbours, std::nullopt, draft).find();
  // An exclusion holds for all rings: copper that one ring on laminate cuts out is lost for its neighbours on copper. Where that
  // leaves parts without a floor, one surface for the whole board may give more.
  if (!draft.design.knows_copper || floors(draft) == std::ssize(draft.components)) return;
  for (const Surface surface : {Surface::copper, Surface::laminate}) {
    Draft other = bare;
    Rings(settings, neighbours, surface, other).find();
    if (floors(other) > floors(draft)) draft = std::move(other);
  }
}

}  // namespace datum::design
