#include "daemon/inspection/surface/surface_form.h"

#include <algorithm>

#include "daemon/inspection/surface/beside.h"
#include "daemon/inspection/surface/surface_region_form.h"
#include "gpu/core/parallel_for.h"

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

/// Few loops, each of all that can be done at once: threads that wait for one are late for the next.
FoundForm found_form(const ComparedSurface& surface, const Recipe& recipe, const SensorProfile& sensor,
                     unsigned threads) {
  const SurfaceSettings& settings = recipe.surface->settings;
  const std::size_t regions = recipe.surface->regions.size();
  FoundForm f;
  WindowSearch windows(surface.grids, surface.judged_region, surface.deviation, regions, settings.window_px);
  BoxSearch boxes(surface.grids, surface.face_region, regions);
  parallel_for(threads, boxes.bands(), [&](std::size_t band, unsigned) { boxes.look_at(band); });
  CellsOfRegions cells(surface.grids, boxes.boxes(), surface.face_region, surface.deviation, regions);
  OutOfTolerance out(surface);
  parallel_for(threads, cells.rows() + out.runs(), [&](std::size_t i, unsigned) {
    if (i < cells.rows())
      cells.add_row(i);
    else
      out.look_at(i - cells.rows());
  });
  cells.fit(threads);
  parallel_for(threads, cells.tasks() + windows.bands(), [&](std::size_t i, unsigned) {
    if (i < cells.tasks())
      cells.do_task(i);
    else
      windows.look_at(i - cells.tasks());
  });
  f.extremes = windows.extremes();
  f.noise = region_noises(cells, regions, settings.window_px, threads);
  auto spots = beside(threads > 2 && out.can_have_spots(settings), [&] {
    return find_spots(surface, out, settings, f.extremes, f.noise, sensor, threads);
  });
  f.lifts.resize(regions);
  for (std::size_t r = 0; r < regions; ++r) {
    const Sides sides = sides_of(recipe.components[r]);
    if (f.noise[r].tiles == 0 || !(sides.low || sides.high)) continue;
    const auto outwards = [](bool wanted, double mm) {
      return wanted ? std::optional<double>(mm) : std::nullopt;
    };
    f.lifts[r] = noise_lifts(f.noise[r], form_levels(f.noise[r], settings.window_px, threads),
                             outwards(sides.low, -f.extremes[r].lowest),
                             outwards(sides.high, f.extremes[r].highest), threads);
  }
  f.spots = spots.get();
  return f;
}

}  // namespace

FoundForm form_of(const ComparedSurface& surface, const Recipe& recipe, const SensorProfile& sensor,
                  unsigned threads) {
  // Areas and statistics go on beside, and all waits for these.
  const unsigned own = threads > 4 ? threads / 2 : threads;
  FoundForm f;
  with_threads_awake(own, [&] { f = found_form(surface, recipe, sensor, own); });
  return f;
}

}  // namespace datum
