// datum bench match: signed distances of a scan from a model, against Embree's point query where it is installed; points
// and facets matched with a model's, against the thesis' algorithm.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>

#include "tests/bench/match_gpu.h"
#include "tests/bench/match_scan.h"
#include "tests/bench/match_surface.h"
#include "tests/bench/match_workloads.h"
#ifdef DATUM_BENCH_EMBREE
#include "tests/bench/peer_embree.h"
#endif

namespace datum::bench {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int rounds = 5;
constexpr float search = 20;

double seconds(const std::function<void()>& work) {
  const auto begin = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + rounds / 2, v.end());
  return v[rounds / 2];
}

#ifdef DATUM_BENCH_EMBREE
void embree_row(const TriangleModel& model, const std::vector<ModelPoint>& points,
                const std::vector<ModelDistance>& found, unsigned threads, double build, double query) {
  std::vector<double> b, q;
  double most = 0;
  for (int i = 0; i < rounds; ++i) {
    const EmbreeResult r = embree_distances(model, points, threads);
    b.push_back(r.build_s);
    q.push_back(r.query_s);
    for (std::size_t k = 0; k < points.size(); ++k)
      most = std::max(most, std::fabs(double{r.distance[k]} - std::fabs(double{found[k].distance})));
  }
  std::printf("  %-44s %8.4f %8.4f %8.4f   %.2f times datumd, differs by %.1e mm at most\n",
              "Embree point query", median(b), median(q), median(b) + median(q),
              (median(b) + median(q)) / (build + query), most);
}
#else
void embree_row(const TriangleModel&, const std::vector<ModelPoint>&, const std::vector<ModelDistance>&,
                unsigned, double, double) {
  std::printf("  Embree: not installed (libembree-dev)\n");
}
#endif

void rows(const char* order, const std::shared_ptr<const TriangleModel>& model,
          const std::vector<ModelPoint>& points, unsigned threads) {
  const Backend backend = cpu_backend(threads);
  std::vector<ModelDistance> found(points.size());
  DistanceSettings settings;
  settings.search = search;
  std::vector<double> build, query;
  for (int i = 0; i < rounds; ++i) {
    std::unique_ptr<ModelSearch> made;
    build.push_back(seconds([&] { made = std::make_unique<ModelSearch>(model, backend.threads); }));
    query.push_back(
        seconds([&] { made->find(points.data(), points.size(), settings, backend, found.data()); }));
  }
  std::printf(" %s, %s; seconds of build, query, both\n", order, describe(backend).c_str());
  std::printf("  %-44s %8.4f %8.4f %8.4f\n", "datumd", median(build), median(query),
              median(build) + median(query));
  embree_row(*model, points, found, backend.threads, median(build), median(query));
}

void run(std::size_t facets, std::size_t points, unsigned threads) {
  const MatchWorkload w = match_workload(facets, points);
  auto owned = std::make_shared<TriangleModel>();
  const double made = seconds([&] { *owned = triangle_model(w.model); });
  const std::shared_ptr<const TriangleModel> shared = owned;
  const TriangleModel& model = *shared;
  std::printf("%zu points, %zu facets; edges and normals of the model in %.3f s\n", points,
              model.corner.size(), made);
  rows("shuffled", shared, w.shuffled, threads);
  rows("scan order", shared, w.scan, threads);
  match_gpu_rows(model, w.scan, w.shuffled, search);
}

}  // namespace
}  // namespace datum::bench

int main(int argc, char** argv) {
  const unsigned threads = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 0;
  const std::string only = argc > 2 ? argv[2] : "";
  const bool whole =
      argc > 3 && std::string(argv[3]) == "whole";  // the thesis' walk, minutes of processor time
  if (only.empty() || only == "distances")
    for (const std::size_t facets : {100000, 350000, 1190000}) datum::bench::run(facets, 424307, threads);
  if (only.empty() || only == "facets") {
    for (const std::size_t facets : {104000, 345600, 1188500})
      datum::bench::point_match_rows(facets, 424307, threads, whole);
    for (const std::size_t facets : {90000, 322000, 1148000})
      datum::bench::facet_match_rows(facets, 702429, threads, whole);
  }
  if (only.empty() || only == "scans") {
    std::printf("a scan in memory to its results there: ms of distances, of both matchings\n");
    for (const std::size_t facets : {1000, 10000, 100000, 1188500})
      for (const std::size_t points : {1000, 10000, 100000, 424307})
        datum::bench::scan_match_row(facets, points, threads);
  }
}
