#include <algorithm>
#include <chrono>
#include <vector>

#include "gpu/area_share/area_share_cuda.h"
#include "gpu/area_share/area_share_device.cuh"
#include "gpu/area_share/area_share_math.h"
#include "gpu/core/cuda_dialect.cuh"
#include "gpu/core/cuda_support.cuh"

namespace datum {
namespace {

using namespace cuda;
using namespace area;

constexpr int block = 256;
constexpr int group = 8;  // threads for a patch: its list comes in whole sectors
constexpr std::chrono::milliseconds timeout{2000};

struct ReachOnDevice {
  const std::int32_t* root;
  const PatchCut* cuts;
  const double* area_mm2;
  const std::uint32_t* first_near;
  const std::uint32_t* near;
  std::uint32_t patches;
  std::uint32_t *own, *marks;
  double *of_mark, *share;  // of the first reach
};

struct PointsOnDevice {
  const ModelPoint* points;
  const ModelDistance* distances;
  const FacetOnDevice* facets;
  std::uint32_t count, facet_count;
  ReachOnDevice reach[most_reaches];
  int reaches;
  std::uint32_t* of;
  double* area_mm2;
};

__device__ FacetPlace place_of(const FacetOnDevice& facet) { return {facet.corner, facet.normal}; }

__global__ void __launch_bounds__(block) put(const DATUM_GRID_CONSTANT PointsOnDevice s) {
  const std::uint32_t i = blockIdx.x * block + threadIdx.x;
  if (i >= s.count) return;
  const ModelDistance d = s.distances[i];
  const bool judged = is_judged(d) && d.facet < s.facet_count;
  if (!judged) {
    s.of[i] = no_patch;
    return;
  }
  Place3d foot;
  bool is_found = false;
  for (int k = 0; k < s.reaches; ++k) {
    const ReachOnDevice& r = s.reach[k];
    const std::int32_t root = r.root[d.facet];
    if (root >= 0 && !is_found) foot = foot_of(place_of(s.facets[d.facet]), s.points[i], d);
    is_found |= root >= 0;
    const std::uint32_t patch = patch_below(r.cuts, root, foot);
    atomicAdd(&r.own[patch], 1u);
    if (k == 0) s.of[i] = patch;
  }
}

/// The patch of a group of threads, and this one's place in it.
struct Lane {
  std::uint32_t patch, at;
  unsigned mask;  // of its group
};
__device__ Lane lane() {
  const std::uint32_t thread = blockIdx.x * block + threadIdx.x;
  return {thread / group, thread % group, ((1u << group) - 1) << (threadIdx.x % 32 / group * group)};
}

__global__ void __launch_bounds__(block) mark(const ReachOnDevice r) {
  const Lane l = lane();
  if (l.patch >= r.patches) return;
  std::uint32_t marks = 0;
  const std::uint32_t end = r.first_near[l.patch + 1];
  for (std::uint32_t i = r.first_near[l.patch] + l.at; i < end; i += group) marks += r.own[r.near[i]];
#pragma unroll
  for (int step = group / 2; step > 0; step /= 2) marks += __shfl_xor_sync(l.mask, marks, step, group);
  if (l.at != 0) return;
  r.marks[l.patch] = marks;
  if (r.of_mark) r.of_mark[l.patch] = area_of_mark(r.area_mm2[l.patch], marks);
}

/// In the list's order: a group reads side by side and adds one after the other. No area is below 0, so 0 behind the end adds nothing.
__global__ void __launch_bounds__(block) share_patches(const ReachOnDevice r) {
  const Lane l = lane();
  if (l.patch >= r.patches || r.own[l.patch] == 0) return;
  double sum = 0;
  const std::uint32_t begin = r.first_near[l.patch], end = r.first_near[l.patch + 1];
  for (std::uint32_t first = begin; first < end; first += group) {
    const double own = first + l.at < end ? r.of_mark[r.near[first + l.at]] : 0;
#pragma unroll
    for (int k = 0; k < group; ++k) sum += __shfl_sync(l.mask, own, k, group);
  }
  if (l.at == 0) r.share[l.patch] = sum;
}

__global__ void __launch_bounds__(block) spread(const DATUM_GRID_CONSTANT PointsOnDevice s) {
  const std::uint32_t i = blockIdx.x * block + threadIdx.x;
  if (i >= s.count) return;
  const std::uint32_t patch = s.of[i];
  s.area_mm2[i] = patch == no_patch ? 0 : s.reach[0].share[patch];
}

struct Reach {
  Buffer<std::int32_t> root;
  Buffer<PatchCut> cuts;
  Buffer<double> area_mm2, of_mark, share;
  Buffer<std::uint32_t> first_near, near, own, marks;
};

class CudaAreas final : public AreasOnDevice {
 public:
  explicit CudaAreas(const AreaModel& model) {
    check(model);
    const TriangleModel& triangles = *model.triangles;
    std::vector<FacetOnDevice> facets(triangles.corner.size());
    for (std::uint32_t i = 0; i < facets.size(); ++i) {
      const FacetPlace from = area::place_of(triangles, i);
      std::copy_n(from.corner, 9, facets[i].corner);
      std::copy_n(from.normal, 3, facets[i].normal);
    }
    to_device(facets_, facets, "facets of patches");
    if (!model.region.empty()) to_device(regions_, model.region, "regions of facets");
    s_.facets = facets_.get();
    s_.facet_count = static_cast<std::uint32_t>(facets.size());
    s_.reaches = static_cast<int>(model.reaches.size());
    for (int k = 0; k < s_.reaches; ++k) s_.reach[k] = take(reach_[k], *model.reaches[k], k == 0);
    cuda::check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "stream of areas");
  }
  ~CudaAreas() override { cudaStreamDestroy(stream_); }

  void share(const JudgedPoints& points, const AreaShares& out) override {
    points_.reserve(std::max<std::size_t>(points.count, 1));
    distances_.reserve(std::max<std::size_t>(points.count, 1));
    send(points_.get(), points.points, points.count);
    send(distances_.get(), points.distances, points.count);
    begin(stream_, points_.get(), distances_.get(), static_cast<std::uint32_t>(points.count));
    fetch(stream_, out);
    cuda::wait(stream_, timeout, "areas of points");
  }

  const FacetOnDevice* facets() const override { return facets_.get(); }
  std::uint32_t facet_count() const override { return s_.facet_count; }
  const std::uint16_t* regions() const override { return regions_.get(); }

  void begin(cudaStream_t stream, const ModelPoint* points, const ModelDistance* distances,
             std::uint32_t count) override {
    const std::size_t room = std::max<std::size_t>(count, 1);
    of_.reserve(room);
    area_mm2_.reserve(room);
    s_.points = points;
    s_.distances = distances;
    s_.of = of_.get();
    s_.area_mm2 = area_mm2_.get();
    s_.count = count;
    for (int k = 0; k < s_.reaches; ++k)
      cuda::check(cudaMemsetAsync(s_.reach[k].own, 0, s_.reach[k].patches * sizeof(std::uint32_t), stream),
                  "counts of patches");
    const unsigned of_points = (s_.count + block - 1) / block;
    if (s_.count > 0) put<<<of_points, block, 0, stream>>>(s_);
    for (int k = 0; k < s_.reaches; ++k) mark<<<blocks_of(s_.reach[k]), block, 0, stream>>>(s_.reach[k]);
    share_patches<<<blocks_of(s_.reach[0]), block, 0, stream>>>(s_.reach[0]);
    if (s_.count > 0) spread<<<of_points, block, 0, stream>>>(s_);
    cuda::check(cudaGetLastError(), "launch of areas");
  }

  void fetch(cudaStream_t stream, const AreaShares& out) override {
    const auto get = [&](auto* to, const auto* from, std::size_t count) {
      if (count > 0)
        cuda::check(cudaMemcpyAsync(to, from, count * sizeof *to, cudaMemcpyDeviceToHost, stream), "areas");
    };
    for (int k = 0; k < s_.reaches; ++k) get(out.marks[k], s_.reach[k].marks, s_.reach[k].patches);
    get(out.area_mm2, s_.area_mm2, s_.count);
  }

 private:
  static unsigned blocks_of(const ReachOnDevice& r) {
    constexpr unsigned patches = block / group;
    return (r.patches + patches - 1) / patches;
  }

  static ReachOnDevice take(Reach& on, const PatchLists& lists, bool is_first) {
    const std::size_t patches = lists.area_mm2.size();
    to_device(on.root, lists.root, "patches of facets");
    to_device(on.cuts, lists.cuts, "cuts of facets");
    to_device(on.area_mm2, lists.area_mm2, "areas of patches");
    to_device(on.first_near, lists.first_near, "neighbours of patches");
    to_device(on.near, lists.near, "neighbours of patches");
    on.own.reserve(patches);
    on.marks.reserve(patches);
    if (is_first) {
      on.of_mark.reserve(patches);
      on.share.reserve(patches);
    }
    return {on.root.get(),       on.cuts.get(),  on.area_mm2.get(),
            on.first_near.get(), on.near.get(),  static_cast<std::uint32_t>(patches),
            on.own.get(),        on.marks.get(), on.of_mark.get(),
            on.share.get()};
  }

  template <class T>
  void send(T* to, const T* from, std::size_t count) {
    if (count > 0)
      cuda::check(cudaMemcpyAsync(to, from, count * sizeof(T), cudaMemcpyHostToDevice, stream_),
                  "points of areas");
  }
  Buffer<FacetOnDevice> facets_;
  Buffer<std::uint16_t> regions_;
  Reach reach_[most_reaches];
  Buffer<ModelPoint> points_;
  Buffer<ModelDistance> distances_;
  Buffer<std::uint32_t> of_;
  Buffer<double> area_mm2_;
  PointsOnDevice s_{};
  cudaStream_t stream_ = nullptr;
};

}  // namespace

std::unique_ptr<DeviceAreas> cuda_device_areas(const AreaModel& model) {
  return std::make_unique<CudaAreas>(model);
}

}  // namespace datum
