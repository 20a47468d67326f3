// The daemon's end of a worker that runs the stages beside a board's measurement: distances from a model, diffusion,
// fringes. Whatever the worker does (ends, stops, hangs, speaks nonsense) is a GpuError here; the link is then to be
// stopped, and may be started again. Used from one thread at a time.
#pragma once

#include <array>
#include <memory>

#include "daemon/gpu_worker/service_wire.h"
#include "daemon/gpu_worker/worker_client.h"

namespace datum {

struct ServiceClientSettings {
  std::filesystem::path program = program_beside_this("datumd-gpu");
  std::chrono::milliseconds start_timeout{60'000};  // GpuClientSettings says why
  // Longest: millions of facets are sorted on one thread of the host, and the code of a newer card is translated, once.
  std::chrono::milliseconds model_timeout{120'000};
  // Of 2^22 points at most; a thousand times what they take.
  std::chrono::milliseconds points_timeout{5'000};
  // Of a hundred iterations over 2^26 counts on the slowest controller, ten times over; of a set of images far less.
  std::chrono::milliseconds frame_timeout{30'000};
  std::size_t points_at_once = most_points_at_once;
};

class ServiceClient {
 public:
  using Clock = WorkerClient::Clock;

  explicit ServiceClient(ServiceClientSettings settings)
      : settings_(std::move(settings)), worker_(settings_.program, settings_.start_timeout) {}

  bool started() const { return worker_.started(); }
  void start();
  void stop();
  const Greeting* greeting(Clock::time_point until) { return worker_.greeting(until); }

  /// As ModelSearch::find. A model that is not the last one is sent first.
  void find(const std::shared_ptr<const TriangleModel>& model, const ModelPoint* points, std::size_t count,
            const DistanceSettings& settings, ModelDistance* out);
  /// As datum::diffuse, whose refusals come first: `counts` stay as they are where this throws.
  DiffusionRecord diffuse(std::int32_t* counts, const DiffusionGrid& grid, const DiffusionSettings& settings);
  /// As datum::demodulate, whose refusals come first.
  void demodulate(const FringeImages& images, const FringePattern& pattern, const FringeLimits& limits,
                  const HeightModel* model, FringeMaps maps);

 private:
  void send_model(const std::shared_ptr<const TriangleModel>& model);
  void find_some(const ModelPoint* points, std::size_t count, const DistanceSettings& settings,
                 ModelDistance* out);
  /// The memory of an order, made anew where the last one of its kind is too small.
  std::byte* memory_for(ServiceRequest& order);
  ServiceReply ask(ServiceRequest order, std::chrono::milliseconds timeout);

  const ServiceClientSettings settings_;
  WorkerClient worker_;
  std::uint32_t orders_ = 0;
  std::shared_ptr<const TriangleModel> model_;     // that the worker holds
  std::array<SharedBlock, service_kinds> memory_;  // of each kind of order
};

}  // namespace datum
