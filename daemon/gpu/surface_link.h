// The daemon's end of a worker that looks for distances. Whatever the worker does (ends, stops, hangs, speaks nonsense)
// is a GpuError here; the link is then to be stopped, and may be started again. Used from one thread at a time.
#pragma once

#include <memory>

#include "daemon/gpu/surface_wire.h"
#include "daemon/gpu/worker_link.h"

namespace datum {

struct SurfaceLinkSettings {
  std::filesystem::path program = worker_beside_this_program();
  std::chrono::milliseconds start_patience{60'000};  // GpuLinkSettings says why
  // Longest: millions of facets are sorted on one thread of the host, and the code of a newer card is translated, once.
  std::chrono::milliseconds model_patience{120'000};
  // Of 2^22 points at most; a thousand times what they take.
  std::chrono::milliseconds points_patience{5'000};
  std::size_t points_at_once = most_points_at_once;
};

class SurfaceLink {
 public:
  using Clock = WorkerLink::Clock;

  explicit SurfaceLink(SurfaceLinkSettings settings)
      : settings_(std::move(settings)), worker_(settings_.program, settings_.start_patience) {}

  bool started() const { return worker_.started(); }
  void start();
  void stop();
  const Greeting* greeting(Clock::time_point until) { return worker_.greeting(until); }

  /// As ModelSearch::find. A model that is not the last one is sent first.
  void find(const std::shared_ptr<const TriangleModel>& model, const ModelPoint* points, std::size_t count,
            const DistanceSettings& settings, ModelDistance* out);

 private:
  void send_model(const std::shared_ptr<const TriangleModel>& model);
  void find_some(const ModelPoint* points, std::size_t count, const DistanceSettings& settings,
                 ModelDistance* out);
  void ask(SurfaceOrder order, int fd, std::chrono::milliseconds patience);

  const SurfaceLinkSettings settings_;
  WorkerLink worker_;
  std::uint32_t orders_ = 0;
  std::shared_ptr<const TriangleModel> model_;  // that the worker holds
  SharedBlock points_;
  std::uint64_t capacity_ = 0;
};

}  // namespace datum
