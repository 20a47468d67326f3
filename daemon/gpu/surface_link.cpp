#include "daemon/gpu/surface_link.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "gpu/core/gpu_error.h"

namespace datum {
namespace {

/// What no search can give for a point.
bool contradicts(const ModelDistance& d, const DistanceSettings& settings, std::size_t facets) {
  if (static_cast<unsigned>(d.kind) > static_cast<unsigned>(MatchClass::no_data) ||
      static_cast<unsigned>(d.place) > static_cast<unsigned>(Place::corner_c))
    return true;
  // a length of float is off by a rounding or two
  return d.kind != MatchClass::no_data &&
         !(d.facet < facets && std::fabs(d.distance) <= settings.search * 1.000001f);
}

}  // namespace

void SurfaceLink::start() {
  stop();
  worker_.start();
}

void SurfaceLink::stop() {
  worker_.stop();
  model_.reset();
  points_ = SharedBlock();
  capacity_ = 0;
}

void SurfaceLink::ask(SurfaceOrder order, int fd, std::chrono::milliseconds patience) {
  order.number = ++orders_;
  worker_.send(&order, sizeof order, fd);
  const auto deadline = Clock::now() + patience;
  SurfaceAnswer answer;
  const long size = worker_.receive(&answer, sizeof answer, deadline);
  if (size < 0)
    throw GpuError("GPU worker: no answer within " + std::to_string(patience.count()) + " ms", true);
  if (size == sizeof answer && answer.number == order.number && answer.status == WireStatus::failed)
    throw GpuError(get_text(answer.text), true);
  if (size != sizeof answer || answer.number != order.number || answer.status != WireStatus::done)
    throw GpuError("GPU worker: it answers an order with nonsense", true);
}

void SurfaceLink::send_model(const std::shared_ptr<const TriangleModel>& model) {
  model_.reset();
  SurfaceOrder order;
  order.what = SurfaceOrder::What::model;
  order.count = model->corner.size();
  order.bytes = model_bytes(order.count);
  const SharedBlock memory = SharedBlock::create(order.bytes);
  put_model(*model, memory.base());
  ask(order, memory.fd(), settings_.model_patience);
  model_ = model;
}

void SurfaceLink::find_some(const ModelPoint* points, std::size_t count, const DistanceSettings& settings,
                            ModelDistance* out) {
  SurfaceOrder order;
  order.what = SurfaceOrder::What::points;
  order.count = count;
  order.settings = settings;
  if (capacity_ < count) {
    points_ = SharedBlock();
    points_ = SharedBlock::create(points_bytes(count));
    capacity_ = count;
    order.bytes = points_.bytes();
  }
  order.capacity = capacity_;
  std::memcpy(points_.base(), points, count * sizeof *points);
  auto* found = reinterpret_cast<ModelDistance*>(points_.base() + capacity_ * sizeof *points);
  std::memset(static_cast<void*>(found), 0xff, count * sizeof *found);  // what is not written is no distance
  ask(order, order.bytes > 0 ? points_.fd() : -1, settings_.points_patience);
  std::memcpy(out, found, count * sizeof *found);
  for (std::size_t i = 0; i < count; ++i)
    if (contradicts(out[i], settings, model_->corner.size()))
      throw GpuError("GPU worker: the distance of point " + std::to_string(i) + " can't be", true);
}

void SurfaceLink::find(const std::shared_ptr<const TriangleModel>& model, const ModelPoint* points,
                       std::size_t count, const DistanceSettings& settings, ModelDistance* out) {
  if (model_ != model) send_model(model);
  for (std::size_t first = 0; first < count; first += settings_.points_at_once) {
    const std::size_t some = std::min<std::size_t>(count - first, settings_.points_at_once);
    find_some(points + first, some, settings, out + first);
  }
}

}  // namespace datum
