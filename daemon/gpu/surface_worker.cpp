#include "daemon/gpu/surface_worker.h"

#include <unistd.h>

#include <exception>

#include "gpu/core/gpu_error.h"

namespace datum {

SurfaceAnswer SurfaceWorker::serve(const SurfaceOrder& order, int fd) {
  SurfaceAnswer answer;
  answer.number = order.number;
  try {
    SharedBlock memory;
    if (order.bytes > 0) {
      memory = SharedBlock::map(fd, order.bytes);
    } else if (fd >= 0) {
      ::close(fd);
    }
    if (order.what == SurfaceOrder::What::model) {
      take_model(order, memory);
    } else {
      if (memory) points_ = std::move(memory);
      find(order);
    }
    answer.status = WireStatus::done;
  } catch (const std::exception& error) {
    answer.status = WireStatus::failed;
    put_text(answer.text, error.what());
  }
  return answer;
}

void SurfaceWorker::take_model(const SurfaceOrder& order, const SharedBlock& memory) {
  search_.reset();  // two models may be more than the device holds
  if (!memory || order.count == 0 || order.count > most_model_facets ||
      memory.bytes() != model_bytes(order.count))
    throw GpuError("GPU worker: the memory does not hold the model that the order names", false);
  search_ = make_(get_model(memory.base(), order.count));
}

void SurfaceWorker::find(const SurfaceOrder& order) {
  if (!search_) throw GpuError("GPU worker: points came before any model", false);
  if (!points_ || order.capacity > most_points_at_once || order.count > order.capacity ||
      points_.bytes() != points_bytes(order.capacity))
    throw GpuError("GPU worker: the memory does not hold the points that the order names", false);
  const auto* points = reinterpret_cast<const ModelPoint*>(points_.base());
  auto* out = reinterpret_cast<ModelDistance*>(points_.base() + order.capacity * sizeof(ModelPoint));
  search_->find(points, order.count, order.settings, out);
}

}  // namespace datum
