#include <cstdio>
#include <vector>

#include "gpu/core/parallel_for.h"
#include "tests/bench/paper_ransac.h"
#include "tests/bench/papers_rows.h"
#include "tests/gpu/map_scene.h"
#include "tests/gpu/plane_fit_scene.h"

namespace datum::bench {
namespace {

using namespace datum::testing;

struct Table {
  int number;
  std::size_t planes, points;
  TruePlane plane;
  double printed_cpu[3], printed_gpu[3];  // ms, at 0.5, 0.7, 0.9
};

constexpr double ratios[] = {0.5, 0.7, 0.9};

/// One point in ten where 4,000 are wanted.
Scene scene_of(const Table& table, double inliers, std::uint64_t seed) {
  const Scene whole = paper_scene(table.plane, inliers, seed);
  if (table.points == whole.x.size()) return whole;
  Scene some;
  some.half_x = whole.half_x;
  some.half_y = whole.half_y;
  some.seed = seed;
  const std::size_t step = whole.x.size() / table.points;
  for (std::size_t i = seed % step; i < whole.x.size(); i += step)
    some.add(whole.x[i], whole.y[i], whole.z[i], whole.floor[i]);
  return some;
}

void row(const Table& table, int at, const PapersOptions& options) {
  std::vector<Scene> scenes(table.planes);
  parallel_for(options.threads, table.planes,
               [&](std::size_t i, unsigned) { scenes[i] = scene_of(table, ratios[at], i + 1); });
  std::vector<PlanePoints> points;
  for (const Scene& s : scenes) points.push_back(s.points());
  const int rounds = options.quick ? 1 : 3;
  const Taken plain = taken(rounds, [&] {
    for (std::size_t i = 0; i < points.size(); ++i)
      paper_ransac(points[i].x, points[i].y, points[i].z, points[i].size, 1, 0.999,
                   static_cast<std::uint32_t>(i + 1));
  });
  std::vector<PlaneFit> fits(points.size());
  const auto fit = [&](FitMode mode, unsigned threads) {
    return taken(rounds, [&] {
      fit_planes(points.data(), points.size(), paper_settings(mode), cpu_backend(threads), fits.data());
    });
  };
  const Taken exact = fit(FitMode::exact, 1), screened = fit(FitMode::screened, 1),
              all = fit(FitMode::screened, options.threads);
  std::printf("%5d %6zu %7zu %6.1f %9.0f %9.0f %10.1f %10.1f %10.1f %12.1f\n", table.number, table.planes,
              table.points, ratios[at], table.printed_cpu[at], table.printed_gpu[at], plain.processor_ms,
              exact.processor_ms, screened.processor_ms, all.wall_ms);
}

/// Table 6: a made board with the paper's numbers of rings and of points.
void board_row(float t_um, double printed_cpu, double printed_gpu, const PapersOptions& options) {
  const MapScene map = board_map(paper_rings());
  const BoardPlan plan = map.plan();
  std::vector<Scene> scenes(map.sites.size());
  parallel_for(options.threads, scenes.size(), [&](std::size_t i, unsigned) {
    scenes[i] = ring_points(plan, static_cast<std::uint32_t>(i), map.view());
  });
  std::vector<PlanePoints> points;
  for (const Scene& s : scenes) points.push_back(s.points());
  const Taken plain = taken(5, [&] {
    for (std::size_t i = 0; i < points.size(); ++i)
      paper_ransac(points[i].x, points[i].y, points[i].z, points[i].size, t_um, 0.999,
                   static_cast<std::uint32_t>(i + 1));
  });
  std::vector<PlaneFit> fits(points.size());
  PlaneFitSettings settings = settings_of(plan, map.sites.front());
  settings.threshold = t_um;
  settings.refit_threshold = 0;
  const auto fit = [&](FitMode mode, unsigned threads) {
    settings.mode = mode;
    return taken(
        5, [&] { fit_planes(points.data(), points.size(), settings, cpu_backend(threads), fits.data()); });
  };
  const Taken exact = fit(FitMode::exact, 1), screened = fit(FitMode::screened, 1),
              all = fit(FitMode::screened, options.threads);
  std::printf("%5d %6zu %7s t %2.0f um %9.0f %9.0f %10.1f %10.1f %10.1f %12.1f\n", 6, points.size(), "rings",
              t_um, printed_cpu, printed_gpu, plain.processor_ms, exact.processor_ms, screened.processor_ms,
              all.wall_ms);
}

}  // namespace

void planes_tables(const PapersOptions& options) {
  std::printf(
      "\nThe multi-plane paper, tables 1, 2, 4, 5, 6; ms. Here: one thread's processor time, and all "
      "threads' "
      "by the clock\n"
      "%5s %6s %7s %6s %9s %9s %10s %10s %10s %12s\n",
      "table", "planes", "points", "ratio", "their CPU", "their GPU", "as printed", "exact", "screened",
      "all threads");
  const Table tables[] = {{1, 400, 40000, {-0.1, 0.1, 3}, {5940, 2445, 1072}, {238, 125, 89}},
                          {2, 400, 40000, {1, 2, 3}, {5871, 2456, 1073}, {237, 125, 87}},
                          {4, 40, 40000, {1, 2, 3}, {596, 253, 106}, {33, 19, 15}},
                          {5, 400, 4000, {1, 2, 3}, {581, 270, 113}, {29, 18, 14}}};
  for (const Table& table : tables) {
    if (options.quick && table.number < 4) continue;
    for (int at = 0; at < 3; ++at) row(table, at, options);
  }
  board_row(20, 94, 16, options);
  board_row(30, 53, 13, options);
}

}  // namespace datum::bench
