#include "daemon/gpu_worker/service_worker.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <type_traits>
#include <utility>
#include <vector>

#include "gpu/core/gpu_error.h"

namespace datum {

ServiceReply ServiceWorker::serve(const ServiceRequest& order, int fd) {
  ServiceReply answer;
  answer.number = order.number;
  try {
    if (static_cast<std::size_t>(order.what) >= service_kinds)
      throw GpuError("GPU worker: an order of an unknown kind", false);
    SharedBlock& memory = memory_[static_cast<std::size_t>(order.what)];
    if (order.bytes > 0) map(order, std::exchange(fd, -1));
    const std::uint64_t needed = bytes_of(order);
    if (needed == 0 ? order.count != 0 || order.what != ServiceRequest::What::points
                    : needed > memory.bytes())
      throw GpuError("GPU worker: the memory does not hold what the order names", false);
    switch (order.what) {
      case ServiceRequest::What::model:
        take_model(order, memory.base());
        memory = SharedBlock();
        break;
      case ServiceRequest::What::points:
        find(order, memory.base());
        break;
      case ServiceRequest::What::diffusion:
        answer.diffusion = diffuse(order, memory.base());
        break;
      case ServiceRequest::What::fringes:
        demodulate(order.fringes, memory.base());
        break;
      case ServiceRequest::What::facets:
        take_facets(order, memory.base());
        memory = SharedBlock();
        break;
      case ServiceRequest::What::scan:
        match(order, memory.base());
        break;
      case ServiceRequest::What::patches:
        take_patches(order, memory.base());
        memory = SharedBlock();
        break;
      case ServiceRequest::What::areas:
        share(order, memory.base());
        break;
      case ServiceRequest::What::rays:
        take_rays(order, memory.base());
        break;
      case ServiceRequest::What::compare:
        compare(order, memory.base());
        break;
      case ServiceRequest::What::sums:
        sum(order, memory.base());
        break;
      case ServiceRequest::What::system:
        answer.info = device_.invert(system_in(memory.base(), order.count));
        break;
      case ServiceRequest::What::single_shot:
        device_.single_shot(order.single_shot.settings, single_shot_in(memory.base(), order.single_shot),
                            single_shot_maps_in(memory.base(), order.single_shot));
        break;
      case ServiceRequest::What::correlation:
        answer.shift =
            device_.correlate(images_in(memory.base(), order.correlation), order.correlation.settings);
        break;
    }
    answer.status = WireStatus::done;
  } catch (const std::exception& error) {
    answer.fail(error.what());
  }
  if (fd >= 0) ::close(fd);
  return answer;
}

void ServiceWorker::map(const ServiceRequest& order, int fd) {
  const auto kind = static_cast<std::size_t>(order.what);
  locked_[kind].reset();
  memory_[kind] = SharedBlock();
  memory_[kind] = SharedBlock::map(fd, order.bytes);
  const bool is_kept = order.what != ServiceRequest::What::model &&
                       order.what != ServiceRequest::What::facets &&
                       order.what != ServiceRequest::What::patches;
  if (is_kept && device_.page_lock) locked_[kind] = device_.page_lock(memory_[kind].base(), order.bytes);
}

void ServiceWorker::take_model(const ServiceRequest& order, const std::byte* memory) {
  compare_.reset();
  compared_ = 0;
  search_.reset();  // first, since two models may exceed the device memory
  search_ = device_.search(get_model(memory, order.count));
}

void ServiceWorker::find(const ServiceRequest& order, std::byte* memory) {
  if (!search_) throw GpuError("GPU worker: points came before any model", false);
  const auto* points = reinterpret_cast<const ModelPoint*>(memory);
  auto* out = reinterpret_cast<ModelDistance*>(memory + order.count * sizeof(ModelPoint));
  search_->find(points, order.count, order.distance, out);
}

DiffusionRecord ServiceWorker::diffuse(const ServiceRequest& order, std::byte* memory) {
  const std::size_t bytes = order.grid.size() * sizeof(std::int32_t);
  auto* counts = reinterpret_cast<std::int32_t*>(memory);
  const DiffusionRecord record = device_.diffuse(counts, order.grid, order.diffusion);
  std::memcpy(memory + bytes, counts, bytes);
  return record;
}

void ServiceWorker::demodulate(const FringeOrder& order, std::byte* memory) {
  const FringeLayout l = layout_of(order);
  std::vector<const void*> images;
  for (std::uint32_t i = 0; i < order.pattern.periods * order.pattern.steps; ++i)
    images.push_back(memory + l.image(i));
  HeightModel model = order.model;
  model.nodes = reinterpret_cast<const HeightNode*>(memory + l.nodes);
  FringeMaps maps;
  each_map(maps, [&](auto*& map, std::size_t i) {
    if (order.wanted >> i & 1)
      map = reinterpret_cast<std::remove_reference_t<decltype(map)>>(memory + l.map[i]);
  });
  device_.demodulate({images.data(), order.type, order.width, order.height}, order.pattern, order.limits,
                     model.cell_px > 0 ? &model : nullptr, maps);
}

void ServiceWorker::take_facets(const ServiceRequest& order, const std::byte* memory) {
  match_.reset();  // first, since two models may exceed the device memory
  match_ = device_.match(get_facets(memory, order));
  matched_facets_ = order.count;
  summed_regions_ = order.regions;
}

void ServiceWorker::match(const ServiceRequest& order, std::byte* memory) {
  if (!match_ || matched_facets_ != order.count ||
      (order.scan.regions > 0 && order.scan.regions != summed_regions_))
    throw GpuError("GPU worker: a scan came before its model", false);
  const ScanLayout l = layout_of(order.scan, order.count);
  const ScannedSurface scan{reinterpret_cast<const ModelPoint*>(memory + l.points),
                            reinterpret_cast<const std::uint16_t*>(memory + l.view),
                            order.scan.points,
                            reinterpret_cast<const PointDirection*>(memory + l.directions),
                            order.scan.views,
                            reinterpret_cast<const ScannedFacet*>(memory + l.facets),
                            order.scan.facets};
  const auto space = [&](std::uint32_t wanted, std::uint64_t at) { return wanted ? memory + at : nullptr; };
  std::byte* const by_points = space(order.scan.by_points, l.by_points);
  std::byte* const by_surface = space(order.scan.by_surface, l.by_surface);
  if (order.scan.regions > 0)
    match_->sum(scan, order.scan.settings, reinterpret_cast<FacetSums*>(by_points),
                reinterpret_cast<FacetSums*>(by_surface));
  else
    match_->match(scan, order.scan.settings, reinterpret_cast<FacetDeviation*>(by_points),
                  reinterpret_cast<FacetPierced*>(by_surface));
}

void ServiceWorker::take_patches(const ServiceRequest& order, const std::byte* memory) {
  compare_.reset();
  compared_ = 0;
  areas_.reset();  // first, since two models may exceed the device memory
  areas_ = device_.areas(get_areas(memory, order.area));
  shared_ = order.area;
}

void ServiceWorker::share(const ServiceRequest& order, std::byte* memory) {
  if (!areas_ || !(shared_ == order.area))
    throw GpuError("GPU worker: points came before their patches", false);
  areas_->share(judged_in(memory, order.area, order.count), shares_in(memory, order.area, order.count));
}

void ServiceWorker::take_rays(const ServiceRequest& order, const std::byte* memory) {
  if (!search_ || !areas_) throw GpuError("GPU worker: rays came before their model", false);
  if (!compare_) compare_ = device_.compare(*search_, *areas_);
  rays_.clear();
  compared_ = 0;
  std::vector<ShotRays> rays = get_rays(memory, order.compare);
  compare_->take(rays.data(), rays.size());
  rays_ = std::move(rays);
}

void ServiceWorker::compare(const ServiceRequest& order, std::byte* memory) {
  if (!compare_ || rays_.empty() || !(shared_ == order.area))
    throw GpuError("GPU worker: snapshots came before their rays", false);
  compared_ = 0;
  const std::vector<ShotHeights> heights = get_heights(memory, order, rays_);
  const auto* const first = reinterpret_cast<const std::uint32_t*>(
      memory + layout_of(order.compare, order.area, order.count).first);
  compare_->compare({rays_.data(), heights.data(), heights.size(), first, order.count},
                    order.compare.settings, compared_in(memory, order));
  compared_ = order.count;
}

void ServiceWorker::sum(const ServiceRequest& order, std::byte* memory) {
  if (!match_ || !compare_ || matched_facets_ != order.count || order.scan.regions != summed_regions_ ||
      order.scan.points != compared_ || order.scan.views != rays_.size())
    throw GpuError("GPU worker: sums of facets came before their points", false);
  MatchOfPoints how;
  how.settings = order.scan.settings.by_points;
  std::copy_n(order.origin, 3, how.origin);
  how.directions = directions_in(memory, order.scan);
  compare_->sum(*match_, how, sums_in(memory));
}

}  // namespace datum
