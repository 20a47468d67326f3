// Outlines of rings, components and references in a picture.
#include <algorithm>
#include <cmath>

#include "daemon/pictures/picture.h"
#include "daemon/pictures/picture_parts.h"

namespace datum::picture {
namespace {

using Corners = std::array<PixelPoint, 4>;

struct Drawn {
  Decision decision;
  std::string label;
  Corners body, inner, outer;
};

struct Style {
  int pen;
  Dash dash;
};

Style style_of(Decision d) {
  switch (d) {
    case Decision::pass:
      return {2, {}};
    case Decision::inconclusive:
      return {3, {9, 5}};
    case Decision::fail:
      return {4, {}};
    case Decision::invalid:
      return {3, {3, 4}};
  }
  return {2, {}};
}

PixelBox bounds(const Corners& corners) {
  const auto [left, right] =
      std::minmax_element(corners.begin(), corners.end(), [](auto& a, auto& b) { return a.x < b.x; });
  const auto [top, bottom] =
      std::minmax_element(corners.begin(), corners.end(), [](auto& a, auto& b) { return a.y < b.y; });
  const int x = static_cast<int>(std::floor(left->x)), y = static_cast<int>(std::floor(top->y));
  return {x, y, static_cast<int>(std::ceil(right->x)) - x + 1,
          static_cast<int>(std::ceil(bottom->y)) - y + 1};
}

Drawn prepare(const Component& component, const PictureMap& map, const PixelBox& map_box,
              const Recipe& recipe, const BoardVerdict& verdict) {
  Decision decision = verdict.decision;
  for (const ComponentVerdict& c : verdict.components)
    if (c.reference == component.reference) decision = c.decision;
  const auto placed = [&](const BoardRect& rect, double margin_mm) {
    Corners corners = map.corners(rect, margin_mm);
    for (PixelPoint& p : corners) p = {p.x + map_box.x, p.y + map_box.y};
    return corners;
  };
  const BoardRect& around = component.floor_outline ? *component.floor_outline : component.body;
  const std::string word = decision == Decision::pass ? "" : std::string(" ") + name_of(decision);
  return {decision, component.reference + word, placed(component.body, 0),
          placed(around, recipe.floor.inner_margin_mm), placed(around, recipe.floor.outer_margin_mm)};
}

/// A dark border keeps every colour visible on every height.
void draw_outlines(Canvas& canvas, const Drawn& d) {
  const Style body = style_of(d.decision);
  const Rgb color = color_of(d.decision);
  canvas.outline(d.body, halo, body.pen + 2);
  for (const Corners* ring : {&d.inner, &d.outer}) {
    canvas.outline(*ring, halo, 3);
    canvas.outline(*ring, color, 1);
  }
  canvas.outline(d.body, color, body.pen, body.dash);
}

bool inside(const Corners& corners, double x, double y) {
  int left = 0, right = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const PixelPoint &p = corners[i], &q = corners[(i + 1) % 4];
    ((q.x - p.x) * (y - p.y) - (q.y - p.y) * (x - p.x) > 0 ? left : right) += 1;
  }
  return left == 0 || right == 0;
}

/// Candidate places of a label, best first: on the component where it fits, else around the ring.
std::vector<PixelBox> places(const Drawn& d, int width, int height) {
  const PixelBox body = bounds(d.body), ring = bounds(d.outer);
  const int x = ring.x + (ring.width - width) / 2, y = ring.y + (ring.height - height) / 2;
  std::vector<PixelBox> all;
  const PixelBox centred{body.x + (body.width - width) / 2, body.y + (body.height - height) / 2, width,
                         height};
  constexpr int room = 4;  // to the outline
  bool fits = true;
  for (int cx : {centred.x - room, centred.x + width + room})
    for (int cy : {centred.y - room, centred.y + height + room}) fits = fits && inside(d.body, cx, cy);
  if (fits) all.push_back(centred);
  constexpr int gap = 3;
  for (int left :
       {x, ring.x, ring.x + ring.width - width, ring.x + ring.width / 2, ring.x + ring.width / 2 - width}) {
    all.push_back({left, ring.y - height - gap, width, height});
    all.push_back({left, ring.y + ring.height + gap, width, height});
  }
  all.push_back({ring.x + ring.width + gap, y, width, height});
  all.push_back({ring.x - width - gap, y, width, height});
  return all;
}

}  // namespace

void draw_components(Canvas& canvas, const PixelBox& map_box, const PictureMap& map, const Recipe& recipe,
                     const BoardVerdict& verdict) {
  std::vector<Drawn> all;
  for (const Component& c : recipe.components) all.push_back(prepare(c, map, map_box, recipe, verdict));
  // worst last, so that nothing covers it
  std::stable_sort(all.begin(), all.end(),
                   [](const Drawn& a, const Drawn& b) { return a.decision < b.decision; });
  for (const Drawn& d : all) draw_outlines(canvas, d);

  std::vector<PixelBox> taken;
  for (auto d = all.rbegin(); d != all.rend(); ++d) {  // worst first, for the best place
    const int width = Canvas::text_width(d->label, text_scale) + 6,
              height = Canvas::text_height(text_scale) + 2;
    const auto cost = [&](const PixelBox& box) {
      auto n = std::count_if(taken.begin(), taken.end(), [&](const PixelBox& t) { return t.overlaps(box); });
      for (const Drawn& other : all) n += &other != &*d && bounds(other.outer).overlaps(box);
      return n + (box.within(map_box) ? 0 : 100);
    };
    const std::vector<PixelBox> tried = places(*d, width, height);
    const PixelBox best = *std::min_element(
        tried.begin(), tried.end(), [&](const PixelBox& a, const PixelBox& b) { return cost(a) < cost(b); });
    canvas.fill(best, paper);
    canvas.text(best.x + 3, best.y + 2, d->label, color_of(d->decision), text_scale);
    taken.push_back(best);
  }
}

}  // namespace datum::picture
