#include "daemon/pictures/color_scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "daemon/pictures/deviation_colors.h"
#include "daemon/pictures/picture_parts.h"

namespace datum::picture {
namespace {

void count(ColorScale& s, const std::vector<float>& um) {
  if (um.empty()) return;
  const auto [low, high] = std::minmax_element(um.begin(), um.end());
  s.lowest = *low;
  s.highest = *high;
  const auto share = [&](auto beyond) {
    return static_cast<double>(std::count_if(um.begin(), um.end(), beyond)) / static_cast<double>(um.size());
  };
  s.share_below = share([&](float v) { return v < s.low; });
  s.share_above = share([&](float v) { return v > s.high; });
}

std::vector<float> numbers_of(std::span<const float> um) {
  std::vector<float> numbers;
  for (const float v : um)
    if (!std::isnan(v)) numbers.push_back(v);
  return numbers;
}

/// A knee that matters.
double knee_of(double span_um, double knee_um) { return knee_um > 0 && span_um > 6 * knee_um ? knee_um : 0; }

/// Numbers beside the bar: multiples of a round step, or 1, 2, 5 times powers of ten of both signs; `room` apart at least.
std::vector<double> ticks_of(const ColorScale& s, double room) {
  std::vector<double> wanted, ticks;
  if (s.knee == 0) {
    const double step = round_step((s.high - s.low) * std::min(room * 2.5, 0.5));
    wanted = multiples_of(step, s.low, s.high);
  } else {
    wanted.push_back(0);
    for (double power = 1e6; power > 0.01; power /= 10)  // the roundest numbers first
      for (const double sign : {1.0, -1.0}) wanted.push_back(sign * power);
    for (double power = 1e6; power > 0.01; power /= 10)
      for (const double factor : {2.0, 5.0, -2.0, -5.0}) wanted.push_back(factor * power);
  }
  for (const double um : wanted) {
    const double part = s.part_of(um);
    const bool free = std::none_of(ticks.begin(), ticks.end(),
                                   [&](double t) { return std::abs(s.part_of(t) - part) < room; });
    if (part > -1e-9 && part < 1 + 1e-9 && free) ticks.push_back(um);
  }
  return ticks;
}

std::string percent(double share) { return share < 0.001 ? "< 0.1 %" : fmt::format("{:.2g} %", 100 * share); }

}  // namespace

double ColorScale::part_of(double v) const {
  const auto along = [&](double um) { return knee > 0 ? std::asinh(um / knee) : um; };
  return (along(v) - along(low)) / (along(high) - along(low));
}

double ColorScale::value_at(double part) const {
  if (knee == 0) return low + part * (high - low);
  const double from = std::asinh(low / knee);
  return knee * std::sinh(from + part * (std::asinh(high / knee) - from));
}

Rgb ColorScale::at(double value, int y) const {
  const Rgb c = color(value);
  if (!is_signed || y % 4 != 0 || !(value < 0) || c == color(0)) return c;
  const auto lighter = [](std::uint8_t v) { return static_cast<std::uint8_t>(v + (255 - v) / 2); };
  return {lighter(c.r), lighter(c.g), lighter(c.b)};
}

ColorScale height_scale(std::span<const float> um, double low, double high, double knee_um) {
  std::vector<float> numbers = numbers_of(um);
  ColorScale s;
  s.title = "height, um";
  if (!numbers.empty()) {
    const auto quantile = [&](double q) {
      const auto n = static_cast<double>(numbers.size());
      const auto k = static_cast<std::ptrdiff_t>(std::clamp(std::ceil(q * n), 1.0, n)) - 1;
      std::nth_element(numbers.begin(), numbers.begin() + k, numbers.end());
      return static_cast<double>(numbers[static_cast<std::size_t>(k)]);
    };
    s.low = quantile(low);
    s.high = std::max(quantile(high), s.low + 1);
  }
  count(s, numbers);
  s.knee = knee_of(s.high - s.low, knee_um);
  s.color = [s](double v) {
    if (v < s.low) return Rgb{0, 0, 0};
    if (v > s.high) return Rgb{255, 255, 255};
    return height_colors()[static_cast<std::size_t>(std::lround(255 * std::clamp(s.part_of(v), 0.0, 1.0)))];
  };
  return s;
}

ColorScale deviation_scale(std::span<const float> um, double range_um, double knee_um) {
  ColorScale s;
  s.title = "deviation, um";
  s.low = -range_um;
  s.high = range_um;
  count(s, numbers_of(um));
  s.knee = knee_of(range_um, knee_um);
  s.is_signed = true;
  s.color = [s](double v) { return deviation_colors[deviation_step(2 * s.part_of(v) - 1, 1)]; };
  return s;
}

Rgb no_value(int x, int y) { return (x + y) / 3 % 2 == 0 ? Rgb{96, 98, 104} : Rgb{206, 208, 212}; }

double round_step(double limit) {
  if (!(limit > 1e-12 && limit < 1e12)) return 1;
  double power = 1;
  while (power > limit) power /= 10;
  while (power * 10 <= limit) power *= 10;
  for (double factor : {5.0, 2.0})
    if (factor * power <= limit) return factor * power;
  return power;
}

std::vector<double> multiples_of(double step, double low, double high) {
  constexpr int most = 200;
  std::vector<double> all;
  const double first = std::ceil(low / step - 1e-9), slack = 1e-9 * step;
  for (int n = 0; n < most && (first + n) * step <= high + slack; ++n) all.push_back((first + n) * step);
  return all;
}

std::string short_number(double value) {
  std::string s = fmt::format("{:.3f}", value);
  s.erase(s.find_last_not_of('0') + 1);
  if (s.back() == '.') s.pop_back();
  return s == "-0" ? "0" : s;
}

void draw_color_bar(Page& page, const PageBox& box, const ColorScale& s) {
  constexpr double bar_width = 24, triangle = 16;
  const double line = Page::height_of(small) + 1;
  page.text({box.x, box.y}, s.title, ink);
  const double room = 2 * line + 4;  // of a mark
  const PageBox bar{box.x, box.y + Page::height_of() + 4 + room, bar_width,
                    box.height - Page::height_of() - 4 - 2 * room};
  PixelImage colors(1, std::max(2, static_cast<int>(bar.height)), {});
  for (int y = 0; y < colors.height; ++y)
    colors.set(0, y, s.at(s.value_at(std::clamp(1 - (y + 0.5) / colors.height, 1e-6, 1 - 1e-6)), y));
  page.image(bar, colors);
  page.outline(bar, {ink, 1});
  for (const double um : ticks_of(s, 1.6 * Page::height_of() / bar.height)) {
    const double y = bar.bottom() - s.part_of(um) * bar.height;
    page.line({{bar.right(), y}, {bar.right() + 5, y}}, {ink, 1.5});
    const double top = std::clamp(y - Page::height_of() / 2, bar.y, bar.bottom() - Page::height_of());
    page.text({bar.right() + 9, top}, short_number(um), ink);
  }
  const auto mark = [&](bool above) {
    const double share = above ? s.share_above : s.share_below, y = above ? bar.y : bar.bottom();
    if (share <= 0) return;
    const std::vector<PagePoint> tip{
        {bar.x, y}, {bar.right(), y}, {bar.middle().x, above ? y - triangle : y + triangle}};
    page.fill(tip, s.color(above ? 1e12 : -1e12));
    page.outline(tip, {ink, 1});
    const double top = above ? y - 2 * line - 2 : y + 2;
    page.text({bar.right() + 4, top}, percent(share) + (above ? " above," : " below,"), ink, small);
    page.text({bar.right() + 4, top + line}, fmt::format("to {:.5g}", above ? s.highest : s.lowest), ink,
              small);
  };
  mark(true);
  mark(false);
}

}  // namespace datum::picture
