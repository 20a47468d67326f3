#include "tests/bench/match_scan.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <random>

#include "tests/bench/match_scan_gpu.h"
#include "tests/bench/match_workloads.h"

namespace datum::bench {
namespace {

double median_ms(const std::function<void()>& work) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> v;
  for (int i = 0; i < 5; ++i) {
    const auto begin = Clock::now();
    work();
    v.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
  }
  std::nth_element(v.begin(), v.begin() + 2, v.end());
  return v[2];
}

}  // namespace

void scan_match_row(std::size_t facets, std::size_t points, unsigned threads) {
  const auto model =
      std::make_shared<const TriangleModel>(triangle_model(frustum_model(exhaust_cone, facets)));
  const ModelFacets made = model_facets(*model);
  const RawModel scanned = frustum_model(exhaust_cone, 2 * points, 0.3);
  std::mt19937_64 random(2);
  std::normal_distribution<double> noise(0, 0.02);
  std::vector<ModelPoint> places;
  for (const auto& v : scanned.vertices)
    places.push_back({static_cast<float>(v[0] - model->origin[0] + noise(random)),
                      static_cast<float>(v[1] - model->origin[1] + noise(random)),
                      static_cast<float>(v[2] - model->origin[2])});
  const std::vector<std::uint16_t> view(places.size(), 0);
  const PointDirection above{0, 0, 1};
  const std::vector<ScannedFacet> joined(scanned.facets);
  const ScannedSurface scan{places.data(), view.data(),  places.size(), &above, 1,
                            joined.data(), joined.size()};
  DistanceSettings distance;
  distance.search = 2;
  ScanMatchSettings match;
  match.by_points.gate = match.by_surface.gate = 0.5f;
  ScanResults r{std::vector<ModelDistance>(places.size()), std::vector<FacetDeviation>(made.facet.size()),
                std::vector<FacetPierced>(made.facet.size())};
  const ModelSearch search(model, threads);
  std::printf(" %8zu points, %8zu joined, %8zu facets;", places.size(), joined.size(), made.facet.size());
  for (const unsigned n : {1u, threads}) {
    const Backend backend = cpu_backend(n);
    const double find_ms =
        median_ms([&] { search.find(places.data(), places.size(), distance, backend, r.distances.data()); });
    const double match_ms =
        median_ms([&] { match_scan(made, scan, match, backend, r.by_points.data(), r.by_surface.data()); });
    std::printf("  %s %8.2f %8.2f;", describe(backend).c_str(), find_ms, match_ms);
  }
  scan_match_gpu(*model, made, scan, distance, match, r);
}

}  // namespace datum::bench
