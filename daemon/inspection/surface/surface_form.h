// What lies in a surface's deviations, beside the areas that they stand for.
#pragma once

#include <vector>

#include "daemon/inspection/recipe/recipe.h"
#include "daemon/inspection/surface/surface_spots.h"

namespace datum {

/// Element r of a list belongs to region r.
struct FoundForm {
  std::vector<WindowExtremes> extremes;
  std::vector<RegionNoise> noise;
  std::vector<RegionLifts> lifts;
  SurfaceSpots spots;
};

/// Of a compared surface. Nothing depends on the number of threads.
FoundForm form_of(const ComparedSurface& surface, const Recipe& recipe, const SensorProfile& sensor,
                  unsigned threads);

}  // namespace datum
