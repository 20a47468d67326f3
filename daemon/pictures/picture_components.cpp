#include "daemon/pictures/picture_components.h"

#include <algorithm>
#include <cmath>

#include "daemon/inspection/verdict/fault_text.h"
#include "daemon/pictures/board_values.h"
#include "daemon/pictures/picture_parts.h"

namespace datum::picture {
namespace {

constexpr double label_room = 3;  // between a label's text and its border
constexpr double least_ringed_px = 16;
constexpr Rgb ring_color{150, 154, 160};

struct LabelText {
  std::vector<std::vector<std::string>> shapes;  // lines of each
  Font font;
  double symbol = 0;  // side of the decision's symbol and its room
};

/// "C3 missing" over "2.5 um, limit 920", or both in one line.
LabelText text_of(const ShownComponent& s) {
  if (s.decision == Decision::pass) return {{{s.component->reference}}, {10}, 0};
  LabelText text{{{s.fault}}, {11.5}, 15};
  if (const auto colon = s.fault.find(": "); colon != std::string::npos)
    text.shapes.insert(text.shapes.begin(), {s.fault.substr(0, colon), s.fault.substr(colon + 2)});
  return text;
}

Label label_of(const ShownComponent& s, const LabelText& text, const PageBox& part) {
  Label label;
  label.part = part;
  for (const auto& lines : text.shapes) {
    Label::Shape& shape = label.shapes.emplace_back();
    for (const std::string& line : lines)
      shape.width = std::max(shape.width, Page::width_of(line, text.font) + text.symbol + 2 * label_room);
    shape.height = static_cast<double>(lines.size()) * Page::height_of(text.font) + 2;
  }
  label.important = s.decision != Decision::pass;
  label.inside = !label.important;
  return label;
}

void draw_label(Page& page, const PlacedLabel& at, const LabelText& text, const ShownComponent& s) {
  if (s.decision != Decision::pass) {
    const PageBox& b = at.box;
    page.fill(b, paper);
    page.outline(b, {color_of(s.decision), 1});
    draw_symbol(page, {b.x + label_room, b.y + 3}, text.symbol - 4, s.decision, color_of(s.decision));
  } else {
    page.fill(at.box, paper);
  }
  double y = at.box.y + 1;
  for (const std::string& line : text.shapes[at.shape]) {
    page.text({at.box.x + label_room + text.symbol, y}, line, ink, text.font);
    y += Page::height_of(text.font);
  }
}

}  // namespace

std::vector<ShownComponent> shown_components(const Recipe& recipe, const BoardVerdict& verdict) {
  std::vector<ShownComponent> all;
  for (const Component& c : recipe.components) {
    const ComponentVerdict* row = verdict_on(verdict, c.reference);
    const Decision decision = row ? row->decision : verdict.decision;
    const std::string fault = row ? fault_text(*row) : decision == Decision::pass ? "" : name_of(decision);
    all.push_back({&c, row, decision, fault.empty() ? c.reference : c.reference + " " + fault});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const ShownComponent& a, const ShownComponent& b) { return a.decision > b.decision; });
  return all;
}

void draw_outlines(Page& page, const BoardWindow& window, const Recipe& recipe,
                   const std::vector<ShownComponent>& shown) {
  const PageBox map = window.box();
  page.clipped(map, [&] {
    for (auto s = shown.rbegin(); s != shown.rend(); ++s) {  // the worst last, so that nothing covers it
      const Component& c = *s->component;
      const BoardRect& around = c.floor_outline ? *c.floor_outline : c.body;
      const std::vector<PagePoint> outer = window.corners(around, recipe.floor.outer_margin_mm);
      if (!bounds_of(outer).overlaps(map)) continue;
      const std::vector<PagePoint> body = window.corners(c.body);
      const PageBox size = bounds_of(body);
      // rings would hide small parts that pass
      if (s->decision != Decision::pass || std::min(size.width, size.height) > least_ringed_px)
        for (const auto& ring : {window.corners(around, recipe.floor.inner_margin_mm), outer})
          page.outline(ring, {ring_color, 0.8});
      draw_cased(page, body, pen_of(s->decision));
    }
  });
}

PartLabels::PartLabels(const BoardWindow& window, const Recipe& recipe,
                       const std::vector<ShownComponent>& shown, std::size_t most) {
  const PageBox map = window.box();
  std::vector<PageBox> bodies;
  std::vector<Label> labels;
  for (const Component& c : recipe.components)
    if (const PageBox box = bounds_of(window.corners(c.body)); box.overlaps(map))
      bodies.push_back(box.grown(2));
  for (const ShownComponent& s : shown) {
    const PageBox part = bounds_of(window.corners(s.component->body)).grown(2);
    const bool fault = s.decision != Decision::pass, seen = part.overlaps(map);
    if (seen && (fault ? named_.size() < most : shown.size() <= most_references)) {
      named_.push_back(&s);
      labels.push_back(label_of(s, text_of(s), part));
    } else if (fault) {
      left_over_.push_back(s.fault);
    }
  }
  places_ = place_labels(labels, bodies, map.grown(-2));
  for (std::size_t i = 0; i < named_.size(); ++i)
    if (!places_[i] && named_[i]->decision != Decision::pass) left_over_.push_back(named_[i]->fault);
}

void PartLabels::draw(Page& page) const {
  for (const auto& place : places_)
    if (place && !place->leader.empty())
      for (const Pen& pen : {Pen{paper, 3.4}, Pen{ink, 1.2}}) page.line(place->leader, pen);
  for (std::size_t i = 0; i < named_.size(); ++i)
    if (places_[i]) draw_label(page, *places_[i], text_of(*named_[i]), *named_[i]);
}

namespace {

constexpr double zoom_width = 236, zoom_image = 170, zoom_gap = 18;
constexpr std::size_t most_checks = 5;
constexpr Font zoom_title{12, true};

/// The floor ring of a component and a little more, in the shape of a zoom.
BoardWindow window_of(const Component& c, const Recipe& recipe) {
  const BoardRect& around = c.floor_outline ? *c.floor_outline : c.body;
  BoardWindow unit{0, 0, 1, 1, 0};
  const PageBox mm = bounds_of(unit.corners(around, recipe.floor.outer_margin_mm));
  BoardWindow w;
  w.width = static_cast<int>(zoom_width);
  w.height = static_cast<int>(zoom_image);
  w.mm_per_px = std::max({1.15 * mm.width / zoom_width, 1.15 * mm.height / zoom_image, 1e-6});
  w.left_mm = around.centre_mm.x() - w.mm_per_px * zoom_width / 2;
  w.bottom_mm = around.centre_mm.y() - w.mm_per_px * zoom_image / 2;
  return w;
}

}  // namespace

Zooms::Zooms(const Recipe& recipe, const std::vector<ShownComponent>& shown, std::size_t most, double width,
             Draw draw)
    : recipe_(recipe), all_(shown), draw_(std::move(draw)) {
  columns_ = std::max<std::size_t>(1, static_cast<std::size_t>((width + zoom_gap) / (zoom_width + zoom_gap)));
  for (const ShownComponent& s : all_) {
    if (s.decision == Decision::pass || zooms_.size() >= most) break;
    Zoom zoom{&s, break_lines(s.fault, zoom_width - 18, zoom_title), {}};
    for (const CheckVerdict& v : s.verdict ? s.verdict->checks : std::vector<CheckVerdict>())
      if (zoom.checks.size() < most_checks) zoom.checks.push_back(cut(check_text(v), zoom_width, small));
    zooms_.push_back(std::move(zoom));
  }
}

double Zooms::row_height() const {
  std::size_t titles = 0, checks = 0;
  for (const Zoom& z : zooms_) {
    titles = std::max(titles, z.title.size());
    checks = std::max(checks, z.checks.size());
  }
  return static_cast<double>(titles) * Page::height_of(zoom_title) + zoom_image + Page::height_of(small) +
         10 + static_cast<double>(checks) * Page::height_of(small) + zoom_gap;
}

double Zooms::height() const {
  return static_cast<double>((zooms_.size() + columns_ - 1) / columns_) * (zooms_.empty() ? 0 : row_height());
}

void Zooms::draw(Page& page, PagePoint upper_left) const {
  std::size_t titles = 0;
  for (const Zoom& z : zooms_) titles = std::max(titles, z.title.size());
  for (std::size_t i = 0; i < zooms_.size(); ++i) {
    const Zoom& z = zooms_[i];
    PagePoint at{upper_left.x + static_cast<double>(i % columns_) * (zoom_width + zoom_gap),
                 upper_left.y + static_cast<double>(i / columns_) * row_height()};
    draw_symbol(page, {at.x, at.y + 1}, 12, z.shown->decision, color_of(z.shown->decision));
    for (std::size_t k = 0; k < z.title.size(); ++k)
      page.text({at.x + 16, at.y + static_cast<double>(k) * Page::height_of(zoom_title)}, z.title[k], ink,
                zoom_title);
    at.y = std::ceil(at.y + static_cast<double>(titles) * Page::height_of(zoom_title) + 2);
    BoardWindow window = window_of(*z.shown->component, recipe_);
    window.corner = at;
    const PageBox box = window.box();
    page.image(box, draw_(window));
    draw_outlines(page, window, recipe_, all_);
    page.outline(box, {ink, 1});
    at.y += zoom_image + 4;
    draw_scale_bar(page, at, zoom_width / 2, window.mm_per_px, small);
    for (const std::string& check : z.checks)
      page.text({at.x, at.y += Page::height_of(small)}, check, ink, small);
  }
}

}  // namespace datum::picture
