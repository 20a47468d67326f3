// Who looks for distances from a model: this program's CPU, or a GPU with the CPU in reserve. The bytes are the same.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "gpu/model_distance/model_distance.h"

namespace datum {

/// A model, and its search on the CPU. Both are kept by whoever needs them longer.
struct SearchedModel {
  std::shared_ptr<const TriangleModel> triangles;
  std::shared_ptr<const ModelSearch> search;
};

class DistanceFinder {
 public:
  virtual ~DistanceFinder() = default;
  /// Makes a model ready where the distances will be found, so that the first points do not wait for it. Never throws.
  virtual void prepare(const SearchedModel&) {}
  /// As ModelSearch::find. Of several threads one waits for the other.
  virtual void find(const SearchedModel& model, const ModelPoint* points, std::size_t count,
                    const DistanceSettings& settings, ModelDistance* out) = 0;
  /// Who found the last ones: "cuda NVIDIA H200 sm_90", "cpu avx512 x16".
  virtual std::string describe() const = 0;
};

class CpuDistanceFinder final : public DistanceFinder {
 public:
  explicit CpuDistanceFinder(Backend backend) : backend_(std::move(backend)) {}
  void find(const SearchedModel& model, const ModelPoint* points, std::size_t count,
            const DistanceSettings& settings, ModelDistance* out) override {
    model.search->find(points, count, settings, backend_, out);
  }
  std::string describe() const override { return datum::describe(backend_); }

 private:
  Backend backend_;
};

/// One model on one device.
class DeviceSearch {
 public:
  virtual ~DeviceSearch() = default;
  virtual void find(const ModelPoint* points, std::size_t count, const DistanceSettings& settings,
                    ModelDistance* out) = 0;
};

}  // namespace datum
