#include <algorithm>
#include <chrono>
#include <limits>
#include <vector>

#include "gpu/surface_match/device_cells.cuh"
#include "gpu/surface_match/facet_matcher_cuda.h"
#include "gpu/surface_match/facet_sums_device.cuh"
#include "gpu/surface_match/match_on_device.cuh"
#include "gpu/surface_match/surface_match_cuda.h"
#include "gpu/surface_match/surface_match_device.cuh"

namespace datum {
namespace {

using namespace cuda;
using namespace match;

constexpr std::chrono::milliseconds timeout{2000};

/// A model's facets on the device, in their order.
struct FacetsOnDevice {
  Buffer<ModelFacet> facet;
  Buffer<std::uint32_t> number;
  Buffer<std::uint32_t> many, many_size;
  DeviceFacets view{};

  explicit FacetsOnDevice(const ModelFacets& facets) {
    std::vector<ModelFacet> ordered;
    ordered.reserve(facets.order.size());
    for (const std::uint32_t i : facets.order) ordered.push_back(facets.facet[i]);
    many.reserve(std::max<std::size_t>(ordered.size(), 1));
    many_size.reserve(1);
    to_device(facet, ordered, "facets of a model");
    to_device(number, facets.order, "numbers of a model's facets");
    view =
        DeviceFacets{facet.get(), number.get(), static_cast<std::uint32_t>(ordered.size()), facets.farthest};
  }
  /// Empty from here on in the stream.
  Queue queue(CudaStream stream) const {
    cuda::check(cudaMemsetAsync(many_size.get(), 0, sizeof(std::uint32_t), stream), "queue of facets");
    return Queue{many_size.get(), many.get()};
  }
};

struct GridOnDevice {
  Buffer<std::uint32_t> begin;
  Buffer<float4> ball;
  DeviceGrid view{};

  void upload(const CellGrid& grid) {
    std::vector<float4> balls(grid.size());
    for (std::uint32_t i = 0; i < grid.size(); ++i)
      balls[i] = float4{grid.x[i], grid.y[i], grid.z[i], grid.radius.empty() ? 0 : grid.radius[i]};
    to_device(begin, grid.begin, "cells of a measured surface");
    to_device(ball, balls, "places of a measured surface");
    view.levels = grid.levels;
    std::copy(grid.grid, grid.grid + most_levels, view.grid);
    view.begin = begin.get();
    view.ball = ball.get();
    view.farthest = grid.farthest;
  }
};

template <class T>
void fetch_all(CudaStream stream, const Buffer<T>& from, std::uint32_t count, T* out) {
  cuda::wait(stream, timeout, "match with a model");
  if (count > 0)
    cuda::check(cudaMemcpy(out, from.get(), count * sizeof *out, cudaMemcpyDeviceToHost), "matches");
}

}  // namespace

struct CudaPointMatch::State {
  explicit State(const ModelFacets& f) : facets(f) { out.reserve(std::max(facets.view.count, 1u)); }
  FacetsOnDevice facets;
  GridOnDevice grid;
  Buffer<float4> direction;
  bool has_directions = false;
  Buffer<FacetDeviation> out;
};

CudaPointMatch::CudaPointMatch(const ModelFacets& facets) : state_(new State(facets)) {}
CudaPointMatch::~CudaPointMatch() = default;

void CudaPointMatch::upload(CudaStream, const MeasuredPoints& points) {
  State& s = *state_;
  const PointIndex& index = points.index();
  s.grid.upload(index.grid);
  s.has_directions = !index.direction.empty();
  std::vector<float4> directions;
  for (const PointDirection& d : index.direction) directions.push_back(float4{d.x, d.y, d.z, 0});
  to_device(s.direction, directions, "directions of points");
}

void CudaPointMatch::launch(CudaStream stream, const PointMatchSettings& settings) {
  State& s = *state_;
  match::check(settings);
  if (s.facets.view.count == 0) return;
  const PointQuery q{s.grid.view, s.facets.view,           s.has_directions ? s.direction.get() : nullptr,
                     settings,    scale_of(settings.gate), s.facets.queue(stream),
                     s.out.get()};
  launch_points(stream, q);
}

void CudaPointMatch::fetch(CudaStream stream, FacetDeviation* out) {
  fetch_all(stream, state_->out, state_->facets.view.count, out);
}

struct CudaFacetMatch::State {
  explicit State(const ModelFacets& f) : facets(f) { out.reserve(std::max(facets.view.count, 1u)); }
  FacetsOnDevice facets;
  GridOnDevice grid;
  Buffer<Corners> corners;
  Buffer<std::uint32_t> number, place;
  Buffer<float> distance;
  bool sorted = false;
  Buffer<FacetPierced> out;
};

CudaFacetMatch::CudaFacetMatch(const ModelFacets& facets) : state_(new State(facets)) {}
CudaFacetMatch::~CudaFacetMatch() = default;

void CudaFacetMatch::upload(CudaStream, const MeasuredFacets& measured) {
  State& s = *state_;
  const FacetIndex& index = measured.index();
  s.grid.upload(index.grid);
  s.sorted = index.place.size() == index.grid.size();
  to_device(s.corners, index.corners, "measured facets");
  to_device(s.number, index.grid.number, "numbers of measured facets");
  to_device(s.place, index.place, "places on a walk");
  to_device(s.distance, index.distance, "distances from the origin");
}

void CudaFacetMatch::launch(CudaStream stream, const FacetMatchSettings& settings) {
  State& s = *state_;
  match::check(settings, s.sorted);
  if (s.facets.view.count == 0) return;
  const FacetQuery q{s.grid.view,      s.facets.view, s.corners.get(),        s.number.get(), s.place.get(),
                     s.distance.get(), settings,      s.facets.queue(stream), s.out.get()};
  launch_facets(stream, q);
}

void CudaFacetMatch::fetch(CudaStream stream, FacetPierced* out) {
  fetch_all(stream, state_->out, state_->facets.view.count, out);
}

namespace {

struct ScanOnDevice {
  const ModelPoint* points;
  const std::uint16_t* view;
  const float4* directions;
  const std::uint32_t* facets;  // three for each
  std::uint32_t point_count, view_count, facet_count;
  double origin[3];  // is taken from the points
};

__global__ void __launch_bounds__(cell_threads) balls_of_points(const ScanOnDevice s, float4* out) {
  const std::uint32_t i = blockIdx.x * cell_threads + threadIdx.x;
  if (i >= s.point_count) return;
  const ModelPoint p = s.points[i];
  out[i] = float4{static_cast<float>(p.x - s.origin[0]), static_cast<float>(p.y - s.origin[1]),
                  static_cast<float>(p.z - s.origin[2]), 0};
}

__global__ void __launch_bounds__(cell_threads)
    gather_directions(const ScanOnDevice s, const std::uint32_t* number, std::uint32_t count, float4* out) {
  const std::uint32_t at = blockIdx.x * cell_threads + threadIdx.x;
  if (at >= count) return;
  const std::uint32_t view = s.view[number[at]];
  const float none = __int_as_float(0x7FFFFFFF);
  out[at] = view < s.view_count ? s.directions[view] : float4{none, none, none, 0};
}

__device__ __forceinline__ void corners_at(const ScanOnDevice& s, std::uint32_t facet, float* f) {
  for (int i = 0; i < 3; ++i) {
    const std::uint32_t number = s.facets[3 * std::size_t{facet} + i];
    const float none = __int_as_float(0x7FFFFFFF);
    const ModelPoint p = number < s.point_count ? s.points[number] : ModelPoint{none, none, none};
    f[3 * i] = p.x;
    f[3 * i + 1] = p.y;
    f[3 * i + 2] = p.z;
  }
}

__global__ void __launch_bounds__(cell_threads) balls_of_facets(const ScanOnDevice s, float4* out) {
  const std::uint32_t i = blockIdx.x * cell_threads + threadIdx.x;
  if (i >= s.facet_count) return;
  float f[9];
  corners_at(s, i, f);
  const Ball b = ball_about(f);
  out[i] = float4{b.x, b.y, b.z, b.radius};
}

__global__ void __launch_bounds__(cell_threads)
    gather_corners(const ScanOnDevice s, const std::uint32_t* number, std::uint32_t count, Corners* out) {
  const std::uint32_t at = blockIdx.x * cell_threads + threadIdx.x;
  if (at >= count) return;
  float f[9];
  corners_at(s, number[at], f);
  out[at] = corners_of(f);
}

DeviceGrid view_of(const DeviceCells& cells) {
  DeviceGrid v{};
  std::copy(cells.grids(), cells.grids() + most_levels, v.grid);
  v.levels = cells.levels();
  v.begin = cells.begin();
  v.ball = cells.sorted();
  v.farthest = cells.farthest();
  return v;
}

class CudaDeviceMatch final : public MatchOnDevice {
 public:
  explicit CudaDeviceMatch(const ModelFacets& model) : facets_(model), regions_(model) {
    by_points_.reserve(std::max(facets_.view.count, 1u));
    by_surface_.reserve(std::max(facets_.view.count, 1u));
    cuda::check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream of a match");
  }
  ~CudaDeviceMatch() override { cudaStreamDestroy(stream_); }

  void match(const ScannedSurface& surface, const ScanMatchSettings& settings, FacetDeviation* by_points,
             FacetPierced* by_surface) override {
    match_both(surface, settings, by_points, by_surface, [this](const auto& found, auto* out) {
      cuda::check(cudaMemcpyAsync(out, found.get(), facets_.view.count * sizeof *out, cudaMemcpyDeviceToHost,
                                  stream_),
                  "matches of a scan");
    });
  }
  void sum(const ScannedSurface& surface, const ScanMatchSettings& settings, FacetSums* by_points,
           FacetSums* by_surface) override {
    if (regions_.empty()) throw GpuError("sums of facets: the model's facets have no regions", false);
    match_both(surface, settings, by_points, by_surface,
               [this](const auto& found, FacetSums*) { regions_.sum(stream_, found.get()); });
    if (by_points) regions_.take_points(by_points);
    if (by_surface) regions_.take_surface(by_surface);
  }
  void sum_points(const PointsToMatch& points, const PointMatchSettings& settings, FacetSums* out) override {
    if (regions_.empty()) throw GpuError("sums of facets: the model's facets have no regions", false);
    match::check(settings);
    if (facets_.view.count == 0) return;
    ScanOnDevice scan{};
    scan.points = points.points;
    scan.view = points.view;
    scan.point_count = points.count;
    std::copy_n(points.origin, 3, scan.origin);
    take_directions(points.directions, points.view_count, scan);
    match_points_of(scan, settings);
    regions_.sum(stream_, by_points_.get());
    cuda::wait(stream_, timeout, "match of points");
    regions_.take_points(out);
  }

 private:
  /// fetch(matches, out) for each that is wanted, when it has begun: on its way while what follows is sorted.
  template <class Points, class Facets, class Fetch>
  void match_both(const ScannedSurface& surface, const ScanMatchSettings& settings, Points* by_points,
                  Facets* by_surface, const Fetch& fetch) {
    match::check(settings.by_points);
    match::check(settings.by_surface, false);
    if (facets_.view.count == 0) return;
    const ScanOnDevice scan = upload(surface);
    if (by_points) {
      match_points_of(scan, settings.by_points);
      fetch(by_points_, by_points);
    }
    if (by_surface) {
      match_facets_of(scan, settings.by_surface);
      fetch(by_surface_, by_surface);
    }
    cuda::wait(stream_, timeout, "match of a scan");
  }

  template <class T>
  const T* take(Buffer<T>& buffer, const void* from, std::size_t count, const char* what) {
    buffer.reserve(std::max<std::size_t>(count, 1));
    if (count > 0)
      cuda::check(cudaMemcpyAsync(buffer.get(), from, count * sizeof(T), cudaMemcpyHostToDevice, stream_),
                  what);
    return buffer.get();
  }

  void take_directions(const PointDirection* of, std::size_t count, ScanOnDevice& scan) {
    std::vector<float4> directions;
    for (std::size_t i = 0; i < count; ++i) directions.push_back(float4{of[i].x, of[i].y, of[i].z, 0});
    to_device(directions_, directions, "directions of a scan");
    scan.directions = directions_.get();
    scan.view_count = static_cast<std::uint32_t>(count);
  }

  ScanOnDevice upload(const ScannedSurface& s) {
    ScanOnDevice scan{};
    scan.point_count = static_cast<std::uint32_t>(s.point_count);
    scan.facet_count = static_cast<std::uint32_t>(s.facet_count);
    scan.points = take(points_, s.points, s.point_count, "points of a scan");
    scan.view = take(view_, s.view, s.point_count, "views of a scan");
    take_directions(s.directions, s.view_count, scan);
    scan.facets = take(corners_of_facets_, s.facets, 3 * s.facet_count, "facets of a scan");
    return scan;
  }

  void match_points_of(const ScanOnDevice& scan, const PointMatchSettings& settings) {
    float4* const balls = points_cells_.balls_for(scan.point_count);
    if (scan.point_count > 0)
      balls_of_points<<<cell_blocks(scan.point_count), cell_threads, 0, stream_>>>(scan, balls);
    points_cells_.build(stream_, scan.point_count, false);
    const std::uint32_t count = points_cells_.size();
    direction_.reserve(std::max(count, 1u));
    if (count > 0)
      gather_directions<<<cell_blocks(count), cell_threads, 0, stream_>>>(scan, points_cells_.number(), count,
                                                                          direction_.get());
    launch_points(stream_, {view_of(points_cells_), facets_.view, direction_.get(), settings,
                            scale_of(settings.gate), facets_.queue(stream_), by_points_.get()});
  }

  void match_facets_of(const ScanOnDevice& scan, const FacetMatchSettings& settings) {
    float4* const balls = facet_cells_.balls_for(scan.facet_count);
    if (scan.facet_count > 0)
      balls_of_facets<<<cell_blocks(scan.facet_count), cell_threads, 0, stream_>>>(scan, balls);
    facet_cells_.build(stream_, scan.facet_count, true);
    const std::uint32_t count = facet_cells_.size();
    corners_.reserve(std::max(count, 1u));
    if (count > 0)
      gather_corners<<<cell_blocks(count), cell_threads, 0, stream_>>>(scan, facet_cells_.number(), count,
                                                                       corners_.get());
    launch_facets(stream_, {view_of(facet_cells_), facets_.view, corners_.get(), facet_cells_.number(),
                            nullptr, nullptr, settings, facets_.queue(stream_), by_surface_.get()});
  }

  FacetsOnDevice facets_;
  RegionsOnDevice regions_;
  Buffer<ModelPoint> points_;
  Buffer<std::uint16_t> view_;
  Buffer<float4> directions_, direction_;
  Buffer<std::uint32_t> corners_of_facets_;
  DeviceCells points_cells_, facet_cells_;
  Buffer<Corners> corners_;
  Buffer<FacetDeviation> by_points_;
  Buffer<FacetPierced> by_surface_;
  cudaStream_t stream_ = nullptr;
};

}  // namespace

std::unique_ptr<DeviceMatch> cuda_device_match(const ModelFacets& model) {
  return std::make_unique<CudaDeviceMatch>(model);
}

}  // namespace datum
