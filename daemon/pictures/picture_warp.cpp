#include "daemon/pictures/picture_warp.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "calib/warp/hull.h"
#include "calib/warp/thin_plate.h"
#include "daemon/pictures/picture.h"
#include "daemon/pictures/picture_parts.h"

namespace datum {
namespace {

using namespace picture;

constexpr int longer_px = 900, cell_px = 6, warp_margin = 14, warp_bar_room = 110, warp_badge_scale = 3;
constexpr double contours = 10;  // least number of levels between lowest and highest

/// Heights above the surface's least-squares plane at the corners of cells; NaN outside of the hull.
struct Relief {
  int columns = 0, rows = 0;  // numbers of corners; row 0 is the lowest
  std::vector<double> um;
  double at(int column, int row) const { return um[static_cast<std::size_t>(row) * columns + column]; }
};

struct Scale {
  double px_per_mm = 1;
  int width = 0, height = 0;
};

Scale scale_of(const Recipe& recipe) {
  Scale s;
  s.px_per_mm = longer_px / recipe.board_size_mm.maxCoeff();
  const auto px = [&](double mm) {
    return std::max(4 * cell_px, static_cast<int>(std::lround(mm * s.px_per_mm)));
  };
  s.width = px(recipe.board_size_mm.x());
  s.height = px(recipe.board_size_mm.y());
  return s;
}

ThinPlate surface_of(const WarpEvidence& e) {
  std::vector<WarpKnot> knots;
  for (const WarpKnotEvidence& k : e.knots) knots.push_back({{k.x_mm, k.y_mm}, k.z_um, k.u_um, k.name});
  return ThinPlate(std::move(knots), std::numeric_limits<double>::infinity(), e.lambda);
}

Relief relief_of(const WarpEvidence& e, const Scale& scale) {
  const ThinPlate surface = surface_of(e);
  std::vector<Eigen::Vector2d> hull;
  for (const auto& p : e.hull_mm) hull.emplace_back(p[0], p[1]);
  Relief r;
  r.columns = scale.width / cell_px + 2;
  r.rows = scale.height / cell_px + 2;
  Eigen::Matrix3d normal = Eigen::Matrix3d::Zero();
  Eigen::Vector3d right = Eigen::Vector3d::Zero();
  const auto place_mm = [&](int column, int row) {
    return Eigen::Vector2d(column * cell_px / scale.px_per_mm, row * cell_px / scale.px_per_mm);
  };
  for (int row = 0; row < r.rows; ++row) {
    for (int column = 0; column < r.columns; ++column) {
      const Eigen::Vector2d p = place_mm(column, row);
      const bool seen = beyond_hull_mm(hull, p) <= cell_px / scale.px_per_mm;
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
HeightImage image_of(const Relief& r, const Scale& scale) {
  HeightImage image{scale.width, scale.height, {}};
  for (int y = 0; y < image.height; ++y) {
    const double v = static_cast<double>(image.height - 1 - y) / cell_px;
    const int row = static_cast<int>(v);
    for (int x = 0; x < image.width; ++x) {
      const double u = static_cast<double>(x) / cell_px;
      const int column = static_cast<int>(u);
      const double s = u - column, t = v - row;
      image.um.push_back(
          static_cast<float>((1 - t) * ((1 - s) * r.at(column, row) + s * r.at(column + 1, row)) +
                             t * ((1 - s) * r.at(column, row + 1) + s * r.at(column + 1, row + 1))));
    }
  }
  return image;
}

std::string shown(double um) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", um);
  return text;
}

/// Contour level below a pixel, in steps.
double level_of(float um, double step) { return std::floor(static_cast<double>(um) / step); }

/// A line between neighbours on different sides of a level, with one number in the middle of it.
void draw_contours(Canvas& canvas, const HeightImage& image, double step, const PixelBox& box) {
  std::vector<std::pair<double, PixelPoint>> crossings;
  for (int y = 0; y + 1 < image.height; ++y) {
    for (int x = 0; x + 1 < image.width; ++x) {
      const std::size_t i = static_cast<std::size_t>(y) * image.width + x;
      const double here = level_of(image.um[i], step);
      for (const std::size_t next : {i + 1, i + static_cast<std::size_t>(image.width)}) {
        const double there = level_of(image.um[next], step);
        if (!(here != there) || std::isnan(here) || std::isnan(there)) continue;
        const double level = std::max(here, there);
        canvas.fill({box.x + x, box.y + y, level == 0 ? 3 : 2, level == 0 ? 3 : 2}, halo);
        crossings.push_back({level, {static_cast<double>(box.x + x), static_cast<double>(box.y + y)}});
      }
    }
  }
  std::stable_sort(crossings.begin(), crossings.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<PixelBox> taken;
  for (auto from = crossings.begin(); from != crossings.end();) {
    const auto to =
        std::find_if(from, crossings.end(), [&](const auto& c) { return c.first != from->first; });
    const std::string text = shown(from->first * step);
    const int width = Canvas::text_width(text, text_scale) + 6, height = Canvas::text_height(text_scale) + 2;
    for (const int part : {4, 2, 6, 1, 7, 3, 5}) {
      const PixelPoint p = (from + (to - from) * part / 8)->second;
      const PixelBox label{static_cast<int>(p.x) - width / 2, static_cast<int>(p.y) - height / 2, width,
                           height};
      const bool free =
          std::none_of(taken.begin(), taken.end(), [&](const PixelBox& t) { return t.overlaps(label); });
      if (!free || !label.within(box)) continue;
      canvas.fill(label, paper);
      canvas.text(label.x + 3, label.y + 2, text, ink, text_scale);
      taken.push_back(label);
      break;
    }
    from = to;
  }
}

/// Components as thin outlines, knots as crosses.
void draw_places(Canvas& canvas, const Recipe& recipe, const WarpEvidence& e, const Scale& scale,
                 const PixelBox& box) {
  const auto px = [&](double x_mm, double y_mm) {
    return PixelPoint{box.x + x_mm * scale.px_per_mm, box.y + box.height - 1 - y_mm * scale.px_per_mm};
  };
  for (const Component& c : recipe.components) {
    std::array<PixelPoint, 4> corners;
    const auto at_mm = corners_mm(c.body);
    for (std::size_t i = 0; i < 4; ++i) corners[i] = px(at_mm[i].x(), at_mm[i].y());
    canvas.outline(corners, ink, 1);
  }
  for (const WarpKnotEvidence& k : e.knots) {
    const PixelPoint p = px(k.x_mm, k.y_mm);
    canvas.line({p.x - 5, p.y}, {p.x + 5, p.y}, {255, 255, 255}, 2);
    canvas.line({p.x, p.y - 5}, {p.x, p.y + 5}, {255, 255, 255}, 2);
  }
}

/// Results of the board by check, and their inputs.
std::vector<std::string> words_of(const BoardVerdict& v, const ComponentVerdict& row) {
  std::vector<std::string> words{"recipe " + v.recipe, "frame " + v.frame_id};
  if (!v.unit_id.empty()) words.push_back("unit " + v.unit_id);
  if (v.sequence != 0) words.push_back("result " + std::to_string(v.sequence));
  for (const CheckVerdict& c : row.checks) {
    const std::string name = name_of(c.check.characteristic);
    char text[96];
    std::snprintf(text, sizeof text, "%.4g +- %.3g %s", c.value, 2 * c.u, unit_of(c.check.characteristic));
    words.push_back(name + " " + (c.decision == Decision::invalid ? name_of(c.reason) : text));
  }
  if (!row.warp->shape.empty()) words.push_back("shape " + row.warp->shape);
  return words;
}

}  // namespace

std::optional<Canvas> draw_warp_picture(const Recipe& recipe, const BoardVerdict& verdict) {
  const auto row = std::find_if(verdict.components.begin(), verdict.components.end(),
                                [](const ComponentVerdict& c) { return c.warp && c.warp->lambda > 0; });
  if (row == verdict.components.end() || row->warp->hull_mm.size() < 3) return std::nullopt;
  const Scale scale = scale_of(recipe);
  const HeightImage image = image_of(relief_of(*row->warp, scale), scale);
  const Stretch stretch = stretch_of(image, 0, 1);
  const double step = round_step((stretch.high_um - stretch.low_um) / contours);

  const int line = Canvas::text_height(text_scale) + 4;
  const int width = std::max(860, scale.width + 3 * warp_margin + warp_bar_room);
  const std::string word = name_of(row->decision);
  const int badge = Canvas::text_width(word, warp_badge_scale) + 20;
  const std::vector<std::string> lines = wrap(words_of(verdict, *row), width - 3 * warp_margin - badge);
  const int header =
      std::max(Canvas::text_height(warp_badge_scale) + 12, static_cast<int>(lines.size()) * line);
  const PixelBox box{warp_margin, 2 * warp_margin + header, scale.width, scale.height};
  Canvas canvas(width, box.y + box.height + 2 * warp_margin + 2 * line + 12, paper);
  canvas.fill({warp_margin, warp_margin, badge, Canvas::text_height(warp_badge_scale) + 12},
              color_of(row->decision));
  canvas.text(warp_margin + 10, warp_margin + 8, word, halo, warp_badge_scale);
  for (std::size_t i = 0; i < lines.size(); ++i)
    canvas.text(2 * warp_margin + badge, warp_margin + 2 + static_cast<int>(i) * line, lines[i], ink,
                text_scale);

  draw_heights(canvas, image, stretch, box.x, box.y);
  draw_places(canvas, recipe, *row->warp, scale, box);
  draw_contours(canvas, image, step, box);
  draw_color_bar(canvas, {box.x + box.width + warp_margin, box.y, warp_bar_room, box.height}, stretch);
  draw_footer(canvas, {warp_margin, box.y + box.height + warp_margin, width - 2 * warp_margin, 2 * line + 12},
              verdict, 1 / scale.px_per_mm,
              "over the board's own plane; contours " + shown(step) + " um apart; grey: not seen");
  return canvas;
}

void write_warp_picture(const std::filesystem::path& board_picture, const Recipe& recipe,
                        const BoardVerdict& verdict) {
  const std::optional<Canvas> canvas = draw_warp_picture(recipe, verdict);
  if (!canvas) return;
  std::filesystem::path file = board_picture;
  file.replace_filename(board_picture.stem().string() + "-warp" + board_picture.extension().string());
  canvas->write_png(file);
}

}  // namespace datum
