// Sums of a model's facets on the device: a block for each run of facets of one region. C++17.
#pragma once

#include <algorithm>
#include <vector>

#include "gpu/core/cuda_dialect.cuh"
#include "gpu/core/cuda_support.cuh"
#include "gpu/surface_match/facet_sums_math.h"

namespace datum::match {
namespace {

constexpr int sum_threads = 256;
constexpr std::uint32_t sum_run = 4096;  // facets

struct SumRun {
  std::uint32_t first, count;
};

struct RegionsView {
  const std::uint32_t* facet;  // those of one region together
  const std::int64_t* units;   // beside it
  const SumRun* run;
  FacetSums* sums;  // of each run
};

/// `found`: of all facets.
template <class Found>
__global__ void __launch_bounds__(sum_threads)
    sum_runs(const DATUM_GRID_CONSTANT RegionsView v, const Found* found) {
  __shared__ FacetSums part[sum_threads];
  const SumRun run = v.run[blockIdx.x];
  FacetSums own;
  for (std::uint32_t i = run.first + threadIdx.x; i < run.first + run.count; i += sum_threads) {
    const std::uint32_t facet = v.facet[i];
    add(value_of(found[facet]), facet, v.units[i], &own);
  }
  part[threadIdx.x] = own;
  for (int half = sum_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) merge(part[threadIdx.x + half], &part[threadIdx.x]);
  }
  if (threadIdx.x == 0) v.sums[blockIdx.x] = part[0];
}

/// The regions of a model's facets on the device.
class RegionsOnDevice {
 public:
  explicit RegionsOnDevice(const ModelFacets& model)
      : regions_(model.regions ? model.regions->total.size() : 0) {
    if (regions_ == 0) return;
    const FacetRegions& of = *model.regions;
    std::vector<std::size_t> next(regions_ + 1);
    for (std::size_t r = 0; r < regions_; ++r) next[r + 1] = next[r] + of.total[r].count;
    std::vector<std::uint32_t> facet(next.back());
    std::vector<std::int64_t> units(next.back());
    std::vector<SumRun> runs;
    for (std::size_t r = 0; r < regions_; ++r)
      for (std::size_t first = next[r]; first < next[r + 1]; first += sum_run) {
        const std::size_t count = std::min<std::size_t>(sum_run, next[r + 1] - first);
        runs.push_back({static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(count)});
        region_.push_back(r);
      }
    for (std::size_t i = 0; i < of.region.size(); ++i) {
      if (of.region[i] >= regions_) continue;
      const std::size_t at = next[of.region[i]]++;
      facet[at] = static_cast<std::uint32_t>(i);
      units[at] = of.units[i];
    }
    cuda::to_device(facet_, facet, "facets of regions");
    cuda::to_device(units_, units, "areas of facets");
    cuda::to_device(run_, runs, "runs of facets");
    sums_.reserve(std::max<std::size_t>(runs.size(), 1));
    of_points_.resize(runs.size());
    of_surface_.resize(runs.size());
  }
  bool empty() const { return regions_ == 0; }

  /// Begins them; they are there when the stream is empty.
  void sum(cudaStream_t stream, const FacetDeviation* found) { begin(stream, found, of_points_); }
  void sum(cudaStream_t stream, const FacetPierced* found) { begin(stream, found, of_surface_); }
  void take_points(FacetSums* out) const { take(of_points_, out); }
  void take_surface(FacetSums* out) const { take(of_surface_, out); }

 private:
  template <class Found>
  void begin(cudaStream_t stream, const Found* found, std::vector<FacetSums>& of_run) {
    if (of_run.empty()) return;
    const auto runs = static_cast<unsigned>(of_run.size());
    sum_runs<<<runs, sum_threads, 0, stream>>>(
        RegionsView{facet_.get(), units_.get(), run_.get(), sums_.get()}, found);
    cuda::check(cudaGetLastError(), "launch of sums of facets");
    cuda::check(
        cudaMemcpyAsync(of_run.data(), sums_.get(), runs * sizeof(FacetSums), cudaMemcpyDeviceToHost, stream),
        "sums of facets");
  }
  void take(const std::vector<FacetSums>& of_run, FacetSums* out) const {
    std::fill_n(out, regions_, FacetSums());
    for (std::size_t k = 0; k < of_run.size(); ++k) merge(of_run[k], &out[region_[k]]);
  }

  const std::size_t regions_;
  std::vector<std::size_t> region_;  // of each run
  cuda::Buffer<std::uint32_t> facet_;
  cuda::Buffer<std::int64_t> units_;
  cuda::Buffer<SumRun> run_;
  cuda::Buffer<FacetSums> sums_;
  std::vector<FacetSums> of_points_, of_surface_;  // of each run
};

}  // namespace
}  // namespace datum::match
