#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <vector>

#include "gpu/area_share/area_share_device.cuh"
#include "gpu/core/cuda_dialect.cuh"
#include "gpu/core/cuda_support.cuh"
#include "gpu/model_distance/model_distance_device.cuh"
#include "gpu/surface_compare/surface_compare_cuda.h"
#include "gpu/surface_compare/surface_compare_math.h"
#include "gpu/surface_match/match_on_device.cuh"

namespace datum {
namespace {

using namespace cuda;
using namespace compare;

constexpr int block = 128, lanes = 32;
constexpr std::chrono::milliseconds timeout{2000};

struct FacetsHere {
  const FacetOnDevice* facets;
  const FacetNormals* normals;
  DATUM_MEMBER const float* corner(std::uint32_t i) const { return facets[i].corner; }
  DATUM_MEMBER const float* normal(std::uint32_t i) const { return facets[i].normal; }
  DATUM_MEMBER const float* normal(std::uint32_t i, Place place) const {
    return normals[i][static_cast<int>(place)];
  }
};

__global__ void __launch_bounds__(block)
    find_planes(const DATUM_GRID_CONSTANT ShotRays rays, const FacetOnDevice* facets, std::uint32_t count,
                FacetPlane* planes) {
  const std::uint32_t i = blockIdx.x * block + threadIdx.x;
  if (i >= count) return;
  Place3d corners[3];
  corners_of(rays, facets[i].corner, corners);
  planes[i] = plane_of(corners);
}

/// What lies on the device of a part's points.
struct PartPoints {
  ModelPoint* points;
  std::uint32_t* pixel;  // of its snapshot
  std::uint32_t* near;   // the facet on its ray
  std::uint16_t* shot;   // its snapshot
  ModelDistance* distances;
  PointJudgement* judgements;
};

/// A row for each warp.
__global__ void __launch_bounds__(block)
    place_points(const DATUM_GRID_CONSTANT ShotView shot, const std::uint32_t* first_points,
                 const DATUM_GRID_CONSTANT PartPoints out, std::uint16_t number, std::uint32_t end) {
  const int row = static_cast<int>((blockIdx.x * block + threadIdx.x) / lanes);
  const int lane = static_cast<int>(threadIdx.x % lanes);
  if (row >= shot.rays.rows) return;
  std::uint32_t first = first_points[row];
  for (int begin = 0; begin < shot.rays.cols; begin += lanes) {
    const int col = begin + lane;
    const bool has = col < shot.rays.cols && shot.heights.classes[shot.index(row, col)] == 0;
    const unsigned all = __ballot_sync(0xFFFFFFFF, has);
    const std::uint32_t i = first + static_cast<std::uint32_t>(__popc(all & ((1u << lane) - 1)));
    if (has && i < end) {
      const std::size_t pixel = shot.index(row, col);
      out.points[i] = point_of(shot.rays, row, col, at(shot.heights.z, count_at(shot.heights, pixel)));
      out.pixel[i] = static_cast<std::uint32_t>(pixel);
      out.near[i] = shot.rays.facet[pixel];
      out.shot[i] = number;
    }
    first += static_cast<std::uint32_t>(__popc(all));
  }
}

__global__ void __launch_bounds__(block)
    judge_points(const DATUM_GRID_CONSTANT ShotView shot, const DATUM_GRID_CONSTANT FacetsHere facets,
                 const DATUM_GRID_CONSTANT CompareSettings settings, const std::uint16_t* regions,
                 const DATUM_GRID_CONSTANT PartPoints p, std::uint32_t first, std::uint32_t end) {
  const std::uint32_t i = first + blockIdx.x * block + threadIdx.x;
  if (i >= end) return;
  const int cols = shot.rays.cols;
  const int row = static_cast<int>(p.pixel[i]) / cols, col = static_cast<int>(p.pixel[i]) % cols;
  ModelDistance d = p.distances[i];
  const PixelJudge<FacetsHere> judge(shot, facets, settings);
  const JudgedPixel pixel = judge.judge(row, col, p.points[i], d);
  p.judgements[i] = keep(
      pixel, [&](std::uint32_t facet) { return regions[facet]; }, &d);
  p.distances[i] = d;
}

/// Snapshots' pixels on the device, one after the other.
struct ShotOnDevice {
  ShotRays rays;          // of device memory
  std::size_t first = 0;  // pixel
  Buffer<FacetPlane> planes;
};

class CudaCompare final : public DeviceCompare {
 public:
  CudaCompare(SearchOnDevice& search, AreasOnDevice& areas) : search_(search), areas_(areas) {
    if (search.facet_count() != areas.facet_count() || !areas.regions())
      throw std::invalid_argument("comparison of snapshots: not of one model with regions");
    cuda::check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream of a comparison");
    cuda::check(cudaStreamCreateWithFlags(&back_, cudaStreamNonBlocking), "stream of judged points");
    cuda::check(cudaEventCreateWithFlags(&judged_, cudaEventDisableTiming), "event of judged points");
  }
  ~CudaCompare() override {
    cudaEventDestroy(judged_);
    cudaStreamDestroy(back_);
    cudaStreamDestroy(stream_);
  }

  void take(const ShotRays* rays, std::size_t shots) override {
    shots_.clear();
    count_ = 0;
    std::size_t pixels = 0;
    for (std::size_t s = 0; s < shots; ++s) pixels += rays[s].pixels();
    facet_.reserve(std::max<std::size_t>(pixels, 1));
    met_mm_.reserve(std::max<std::size_t>(pixels, 1));
    is_away_.reserve(std::max<std::size_t>(pixels, 1));
    std::vector<ShotOnDevice> taken(shots);
    std::size_t first = 0;
    for (std::size_t s = 0; s < shots; first += rays[s++].pixels()) take(rays[s], first, taken[s]);
    cuda::wait(stream_, timeout, "rays of a part");
    shots_ = std::move(taken);
    pixels_ = pixels;
  }

  void compare(const PartShots& part, const CompareSettings& settings, const ComparedPoints& out) override {
    if (part.count != shots_.size())
      throw std::invalid_argument("comparison of snapshots: their rays did not come");
    const auto count = static_cast<std::uint32_t>(part.points);
    count_ = 0;
    reserve(part);
    const PartPoints p{points_.get(), pixel_.get(),     near_.get(),
                       shot_.get(),   distances_.get(), judgements_.get()};
    std::size_t row = 0;
    std::vector<ShotView> views;
    for (std::size_t s = 0; s < part.count; row += static_cast<std::size_t>(shots_[s++].rays.rows)) {
      views.push_back(view_of(part.heights[s], shots_[s]));
      const int rows = shots_[s].rays.rows;
      if (rows > 0)
        place_points<<<blocks_of(static_cast<std::size_t>(rows) * lanes), block, 0, stream_>>>(
            views.back(), rows_.get() + row, p, static_cast<std::uint16_t>(s), count);
    }
    search_.begin(stream_, {p.points, p.near, count}, settings.distance, p.distances);
    row = 0;
    for (std::size_t s = 0; s < part.count; ++s) {
      const std::uint32_t first = std::min(part.first[row], count);
      row += static_cast<std::size_t>(shots_[s].rays.rows);
      const std::uint32_t end = std::min(part.first[row], count);
      if (first < end)
        judge_points<<<blocks_of(end - first), block, 0, stream_>>>(
            views[s], FacetsHere{areas_.facets(), search_.normals()}, settings, areas_.regions(), p, first,
            end);
    }
    cuda::check(cudaGetLastError(), "launch of a comparison");
    // on their way while areas are shared
    cuda::check(cudaEventRecord(judged_, stream_), "event of judged points");
    cuda::check(cudaStreamWaitEvent(back_, judged_, 0), "event of judged points");
    fetch(out.distances, p.distances, count);
    fetch(out.judgements, p.judgements, count);
    areas_.begin(stream_, p.points, p.distances, count);
    areas_.fetch(stream_, out.areas);
    cuda::wait(back_, timeout, "judged points");
    cuda::wait(stream_, timeout, "comparison of snapshots");
    count_ = count;
  }

  void sum(DeviceMatch& facets, const MatchOfPoints& how, FacetSums* out) override {
    auto* const there = dynamic_cast<MatchOnDevice*>(&facets);
    if (!there) throw std::invalid_argument("match of compared points: facets that lie on no device");
    PointsToMatch points;
    points.points = points_.get();
    points.view = shot_.get();
    points.count = count_;
    std::copy_n(how.origin, 3, points.origin);
    points.directions = how.directions;
    points.view_count = static_cast<std::uint32_t>(shots_.size());
    there->sum_points(points, how.settings, out);
  }

 private:
  static unsigned blocks_of(std::size_t threads) {
    return static_cast<unsigned>((threads + block - 1) / block);
  }

  template <class T>
  void send(T* to, const void* from, std::size_t count) {
    if (count > 0)
      cuda::check(cudaMemcpyAsync(to, from, count * sizeof *to, cudaMemcpyHostToDevice, stream_),
                  "snapshots of a part");
  }
  template <class T>
  void fetch(T* to, const T* from, std::size_t count) {
    if (count > 0)
      cuda::check(cudaMemcpyAsync(to, from, count * sizeof *to, cudaMemcpyDeviceToHost, back_),
                  "judged points");
  }

  void take(const ShotRays& rays, std::size_t first, ShotOnDevice& to) {
    const std::size_t pixels = rays.pixels();
    send(facet_.get() + first, rays.facet, pixels);
    send(met_mm_.get() + first, rays.z_mm, pixels);
    send(is_away_.get() + first, rays.is_away, pixels);
    to.rays = rays;
    to.rays.facet = facet_.get() + first;
    to.rays.z_mm = met_mm_.get() + first;
    to.rays.is_away = is_away_.get() + first;
    to.first = first;
    const std::uint32_t facets = areas_.facet_count();
    to.planes.reserve(std::max(facets, 1u));
    if (facets == 0) return;
    find_planes<<<blocks_of(facets), block, 0, stream_>>>(to.rays, areas_.facets(), facets, to.planes.get());
    cuda::check(cudaGetLastError(), "launch of the planes of facets");
  }

  void reserve(const PartShots& part) {
    const std::size_t room = std::max<std::size_t>(part.points, 1),
                      pixels = std::max<std::size_t>(pixels_, 1);
    points_.reserve(room);
    pixel_.reserve(room);
    near_.reserve(room);
    shot_.reserve(room);
    distances_.reserve(room);
    judgements_.reserve(room);
    counts_.reserve(pixels * sizeof(std::int32_t));
    classes_.reserve(pixels);
    std::size_t rows = 1;
    for (const ShotOnDevice& shot : shots_) rows += static_cast<std::size_t>(shot.rays.rows);
    rows_.reserve(rows);
    send(rows_.get(), part.first, rows);
  }

  ShotView view_of(const ShotHeights& heights, const ShotOnDevice& shot) {
    const std::size_t bytes = heights.type == CountType::int16 ? sizeof(std::int16_t) : sizeof(std::int32_t);
    std::uint8_t* const counts = counts_.get() + shot.first * bytes;
    std::uint8_t* const classes = classes_.get() + shot.first;
    send(counts, heights.counts, shot.rays.pixels() * bytes);
    send(classes, heights.classes, shot.rays.pixels());
    ShotView view;
    view.rays = shot.rays;
    view.heights = heights;
    view.heights.counts = counts;
    view.heights.classes = classes;
    view.planes = shot.planes.get();
    view.facets = areas_.facet_count();
    return view;
  }

  SearchOnDevice& search_;
  AreasOnDevice& areas_;
  std::vector<ShotOnDevice> shots_;
  std::size_t pixels_ = 0;
  std::uint32_t count_ = 0;  // points of the last comparison
  Buffer<std::uint32_t> facet_, pixel_, near_, rows_;
  Buffer<std::uint16_t> shot_;
  Buffer<double> met_mm_;
  Buffer<std::uint8_t> is_away_, counts_, classes_;
  Buffer<ModelPoint> points_;
  Buffer<ModelDistance> distances_;
  Buffer<PointJudgement> judgements_;
  cudaStream_t stream_ = nullptr, back_ = nullptr;
  cudaEvent_t judged_ = nullptr;
};

}  // namespace

std::unique_ptr<DeviceCompare> cuda_device_compare(DeviceSearch& search, DeviceAreas& areas) {
  auto* const of_search = dynamic_cast<SearchOnDevice*>(&search);
  auto* const of_areas = dynamic_cast<AreasOnDevice*>(&areas);
  if (!of_search || !of_areas)
    throw std::invalid_argument("comparison of snapshots: a model that lies on no device");
  return std::make_unique<CudaCompare>(*of_search, *of_areas);
}

}  // namespace datum
