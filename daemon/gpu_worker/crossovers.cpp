#include "daemon/gpu_worker/crossovers.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>

#include "gpu/lu/system_inverter.h"
#include "gpu/surface_match/facet_matcher.h"

namespace datum {
namespace {

constexpr int repeats = 5;  // the first one warms up

/// Least time of some calls, s: other work only adds to it.
template <class Work>
double least_time(const Work& work) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < repeats; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    if (i > 0) least = std::min(least, took.count());
  }
  return least;
}

/// A wavy sheet of n x n points, scanned a little above itself.
struct Sheet {
  std::vector<ModelPoint> points;
  std::vector<std::uint16_t> view;
  std::vector<ScannedFacet> facets;
  PointDirection up{0, 0, 1};
  std::shared_ptr<const ModelFacets> model;

  explicit Sheet(std::uint32_t n) {
    RawModel raw;
    for (std::uint32_t row = 0; row < n; ++row)
      for (std::uint32_t col = 0; col < n; ++col) {
        const double x = 0.1 * col, y = 0.1 * row, z = 0.05 * std::sin(x) * std::cos(y);
        raw.vertices.push_back({x, y, z});
        points.push_back({static_cast<float>(x), static_cast<float>(y), static_cast<float>(z + 0.01)});
      }
    view.resize(points.size());
    for (std::uint32_t row = 0; row + 1 < n; ++row)
      for (std::uint32_t col = 0; col + 1 < n; ++col) {
        const std::uint32_t i = row * n + col;
        facets.push_back({i, i + 1, i + n + 1});
        facets.push_back({i, i + n + 1, i + n});
      }
    raw.facets = facets;
    model = std::make_shared<const ModelFacets>(model_facets(triangle_model(raw)));
  }
  ScannedSurface scan(bool by_surface) const {
    return {points.data(), view.data(), points.size(), &up, 1, facets.data(), by_surface ? facets.size() : 0};
  }
};

/// A flat sheet of n x n squares, each a patch of its own beside those up to three away, and a point in the middle of each.
struct SharedSheet {
  std::vector<ModelPoint> points;
  std::vector<ModelDistance> distances;
  std::shared_ptr<AreaModel> model = std::make_shared<AreaModel>();

  explicit SharedSheet(std::uint32_t n) {
    constexpr std::uint32_t reach = 3;
    auto triangles = std::make_shared<TriangleModel>();
    auto lists = std::make_shared<PatchLists>();
    lists->first_near.push_back(0);
    for (std::uint32_t row = 0; row < n; ++row)
      for (std::uint32_t col = 0; col < n; ++col) {
        const auto x = static_cast<float>(col), y = static_cast<float>(row);
        triangles->corner.push_back({{{x, y, 0}, {x + 1, y, 0}, {x, y + 1, 0}}});
        triangles->normal.push_back({{{0, 0, 1}}});
        lists->root.push_back(~static_cast<std::int32_t>(row * n + col));
        lists->area_mm2.push_back(0.5);
        for (std::uint32_t r = row < reach ? 0 : row - reach; r < std::min(n, row + reach + 1); ++r)
          for (std::uint32_t c = col < reach ? 0 : col - reach; c < std::min(n, col + reach + 1); ++c)
            lists->near.push_back(r * n + c);
        lists->first_near.push_back(static_cast<std::uint32_t>(lists->near.size()));
        points.push_back({x + 0.3f, y + 0.3f, 0.1f});
        distances.push_back({0.1f, row * n + col, Place::face, MatchClass::face});
      }
    model->triangles = std::move(triangles);
    model->reaches = {std::move(lists)};
  }
  JudgedPoints judged() const { return {points.data(), distances.data(), points.size()}; }
};

struct Times {
  std::vector<std::size_t> size;
  std::vector<double> cpu, gpu;
};

}  // namespace

std::size_t crossover_of(const std::vector<std::size_t>& size, const std::vector<double>& cpu,
                         const std::vector<double>& gpu) {
  std::size_t k = size.size();  // the GPU is faster from here on
  while (k > 0 && gpu[k - 1] < cpu[k - 1]) --k;
  if (k == 0) return size.front();
  if (k == size.size()) return 2 * size.back();
  const double before = gpu[k - 1] - cpu[k - 1], behind = cpu[k] - gpu[k];
  return size[k - 1] + static_cast<std::size_t>(std::ceil(static_cast<double>(size[k] - size[k - 1]) *
                                                          before / (before + behind)));
}

MatchCrossovers measure_matching(ServiceClient& gpu, const Backend& cpu) {
  ScanMatchSettings settings;
  settings.by_points.gate = settings.by_surface.gate = 0.2f;
  Times of_points, of_surface;
  for (const std::uint32_t side : {14, 20, 28, 40, 56}) {
    const Sheet sheet(side);
    const std::size_t facets = sheet.model->facet.size();
    std::vector<FacetDeviation> by_points(facets);
    std::vector<FacetPierced> by_surface(facets);
    const auto measure = [&](Times& times, FacetPierced* pierced) {
      const ScannedSurface scan = sheet.scan(pierced != nullptr);
      times.size.push_back(scan.point_count + scan.facet_count + facets);
      times.cpu.push_back(
          least_time([&] { match_scan(*sheet.model, scan, settings, cpu, by_points.data(), pierced); }));
      times.gpu.push_back(least_time(
          [&] { gpu.match(sheet.model, scan, settings, cpu.threads, by_points.data(), pierced); }));
    };
    measure(of_points, nullptr);
    measure(of_surface, by_surface.data());
  }
  return {crossover_of(of_points.size, of_points.cpu, of_points.gpu),
          crossover_of(of_surface.size, of_surface.cpu, of_surface.gpu)};
}

AreaCrossover measure_sharing(ServiceClient& gpu, const Backend& cpu) {
  Times times;
  for (const std::uint32_t side : {24, 48, 96, 192}) {
    const SharedSheet sheet(side);
    std::vector<double> areas(sheet.points.size());
    std::vector<std::uint32_t> marks(sheet.points.size());
    AreaShares out;
    out.area_mm2 = areas.data();
    out.marks[0] = marks.data();
    times.size.push_back(sheet.points.size());
    times.cpu.push_back(least_time([&] { share_areas(*sheet.model, sheet.judged(), cpu, out); }));
    times.gpu.push_back(least_time([&] { gpu.share(sheet.model, sheet.judged(), cpu.threads, out); }));
  }
  return {crossover_of(times.size, times.cpu, times.gpu)};
}

InvertCrossover measure_inverting(ServiceClient& gpu, const Backend& cpu) {
  Times times;
  for (const std::uint32_t n : {48, 96, 160, 256, 384}) {
    const std::size_t size = std::size_t{n} * n;
    std::vector<double> a(size), factors(size), inverse(size);
    std::vector<std::int32_t> pivots(n);
    for (std::size_t i = 0; i < size; ++i)
      a[i] = std::sin(static_cast<double>(i)) + (i % (n + 1) == 0 ? 2.0 * n : 0);
    const SystemToInvert system{a.data(), n, factors.data(), pivots.data(), inverse.data()};
    times.size.push_back(n);
    times.cpu.push_back(least_time([&] { invert_system(system, cpu); }));
    times.gpu.push_back(least_time([&] { gpu.invert(system, cpu); }));
  }
  return {crossover_of(times.size, times.cpu, times.gpu)};
}

CorrelationCrossover measure_correlating(ServiceClient& gpu, const Backend& cpu) {
  Times times;
  for (const std::uint32_t side : {32, 64, 128, 256, 512}) {
    std::vector<float> reference(std::size_t{side} * side), image(reference.size());
    for (std::size_t i = 0; i < reference.size(); ++i) {
      reference[i] = i * 7919 % 101 < 30 ? 1.f : 0.f;
      image[(i + 3) % image.size()] = reference[i];
    }
    const CorrelationImages images{reference.data(), image.data(), side, side};
    CorrelationSettings settings;
    settings.most_shift_px = 8;
    CpuCorrelator here(cpu);
    times.size.push_back(images.size());
    times.cpu.push_back(least_time([&] { here.find(images, settings); }));
    times.gpu.push_back(least_time([&] { gpu.correlate(images, settings); }));
  }
  return {crossover_of(times.size, times.cpu, times.gpu)};
}

}  // namespace datum
