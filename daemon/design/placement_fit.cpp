#include "daemon/design/placement_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace datum::design {
namespace {

constexpr double near_mm = 0.1;

bool mirrors(Transform t) { return t == Transform::turned_mirrored || t == Transform::turned_back_mirrored; }
double signed_rotation(Transform t, double deg) {
  return t == Transform::turned || t == Transform::turned_mirrored ? deg : -deg;
}

/// Median distance of pins from pads, so that a pin list with a few other pads still votes.
double residual(Transform t, const PlacedPart& part) {
  std::vector<double> distances;
  for (std::size_t i = 0; i < part.pins.size(); ++i)
    distances.push_back((placed(t, part, part.pins[i]) - part.pads[i]).norm());
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  return *middle;
}

}  // namespace

const char* text_of(Transform t) {
  switch (t) {
    case Transform::turned:
      return "R(r)";
    case Transform::turned_mirrored:
      return "M R(r)";
    case Transform::turned_back:
      return "R(-r)";
    case Transform::turned_back_mirrored:
      return "M R(-r)";
  }
  return "?";
}

Point placed(Transform t, const PlacedPart& part, const Point& p) {
  Point moved = turned(p, signed_rotation(t, part.rotation_deg));
  if (mirrors(t)) moved.x() = -moved.x();
  return part.at + moved;
}

Fit fit_side(const std::vector<PlacedPart>& parts, Side side, Transform usual, const std::string& file) {
  std::array<std::size_t, all_transforms.size()> votes{};
  std::size_t with_pins = 0, voters = 0, unexplained = 0;
  std::string worst;
  double worst_mm = 0;
  for (const PlacedPart& part : parts) {
    if (part.side != side || part.pins.empty()) continue;
    ++with_pins;
    std::array<double, all_transforms.size()> r{};
    for (std::size_t i = 0; i < r.size(); ++i) r[i] = residual(all_transforms[i], part);
    const double best = *std::min_element(r.begin(), r.end()), last = *std::max_element(r.begin(), r.end());
    if (best >= near_mm) {
      ++unexplained;
      if (best > worst_mm) {
        worst_mm = best;
        worst = part.reference;
      }
      continue;
    }
    if (last - best < near_mm) continue;  // any transform explains it
    ++voters;
    for (std::size_t i = 0; i < r.size(); ++i) votes[i] += r[i] < near_mm;
  }
  if (with_pins > 0 && unexplained * 2 > with_pins)
    throw DesignError(fmt::format(
        "{}: no transform brings the pins of the packages to the pads of the {} side: {} of {} components "
        "are off, {} by {:.3f} mm; the file's rotations, origins or units contradict its pads",
        file, name_of(side), unexplained, with_pins, worst, worst_mm));
  Fit fit;
  fit.off = unexplained;
  if (voters == 0) {
    fit.transform = usual;
    return fit;
  }
  const auto usual_votes = votes[static_cast<std::size_t>(usual)];
  const auto most = static_cast<std::size_t>(std::max_element(votes.begin(), votes.end()) - votes.begin());
  fit.transform = usual_votes == votes[most] ? usual : all_transforms[most];
  // One among many is a library's odd part (KiCad 9 misplaces the pins of a jumper with custom pads by 0.1 mm).
  const std::size_t contrary = voters - votes[most];
  if (contrary * 100 > voters && !(contrary == 1 && voters >= 20))
    throw DesignError(fmt::format(
        "{}: the {} side's components contradict each other: {} explains {} of {}; export the file "
        "again from its CAD",
        file, name_of(side), text_of(fit.transform), votes[most], voters));
  fit.off += contrary;
  fit.proven = true;
  fit.components = votes[most];
  for (const PlacedPart& part : parts)
    if (part.side == side && !part.pins.empty())
      if (const double r = residual(fit.transform, part); r < near_mm)
        fit.worst_mm = std::max(fit.worst_mm, r);
  return fit;
}

double own_rotation(Transform t, Side side, double rotation_deg) {
  const double r = signed_rotation(t, rotation_deg);
  if (side == Side::top) return normal_angle(mirrors(t) ? 180 - r : r);
  // Seen after a turn about the vertical: B = MX A. With A = M R(r): R(r). With A = R(r), on a stored p = MY l: -R(-r).
  return normal_angle(mirrors(t) ? r : 180 - r);
}

SideFits fit_sides(const std::vector<PlacedPart>& parts, Transform usual_top, Transform usual_bottom,
                   const std::string& file, Design& design) {
  SideFits fits{fit_side(parts, Side::top, usual_top, file),
                fit_side(parts, Side::bottom, usual_bottom, file)};
  for (const Side side : {Side::top, Side::bottom}) {
    const Fit& fit = fits.of(side);
    const bool any =
        std::any_of(parts.begin(), parts.end(), [side](const PlacedPart& p) { return p.side == side; });
    if (!any) continue;
    if (fit.proven)
      design.remarks.push_back(
          fmt::format("{}: {} brings the pins of {} components to their pads, within {:.1f} um{}",
                      name_of(side), text_of(fit.transform), fit.components, fit.worst_mm * 1e3,
                      fit.off ? fmt::format("; {} others have pins elsewhere", fit.off) : ""));
    else
      design.remarks.push_back(fmt::format(
          "{}: the rotations are NOT proven: the file has no pads to fit pins to, or its parts are "
          "symmetric; look at the picture of the recipe",
          name_of(side)));
  }
  return fits;
}

}  // namespace datum::design
