#include "daemon/inspection/board/site_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "daemon/inspection/board/scan_region.h"
#include "daemon/inspection/board/warp_recipe.h"

namespace datum {
namespace {

/// A board rectangle with a margin on each side, `height_mm` above the board, in pixels.
Quad quad_of(const BoardRect& rect, double margin_mm, const BoardView& view, double height_mm = 0) {
  BoardRect grown = rect;
  grown.size_mm += Eigen::Vector2d::Constant(2 * margin_mm);
  const std::array<Eigen::Vector2d, 4> corners = corners_mm(grown);
  Quad quad;
  for (std::size_t i = 0; i < 4; ++i) quad[i] = view.pixel_of(corners[i], height_mm);
  return quad;
}

bool may_meet(const Quad& a, const Quad& b) {
  for (int axis = 0; axis < 2; ++axis) {
    const auto bounds = [axis](const Quad& q) {
      return std::pair{std::min({q[0][axis], q[1][axis], q[2][axis], q[3][axis]}),
                       std::max({q[0][axis], q[1][axis], q[2][axis], q[3][axis]})};
    };
    const auto [a0, a1] = bounds(a);
    const auto [b0, b1] = bounds(b);
    if (a1 < b0 - 1 || b1 < a0 - 1) return false;
  }
  return true;
}

/// The ring between two rectangles of one centre as four trapezoids, in the order -x, +x, -y, +y.
std::array<Quad, ring_sides> sides_of(const Quad& inner, const Quad& outer) {
  const auto side = [&](std::size_t from, std::size_t to) {
    return Quad{inner[from], inner[to], outer[to], outer[from]};
  };
  // corners run counter-clockwise from (-x, -y)
  return {side(3, 0), side(1, 2), side(0, 1), side(2, 3)};
}

/// Areas cut out of the rings: other bodies, exclusions, holes; and the board's outline, which is kept.
struct Obstacles {
  std::vector<Quad> quads;
  std::vector<MappedCircle> circles;
  Quad board;
};

/// Margins of the ring around a site's outline; for a patch it is the whole square.
struct RingMargins {
  double inner_mm, outer_mm, neighbour_mm;
};

RingMargins margins_of(const Recipe& recipe, std::size_t index) {
  const FloorSettings& f = recipe.floor;
  if (index < recipe.components.size()) return {f.inner_margin_mm, f.outer_margin_mm, f.neighbour_margin_mm};
  return {0, recipe.warp->patch_mm / 2, std::max(f.neighbour_margin_mm, f.inner_margin_mm)};
}

/// The circumscribed circles do not touch: a quick test for most pairs of a board.
bool far_apart(const BoardRect& a, double a_margin_mm, const BoardRect& b, double b_margin_mm) {
  const auto radius = [](const BoardRect& rect, double margin_mm) {
    return (rect.size_mm / 2 + Eigen::Vector2d::Constant(margin_mm)).norm();
  };
  constexpr double rounding_mm = 1e-6;
  const double touching = radius(a, a_margin_mm) + radius(b, b_margin_mm) + rounding_mm;
  return (a.centre_mm - b.centre_mm).squaredNorm() > touching * touching;
}

Obstacles obstacles_of(const Recipe& recipe, std::size_t index, const BoardRect& outline, const Quad& outer,
                       const BoardView& view) {
  const RingMargins margins = margins_of(recipe, index);
  Obstacles o;
  const auto add = [&](const Quad& quad) {
    if (may_meet(quad, outer)) o.quads.push_back(quad);
  };
  for (std::size_t other = 0; other < recipe.components.size(); ++other) {
    if (other == index) continue;
    const Component& c = recipe.components[other];
    const bool patch = index >= recipe.components.size();  // a package under its die is not bare board
    const BoardRect& body = patch && c.floor_outline ? *c.floor_outline : c.body;
    if (!far_apart(outline, margins.outer_mm, body, margins.neighbour_mm))
      add(quad_of(body, margins.neighbour_mm, view));
  }
  for (const BoardRect& rect : recipe.exclusions) add(quad_of(rect, 0, view));
  for (const BoardCircle& hole : recipe.holes)
    o.circles.push_back(
        {view.origin(), view.per_col(), view.per_row(), hole.centre_mm, hole.diameter_mm / 2});
  o.board = quad_of({recipe.board_size_mm / 2, recipe.board_size_mm, 0}, 0, view);
  return o;
}

struct SidedRun {
  PixelRun run;
  std::uint8_t side;
};

/// Runs of the ring by rows, then columns; a pixel on the seam of two sides belongs to the first.
std::vector<SidedRun> ring_runs(const std::array<Quad, ring_sides>& sides, const Obstacles& obstacles,
                                const Quad& outer) {
  std::vector<SidedRun> runs;
  const auto [first, last] = rows_of(outer);
  for (int row = first; row <= last; ++row) {
    const std::size_t row_begin = runs.size();
    std::array<Columns, ring_sides> of_sides;
    for (std::size_t side = 0; side < sides.size(); ++side) of_sides[side] = columns_of(sides[side], row);
    const Columns of_board = columns_of(obstacles.board, row);
    for (std::size_t side = 0; side < sides.size(); ++side) {
      RowPieces row_pieces(of_sides[side]);
      for (std::size_t before = 0; before < side; ++before) row_pieces.cut(of_sides[before]);
      if (row_pieces.pieces().empty()) continue;
      row_pieces.keep(of_board);
      for (const Quad& quad : obstacles.quads) row_pieces.cut(columns_of(quad, row));
      for (const MappedCircle& circle : obstacles.circles) row_pieces.cut(columns_of(circle, row));
      for (const Columns& c : row_pieces.pieces())
        runs.push_back({{row, c.begin, c.end - c.begin}, static_cast<std::uint8_t>(side)});
    }
    std::sort(runs.begin() + static_cast<std::ptrdiff_t>(row_begin), runs.end(),
              [](const SidedRun& a, const SidedRun& b) { return a.run.col < b.run.col; });
  }
  return runs;
}

std::vector<PixelRun> body_runs(const Component& component, const Recipe& recipe, const HeightFrame& frame,
                                const BoardView& view) {
  // The margin is in pixels of the coarser axis, so that no edge pixel remains.
  const double pitch_mm = std::max(frame.x.scale_mm, frame.y.scale_mm);
  const double erode_mm = recipe.body.erode_px * pitch_mm;
  std::vector<PixelRun> runs;
  if ((component.body.size_mm.array() <= 2 * erode_mm).any()) return runs;
  const Quad top = quad_of(component.body, -erode_mm, view, component.nominal_height_um * 1e-3);
  const auto [first, last] = rows_of(top);
  for (int row = first; row <= last; ++row) {
    const Columns c = columns_of(top, row);
    if (!c.empty()) runs.push_back({row, c.begin, c.end - c.begin});
  }
  return runs;
}

std::uint32_t count_pixels(const std::vector<PixelRun>& runs) {
  std::uint32_t n = 0;
  for (const PixelRun& run : runs) n += static_cast<std::uint32_t>(run.length);
  return n;
}

bool in_view(const std::vector<PixelRun>& runs, const BoardView& view) {
  return std::all_of(runs.begin(), runs.end(), [&](const PixelRun& run) {
    return run.row >= 0 && run.row < view.rows() && run.col >= 0 && run.col + run.length <= view.cols();
  });
}

/// Sites far outside are not scanned, and their row numbers could exceed an int.
bool near_frame(const Quad& quad, const BoardView& view) {
  return std::all_of(quad.begin(), quad.end(), [&](const Eigen::Vector2d& p) {
    return std::abs(p.x()) <= 2.0 * view.cols() && std::abs(p.y()) <= 2.0 * view.rows();
  });
}

void refuse_view(Site& site, const char* what, const BoardView& view) {
  site.reason = Reason::out_of_view;
  site.detail = fmt::format(
      "the {} reaches beyond the frame of {} x {} pixels; its centre is expected at column {:.0f}, row "
      "{:.0f}",
      what, view.cols(), view.rows(), site.centre_px.x(), site.centre_px.y());
}

void set_places(Site& site, const BoardRect& outline, const Component& component, const HeightFrame& frame,
                const BoardView& view) {
  const auto sensor_mm = [&](const Eigen::Vector2d& px) {
    return Eigen::Vector2d(frame.x.at(px.x()), frame.y.at(px.y()));
  };
  site.centre_px = view.pixel_of(outline.centre_mm, 0);
  site.centre_mm = sensor_mm(site.centre_px);
  site.reference_z_mm = view.sensor_z_mm(outline.centre_mm);
  site.body_mm =
      sensor_mm(view.pixel_of(component.body.centre_mm, component.nominal_height_um * 1e-3)) - site.centre_mm;
}

}  // namespace

Site site_of(const Recipe& recipe, std::size_t index, const HeightFrame& frame, const BoardView& view) {
  const Component& component = site_component(recipe, index);
  const RingMargins margins = margins_of(recipe, index);
  const BoardRect& outline = component.floor_outline ? *component.floor_outline : component.body;
  Site site;
  set_places(site, outline, component, frame, view);
  const Quad inner = quad_of(outline, margins.inner_mm, view);
  const Quad outer = quad_of(outline, margins.outer_mm, view);
  for (const Eigen::Vector2d& corner : outer) {
    const Eigen::Vector2d reach = (corner - site.centre_px).cwiseAbs() + Eigen::Vector2d::Ones();
    site.half_mm =
        site.half_mm.cwiseMax(Eigen::Vector2d(reach.x() * frame.x.scale_mm, reach.y() * frame.y.scale_mm));
  }
  if (!near_frame(outer, view)) {
    refuse_view(site, "floor ring", view);
    return site;
  }
  site.body = body_runs(component, recipe, frame, view);
  for (const SidedRun& sided :
       ring_runs(sides_of(inner, outer), obstacles_of(recipe, index, outline, outer, view), outer)) {
    site.ring.push_back(sided.run);
    site.ring_side.push_back(sided.side);
  }
  site.ring_pixels = count_pixels(site.ring);
  site.body_pixels = count_pixels(site.body);
  const bool body_seen = in_view(site.body, view), ring_seen = in_view(site.ring, view);
  if (!body_seen || !ring_seen) refuse_view(site, body_seen ? "floor ring" : "body", view);
  return site;
}

}  // namespace datum
