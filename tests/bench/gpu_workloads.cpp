#include "tests/bench/gpu_workloads.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace datum::bench {
namespace {

using namespace datum::testing;

void take_points(const std::vector<std::uint32_t>& sizes, Workload* w) {
  w->points = 0;
  for (const std::uint32_t size : sizes) w->points += size;
  w->xyz.resize(3 * w->points);
  const float* x = w->xyz.data();
  for (const std::uint32_t size : sizes) {
    PlanePoints p;
    p.x = x, p.y = x + w->points, p.z = x + 2 * w->points, p.size = size;
    w->planes.push_back(p);
    x += size;
  }
}

void take_frame(MapScene map, Workload* w) {
  w->frame.reserve(map.bytes());
  std::memcpy(w->frame.get(), map.memory.data(), map.bytes());
  w->map = std::make_unique<MapScene>(std::move(map));
}

}  // namespace

Workload paper_workload(std::size_t count, std::int32_t across, std::int32_t down, const TruePlane& plane,
                        double inliers, bool with_map) {
  Workload w;
  char name[80];
  std::snprintf(name, sizeof name, "%zu x %d, w = %.1f, plane (%g, %g, %g)", count, across * down, inliers,
                plane.a, plane.b, plane.c);
  w.name = name;
  w.settings = paper_settings(FitMode::exact);
  w.paper_t = 1;
  w.truth.assign(count, plane);
  const std::uint32_t size = static_cast<std::uint32_t>(across * down);
  take_points(std::vector<std::uint32_t>(count, size), &w);
  const double slope = std::sqrt(1 + plane.a * plane.a + plane.b * plane.b);
  parallel_for(cpu_backend().threads, count, [&](std::size_t i, unsigned) {
    PlanePoints& p = w.planes[i];
    p.half_x = p.half_y = 200;
    p.seed = i + 1;
    float* x = w.xyz.data() + i * size;
    float *y = x + w.points, *z = y + w.points;
    for (std::uint32_t k = 0; k < size; ++k) {
      PixelRandom random(p.seed, k);  // the draws of patch_map, so that its points are these
      const double px = -200 + 400.0 / across * (k % static_cast<std::uint32_t>(across));
      const double py = -200 + 400.0 / down * (k / static_cast<std::uint32_t>(across));
      x[k] = static_cast<float>(px), y[k] = static_cast<float>(py);
      z[k] = static_cast<float>(paper_height(plane, slope, inliers, px, py, &random));
    }
  });
  if (with_map) take_frame(patch_map(plane, inliers, count, across), &w);
  return w;
}

Workload ring_workload() {
  Workload w;
  w.name = "58 rings of 12390 to 66528 pixels, frame 3904 x 3904";
  MapScene map = board_map(paper_rings());
  const BoardPlan plan = map.plan();
  std::vector<std::uint32_t> sizes;
  for (const SitePlan& s : map.sites) sizes.push_back(s.ring_pixels);
  take_points(sizes, &w);
  parallel_for(cpu_backend().threads, sizes.size(), [&](std::size_t i, unsigned) {
    const Scene s = ring_points(plan, static_cast<std::uint32_t>(i), map.view());
    PlanePoints& p = w.planes[i];
    p.half_x = s.half_x, p.half_y = s.half_y, p.seed = s.seed;
    float* x = w.xyz.data() + (p.x - w.xyz.data());
    std::copy(s.x.begin(), s.x.end(), x);
    std::copy(s.y.begin(), s.y.end(), x + w.points);
    std::copy(s.z.begin(), s.z.end(), x + 2 * w.points);
  });
  w.settings = settings_of(plan, map.sites.front());
  w.paper_t = 20;  // um, the lower threshold of table 6
  w.truth = map.truth;
  take_frame(std::move(map), &w);
  return w;
}

}  // namespace datum::bench
