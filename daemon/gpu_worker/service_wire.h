// What datumd and datumd-gpu say to each other about the stages beside a board's measurement, beside gpu_wire.h.
//
//   daemon -> worker   ServiceRequest::model, with a memory     TriangleModel as arrays, one after the other
//   daemon -> worker   ServiceRequest::points                   points, then room for their distances
//   daemon -> worker   ServiceRequest::diffusion                counts, then room for what becomes of them
//   daemon -> worker   ServiceRequest::fringes                  images, the height model's nodes, then room for the maps
//   worker -> daemon   ServiceReply                          it is there, or a text that says why not
//
// One order at a time. A memory comes with the first order of its kind and with one that needs a larger one.
#pragma once

#include "daemon/gpu_worker/gpu_wire.h"
#include "daemon/gpu_worker/shared_block.h"
#include "gpu/diffusion/diffusion.h"
#include "gpu/fringe_phase/fringe_phase.h"
#include "gpu/model_distance/distance_finder.h"

namespace datum {

constexpr std::size_t map_count = 8;  // of FringeMaps

/// A set of raw images to be demodulated, without its pointers.
struct FringeOrder {
  FringePattern pattern;
  FringeLimits limits;
  SampleType type = SampleType::u8;
  std::uint32_t width = 0, height = 0;
  std::uint32_t wanted = 0;  // bit i: the i-th of FringeMaps
  HeightModel model;         // without nodes; cell_px = 0: none
};

struct ServiceRequest {
  enum class What : std::uint32_t { model, points, diffusion, fringes };
  What what = What::model;
  std::uint32_t number = 0;
  std::uint64_t count = 0;  // facets, or points
  std::uint64_t bytes = 0;  // of the memory that comes with the order; 0: the last one of its kind
  DistanceSettings distance;
  DiffusionGrid grid;
  DiffusionSettings diffusion;
  FringeOrder fringes;
};
constexpr std::size_t service_kinds = 4;
static_assert(sizeof(ServiceRequest) != sizeof(PrepareOrder) && sizeof(ServiceRequest) != 1,
              "orders are told apart by their size");

struct ServiceReply {
  std::uint32_t number = 0;
  WireStatus status = WireStatus::none;
  DiffusionRecord diffusion;
  char text[512] = {};  // why it failed
};

constexpr std::uint64_t most_points_at_once = std::uint64_t{1} << 22;
constexpr std::uint64_t most_model_facets = std::uint64_t{1} << 31;
constexpr std::uint64_t most_service_counts = std::uint64_t{1} << 30;

/// Bytes of the memory that an order needs; 0: it means nothing, or is larger than any there is.
std::uint64_t bytes_of(const ServiceRequest& order);

void put_model(const TriangleModel& model, std::byte* to);
TriangleModel get_model(const std::byte* from, std::uint64_t facets);

/// Where the parts of a set lie in the memory of its order, in bytes from its begin.
struct FringeLayout {
  std::uint64_t image_bytes = 0;  // of one; the images lie one after the other from `image(0)` on
  std::uint64_t image_pitch = 0;
  std::uint64_t nodes = 0, node_bytes = 0;
  std::uint64_t maps = 0, map[map_count] = {};  // 0: not wanted
  std::uint64_t total = 0;

  std::uint64_t image(std::uint32_t i) const { return i * image_pitch; }
};
FringeLayout layout_of(const FringeOrder& order);
FringeOrder order_of(const FringeImages& images, const FringePattern& pattern, const FringeLimits& limits,
                     const HeightModel* model, FringeMaps maps);

/// visit(map, i): each of the pointers, in the order of FringeOrder::wanted.
template <class Visit>
void each_map(FringeMaps& maps, const Visit& visit) {
  visit(maps.classes, 0);
  visit(maps.column_px, 1);
  visit(maps.sigma_px, 2);
  visit(maps.modulation, 3);
  visit(maps.mean, 4);
  visit(maps.residual, 5);
  visit(maps.height, 6);
  visit(maps.height_sigma_um, 7);
}

}  // namespace datum
