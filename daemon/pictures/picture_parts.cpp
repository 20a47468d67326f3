#include "daemon/pictures/picture_parts.h"

#include <algorithm>
#include <cmath>

#include "daemon/pictures/picture.h"

namespace datum::picture {
namespace {

/// Shortest decimal form of a multiple of a round step.
std::string number(double value) {
  std::string text = std::to_string(std::lround(value * 1000));
  const bool negative = text[0] == '-';
  if (negative) text.erase(0, 1);
  while (text.size() < 4) text.insert(0, "0");
  text.insert(text.size() - 3, ".");
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return (negative && text != "0" ? "-" : "") + text;
}

}  // namespace

Stretch stretch_of(const HeightImage& image, double low, double high) {
  std::vector<float> um;
  um.reserve(image.um.size());
  for (float v : image.um)
    if (!std::isnan(v)) um.push_back(v);
  if (um.empty()) return {};
  const auto quantile = [&](double q) {
    const double rank = std::ceil(q * static_cast<double>(um.size()));
    const auto k = static_cast<std::ptrdiff_t>(std::clamp(rank, 1.0, static_cast<double>(um.size()))) - 1;
    std::nth_element(um.begin(), um.begin() + k, um.end());
    return static_cast<double>(um[static_cast<std::size_t>(k)]);
  };
  const Stretch s{quantile(low), quantile(high)};
  return {s.low_um, std::max(s.high_um, s.low_um + 1)};
}

Rgb height_color(double um, const Stretch& s) {
  const double t = std::clamp((um - s.low_um) / (s.high_um - s.low_um), 0.0, 1.0);
  return height_colors()[static_cast<std::size_t>(std::lround(255 * t))];
}

double round_step(double limit) {
  double power = 1;
  while (power > limit) power /= 10;
  while (power * 10 <= limit) power *= 10;
  for (double factor : {5.0, 2.0})
    if (factor * power <= limit) return factor * power;
  return power;
}

void draw_heights(Canvas& canvas, const HeightImage& image, const Stretch& stretch, int left, int top) {
  std::size_t i = 0;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x, ++i) {
      const float um = image.um[i];
      canvas.set(left + x, top + y, std::isnan(um) ? no_height : height_color(um, stretch));
    }
  }
}

void draw_color_bar(Canvas& canvas, const PixelBox& box, const Stretch& stretch) {
  constexpr int bar_width = 22;
  const int line_height = Canvas::text_height(text_scale);
  canvas.text(box.x, box.y, "um", ink, text_scale);
  const PixelBox bar{box.x, box.y + line_height + 8, bar_width, box.height - line_height - 8};
  for (int y = 0; y < bar.height; ++y) {
    const double t = 1 - static_cast<double>(y) / (bar.height - 1);
    const double um = stretch.low_um + t * (stretch.high_um - stretch.low_um);
    canvas.fill({bar.x, bar.y + y, bar.width, 1}, height_color(um, stretch));
  }
  const double step = round_step((stretch.high_um - stretch.low_um) / 4);
  for (double k = std::ceil(stretch.low_um / step); k * step <= stretch.high_um; ++k) {
    const double t = (k * step - stretch.low_um) / (stretch.high_um - stretch.low_um);
    const int y = bar.y + static_cast<int>(std::lround((1 - t) * (bar.height - 1)));
    canvas.fill({bar.x + bar.width, y, 5, 2}, ink);
    const int text_y = std::clamp(y - line_height / 2, bar.y, bar.y + bar.height - line_height);
    canvas.text(bar.x + bar.width + 9, text_y, number(k * step), ink, text_scale);
  }
}

void draw_footer(Canvas& canvas, const PixelBox& box, const BoardVerdict& verdict, double mm_per_px,
                 const std::string& colours) {
  const double length_mm = round_step(box.width * mm_per_px / 5);
  const int length = static_cast<int>(std::lround(length_mm / mm_per_px));
  const int middle = box.y + Canvas::text_height(text_scale) / 2 - 1;
  canvas.fill({box.x, middle - 1, length, 3}, ink);
  for (int x : {box.x, box.x + length - 3}) canvas.fill({x, middle - 7, 3, 15}, ink);
  canvas.text(box.x + length + 10, box.y, number(length_mm) + " mm", ink, text_scale);

  int right = box.x + box.width;
  for (Decision d : {Decision::invalid, Decision::fail, Decision::inconclusive, Decision::pass}) {
    const auto n = std::count_if(verdict.components.begin(), verdict.components.end(),
                                 [&](const ComponentVerdict& c) { return c.decision == d; });
    const std::string entry = std::string(name_of(d)) + " " + std::to_string(n);
    right -= Canvas::text_width(entry, text_scale);
    canvas.text(right, box.y, entry, color_of(d), text_scale);
    right -= 2 * Canvas::text_width(" ", text_scale) + 12;
  }
  canvas.text(box.x, box.y + Canvas::text_height(text_scale) + 8, colours, ink, text_scale);
}

std::vector<std::string> wrap(const std::vector<std::string>& words, int width) {
  std::vector<std::string> lines;
  for (const std::string& word : words) {
    const std::string longer = lines.empty() ? word : lines.back() + "  " + word;
    if (!lines.empty() && Canvas::text_width(longer, text_scale) <= width) {
      lines.back() = longer;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

}  // namespace datum::picture
