#include "daemon/gpu_worker/service_client.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "daemon/gpu_worker/service_taking.h"

namespace datum {
namespace {

template <class Match, class Settings>
void take_matches(Match* found, std::size_t count, unsigned threads, const Settings& settings,
                  std::size_t scanned, Match* out) {
  if (!out) return;
  in_pieces(threads, count, [&](std::size_t from, std::size_t to) {
    take_piece(found, from, to, out);
    for (std::size_t i = from; i < to; ++i)
      if (contradicts(out[i], settings, scanned))
        throw GpuError("GPU worker: what matches facet " + std::to_string(i) + " can't be", true);
  });
}

ServiceRequest order_of_scan(const ModelFacets& model, const ScannedSurface& surface,
                             const ScanMatchSettings& settings, bool by_points, bool by_surface) {
  ServiceRequest order;
  order.what = ServiceRequest::What::scan;
  order.count = model.facet.size();
  order.scan = {settings,  surface.point_count, surface.view_count, surface.facet_count,
                by_points, by_surface};
  return order;
}

/// Likewise.
void take_shares(const AreaModel& model, const JudgedPoints& points, const AreaShares& found,
                 unsigned threads, const AreaShares& out) {
  for (std::size_t k = 0; k < model.reaches.size(); ++k)
    in_pieces(threads, model.reaches[k]->area_mm2.size(), [&](std::size_t from, std::size_t to) {
      std::memcpy(out.marks[k] + from, found.marks[k] + from, (to - from) * sizeof *out.marks[k]);
      if (std::any_of(out.marks[k] + from, out.marks[k] + to,
                      [&](std::uint32_t marks) { return marks > points.count; }))
        throw GpuError("GPU worker: more points mark a patch than there are, which can't be", true);
    });
  in_pieces(threads, points.count, [&](std::size_t from, std::size_t to) {
    std::memcpy(out.area_mm2 + from, found.area_mm2 + from, (to - from) * sizeof *out.area_mm2);
    for (std::size_t i = from; i < to; ++i)
      if (contradicts(out.area_mm2[i], points.distances[i]))
        throw GpuError("GPU worker: the area of point " + std::to_string(i) + " can't be", true);
  });
}

}  // namespace

void ServiceClient::start() {
  stop();
  worker_.start();
}

void ServiceClient::stop() {
  worker_.stop();
  model_.reset();
  facets_.reset();
  areas_.reset();
  rays_.clear();
  memory_ = {};
  blank_ = blank_of_points_ = 0;
}

std::byte* ServiceClient::memory_for(ServiceRequest& order) {
  SharedBlock& memory = memory_[static_cast<std::size_t>(order.what)];
  const std::uint64_t needed = bytes_of(order);
  if (memory.bytes() < needed) {
    memory = SharedBlock();  // first, since both together may exceed the memory
    memory = SharedBlock::create(needed);
    order.bytes = needed;
  }
  return memory.base();
}

std::uint32_t ServiceClient::send(ServiceRequest order) {
  order.number = ++orders_;
  const SharedBlock& memory = memory_[static_cast<std::size_t>(order.what)];
  worker_.send(&order, sizeof order, order.bytes > 0 ? memory.fd() : -1);
  return order.number;
}

ServiceReply ServiceClient::answer_to(std::uint32_t number, std::chrono::milliseconds timeout) {
  const auto deadline = Clock::now() + timeout;
  ServiceReply answer;
  const long size = worker_.receive(&answer, sizeof answer, deadline);
  if (size < 0)
    throw GpuError("GPU worker: no answer within " + std::to_string(timeout.count()) + " ms", true);
  check_reply(answer, size == sizeof answer && answer.number == number, "an order", true);
  return answer;
}

ServiceReply ServiceClient::ask(ServiceRequest order, std::chrono::milliseconds timeout) {
  return answer_to(send(order), timeout);
}

void ServiceClient::send_model(const std::shared_ptr<const TriangleModel>& model) {
  model_.reset();
  rays_.clear();
  ServiceRequest order;
  order.what = ServiceRequest::What::model;
  order.count = model->corner.size();
  put_model(*model, memory_for(order));
  ask(order, settings_.model_timeout);
  memory_[static_cast<std::size_t>(order.what)] = SharedBlock();
  model_ = model;
}

void ServiceClient::find_some(const ModelPoint* points, std::size_t count, const DistanceSettings& settings,
                              unsigned threads, ModelDistance* out) {
  ServiceRequest order;
  order.what = ServiceRequest::What::points;
  order.count = count;
  order.distance = settings;
  std::byte* memory = memory_for(order);
  auto* found = reinterpret_cast<ModelDistance*>(memory + count * sizeof *points);
  in_pieces(threads, count, [&](std::size_t from, std::size_t to) {
    std::memcpy(memory + from * sizeof *points, points + from, (to - from) * sizeof *points);
    std::memset(static_cast<void*>(found + from), 0xff, (to - from) * sizeof *found);  // no valid distance
  });
  ask(order, settings_.points_timeout);
  in_pieces(threads, count, [&](std::size_t from, std::size_t to) {
    std::memcpy(static_cast<void*>(out + from), found + from, (to - from) * sizeof *found);
    for (std::size_t i = from; i < to; ++i)
      if (contradicts(out[i], settings, model_->corner.size()))
        throw GpuError("GPU worker: the distance of point " + std::to_string(i) + " can't be", true);
  });
}

void ServiceClient::prepare(const std::shared_ptr<const TriangleModel>& model) {
  if (model_ != model) send_model(model);
}

void ServiceClient::prepare(const std::shared_ptr<const ModelFacets>& model) {
  if (facets_ != model) send_facets(model);
}

void ServiceClient::find(const std::shared_ptr<const TriangleModel>& model, const ModelPoint* points,
                         std::size_t count, const DistanceSettings& settings, unsigned threads,
                         ModelDistance* out) {
  prepare(model);
  for (std::size_t first = 0; first < count; first += settings_.points_at_once) {
    const std::size_t some = std::min<std::size_t>(count - first, settings_.points_at_once);
    find_some(points + first, some, settings, threads, out + first);
  }
}

DiffusionRecord ServiceClient::diffuse(std::int32_t* counts, const DiffusionGrid& grid,
                                       const DiffusionSettings& settings) {
  ServiceRequest order;
  order.what = ServiceRequest::What::diffusion;
  order.grid = grid;
  order.diffusion = settings;
  std::byte* memory = memory_for(order);
  const std::size_t bytes = grid.size() * sizeof *counts;
  std::memcpy(memory, counts, bytes);
  auto* diffused = reinterpret_cast<std::int32_t*>(memory + bytes);
  std::memset(diffused, 0xff, bytes);
  const ServiceReply answer = ask(order, settings_.frame_timeout);
  if (contradicts(counts, diffused, grid.size()))
    throw GpuError("GPU worker: its diffused counts can't come from those it was given", true);
  std::memcpy(counts, diffused, bytes);
  return answer.diffusion;
}

void ServiceClient::demodulate(const FringeImages& images, const FringePattern& pattern,
                               const FringeLimits& limits, const HeightModel* model, FringeMaps maps) {
  ServiceRequest order;
  order.what = ServiceRequest::What::fringes;
  order.fringes = order_of(images, pattern, limits, model, maps);
  std::byte* memory = memory_for(order);
  const FringeLayout l = layout_of(order.fringes);
  for (std::uint32_t i = 0; i < pattern.periods * pattern.steps; ++i)
    std::memcpy(memory + l.image(i), images.images[i], l.image_bytes);
  if (model) std::memcpy(memory + l.nodes, static_cast<const void*>(model->nodes), l.node_bytes);
  std::memset(memory + l.maps, 0xff, l.total - l.maps);  // 0xff: no class
  ask(order, settings_.frame_timeout);
  const std::size_t pixels = std::size_t{images.width} * images.height;
  if (contradicts(reinterpret_cast<const FringeClass*>(memory + l.map[0]),
                  reinterpret_cast<const float*>(memory + l.map[1]), pixels, pattern))
    throw GpuError("GPU worker: its projector columns can't be", true);
  each_map(maps, [&](auto* map, std::size_t i) {
    if (map) std::memcpy(static_cast<void*>(map), memory + l.map[i], pixels * sizeof *map);
  });
}

void ServiceClient::demodulate(const FourierProfilometry& profilometry, const FourierImage& image,
                               unsigned threads, const FourierMaps& maps) {
  profilometry.check(image, maps);
  const std::size_t pixels = std::size_t{image.width} * image.height;
  if (pixels == 0) return;
  ServiceRequest order;
  order.what = ServiceRequest::What::single_shot;
  order.single_shot = order_of(profilometry, image, maps);
  std::byte* const memory = memory_for(order);
  const std::size_t bytes = image.type == SampleType::u8 ? 1 : 2;
  const auto* const samples = static_cast<const std::byte*>(image.samples);
  const FourierMaps found = single_shot_maps_in(memory, order.single_shot);
  in_pieces(threads, pixels, [&](std::size_t from, std::size_t to) {
    std::memcpy(memory + from * bytes, samples + from * bytes, (to - from) * bytes);
    std::memset(static_cast<void*>(found.classes + from), 0xff, to - from);  // no class
  });
  ask(order, settings_.frame_timeout);
  in_pieces(threads, pixels, [&](std::size_t from, std::size_t to) {
    const auto take = [&](auto* out, const auto* map) {
      if (out) std::memcpy(static_cast<void*>(out + from), map + from, (to - from) * sizeof *out);
    };
    take(maps.classes, found.classes);
    take(maps.phase_rad, found.phase_rad);
    take(maps.modulation, found.modulation);
    if (contradicts(maps, from, to)) throw GpuError("GPU worker: its phases can't be", true);
  });
}

CorrelationShift ServiceClient::correlate(const CorrelationImages& images,
                                          const CorrelationSettings& settings) {
  check(images, settings);
  ServiceRequest order;
  order.what = ServiceRequest::What::correlation;
  order.correlation = {settings, images.cols, images.rows};
  const CorrelationImages shared = images_in(memory_for(order), order.correlation);
  std::memcpy(const_cast<float*>(shared.reference), images.reference, images.size() * sizeof(float));
  std::memcpy(const_cast<float*>(shared.image), images.image, images.size() * sizeof(float));
  const CorrelationShift shift = ask(order, settings_.frame_timeout).shift;
  if (contradicts(shift, images, settings)) throw GpuError("GPU worker: its shift of a board can't be", true);
  return shift;
}

void ServiceClient::send_facets(const std::shared_ptr<const ModelFacets>& model) {
  facets_.reset();
  ServiceRequest order;
  order.what = ServiceRequest::What::facets;
  order.count = model->facet.size();
  order.farthest = model->farthest;
  if (model->regions) order.regions = static_cast<std::uint32_t>(model->regions->total.size());
  put_facets(*model, memory_for(order));
  ask(order, settings_.model_timeout);
  memory_[static_cast<std::size_t>(order.what)] = SharedBlock();
  facets_ = model;
}

std::byte* ServiceClient::ask_scan(ServiceRequest& order, const ScannedSurface& surface, unsigned threads) {
  std::byte* const memory = memory_for(order);
  if (order.bytes > 0) blank_ = 0;  // a new memory
  const ScanLayout l = layout_of(order.scan, order.count);
  put_list(memory + l.points, surface.points, surface.point_count, threads);
  put_list(memory + l.view, surface.view, surface.point_count, threads);
  put_list(memory + l.directions, surface.directions, surface.view_count, threads);
  put_list(memory + l.facets, surface.facets, surface.facet_count, threads);
  if (const std::uint64_t begin = std::min(blank_, l.points); begin < l.points)
    in_pieces(threads, l.points - begin, [&](std::size_t first, std::size_t last) {
      std::memset(memory + begin + first, 0xff, last - first);
    });
  blank_ = 0;
  ask(order, settings_.scan_timeout);
  return memory;
}

void ServiceClient::match(const std::shared_ptr<const ModelFacets>& model, const ScannedSurface& surface,
                          const ScanMatchSettings& settings, unsigned threads, FacetDeviation* by_points,
                          FacetPierced* by_surface) {
  check(surface, settings);
  prepare(model);
  ServiceRequest order = order_of_scan(*model, surface, settings, by_points, by_surface);
  std::byte* const memory = ask_scan(order, surface, threads);
  const ScanLayout l = layout_of(order.scan, order.count);
  take_matches(reinterpret_cast<FacetDeviation*>(memory + l.by_points), order.count, threads,
               settings.by_points, surface.point_count, by_points);
  take_matches(reinterpret_cast<FacetPierced*>(memory + l.by_surface), order.count, threads,
               settings.by_surface, surface.facet_count, by_surface);
  blank_ = l.points;
}

void ServiceClient::sum(const std::shared_ptr<const ModelFacets>& model, const ScannedSurface& surface,
                        const ScanMatchSettings& settings, unsigned threads, FacetSums* by_points,
                        FacetSums* by_surface) {
  check(surface, settings);
  check_summable(*model);
  prepare(model);
  if (model->regions->total.empty()) return;
  ServiceRequest order = order_of_scan(*model, surface, settings, by_points, by_surface);
  order.scan.regions = static_cast<std::uint32_t>(model->regions->total.size());
  std::byte* const memory = ask_scan(order, surface, threads);
  const ScanLayout l = layout_of(order.scan, order.count);
  take_sums(reinterpret_cast<FacetSums*>(memory + l.by_points), *model->regions, settings.by_points.gate,
            by_points);
  take_sums(reinterpret_cast<FacetSums*>(memory + l.by_surface), *model->regions, settings.by_surface.gate,
            by_surface);
  blank_ = l.points;
}

void ServiceClient::prepare(const std::shared_ptr<const AreaModel>& model) {
  if (areas_ != model) send_patches(model);
}

void ServiceClient::send_patches(const std::shared_ptr<const AreaModel>& model) {
  check(*model);
  areas_.reset();
  rays_.clear();
  ServiceRequest order;
  order.what = ServiceRequest::What::patches;
  order.count = model->triangles->corner.size();
  order.area = order_of(*model);
  put_areas(*model, memory_for(order));
  ask(order, settings_.model_timeout);
  memory_[static_cast<std::size_t>(order.what)] = SharedBlock();
  areas_ = model;
  regions_ = 0;
  for (const std::uint16_t r : model->region)
    if (r != no_region) regions_ = std::max<std::size_t>(regions_, r + std::size_t{1});
}

void ServiceClient::share(const std::shared_ptr<const AreaModel>& model, const JudgedPoints& points,
                          unsigned threads, const AreaShares& out) {
  prepare(model);
  ServiceRequest order;
  order.what = ServiceRequest::What::areas;
  order.count = points.count;
  order.area = order_of(*model);
  std::byte* const memory = memory_for(order);
  const JudgedPoints to = judged_in(memory, order.area, order.count);
  const AreaShares found = shares_in(memory, order.area, order.count);
  in_pieces(threads, points.count, [&](std::size_t from, std::size_t end) {
    std::memcpy(const_cast<ModelPoint*>(to.points) + from, points.points + from,
                (end - from) * sizeof *points.points);
    std::memcpy(static_cast<void*>(const_cast<ModelDistance*>(to.distances) + from), points.distances + from,
                (end - from) * sizeof *points.distances);
    std::memset(found.area_mm2 + from, 0xff, (end - from) * sizeof *found.area_mm2);  // no number
  });
  for (std::size_t k = 0; k < model->reaches.size(); ++k)
    in_pieces(threads, order.area.patches[k], [&](std::size_t from, std::size_t end) {
      std::memset(found.marks[k] + from, 0xff, (end - from) * sizeof *found.marks[k]);  // too many
    });
  ask(order, settings_.points_timeout);
  take_shares(*model, points, found, threads, out);
}

std::int32_t ServiceClient::invert(const SystemToInvert& system, const Backend& cpu) {
  ServiceRequest order;
  order.what = ServiceRequest::What::system;
  order.count = system.n;
  const SystemToInvert shared = system_in(memory_for(order), system.n);
  const std::size_t n = system.n;
  const auto copy = [&](double* to, const double* from) {
    parallel_for(cpu.threads, n,
                 [&](std::size_t j, unsigned) { std::memcpy(to + j * n, from + j * n, n * sizeof *to); });
  };
  copy(const_cast<double*>(shared.a), system.a);
  std::memset(shared.pivots, 0xff, n * sizeof *shared.pivots);  // 0xff: no pivot
  const ServiceReply answer = ask(order, settings_.system_timeout);
  copy(system.factors, shared.factors);
  copy(system.inverse, shared.inverse);
  std::memcpy(system.pivots, shared.pivots, n * sizeof *shared.pivots);
  if (contradicts(system, answer.info, cpu))
    throw GpuError("GPU worker: its factors of " + std::to_string(n) + " rows can't be those of the system",
                   true);
  return answer.info;
}

}  // namespace datum
