#include "daemon/pictures/recipe_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "daemon/inspection/board/warp_recipe.h"
#include "daemon/inspection/recipe/panel_recipe.h"
#include "daemon/pictures/label_layout.h"
#include "daemon/pictures/picture_map.h"
#include "daemon/pictures/picture_parts.h"

namespace datum {
namespace {

using namespace picture;

constexpr Rgb board_color{236, 240, 232}, cut_color{205, 205, 210}, hole_color{255, 255, 255},
    ring_color{120, 170, 120}, confirmed_color{176, 200, 226}, unconfirmed_color{250, 226, 176},
    line_color{60, 60, 66};
constexpr double border = 16, line_height = 17;
constexpr std::size_t most_labels = 400;

std::vector<PagePoint> circle(const BoardWindow& window, const BoardCircle& hole) {
  std::vector<PagePoint> points;
  for (int i = 0; i < 24; ++i) {
    const double t = i * M_PI / 12;
    points.push_back(
        window.at(hole.centre_mm + hole.diameter_mm / 2 * Eigen::Vector2d(std::cos(t), std::sin(t))));
  }
  return points;
}

void draw_body(Page& page, const BoardWindow& window, const Component& c) {
  const std::vector<PagePoint> body = window.corners(c.body);
  page.fill(body, c.nominal_confirmed ? confirmed_color : unconfirmed_color);
  if (!c.nominal_confirmed) {
    page.line({body[0], body[2]}, {line_color, 0.4});
    page.line({body[1], body[3]}, {line_color, 0.4});
  }
  page.outline(body, {line_color, 1});
  page.line({body[1], body[2]}, {line_color, 2.5});  // the end at +x
}

void draw_rings(Page& page, const BoardWindow& window, const Recipe& recipe) {
  for (const Component& c : recipe.components) {
    const BoardRect& around = c.floor_outline ? *c.floor_outline : c.body;
    for (const double margin_mm : {recipe.floor.inner_margin_mm, recipe.floor.outer_margin_mm})
      page.outline(window.corners(around, margin_mm), {ring_color, 0.8});
  }
  if (!recipe.warp) return;
  for (const Component& patch : recipe.warp->patches)
    page.outline(window.corners(patch.body), {ring_color, 0.8, {3, 2}});
}

void draw_labels(Page& page, const BoardWindow& window, const Recipe& recipe) {
  std::vector<Label> labels;
  std::vector<PageBox> bodies;
  const Font font{10};
  for (const Component& c : recipe.components) {
    const PageBox part = bounds_of(window.corners(c.body));
    bodies.push_back(part.grown(1));
    if (labels.size() >= most_labels) continue;
    Label label;
    label.part = part.grown(1);
    label.shapes.push_back({Page::width_of(c.reference, font) + 2, Page::height_of(font)});
    label.inside = true;
    labels.push_back(std::move(label));
  }
  const auto places = place_labels(labels, bodies, window.box());
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (places[i])
      page.text({places[i]->box.x + 1, places[i]->box.y}, recipe.components[i].reference, ink, font);
}

std::vector<std::string> notes_of(const Recipe& recipe) {
  std::map<std::string, std::size_t> measured;
  std::size_t confirmed = 0;
  for (const Component& c : recipe.components) {
    confirmed += c.nominal_confirmed;
    for (const Check& check : c.checks) ++measured[name_of(check.characteristic)];
  }
  std::string what;
  for (const auto& [name, count] : measured)
    what += fmt::format("{}{} of {}", what.empty() ? "" : ", ", name, count);
  return {fmt::format("{}: {} components, {} x {} mm, sensor {}", recipe.name, recipe.components.size(),
                      recipe.board_size_mm.x(), recipe.board_size_mm.y(), recipe.sensor_serial),
          "measured: " + what,
          fmt::format("blue: nominal height confirmed ({}); yellow, crossed: not confirmed ({}), cannot "
                      "PASS; thick end: +x of the part",
                      confirmed, recipe.components.size() - confirmed),
          fmt::format("green: floor ring, {} to {} mm around the part; grey: cut out of the rings ({} "
                      "rectangles, {} circles)",
                      recipe.floor.inner_margin_mm, recipe.floor.outer_margin_mm, recipe.exclusions.size(),
                      recipe.holes.size())};
}

}  // namespace

Page draw_recipe(const Recipe& recipe, int side_px) {
  if (recipe.surface)
    throw std::invalid_argument(recipe.name + ": is the recipe of a surface; a board's recipe is drawn");
  if (recipe.panel) return draw_recipe(panel_as_board(recipe), side_px);
  const std::vector<std::string> notes = notes_of(recipe);
  BoardWindow window;
  window.mm_per_px = recipe.board_size_mm.maxCoeff() / side_px;
  window.width = std::max(1, static_cast<int>(std::ceil(recipe.board_size_mm.x() / window.mm_per_px)));
  window.height = std::max(1, static_cast<int>(std::ceil(recipe.board_size_mm.y() / window.mm_per_px)));
  double width = window.width;
  for (const std::string& note : notes) width = std::max(width, Page::width_of(note));
  window.corner = {border + 60, border + line_height * static_cast<double>(notes.size()) + 8};
  Page page(width + 2 * border + 60, window.corner.y + window.height + 60, paper);
  for (std::size_t i = 0; i < notes.size(); ++i)
    page.text({border, border + line_height * static_cast<double>(i)}, notes[i], ink, {13, i == 0});
  const PageBox box = window.box();
  page.fill(box, board_color);
  page.clipped(box, [&] {
    for (const BoardRect& e : recipe.exclusions) page.fill(window.corners(e), cut_color);
    for (const BoardCircle& h : recipe.holes) page.fill(circle(window, h), hole_color);
    draw_rings(page, window, recipe);
    for (const Component& c : recipe.components) draw_body(page, window, c);
  });
  page.outline(box, {line_color, 1.5});
  draw_labels(page, window, recipe);
  draw_axes(page, box, window.left_mm, window.bottom_mm, window.mm_per_px, "board");
  return page;
}

}  // namespace datum
