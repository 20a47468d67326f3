#include "tests/bench/match_surface.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <numeric>
#include <random>

#include "gpu/core/parallel_for.h"
#include "tests/bench/match_surface_gpu.h"
#include "tests/bench/match_workloads.h"
#include "tests/bench/thesis_match.h"

namespace datum::bench {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int rounds = 5;
constexpr std::size_t thesis_facets = 300;  // of all, spread evenly: it takes minutes

double seconds(const std::function<void()>& work) {
  const auto begin = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double median_of(const std::function<void()>& work) {
  std::vector<double> v;
  for (int i = 0; i < rounds; ++i) v.push_back(seconds(work));
  std::nth_element(v.begin(), v.begin() + rounds / 2, v.end());
  return v[rounds / 2];
}

float largest_radius(const ModelFacets& facets) {
  float radius = 0;
  for (const ModelFacet& f : facets.facet) radius = std::max(radius, f.radius);
  return radius;
}

void row(const char* what, double build, double match) {
  std::printf("  %-44s %8.4f %8.4f %8.4f\n", what, build, match, build + match);
}

/// Calls the walk for `all` facets or evenly spread `thesis_facets` of them; processor seconds of all calls.
double walk(std::size_t all, bool whole, const std::function<double(std::size_t)>& off_of, double* worst) {
  std::vector<double> taken(cpu_backend().threads), off(cpu_backend().threads);
  const std::size_t count = whole ? all : thesis_facets;
  parallel_for(whole ? cpu_backend().threads : 1, (count + 99) / 100,
               [&](std::size_t share, unsigned thread) {
                 taken[thread] += seconds([&] {
                   for (std::size_t i = share * 100; i < std::min(count, share * 100 + 100); ++i)
                     off[thread] = std::max(off[thread], off_of(i * all / count));
                 });
               });
  *worst = *std::max_element(off.begin(), off.end());
  return std::accumulate(taken.begin(), taken.end(), 0.0);
}

void thesis_row(double sort_s, double sample_s, std::size_t facets, bool is_whole, double own_s, double worst,
                const char* differs) {
  const std::size_t walked = is_whole ? facets : thesis_facets;
  const double whole = sample_s * static_cast<double>(facets) / static_cast<double>(walked);
  row("the thesis' walk, one thread", sort_s, whole);
  std::printf("    (%zu of %zu facets); %.0f times datumd on one thread; %s %.1e mm at most\n", walked,
              facets, (sort_s + whole) / own_s, differs, worst);
}

}  // namespace

void point_match_rows(std::size_t facets, std::size_t points, unsigned threads, bool whole) {
  const ModelFacets made = model_facets(triangle_model(frustum_model(exhaust_cone, facets)));
  const std::vector<ModelPoint> scan = frustum_scan(exhaust_cone, points);
  std::vector<PointDirection> directions;  // from outside, at right angles to the axis
  for (const ModelPoint& p : scan) {
    const float ring = std::hypot(p.x, p.y);
    directions.push_back({p.x / ring, p.y / ring, 0});
  }
  PointMatchSettings settings;
  settings.gate = 0.5f;
  std::vector<FacetDeviation> out(made.facet.size());
  std::printf(
      "points to facets: %zu shuffled points, %zu facets, gate %.2f mm; seconds of build, match, both\n",
      points, made.facet.size(), settings.gate);
  double one = 0;
  for (const unsigned n : {1u, threads}) {
    const Backend backend = cpu_backend(n);
    std::unique_ptr<MeasuredPoints> measured;
    const double build = median_of(
        [&] { measured = std::make_unique<MeasuredPoints>(scan.data(), directions.data(), scan.size()); });
    const double match = median_of([&] { measured->match(made, settings, backend, out.data()); });
    row(("datumd, " + describe(backend)).c_str(), build, match);
    if (n == 1) one = build + match;
  }
  std::unique_ptr<ThesisPoints> thesis;
  const double sort_s = seconds([&] { thesis = std::make_unique<ThesisPoints>(scan, directions); });
  const float largest = largest_radius(made);
  const float vicinity = 2 * std::hypot(settings.gate, largest);  // less, and it misses matches
  double worst = 0;
  const double sample = walk(
      made.facet.size(), whole,
      [&](std::size_t k) {
        std::size_t count;
        const float mean =
            thesis->match(made.facet[k], settings.gate, settings.least_cosine, vicinity, &count);
        return count == out[k].count ? std::fabs(double{mean} - out[k].mean) : 0.0;
      },
      &worst);
  thesis_row(sort_s, sample, made.facet.size(), whole, one, worst, "means differ by");
  point_match_gpu_rows(made, scan, directions, settings, out);
}

void facet_match_rows(std::size_t facets, std::size_t measured_count, unsigned threads, bool whole) {
  RawModel scanned = frustum_model(second_part, measured_count, 0.3);  // facets elsewhere than the model's
  std::mt19937_64 random(2);
  std::normal_distribution<double> noise(0, 0.02);
  for (auto& v : scanned.vertices) v[2] += noise(random);
  const std::vector<MeasuredFacet> surface = triangle_model(scanned).corner;
  const ModelFacets made = model_facets(triangle_model(frustum_model(second_part, facets)));
  FacetMatchSettings settings;
  settings.gate = 0.5f;
  std::vector<FacetPierced> out(made.facet.size());
  std::printf(
      "facets to facets: %zu measured facets, %zu of the model, gate %.2f mm; seconds of build, match, "
      "both\n",
      surface.size(), made.facet.size(), settings.gate);
  double one = 0;
  for (const unsigned n : {1u, threads}) {
    const Backend backend = cpu_backend(n);
    std::unique_ptr<MeasuredFacets> measured;
    const double build = median_of([&] { measured = std::make_unique<MeasuredFacets>(surface); });
    const double match = median_of([&] { measured->match(made, settings, backend, out.data()); });
    row(("datumd, " + describe(backend)).c_str(), build, match);
    if (n == 1) one = build + match;
  }
  std::unique_ptr<ThesisFacets> thesis;
  const double sort_s = seconds([&] { thesis = std::make_unique<ThesisFacets>(surface); });
  // a pierced facet's centroid is no farther than the place plus its own radius
  const float vicinity = 2 * (settings.gate + largest_radius(model_facets(triangle_model(scanned))));
  double worst = 0;
  const double sample = walk(
      made.facet.size(), whole,
      [&](std::size_t k) {
        float distance;
        return thesis->match(made.facet[k], settings.gate, settings.least_cosine, vicinity, &distance) &&
                       out[k].kind != MatchClass::no_data
                   ? std::fabs(double{distance} - out[k].distance)
                   : 0.0;
      },
      &worst);
  thesis_row(sort_s, sample, made.facet.size(), whole, one, worst, "distances differ by");
  facet_match_gpu_rows(made, surface, settings, out);
}

}  // namespace datum::bench
