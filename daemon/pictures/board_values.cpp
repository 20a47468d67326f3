#include "daemon/pictures/board_values.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace datum {
namespace {

constexpr float no_um = std::numeric_limits<float>::quiet_NaN();

bool is_measured(const ComponentVerdict& c) {
  return std::any_of(c.checks.begin(), c.checks.end(),
                     [](const CheckVerdict& v) { return v.decision != Decision::invalid; });
}

/// Height over the floor of the verdict less the nominal one (daemon/inspection/METROLOGY.md, S6).
double deviation_um(const FrameSample& sample, const ComponentVerdict& c, const Recipe& recipe,
                    double nominal_um) {
  const FloorEvidence& floor = c.floor;
  const bool from_warp = c.warp_floor.has_value();
  const double a = from_warp ? c.warp_floor->a : floor.a, b = from_warp ? c.warp_floor->b : floor.b;
  const double level = from_warp ? c.warp_floor->c_um : floor.c_um;
  const double form = recipe.floor.form != FloorForm::quadratic ? 0
                      : from_warp                               ? c.warp_floor->form_um
                                                                : floor.form_um;
  const double under =
      level + form + 1e3 * (a * (sample.x() - floor.centre_x_mm) + b * (sample.y() - floor.centre_y_mm));
  return (1e3 * sample.z() - under) / std::sqrt(1 + a * a + b * b) - nominal_um;
}

bool is_inside(const BoardRect& rect, const Eigen::Vector2d& mm) {
  const double angle = rect.rotation_deg * std::numbers::pi / 180;
  const Eigen::Vector2d ex(std::cos(angle), std::sin(angle)), ey(-ex.y(), ex.x()), d = mm - rect.centre_mm;
  return std::abs(d.dot(ex)) <= rect.size_mm.x() / 2 && std::abs(d.dot(ey)) <= rect.size_mm.y() / 2;
}

bool is_height(Characteristic c) { return c <= Characteristic::top_mean; }

}  // namespace

const ComponentVerdict* verdict_on(const BoardVerdict& verdict, const std::string& reference) {
  for (const ComponentVerdict& c : verdict.components)
    if (c.reference == reference) return &c;
  return nullptr;
}

BoardSampler::BoardSampler(const PictureMap& map, const Recipe& recipe, const BoardVerdict& verdict,
                           BoardValues values)
    : map_(map), recipe_(recipe), verdict_(verdict), values_(values) {}

BoardSampler::Values BoardSampler::of(const BoardWindow& window) const {
  BoardWindow w = window;
  w.corner = {};  // pixels count from it
  const std::size_t size = static_cast<std::size_t>(w.width) * static_cast<std::size_t>(w.height);
  Values v{std::vector<float>(size, no_um), std::vector<Kind>(size, Kind::beside)};
  if (values_ == BoardValues::deviations) {
    for (std::size_t i = 0; i < recipe_.components.size(); ++i) add_deviations(w, i, v);
    return v;
  }
  std::size_t i = 0;
  for (int y = 0; y < w.height; ++y)
    for (int x = 0; x < w.width; ++x, ++i) {
      const auto sample = map_.sample(w.board_mm(x + 0.5, y + 0.5), w.mm_per_px);
      if (sample) v.um[i] = static_cast<float>(map_.height_um(*sample));
      v.kind[i] = std::isfinite(v.um[i]) ? Kind::value : Kind::no_value;
    }
  return v;
}

void BoardSampler::add_deviations(const BoardWindow& w, std::size_t component, Values& v) const {
  const Component& c = recipe_.components[component];
  const ComponentVerdict* row = verdict_on(verdict_, c.reference);
  const bool measured = row && is_measured(*row) && c.nominal_height_um > 0;
  const PageBox box = bounds_of(w.corners(c.body));
  const auto pixel = [](double at, int most) {
    return static_cast<int>(std::clamp(at, 0.0, static_cast<double>(most)));
  };
  for (int y = pixel(box.y, w.height); y < pixel(box.bottom() + 1, w.height); ++y)
    for (int x = pixel(box.x, w.width); x < pixel(box.right() + 1, w.width); ++x) {
      const Eigen::Vector2d mm = w.board_mm(x + 0.5, y + 0.5);
      if (!is_inside(c.body, mm)) continue;
      const std::size_t i =
          static_cast<std::size_t>(y) * static_cast<std::size_t>(w.width) + static_cast<std::size_t>(x);
      const auto sample = measured ? map_.sample(mm, w.mm_per_px) : std::nullopt;
      if (sample) v.um[i] = static_cast<float>(deviation_um(*sample, *row, recipe_, c.nominal_height_um));
      v.kind[i] = std::isfinite(v.um[i]) ? Kind::value : Kind::no_value;
    }
}

BoardSampler::Range BoardSampler::range() const {
  double most = 0, least = 1e300;
  for (const Component& c : recipe_.components)
    for (const Check& check : c.checks)
      for (const auto& limit : {check.lower, check.upper})
        if (limit && is_height(check.characteristic) && c.nominal_height_um > 0)
          most = std::max(most, std::abs(*limit - c.nominal_height_um)),
          least = std::min(least, std::abs(*limit - c.nominal_height_um));
  return most > 0 ? Range{2 * most, least} : Range{100, 100};
}

double BoardSampler::lowest_nominal_um() const {
  double lowest = 0;
  for (const Component& c : recipe_.components)
    if (c.nominal_height_um > 0 && !(lowest > 0 && lowest < c.nominal_height_um))
      lowest = c.nominal_height_um;
  return lowest;
}

}  // namespace datum
