// Matching on a CUDA device. C++17.
#pragma once

#include <cstddef>
#include <memory>

#include "gpu/core/cuda_types.h"
#include "gpu/surface_match/surface_match.h"

namespace datum {

/// Results are byte for byte those of MeasuredPoints on the CPU. Members throw GpuError, launch() std::invalid_argument
/// for what MeasuredPoints refuses; one object is used by one thread at a time.
class CudaPointMatch {
 public:
  /// The model's facets stay on the device.
  explicit CudaPointMatch(const ModelFacets& facets);
  ~CudaPointMatch();

  /// The points and their cells to the device; waits.
  void upload(CudaStream stream, const MeasuredPoints& points);
  /// Kernels only, asynchronous; may be captured into a graph.
  void launch(CudaStream stream, const PointMatchSettings& settings);
  /// Waits. out[i] belongs to facet i.
  void fetch(CudaStream stream, FacetDeviation* out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The same for MeasuredFacets.
class CudaFacetMatch {
 public:
  explicit CudaFacetMatch(const ModelFacets& facets);
  ~CudaFacetMatch();

  void upload(CudaStream stream, const MeasuredFacets& measured);
  void launch(CudaStream stream, const FacetMatchSettings& settings);
  void fetch(CudaStream stream, FacetPierced* out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace datum
