// Points about models whose deviations are known.
#pragma once

#include <memory>
#include <vector>

#include "daemon/inspection/surface/surface_cover.h"
#include "tests/gpu/model_scenes.h"

namespace datum::testing {

/// Sheet of 40 x 30 mm at z = 0 about the origin, upwards.
inline RawModel sheet_model(int cells = 1) {
  RawModel m;
  add_patch(m, cells, cells, [](double u, double v) { return Place3{40 * u - 20, 30 * v - 15, 0}; });
  return m;
}

/// Points at a height of `z_mm(x, y)` over the sheet, `step_mm` apart, x from `from_mm` to `to_mm`.
template <class Height>
void add_points(std::vector<ModelPoint>& points, double from_mm, double to_mm, double step_mm,
                const Height& z_mm) {
  // NOLINTBEGIN(clang-analyzer-security.FloatLoopCounter): a row more or less at the end is as good
  for (double x = from_mm + step_mm / 2; x < to_mm; x += step_mm)
    for (double y = -15 + step_mm / 2; y < 15; y += step_mm)
      points.push_back({static_cast<float>(x), static_cast<float>(y), static_cast<float>(z_mm(x, y))});
  // NOLINTEND(clang-analyzer-security.FloatLoopCounter)
}

inline SurfaceMap compared(const RawModel& raw, std::vector<ModelPoint> points, float search_mm = 2) {
  SurfaceMap map;
  map.model = std::make_shared<const TriangleModel>(triangle_model(raw));
  const std::vector<ModelDistance> found = find(*map.model, points, search_mm);
  map.distances.assign(found.begin(), found.end());
  map.snapshot.resize(points.size());
  map.points.assign(points.begin(), points.end());
  return map;
}

}  // namespace datum::testing
