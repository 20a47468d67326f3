#include <array>
#include <limits>
#include <memory>

#include "gpu/component_height/component_height.h"
#include "gpu/lu/lu.h"
#include "gpu/parallel_planes/parallel_planes.h"
#include "gpu/plane_fit/plane_fit.h"
#include "gpu/surface_compare/surface_compare.h"
#include "gpu/surface_match/surface_match.h"
#include "tests/gpu/kernel_hashes.h"

namespace datum::testing {
namespace {

constexpr float missing = std::numeric_limits<float>::quiet_NaN();

/// A lumpy sheet of 24 x 24 squares of side 1, cut along a diagonal.
RawModel sheet() {
  constexpr std::uint32_t n = 25;
  Noise noise(7);
  RawModel model;
  for (std::uint32_t y = 0; y < n; ++y)
    for (std::uint32_t x = 0; x < n; ++x)
      model.vertices.push_back({double(x), double(y), static_cast<double>(noise.next() * 0.25f)});
  for (std::uint32_t row = 0; row + 1 < n; ++row)
    for (std::uint32_t col = 0; col + 1 < n; ++col) {
      const std::uint32_t a = row * n + col;
      model.facets.push_back({a, a + 1, a + n + 1});
      model.facets.push_back({a, a + n + 1, a + n});
    }
  return model;
}

std::vector<ModelPoint> points_over_sheet(std::size_t count) {
  Noise noise(8);
  std::vector<ModelPoint> points(count);
  for (ModelPoint& p : points) p = {noise.next() * 12.5f, noise.next() * 12.5f, noise.next() * 0.5f};
  return points;
}

/// Its facets in halves, each a patch.
AreaModel halved_sheet() {
  AreaModel model;
  model.triangles = std::make_shared<const TriangleModel>(triangle_model(sheet()));
  auto lists = std::make_shared<PatchLists>();
  lists->first_near = {0};
  const auto facets = static_cast<std::uint32_t>(model.triangles->corner.size());
  Noise noise(9);
  for (std::uint32_t f = 0; f < facets; ++f) {  // each is halved: patches 2 f and 2 f + 1
    const auto& corner = model.triangles->corner[f];
    PatchCut cut{};
    for (std::size_t k = 0; k < 3; ++k) {
      cut.middle[k] = (corner[0][k] + corner[1][k]) * 0.5;
      cut.across[k] = noise.next();
    }
    cut.second = 1;
    for (std::int32_t half = 0; half < 2; ++half) {
      const auto patch = static_cast<std::int32_t>(2 * f) + half;
      cut.half[half] = ~patch;
      lists->area_mm2.push_back(0.25 + 0.125 * noise.next());
      for (std::uint32_t k = 0; k < 9; ++k)
        lists->near.push_back((2 * facets + static_cast<std::uint32_t>(patch) + k - 4) % (2 * facets));
      lists->first_near.push_back(static_cast<std::uint32_t>(lists->near.size()));
    }
    lists->root.push_back(static_cast<std::int32_t>(f));
    lists->cuts.push_back(cut);
  }
  model.reaches = {lists};
  return model;
}

template <class T>
void add_lu(Hash& hash, std::uint32_t n, const Backend& backend) {
  Noise noise(n);
  std::vector<T> a(std::size_t{n} * n), b(n);
  for (T& v : a) v = static_cast<T>(noise.next());
  for (T& v : b) v = static_cast<T>(noise.next());
  const LuSystem<T> system(a.data(), n, backend);
  std::vector<T> x(n);
  const LuAnswer answer = system.solve(b.data(), x.data());
  const LuHealth health = system.health();
  hash.all(system.factors());
  hash.all(system.pivots());
  hash.all(x);
  hash.add(answer.backward_error, answer.refinements, health.growth, health.condition);
}

}  // namespace

std::uint64_t hash_of_plane_fit(const Backend& backend) {
  Hash hash;
  for (const FitMode mode : {FitMode::exact, FitMode::screened})
    for (const std::uint32_t size : {7u, 1000u, 5003u}) {
      Noise noise(size);
      std::vector<float> x = noise.row(size, 1000), y = noise.row(size, 800), z = noise.row(size, 4);
      for (std::uint32_t i = 0; i < size; ++i) {
        z[i] += 0.015625f * x[i] - 0.03125f * y[i];
        if (i % 5 == 3) z[i] += 120 + noise.next() * 100;
        if (i % 11 == 4) z[i] = missing;
      }
      const PlanePoints points{x.data(), y.data(), z.data(), size, 1000, 800, size};
      PlaneFitSettings settings;
      settings.mode = mode;
      settings.threshold = 3;
      settings.refit_threshold = 6;
      PlaneFit f;
      fit_planes(&points, 1, settings, backend, &f);
      hash.add(f.a, f.b, f.c, f.rms, f.mean_x, f.mean_y, f.sxx, f.sxy, f.syy, f.valid, f.inliers,
               f.hypotheses, f.refits, f.status, f.fixed_point);
    }
  return hash.value();
}

std::uint64_t hash_of_component_height(const Backend& backend) {
  constexpr std::int32_t rows = 61, cols = 83;
  Noise noise(3);
  std::vector<float> z = noise.row(std::size_t{rows} * cols, 8);
  for (std::size_t i = 0; i < z.size(); ++i) z[i] = i % 13 == 5 ? missing : z[i] + 1200;
  std::vector<PixelRun> runs;
  for (std::int32_t r = 0; r < rows; ++r) runs.push_back({40 + r, 100, cols});
  BodyPixels body;
  body.runs = runs.data();
  body.run_count = rows;
  body.z = z.data();
  body.x = axis_to_um(20, -2000, 140);
  body.y = axis_to_um(20, -1000, 70);
  body.a = 0.0078125;
  body.b = -0.015625;
  body.c = 3;
  HeightDemand demand;
  demand.quantiles = {0.05, 0.5, 0.95};
  demand.top_counts = {1, 30};
  demand.present_above_um = 1200;
  HeightStatistics s;
  measure_heights(&body, &demand, 1, backend, &s);
  Hash hash;
  hash.add(s.valid, s.sum_nm, s.min_nm, s.max_nm, s.patches, s.opened_max_nm, s.present, s.variance_nm2,
           s.median_low.nm, s.median_high.nm, s.correlated_nm2);
  for (const OrderStatistic& q : s.quantiles) hash.add(q.rank, q.nm, q.low_nm, q.high_nm);
  hash.all(s.top_mean_nm);
  hash.all(s.top_threshold_nm);
  hash.add(s.top.slope_col_nm, s.top.slope_row_nm, s.top.mean_col, s.top.mean_row, s.top.residual_rms_nm);
  return hash.value();
}

std::uint64_t hash_of_parallel_planes(const Backend& backend) {
  std::vector<std::vector<WeightedPoint>> points(3);
  std::vector<PlaneSample> samples;
  for (std::size_t k = 0; k < points.size(); ++k) {
    Noise noise(20 + k);
    for (std::size_t i = 0; i < 3001 + 7 * k; ++i) {
      const float x = noise.next() * 40, y = noise.next() * 30;
      points[k].push_back({x, y, static_cast<float>(10 * k) + 0.0625f * x + noise.next() * 0.0625f,
                           i % 9 == 2 ? 0 : 0.5f + 0.25f * noise.next()});
    }
    samples.push_back({points[k].data(), points[k].size(), {0, 0, static_cast<float>(10 * k)}});
  }
  ParallelPlanesSettings settings;
  settings.half_range = 64;
  const ParallelSet set{0, 3};
  ParallelPlanes shared;
  std::array<ParallelPlane, 3> planes;
  fit_parallel_planes(samples.data(), samples.size(), &set, 1, settings, backend, &shared, planes.data());
  Hash hash;
  hash.add(shared.status, shared.normal, shared.axis, shared.mean_square, shared.tilt_variance, shared.sigma);
  for (std::size_t k = 0; k < planes.size(); ++k) {
    const PlaneExtremes e = extremes(samples[k], shared, planes[k], backend);
    hash.add(planes[k].centroid, planes[k].rms, planes[k].weight, planes[k].effective, planes[k].points,
             planes[k].offset_variance, e.lowest, e.highest);
  }
  return hash.value();
}

std::uint64_t hash_of_model_distance(const Backend& backend) {
  const ModelSearch search(std::make_shared<const TriangleModel>(triangle_model(sheet())), 1);
  const std::vector<ModelPoint> points = points_over_sheet(4099);
  std::vector<ModelDistance> found(points.size());
  DistanceSettings settings;
  settings.search = 0.375f;
  search.find(points.data(), points.size(), settings, backend, found.data());
  Hash hash;
  for (const ModelDistance& d : found) hash.add(d.distance, d.facet, d.place, d.kind);
  return hash.value();
}

std::uint64_t hash_of_surface_match(const Backend& backend) {
  const ModelFacets facets = model_facets(triangle_model(sheet()));
  const std::vector<ModelPoint> points = points_over_sheet(20011);
  PointMatchSettings near;
  near.gate = 0.375f;
  near.least = 3;
  std::vector<FacetDeviation> deviations(facets.facet.size());
  MeasuredPoints(points.data(), nullptr, points.size()).match(facets, near, backend, deviations.data());
  std::vector<MeasuredFacet> measured;
  for (std::size_t i = 0; i + 2 < points.size(); ++i) {
    const ModelPoint& p = points[i];
    measured.push_back({{{p.x, p.y, p.z}, {p.x + 1, p.y, p.z + 0.0625f}, {p.x, p.y + 1, p.z - 0.0625f}}});
  }
  FacetMatchSettings along;
  along.gate = 0.375f;
  std::vector<FacetPierced> pierced(facets.facet.size());
  MeasuredFacets(measured).match(facets, along, backend, pierced.data());
  Hash hash;
  for (const FacetDeviation& d : deviations) hash.add(d.count, d.mean, d.lowest, d.highest, d.s, d.kind);
  for (const FacetPierced& d : pierced) hash.add(d.distance, d.facet, d.kind);
  return hash.value();
}

std::uint64_t hash_of_area_share(const Backend& backend) {
  const AreaModel model = halved_sheet();
  const PatchLists* const lists = model.reaches.front().get();
  const std::vector<ModelPoint> points = points_over_sheet(4099);
  std::vector<ModelDistance> found(points.size());
  DistanceSettings settings;
  settings.search = 0.375f;
  ModelSearch(model.triangles, 1).find(points.data(), points.size(), settings, backend, found.data());
  std::vector<double> area(points.size());
  std::vector<std::uint32_t> marks(lists->area_mm2.size());
  AreaShares out;
  out.area_mm2 = area.data();
  out.marks[0] = marks.data();
  share_areas(model, {points.data(), found.data(), points.size()}, backend, out);
  Hash hash;
  hash.all(area);
  hash.all(marks);
  return hash.value();
}

/// Turned by 3 : 4 : 5 about x; rays meet every facet in turn, some none.
std::uint64_t hash_of_surface_compare(const Backend& backend) {
  ComparedModel model;
  auto areas = std::make_shared<AreaModel>(halved_sheet());
  model.searched.triangles = areas->triangles;
  model.searched.search = std::make_shared<const ModelSearch>(areas->triangles, 1);
  const auto facets = static_cast<std::uint32_t>(areas->triangles->corner.size());
  for (std::uint32_t f = 0; f < facets; ++f) areas->region.push_back(static_cast<std::uint16_t>(f % 3));
  model.areas = areas;
  ShotRays rays;
  rays.rows = 96;
  rays.cols = 80;
  rays.x = {0.25, -10};
  rays.y = {0.25, -12};
  const double turned[9] = {1, 0, 0, 0, 0.8, -0.6, 0, 0.6, 0.8};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      rays.sensor_from_model[3 * i + k] = turned[3 * i + k];
      rays.model_from_sensor[3 * i + k] = turned[3 * k + i];
    }
  std::vector<std::uint32_t> facet;
  std::vector<double> z;
  std::vector<std::uint8_t> away, classes;
  std::vector<std::int16_t> counts;
  Noise noise(10);
  for (std::uint32_t i = 0; i < rays.pixels(); ++i) {
    facet.push_back(i % 11 == 10 ? no_facet : i / 7 % facets);
    z.push_back(static_cast<double>(noise.next()));
    away.push_back(i % 29 == 0);
    classes.push_back(i % 13 == 12);
    counts.push_back(static_cast<std::int16_t>(noise.next() * 2048.0f));
  }
  rays.facet = facet.data();
  rays.z_mm = z.data();
  rays.is_away = away.data();
  ShotHeights heights;
  heights.z = {0x1p-10, 0};
  heights.edge_mm = 0.375;
  heights.counts = counts.data();
  heights.classes = classes.data();
  const std::vector<std::uint32_t> first = first_points(&rays, &heights, 1, 1);
  CompareSettings settings;
  settings.distance.search = 0.75f;
  settings.search_mm = 0.75;
  settings.least_cosine = 0.25;
  std::vector<ModelDistance> found(first.back());
  std::vector<PointJudgement> judged(first.back());
  std::vector<double> area(first.back());
  std::vector<std::uint32_t> marks(areas->reaches.front()->area_mm2.size());
  ComparedPoints out;
  out.distances = found.data();
  out.judgements = judged.data();
  out.areas.area_mm2 = area.data();
  out.areas.marks[0] = marks.data();
  compare_shots(model, {&rays, &heights, 1, first.data(), first.back()}, settings, backend, out);
  Hash hash;
  for (const ModelDistance& d : found) hash.add(d.distance, d.facet, d.place, d.kind);
  for (const PointJudgement& j : judged) hash.add(j.charged, j.region, j.judgement);
  hash.all(area);
  hash.all(marks);
  return hash.value();
}

std::uint64_t hash_of_lu(const Backend& backend) {
  Hash hash;
  for (const std::uint32_t n : {1u, 17u, 64u, 131u}) {
    add_lu<float>(hash, n, backend);
    add_lu<double>(hash, n, backend);
  }
  return hash.value();
}

}  // namespace datum::testing
