#include "tests/statistics/statistics_ring.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace datum::statistics {
namespace {

using Eigen::Vector2d;

/// A grid of points in the ring of a component, relative to its centre, in axes rotated by `quarter` right angles.
std::vector<Vector2d> ring_points(const Vector2d& size_mm, const Margins& ring, int quarter) {
  constexpr int steps = 200;
  Vector2d body = size_mm;
  if (quarter % 2) std::swap(body.x(), body.y());
  const Vector2d inner = body / 2 + Vector2d::Constant(ring.inner_mm);
  const Vector2d outer = body / 2 + Vector2d::Constant(ring.outer_mm);
  std::vector<Vector2d> points;
  for (int i = 0; i < steps; ++i)
    for (int k = 0; k < steps; ++k) {
      const Vector2d p(outer.x() * (2 * (i + 0.5) / steps - 1), outer.y() * (2 * (k + 0.5) / steps - 1));
      if ((p.cwiseAbs().array() > inner.array()).any()) points.push_back(p);
    }
  return points;
}

double at_share(std::vector<double> values, double share) {
  const auto n = static_cast<std::size_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n), values.end());
  return values[n];
}

/// A patch on one side of the component that covers this share of its ring, up to the edge of its cell.
TwinPatch side_patch(const TwinRect& body, const Margins& ring, double share, int quarter, double height_um) {
  std::vector<double> along;
  for (const Vector2d& p : ring_points(body.size_mm, ring, quarter)) along.push_back(p.x());
  const double from = at_share(along, 1 - share);
  Vector2d size = body.size_mm;
  if (quarter % 2) std::swap(size.x(), size.y());
  const Vector2d half = size / 2 + Vector2d::Constant(ring.outer_mm);
  const double turn = quarter * std::numbers::pi / 2;
  const Vector2d outward(std::cos(turn), std::sin(turn));
  TwinPatch patch;
  patch.outline.centre_mm = body.centre_mm + outward * (from + half.x()) / 2;
  patch.outline.size_mm = {half.x() - from, 2 * half.y()};
  patch.outline.rotation_deg = 90.0 * quarter;
  patch.height_um = height_um;
  return patch;
}

TwinPatch sector_patch(const TwinRect& body, const Margins& ring, double share, double from_deg,
                       double height_um) {
  std::vector<double> turns;
  for (const Vector2d& p : ring_points(body.size_mm, ring, 0)) {
    const double turn = std::atan2(p.y(), p.x()) * 180 / std::numbers::pi - from_deg;
    turns.push_back(turn - 360 * std::floor(turn / 360));
  }
  TwinPatch patch;
  patch.outline.centre_mm = body.centre_mm;
  patch.outline.size_mm = body.size_mm + Vector2d::Constant(2 * ring.outer_mm);
  patch.height_um = height_um;
  patch.sector_from_deg = from_deg;
  patch.sector_deg = at_share(turns, share);
  return patch;
}

/// Traces of 0.2 mm at a pitch of 0.6 mm through the whole cell.
std::vector<TwinPatch> stripes(const TwinRect& body, const Margins& ring, bool upright, double phase,
                               double height_um) {
  constexpr double period = 0.6, width = 0.2;
  const Vector2d half = body.size_mm / 2 + Vector2d::Constant(ring.outer_mm);
  const double reach = upright ? half.x() : half.y();
  std::vector<TwinPatch> patches;
  for (double at = -reach + width / 2 + phase * (period - width); at <= reach - width / 2; at += period) {
    TwinPatch patch;
    patch.outline.centre_mm = body.centre_mm + (upright ? Vector2d(at, 0) : Vector2d(0, at));
    patch.outline.size_mm = upright ? Vector2d(width, 2 * half.y()) : Vector2d(2 * half.x(), width);
    patch.height_um = height_um;
    patches.push_back(patch);
  }
  return patches;
}

}  // namespace

std::vector<TwinPatch> level_patches(Level level, double step_um, const TwinRect& body, const Margins& ring,
                                     const TwinRandom& random, std::uint64_t counter) {
  const int quarter = static_cast<int>(4 * random.uniform(counter));
  const double turn_deg = 360 * random.uniform(counter + 1), extra = random.uniform(counter + 2);
  switch (level) {
    case Level::none:
      return {};
    case Level::side:
      return {side_patch(body, ring, 1.0 / 3, quarter, step_um)};
    case Level::sector:
      return {sector_patch(body, ring, 1.0 / 3, turn_deg, step_um)};
    case Level::stripes:
      return stripes(body, ring, quarter % 2, extra, step_um);
    case Level::half:
      return {side_patch(body, ring, 0.5, quarter, step_um)};
    case Level::uneven:
      return {side_patch(body, ring, 0.49, quarter, step_um)};
    case Level::two_levels:  // on two sides, or on two adjacent sectors
      if (extra < 0.5)
        return {side_patch(body, ring, 0.25, quarter, step_um),
                side_patch(body, ring, 0.25, quarter + 2, step_um / 2)};
      {
        const TwinPatch high = sector_patch(body, ring, 0.25, turn_deg, step_um);
        return {high, sector_patch(body, ring, 0.25, turn_deg + high.sector_deg, step_um / 2)};
      }
    case Level::ramp: {
      TwinPatch patch = side_patch(body, ring, 1.0 / 3, quarter, step_um);
      patch.ramp = true;
      return {patch};
    }
    case Level::step:
      return {side_patch(body, ring, 0.2 + 0.3 * extra, quarter, step_um)};
  }
  return {};
}

}  // namespace datum::statistics
