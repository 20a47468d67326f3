#include "daemon/inspection/surface/surface_form.h"

#include <algorithm>

#include "daemon/inspection/surface/beside.h"

namespace datum {
namespace {

/// The sides of a region whose extremes its checks judge.
struct Sides {
  bool low = false, high = false;
};
Sides sides_of(const Component& region) {
  Sides sides;
  for (const Check& check : region.checks) {
    const bool both = check.characteristic == Characteristic::profile;
    sides.low |= both || check.characteristic == Characteristic::deviation_minimum;
    sides.high |= both || check.characteristic == Characteristic::deviation_maximum;
  }
  return sides;
}

}  // namespace

FoundForm form_of(const ComparedSurface& surface, const Recipe& recipe, const SensorProfile& sensor,
                  unsigned threads) {
  const SurfaceSettings& settings = recipe.surface->settings;
  const std::size_t regions = recipe.surface->regions.size();
  const bool side_by_side = threads > 2;  // each of these is partly one thread's
  FoundForm f;
  auto extremes = beside(side_by_side, [&] {
    return window_extremes(surface.grids, surface.judged_region, surface.deviation, regions,
                           settings.window_px, threads);
  });
  f.noise = region_noises(surface.grids, surface.face_region, surface.deviation, regions, settings.window_px,
                          threads);
  f.extremes = extremes.get();
  auto spots = beside(side_by_side,
                      [&] { return find_spots(surface, settings, f.extremes, f.noise, sensor, threads); });
  std::vector<FormLevels> levels(regions);
  for (std::size_t r = 0; r < regions; ++r)
    if (const Sides sides = sides_of(recipe.components[r]); (sides.low || sides.high) && f.noise[r].tiles > 0)
      levels[r] = form_levels(f.noise[r], settings.window_px, threads);
  f.lifts.resize(regions);
  for (std::size_t r = 0; r < regions; ++r) {
    const Sides sides = sides_of(recipe.components[r]);
    if (f.noise[r].tiles == 0) continue;
    const auto lift = [&](double sign, double outwards_mm) {
      return noise_lift(f.noise[r], levels[r], sign, outwards_mm, threads);
    };
    auto lowest = beside(side_by_side && sides.low, [&] { return lift(-1, -f.extremes[r].lowest); });
    if (sides.high) f.lifts[r].highest = lift(1, f.extremes[r].highest);
    if (sides.low) f.lifts[r].lowest = lowest.get();
  }
  f.spots = spots.get();
  return f;
}

}  // namespace datum
