// Signed distances from a model on a CUDA device. C++17.
#pragma once

#include <cstddef>
#include <memory>

#include "gpu/core/cuda_types.h"
#include "gpu/model_distance/distance_finder.h"

namespace datum {

struct PointsToFind;  // model_distance_device.cuh

/// Results are byte for byte those of ModelSearch on the CPU. Members throw GpuError, find() std::invalid_argument for what
/// ModelSearch refuses; one object is used by one thread at a time.
class CudaModelSearch {
 public:
  /// The model stays on the device.
  explicit CudaModelSearch(const TriangleModel& model);
  ~CudaModelSearch();

  /// Takes memory for so many points.
  void reserve(std::size_t count);
  /// Points in host memory to the device, and results back; both wait.
  void upload(CudaStream stream, const ModelPoint* points, std::size_t count);
  void fetch(CudaStream stream, ModelDistance* out);
  /// Kernel only, asynchronous; may be captured into a graph. Of the points that were uploaded.
  void launch(CudaStream stream, const DistanceSettings& settings);
  /// The same of points on the device, to there.
  void launch(CudaStream stream, const PointsToFind& points, const DistanceSettings& settings,
              ModelDistance* out);
  /// What lies there of the model: TriangleModel::normal; the number of its facets.
  const float (*normals() const)[7][3];
  std::uint32_t facet_count() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// CudaModelSearch with a stream of its own. Throws GpuError.
std::unique_ptr<DeviceSearch> cuda_device_search(const TriangleModel& model);

}  // namespace datum
