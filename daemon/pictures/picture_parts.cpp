#include "daemon/pictures/picture_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "daemon/pictures/color_scale.h"

namespace datum {

Rgb color_of(Decision decision) {
  switch (decision) {
    case Decision::pass:
      return {0, 76, 60};
    case Decision::inconclusive:
      return {188, 112, 0};
    case Decision::fail:
      return {205, 32, 20};
    case Decision::invalid:
      return {118, 28, 140};
  }
  return picture::ink;
}

namespace picture {
namespace {

constexpr double badge_size = 34;
constexpr Font badge_font{19, true};

double badge_width(Decision d) { return badge_size + Page::width_of(name_of(d), badge_font) + 10; }

}  // namespace

Pen pen_of(Decision d) {
  switch (d) {
    case Decision::inconclusive:
      return {color_of(d), 2.5, {9, 5}};
    case Decision::fail:
      return {color_of(d), 3.5};
    case Decision::invalid:
      return {color_of(d), 2.5, {3, 3}};
    default:
      return {color_of(d), 1};
  }
}

void draw_cased(Page& page, const std::vector<PagePoint>& polygon, const Pen& pen) {
  page.outline(polygon, {paper, pen.width + (pen.width > 1 ? 2.4 : 1.2)});
  page.outline(polygon, pen);
}

void draw_symbol(Page& page, PagePoint at, double size, Decision decision, Rgb color) {
  const auto p = [&](double x, double y) { return PagePoint{at.x + x * size, at.y + y * size}; };
  const Pen pen{color, size / 6};
  switch (decision) {
    case Decision::pass:
      return page.line({p(0.15, 0.55), p(0.4, 0.8), p(0.85, 0.2)}, pen);
    case Decision::fail:
      page.line({p(0.15, 0.15), p(0.85, 0.85)}, pen);
      return page.line({p(0.85, 0.15), p(0.15, 0.85)}, pen);
    case Decision::inconclusive:
      page.line({p(0.2, 0.3), p(0.35, 0.12), p(0.65, 0.12), p(0.8, 0.3), p(0.5, 0.52), p(0.5, 0.68)}, pen);
      return page.line({p(0.5, 0.8), p(0.5, 0.98)}, pen);
    case Decision::invalid:
      page.outline({p(0.5, 0.05), p(0.95, 0.5), p(0.5, 0.95), p(0.05, 0.5)}, {color, size / 9});
      return page.line({p(0.28, 0.28), p(0.72, 0.72)}, {color, size / 9});
  }
}

std::vector<std::string> wrap(const std::vector<std::string>& words, double width, const Font& font) {
  std::vector<std::string> lines;
  for (const std::string& word : words) {
    const std::string longer = lines.empty() ? word : lines.back() + "   " + word;
    if (!lines.empty() && Page::width_of(longer, font) <= width) {
      lines.back() = longer;
    } else {
      lines.push_back(cut(word, width, font));
    }
  }
  return lines;
}

std::vector<std::string> break_lines(const std::string& text, double width, const Font& font) {
  std::vector<std::string> lines{""};
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    const std::string longer = lines.back().empty() ? word : lines.back() + " " + word;
    if (lines.back().empty() || Page::width_of(longer, font) <= width)
      lines.back() = cut(longer, width, font);
    else
      lines.push_back(cut(word, width, font));
    at = end + 1;
  }
  return lines;
}

std::string cut(const std::string& text, double width, const Font& font) {
  if (Page::width_of(text, font) <= width) return text;
  std::size_t least = 0, most = text.size();  // characters that fit, and that don't
  while (most - least > 1) {
    const std::size_t half = (least + most) / 2;
    (Page::width_of(text.substr(0, half) + "...", font) <= width ? least : most) = half;
  }
  return text.substr(0, least) + "...";
}

double header_height(const Header& header, double width) {
  const auto lines = wrap(header.words, width - badge_width(header.decision) - margin, small);
  return std::ceil(std::max(
      badge_size, Page::height_of(heading) + static_cast<double>(lines.size()) * Page::height_of(small)));
}

void draw_header(Page& page, const PageBox& box, const Header& header) {
  const double badge = badge_width(header.decision), left = box.x + badge + margin;
  page.fill(PageBox{box.x, box.y, badge, badge_size}, color_of(header.decision));
  draw_symbol(page, {box.x + 8, box.y + 8}, badge_size - 16, header.decision, paper);
  page.text({box.x + badge_size, box.y + (badge_size - Page::height_of(badge_font)) / 2},
            name_of(header.decision), paper, badge_font);
  page.text({left, box.y}, cut(header.title, box.right() - left, heading), ink, heading);
  double y = box.y + Page::height_of(heading);
  for (const std::string& line : wrap(header.words, box.right() - left, small)) {
    page.text({left, y}, line, ink, small);
    y += Page::height_of(small);
  }
}

std::vector<std::string> words_of(const BoardVerdict& v) {
  std::vector<std::string> words;
  const auto add = [&](const char* name, const std::string& value) {
    if (!value.empty()) words.push_back(name + value);
  };
  add("recipe ", v.recipe);
  add("unit ", v.unit_id);
  if (v.sequence != 0) add("result ", std::to_string(v.sequence));
  add("", v.measured_at);
  add("sensor ", v.sensor_serial);
  add("calibration ", v.calibration);
  add("frame ", v.frame_id);
  add("code ", v.code);
  if (v.reason != Reason::none) add("", name_of(v.reason));
  return words;
}

void draw_arrow(Page& page, PagePoint from, PagePoint to, const std::string& name) {
  const double length = std::hypot(to.x - from.x, to.y - from.y);
  if (length < 1) return;
  const PagePoint d{(to.x - from.x) / length, (to.y - from.y) / length};
  const auto back = [&](double along, double aside) {
    return PagePoint{to.x - along * d.x - aside * d.y, to.y - along * d.y + aside * d.x};
  };
  page.line({from, back(7, 0)}, {ink, 2});
  page.fill({to, back(10, 4.5), back(10, -4.5)}, ink);
  if (name.empty()) return;
  const double w = Page::width_of(name), h = Page::height_of(),
               off = 3 + (std::abs(d.x) * w + std::abs(d.y) * h) / 2;
  page.text({to.x + d.x * off - w / 2, to.y + d.y * off - h / 2}, name, ink);
}

void draw_scale_bar(Page& page, PagePoint left, double most, double mm_per_px, const Font& font) {
  const double mm = round_step(most * mm_per_px), length = mm / mm_per_px, half = Page::height_of(font) / 2;
  const double middle = left.y + half;
  page.line({{left.x, middle}, {left.x + length, middle}}, {ink, 3});
  for (const double x : {left.x, left.x + length}) page.line({{x, middle - 5}, {x, middle + 5}}, {ink, 1.5});
  page.text({left.x + length + 6, left.y}, short_number(mm) + " mm", ink, font);
}

void draw_axes(Page& page, const PageBox& map, double left_mm, double bottom_mm, double mm_per_px,
               const std::string& system) {
  page.outline(map, {ink, 1});
  const double step = round_step(110 * mm_per_px);
  const double h = Page::height_of(small);
  for (const double mm : multiples_of(step, left_mm, left_mm + map.width * mm_per_px)) {
    const double x = map.x + (mm - left_mm) / mm_per_px;
    const std::string text = short_number(mm);
    page.line({{x, map.bottom()}, {x, map.bottom() + 5}}, {ink, 1});
    page.text({x - Page::width_of(text, small) / 2, map.bottom() + 7}, text, ink, small);
  }
  for (const double mm : multiples_of(step, bottom_mm, bottom_mm + map.height * mm_per_px)) {
    const double y = map.bottom() - (mm - bottom_mm) / mm_per_px;
    const std::string text = short_number(mm);
    page.line({{map.x - 5, y}, {map.x, y}}, {ink, 1});
    page.text({map.x - 8 - Page::width_of(text, small), std::min(y - h / 2, map.bottom() - h)}, text, ink,
              small);
  }
  const double row = map.bottom() + 8 + h;
  const std::string x_name = system + " x, mm", y_name = system + " y, mm";
  page.text({map.x, row}, x_name, ink);
  const double x_end = map.x + Page::width_of(x_name) + 8;
  draw_arrow(page, {x_end, row + Page::height_of() / 2}, {x_end + 44, row + Page::height_of() / 2}, "");
  draw_scale_bar(page, {x_end + 84, row}, 200, mm_per_px, {});
  const double column = map.x - axis_left, width = Page::width_of(y_name);
  page.text_upwards({column, map.bottom() - width}, y_name, ink);
  const double middle = column + Page::height_of() / 2, y_end = map.bottom() - width - 8;
  draw_arrow(page, {middle, y_end}, {middle, y_end - 44}, "");
}

void draw_counts(Page& page, PagePoint at, const BoardVerdict& verdict) {
  for (const Decision d : {Decision::pass, Decision::inconclusive, Decision::fail, Decision::invalid}) {
    const std::uint32_t n = component_counts(verdict).at(static_cast<std::size_t>(d));
    const double size = Page::height_of();
    page.line({{at.x, at.y + size / 2}, {at.x + 26, at.y + size / 2}}, pen_of(d));
    draw_symbol(page, {at.x + 32, at.y + 2}, size - 4, d, color_of(d));
    const std::string text = fmt::format("{} {}", name_of(d), n);
    page.text({at.x + 34 + size, at.y}, text, ink);
    at.x += 34 + size + Page::width_of(text) + 22;
  }
}

}  // namespace picture
}  // namespace datum
