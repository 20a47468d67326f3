// What datumd and datumd-gpu say to each other about a scanned surface, beside gpu_wire.h.
//
//   daemon -> worker   SurfaceOrder::model, with a memory     TriangleModel as arrays, one after the other
//   worker -> daemon   SurfaceAnswer
//   daemon -> worker   SurfaceOrder::points, with a memory where it is new    points, then room for their distances
//   worker -> daemon   SurfaceAnswer                          the distances are there, or a text that says why not
//
// One order at a time.
#pragma once

#include "daemon/gpu/gpu_wire.h"
#include "daemon/gpu/shared_block.h"
#include "gpu/model_distance/distance_finder.h"

namespace datum {

struct SurfaceOrder {
  enum class What : std::uint32_t { model, points };
  What what = What::model;
  std::uint32_t number = 0;
  std::uint64_t count = 0;     // facets, or points
  std::uint64_t capacity = 0;  // points that the memory has room for
  std::uint64_t bytes = 0;     // of the memory that comes with the order; 0: none does
  DistanceSettings settings;
};
static_assert(sizeof(SurfaceOrder) != sizeof(PrepareOrder) && sizeof(SurfaceOrder) != 1,
              "orders are told apart by their size");

struct SurfaceAnswer {
  std::uint32_t number = 0;
  WireStatus status = WireStatus::none;
  char text[512] = {};  // why it failed
};

constexpr std::uint64_t most_points_at_once = std::uint64_t{1} << 22;
constexpr std::uint64_t most_model_facets = std::uint64_t{1} << 31;

std::uint64_t model_bytes(std::uint64_t facets);
std::uint64_t points_bytes(std::uint64_t capacity);
void put_model(const TriangleModel& model, std::byte* to);
TriangleModel get_model(const std::byte* from, std::uint64_t facets);

}  // namespace datum
