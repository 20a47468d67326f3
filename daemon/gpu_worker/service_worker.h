// The worker's side of the services beside a board's measurement.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "daemon/gpu_worker/service_wire.h"

namespace datum {

/// Device functions for services. Each throws its fault.
struct ServiceDevice {
  std::function<std::unique_ptr<DeviceSearch>(const TriangleModel&)> search;
  /// As datum::diffuse.
  std::function<DiffusionRecord(std::int32_t*, const DiffusionGrid&, const DiffusionSettings&)> diffuse;
  /// As datum::demodulate.
  std::function<void(const FringeImages&, const FringePattern&, const FringeLimits&, const HeightModel*,
                     const FringeMaps&)>
      demodulate;
  std::function<std::unique_ptr<DeviceMatch>(const ModelFacets&)> match;
  /// As cuda_page_lock; empty: memories are not held in place.
  std::function<std::shared_ptr<void>(std::byte*, std::uint64_t)> page_lock;
  /// As invert_system.
  std::function<std::int32_t(const SystemToInvert&)> invert;
  std::function<std::unique_ptr<DeviceAreas>(const AreaModel&)> areas;
  /// As cuda_device_compare, with what the two above made.
  std::function<std::unique_ptr<DeviceCompare>(DeviceSearch&, DeviceAreas&)> compare;
  /// As FourierProfilometry::demodulate of one with these settings.
  std::function<void(const FourierSettings&, const FourierImage&, const FourierMaps&)> single_shot;
  /// As Correlator::find.
  std::function<CorrelationShift(const CorrelationImages&, const CorrelationSettings&)> correlate;
};

class ServiceWorker {
 public:
  explicit ServiceWorker(ServiceDevice device) : device_(std::move(device)) {}

  /// Executes the order; the answer reports a failure. `fd` is owned by the callee.
  ServiceReply serve(const ServiceRequest& order, int fd);

 private:
  void map(const ServiceRequest& order, int fd);
  void take_model(const ServiceRequest& order, const std::byte* memory);
  void find(const ServiceRequest& order, std::byte* memory);
  DiffusionRecord diffuse(const ServiceRequest& order, std::byte* memory);
  void demodulate(const FringeOrder& order, std::byte* memory);
  void take_facets(const ServiceRequest& order, const std::byte* memory);
  void match(const ServiceRequest& order, std::byte* memory);
  void take_patches(const ServiceRequest& order, const std::byte* memory);
  void share(const ServiceRequest& order, std::byte* memory);
  void take_rays(const ServiceRequest& order, const std::byte* memory);
  void compare(const ServiceRequest& order, std::byte* memory);
  void sum(const ServiceRequest& order, std::byte* memory);

  const ServiceDevice device_;
  std::unique_ptr<DeviceSearch> search_;
  std::unique_ptr<DeviceMatch> match_;
  std::uint64_t matched_facets_ = 0, summed_regions_ = 0;  // of the model in match_
  std::unique_ptr<DeviceAreas> areas_;
  AreaOrder shared_;                        // of the model in areas_
  std::unique_ptr<DeviceCompare> compare_;  // of search_ and areas_, released before them
  std::vector<ShotRays> rays_;              // in compare_
  std::uint64_t compared_ = 0;              // points there
  std::array<SharedBlock, service_kinds> memory_;
  std::array<std::shared_ptr<void>, service_kinds> locked_;  // released before the memories
};

}  // namespace datum
