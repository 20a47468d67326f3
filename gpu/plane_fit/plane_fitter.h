// Planes one at a time, on the CPU.
#pragma once

#include <cstddef>
#include <memory>

#include "gpu/plane_fit/plane_fit.h"

namespace datum {

/// fit_planes() for one plane at a time, on the CPU: keeps its memory from plane to plane. For one thread.
class PlaneFitter {
 public:
  explicit PlaneFitter(Isa isa) : isa_(isa) {}
  /// Throws as fit_planes().
  PlaneFit fit(const PlanePoints& plane, const PlaneFitSettings& settings);

 private:
  Isa isa_;
  std::size_t room_ = 0;
  std::unique_ptr<float[]> memory_;  // not cleared: lists are written before they are read
};

}  // namespace datum
