// The worker's part for surfaces: one model on the device, distances of points from it.
#pragma once

#include <functional>
#include <memory>

#include "daemon/gpu/surface_wire.h"

namespace datum {

class SurfaceWorker {
 public:
  using Search = std::function<std::unique_ptr<DeviceSearch>(const TriangleModel&)>;
  explicit SurfaceWorker(Search search) : make_(std::move(search)) {}

  /// Does what the order says; what fails is told in the answer. `fd` is taken over.
  SurfaceAnswer serve(const SurfaceOrder& order, int fd);

 private:
  void take_model(const SurfaceOrder& order, const SharedBlock& memory);
  void find(const SurfaceOrder& order);

  Search make_;
  std::unique_ptr<DeviceSearch> search_;
  SharedBlock points_;
};

}  // namespace datum
