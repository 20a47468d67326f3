#include "daemon/pictures/picture_warp.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>

#include "calib/warp/hull.h"
#include "calib/warp/thin_plate.h"
#include "daemon/pictures/color_scale.h"
#include "daemon/pictures/label_layout.h"
#include "daemon/pictures/picture_map.h"
#include "daemon/pictures/picture_parts.h"

namespace datum {
namespace {

using namespace picture;

constexpr int longer_px = 900, cell_px = 6;
constexpr double contours = 10;  // least number of levels between lowest and highest

/// Heights above the surface's least-squares plane at the corners of cells; NaN outside of the hull.
struct Relief {
  int columns = 0, rows = 0;  // numbers of corners; row 0 is the lowest
  std::vector<double> um;
  double at(int column, int row) const { return um[static_cast<std::size_t>(row) * columns + column]; }
};

BoardWindow window_of(const Recipe& recipe) {
  BoardWindow w;
  w.mm_per_px = recipe.board_size_mm.maxCoeff() / longer_px;
  const auto px = [&](double mm) {
    return std::max(4 * cell_px, static_cast<int>(std::lround(mm / w.mm_per_px)));
  };
  w.width = px(recipe.board_size_mm.x());
  w.height = px(recipe.board_size_mm.y());
  return w;
}

ThinPlate surface_of(const WarpEvidence& e) {
  std::vector<WarpKnot> knots;
  for (const WarpKnotEvidence& k : e.knots) knots.push_back({{k.x_mm, k.y_mm}, k.z_um, k.u_um, k.name});
  return ThinPlate(std::move(knots), std::numeric_limits<double>::infinity(), e.lambda);
}

Relief relief_of(const WarpEvidence& e, const BoardWindow& window) {
  const ThinPlate surface = surface_of(e);
  std::vector<Eigen::Vector2d> hull;
  for (const auto& p : e.hull_mm) hull.emplace_back(p[0], p[1]);
  Relief r;
  r.columns = window.width / cell_px + 2;
  r.rows = window.height / cell_px + 2;
  Eigen::Matrix3d normal = Eigen::Matrix3d::Zero();
  Eigen::Vector3d right = Eigen::Vector3d::Zero();
  const auto place_mm = [&](int column, int row) {
    return Eigen::Vector2d(column * cell_px * window.mm_per_px, row * cell_px * window.mm_per_px);
  };
  for (int row = 0; row < r.rows; ++row) {
    for (int column = 0; column < r.columns; ++column) {
      const Eigen::Vector2d p = place_mm(column, row);
      const bool seen = beyond_hull_mm(hull, p) <= cell_px * window.mm_per_px;
      r.um.push_back(seen ? surface.value_um(p) : std::nan(""));
      if (!seen) continue;
      const Eigen::Vector3d basis(1, p.x(), p.y());
      normal += basis * basis.transpose();
      right += basis * r.um.back();
    }
  }
  const Eigen::Vector3d plane = normal.inverse() * right;
  for (int row = 0; row < r.rows; ++row)
    for (int column = 0; column < r.columns; ++column)
      r.um[static_cast<std::size_t>(row) * r.columns + column] -=
          plane.dot(Eigen::Vector3d(1, place_mm(column, row).x(), place_mm(column, row).y()));
  return r;
}

/// Bilinear between the corners of the cells.
std::vector<float> values_of(const Relief& r, const BoardWindow& w) {
  std::vector<float> um;
  for (int y = 0; y < w.height; ++y) {
    const double v = (w.height - 0.5 - y) / cell_px;
    const int row = static_cast<int>(v);
    for (int x = 0; x < w.width; ++x) {
      const double u = (x + 0.5) / cell_px;
      const int column = static_cast<int>(u);
      const double s = u - column, t = v - row;
      um.push_back(static_cast<float>((1 - t) * ((1 - s) * r.at(column, row) + s * r.at(column + 1, row)) +
                                      t * ((1 - s) * r.at(column, row + 1) + s * r.at(column + 1, row + 1))));
    }
  }
  return um;
}

struct Contour {
  double um;
  std::vector<std::vector<PagePoint>> pieces;
};

/// Marching squares over the relief's cells; a saddle's four crossings are joined in the order of its sides.
std::vector<Contour> contours_of(const Relief& r, const ColorScale& scale, double step, const PageBox& map) {
  std::vector<Contour> all;
  for (const double um : multiples_of(step, scale.lowest, scale.highest)) {
    Contour contour{um, {}};
    for (int row = 0; row + 1 < r.rows; ++row)
      for (int column = 0; column + 1 < r.columns; ++column) {
        constexpr int side[5][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}};
        std::vector<PagePoint> crossings;
        for (int i = 0; i < 4; ++i) {
          const int c = column + side[i][0], w = row + side[i][1], d = column + side[i + 1][0],
                    v = row + side[i + 1][1];
          const double a = r.at(c, w) - contour.um, b = r.at(d, v) - contour.um;
          if (!((a < 0) != (b < 0)) || std::isnan(a + b)) continue;
          const double t = a / (a - b);
          crossings.push_back(
              {map.x + cell_px * (c + t * (d - c)), map.bottom() - cell_px * (w + t * (v - w))});
        }
        for (std::size_t i = 0; i + 1 < crossings.size(); i += 2)
          contour.pieces.push_back({crossings[i], crossings[i + 1]});
      }
    if (!contour.pieces.empty()) all.push_back(std::move(contour));
  }
  return all;
}

void draw_contours(Page& page, const std::vector<Contour>& all, const PageBox& map) {
  page.clipped(map, [&] {
    for (const Contour& c : all)
      for (const auto& piece : c.pieces) page.line(piece, {{0, 0, 0}, c.um == 0 ? 2.6 : 1.2});
  });
}

/// A number on each contour, over none of the boxes that are taken.
void draw_numbers(Page& page, const std::vector<Contour>& all, const PageBox& map,
                  std::vector<PageBox> taken) {
  for (const Contour& c : all) {
    const std::string text = fmt::format("{:.6g}", c.um);
    const double width = Page::width_of(text, small) + 4, height = Page::height_of(small);
    for (const std::size_t part : {4, 2, 6, 1, 7, 3, 5}) {
      const PagePoint p = c.pieces[(c.pieces.size() - 1) * part / 8].front();
      const PageBox label{p.x - width / 2, p.y - height / 2, width, height};
      const bool free =
          std::none_of(taken.begin(), taken.end(), [&](const PageBox& t) { return t.overlaps(label); });
      if (!free || !label.within(map)) continue;
      page.fill(label, paper);
      page.text({label.x + 2, label.y}, text, ink, small);
      taken.push_back(label);
      break;
    }
  }
}

/// Components as outlines with their references, knots as crosses. Returns what a number should not cover.
std::vector<PageBox> draw_places(Page& page, const Recipe& recipe, const WarpEvidence& e,
                                 const BoardWindow& window) {
  std::vector<PageBox> bodies, crosses;
  std::vector<Label> labels;
  for (const Component& c : recipe.components) {
    const std::vector<PagePoint> corners = window.corners(c.body);
    draw_cased(page, corners, {ink, 1});
    bodies.push_back(bounds_of(corners).grown(2));
    labels.push_back(
        {bodies.back(), {{Page::width_of(c.reference, small) + 4, Page::height_of(small)}}, false, true});
  }
  for (const WarpKnotEvidence& k : e.knots) {
    const PagePoint p = window.at({k.x_mm, k.y_mm});
    for (const Pen& pen : {Pen{ink, 4}, Pen{paper, 2}}) page.cross(p, 6, pen);
    crosses.push_back({p.x - 7, p.y - 7, 14, 14});
  }
  const auto places = place_labels(labels, bodies, window.box());
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (!places[i]) continue;
    page.fill(places[i]->box, paper);
    page.text({places[i]->box.x + 2, places[i]->box.y}, recipe.components[i].reference, ink, small);
    crosses.push_back(places[i]->box);
  }
  bodies.insert(bodies.end(), crosses.begin(), crosses.end());
  return bodies;
}

const char* reference_of(Characteristic c) {
  switch (c) {
    case Characteristic::bow:
    case Characteristic::twist:
      return "IPC-TM-650 2.4.22";
    case Characteristic::convexity:
      return "JESD22-B112: middle over the corners";
    case Characteristic::board_flatness:
      return "IPC-9641";
    default:
      return "over the board's least-squares plane";
  }
}

/// "bow 0.131 percent, U (k=2) = 0.021, limit 0.75 (IPC-TM-650 2.4.22): PASS".
std::vector<std::string> checks_of(const ComponentVerdict& row) {
  std::vector<std::string> lines;
  for (const CheckVerdict& c : row.checks) {
    const Characteristic what = c.check.characteristic;
    std::string line = name_of(what);
    if (c.decision != Decision::invalid)
      line += fmt::format(" {:.4g} {}, U (k=2) = {:.3g}", c.value, unit_of(what), 2 * c.u);
    if (c.check.lower) line += fmt::format(", lower limit {:.4g}", *c.check.lower);
    if (c.check.upper) line += fmt::format(", limit {:.4g}", *c.check.upper);
    line += fmt::format(" ({}): {}", reference_of(what), name_of(c.decision));
    lines.push_back(c.decision == Decision::invalid ? line + " " + name_of(c.reason) : line);
  }
  if (!row.warp->shape.empty()) lines.push_back("shape: " + row.warp->shape);
  return lines;
}

}  // namespace

std::optional<Page> draw_warp_picture(const Recipe& recipe, const BoardVerdict& verdict) {
  const auto row = std::find_if(verdict.components.begin(), verdict.components.end(),
                                [](const ComponentVerdict& c) { return c.warp && c.warp->lambda > 0; });
  if (row == verdict.components.end() || row->warp->hull_mm.size() < 3) return std::nullopt;
  BoardWindow window = window_of(recipe);
  const Relief relief = relief_of(*row->warp, window);
  const std::vector<float> um = values_of(relief, window);
  const ColorScale scale = height_scale(um, 0, 1, 0);
  const double step = round_step((scale.high - scale.low) / contours);

  const double line = Page::height_of() + 2;
  const double width = std::max(940.0, window.width + axis_left + 3 * margin + color_bar_width);
  const double inner = width - 2 * margin;
  const Header header{row->decision, "The board's form", words_of(verdict)};
  const std::vector<std::string> checks = checks_of(*row);
  const double top = 2 * margin + header_height(header, inner);
  window.corner = {margin + axis_left, std::ceil(top + static_cast<double>(checks.size()) * line + 6)};
  const PageBox map = window.box();
  const double bar_height = std::max(map.height, 240.0);
  const double footer = map.y + std::max(map.height + axis_below, bar_height) + 10;
  Page page(width, footer + line + margin, paper);
  draw_header(page, {margin, margin, inner, 0}, header);
  for (std::size_t i = 0; i < checks.size(); ++i)
    page.text({margin, top + static_cast<double>(i) * line}, cut(checks[i], inner, {}), ink);
  PixelImage image(window.width, window.height, paper);
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) {
      const float v = um[static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) +
                         static_cast<std::size_t>(x)];
      image.set(x, y, std::isnan(v) ? no_value(x, y) : scale.color(v));
    }
  page.image(map, image);
  const std::vector<Contour> all = contours_of(relief, scale, step, map);
  draw_contours(page, all, map);
  draw_numbers(page, all, map, draw_places(page, recipe, *row->warp, window));
  draw_axes(page, map, 0, 0, window.mm_per_px, "board");
  draw_color_bar(page, {map.right() + margin, map.y, color_bar_width, bar_height}, scale);
  page.text(
      {margin, footer},
      fmt::format(
          "Colours: height over the board's own plane. Contours {:g} um apart. Crosses: measured places. "
          "Striped: not seen.",
          step),
      ink);
  return page;
}

}  // namespace datum
