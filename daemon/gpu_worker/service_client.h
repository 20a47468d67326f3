// The daemon's client of a worker for services beside a board's measurement: distances from a model, matches with its
// facets, areas of points, diffusion, fringes, inverses, correlations.
// Every fault of the worker (end, stop, hang, protocol violation) is thrown as GpuError. The client must then be stopped,
// and may be started again. One thread at a time may use it.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "daemon/gpu_worker/service_wire.h"
#include "daemon/gpu_worker/worker_client.h"

namespace datum {

struct ServiceClientSettings {
  std::filesystem::path program = program_beside_this("datumd-gpu");
  std::chrono::milliseconds start_timeout{60'000};  // see GpuClientSettings
  // The worst case sorts millions of facets on one host thread and translates the code for a newer card once.
  std::chrono::milliseconds model_timeout{120'000};
  // For at most 2^22 points; 1000 times their usual duration.
  std::chrono::milliseconds points_timeout{5'000};
  // For at most 2^25 points and facets on 2^24 facets: sorted and matched in below a second.
  std::chrono::milliseconds scan_timeout{10'000};
  // Ten times a hundred iterations over 2^26 counts on the slowest controller; image sets take far less.
  std::chrono::milliseconds frame_timeout{30'000};
  // Ten times the largest system on the slowest controller.
  std::chrono::milliseconds system_timeout{30'000};
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

  /// Sends a model unless the worker has it.
  void prepare(const std::shared_ptr<const TriangleModel>& model);
  void prepare(const std::shared_ptr<const ModelFacets>& model);
  void prepare(const std::shared_ptr<const AreaModel>& model);
  /// As ModelSearch::find. A new model is sent first. `threads`: for copies and checks.
  void find(const std::shared_ptr<const TriangleModel>& model, const ModelPoint* points, std::size_t count,
            const DistanceSettings& settings, unsigned threads, ModelDistance* out);
  /// As datum::diffuse, with its argument checks first; `counts` are unchanged where this throws.
  DiffusionRecord diffuse(std::int32_t* counts, const DiffusionGrid& grid, const DiffusionSettings& settings);
  /// As datum::demodulate, with its argument checks first.
  void demodulate(const FringeImages& images, const FringePattern& pattern, const FringeLimits& limits,
                  const HeightModel* model, FringeMaps maps);
  /// As FourierProfilometry::demodulate, with its argument checks first.
  void demodulate(const FourierProfilometry& profilometry, const FourierImage& image, unsigned threads,
                  const FourierMaps& maps);
  /// As Correlator::find, with its argument checks first.
  CorrelationShift correlate(const CorrelationImages& images, const CorrelationSettings& settings);
  /// As match_scan, with its argument checks first. A new model is sent first. Null: not wanted.
  void match(const std::shared_ptr<const ModelFacets>& model, const ScannedSurface& surface,
             const ScanMatchSettings& settings, unsigned threads, FacetDeviation* by_points,
             FacetPierced* by_surface);
  /// Likewise as sum_scan.
  void sum(const std::shared_ptr<const ModelFacets>& model, const ScannedSurface& surface,
           const ScanMatchSettings& settings, unsigned threads, FacetSums* by_points, FacetSums* by_surface);
  /// As share_areas for at most most_points_at_once points. A new model is sent first.
  void share(const std::shared_ptr<const AreaModel>& model, const JudgedPoints& points, unsigned threads,
             const AreaShares& out);
  /// As compare_shots for what SurfaceComparer::takes. A new model and new rays are sent first.
  void compare(const ComparedModel& model, const PartToCompare& part, const CompareSettings& settings,
               unsigned threads, const ComparedTaken& out);
  /// As SystemInverter::invert for 1 to most_system_rows rows.
  std::int32_t invert(const SystemToInvert& system, const Backend& cpu);

 private:
  void send_patches(const std::shared_ptr<const AreaModel>& model);
  void send_facets(const std::shared_ptr<const ModelFacets>& model);
  void send_model(const std::shared_ptr<const TriangleModel>& model);
  void find_some(const ModelPoint* points, std::size_t count, const DistanceSettings& settings,
                 unsigned threads, ModelDistance* out);
  void send_rays(const PartToCompare& part, unsigned threads);
  /// Sends a scan and waits for what matches it; the memory that has it, which names no class and no sum before.
  std::byte* ask_scan(ServiceRequest& order, const ScannedSurface& surface, unsigned threads);
  /// The shared memory of an order; created anew where the last one of its kind is too small.
  std::byte* memory_for(ServiceRequest& order);
  ServiceReply ask(ServiceRequest order, std::chrono::milliseconds timeout);
  /// The same in two steps: its number, then the answer to it.
  std::uint32_t send(ServiceRequest order);
  ServiceReply answer_to(std::uint32_t number, std::chrono::milliseconds timeout);
  /// What a comparison wrote, checked.
  void take_compared(const ServiceRequest& order, std::byte* memory, unsigned threads,
                     const ComparedTaken& out);

  const ServiceClientSettings settings_;
  WorkerClient worker_;
  std::uint32_t orders_ = 0;
  std::shared_ptr<const TriangleModel> model_;     // the model in the worker
  std::shared_ptr<const ModelFacets> facets_;      // and that for matches
  std::shared_ptr<const AreaModel> areas_;         // and that for areas
  std::size_t regions_ = 0;                        // of areas_
  std::vector<std::shared_ptr<const void>> rays_;  // and what the worker's rays lie in; empty: it has none
  std::array<SharedBlock, service_kinds> memory_;  // by kind of order
  // Bytes of a scan's memory and of a comparison's, from their begins, that name no class (0xff)
  std::uint64_t blank_ = 0, blank_of_points_ = 0;
};

}  // namespace datum
