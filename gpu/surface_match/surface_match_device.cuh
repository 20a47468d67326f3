// The kernels of matching: a thread for each facet of the model, a block for each facet with many balls about it. C++17.
#pragma once

#include "gpu/core/cuda_dialect.cuh"
#include "gpu/core/cuda_support.cuh"
#include "gpu/surface_match/surface_match_kernels.h"

namespace datum::match {
namespace {

constexpr int threads = 128;
constexpr int many_threads = 256;
constexpr int many_blocks = 1056;   // eight for each multiprocessor of a large card
constexpr std::uint32_t few = 192;  // a facet with more balls about it is left to a block

struct DeviceGrid {
  Grid grid[most_levels];
  std::uint32_t levels;
  const std::uint32_t* begin;
  const float4* ball;
  float farthest;
};

struct DeviceFacets {
  const ModelFacet* facet;  // those near each other together
  const std::uint32_t* number;
  std::uint32_t count;
  float farthest;
};

/// Facets that were left to blocks.
struct Queue {
  std::uint32_t* size;
  std::uint32_t* facet;
};

struct PointQuery {
  DeviceGrid grid;
  DeviceFacets facets;
  const float4* direction;
  PointMatchSettings settings;
  float scale;
  Queue many;
  FacetDeviation* out;
};

struct FacetQuery {
  DeviceGrid grid;
  DeviceFacets facets;
  const Corners* corners;
  const std::uint32_t *number, *place;
  const float* distance;
  FacetMatchSettings settings;
  Queue many;
  FacetPierced* out;
};

/// Two numbers of four bytes each at any address.
__device__ ModelFacet facet_at(const DeviceFacets& facets, std::uint32_t i) {
  const float4* from = reinterpret_cast<const float4*>(facets.facet + i);
  const float4 a = __ldg(from), b = __ldg(from + 1);
  return ModelFacet{{a.x, a.y, a.z}, a.w, {b.x, b.y, b.z}, b.w};
}
static_assert(sizeof(ModelFacet) == 2 * sizeof(float4), "read as two");

/// Calls look(from, to) for each run of balls that the tube may touch, of which this thread takes every `share`th row, until
/// it returns false.
template <class Look>
__device__ void each_run(const DeviceGrid& grid, const Tube& wide, std::uint32_t first_row,
                         std::uint32_t share, const Look& look) {
  for (std::uint32_t level = 0; level < grid.levels; ++level) {
    const Grid& g = grid.grid[level];
    Tube t = wide;
    CellBox box;
    if (!box_of(g, &t, &box)) continue;
    const std::uint32_t rows = box.last[1] - box.first[1] + 1;
    std::uint32_t row = first_row;
    for (std::uint32_t z = box.first[2]; z <= box.last[2]; ++z) {
      const Piece piece = piece_in_layer(g, t, 2, z, Piece{-t.half, t.half});
      for (; row < rows; row += share) {
        std::uint32_t from, to;
        if (piece.from > piece.to || !row_of(g, t, box, piece, box.first[1] + row, z, &from, &to)) continue;
        from = __ldg(grid.begin + from);
        to = __ldg(grid.begin + to);
        if (from < to && !look(from, to)) return;
      }
      row -= rows;
    }
  }
}

template <class Query>
__device__ Tube tube_of(const Query& q, const ModelFacet& f, float radius) {
  return tube(f.centre, f.normal, q.settings.gate, radius, ::fmaxf(q.grid.farthest, q.facets.farthest));
}

/// A thread for each facet, as long as there are few balls about it.
template <class Visitor, class Query>
__device__ void few_balls(const Query& q) {
  const std::uint32_t i = blockIdx.x * threads + threadIdx.x;
  if (i >= q.facets.count) return;
  Visitor visitor(q, facet_at(q.facets, i));
  std::uint32_t left = few;
  bool done = true;
  each_run(q.grid, visitor.tube(), 0, 1, [&](std::uint32_t from, std::uint32_t to) {
    done = to - from <= left;
    if (!done) return false;
    left -= to - from;
    for (std::uint32_t at = from; at < to; ++at) visitor.look_at(at);
    return true;
  });
  if (done) {
    q.out[__ldg(q.facets.number + i)] = visitor.result();
  } else {
    q.many.facet[atomicAdd(q.many.size, 1)] = i;
  }
}

/// A block for each facet that was left, a warp for a row, a lane for a ball. Results do not depend on the queue's order.
template <class Visitor, class Query>
__device__ void many_balls(const Query& q) {
  __shared__ typename Visitor::Found part[many_threads];
  for (std::uint32_t n = blockIdx.x; n < *q.many.size; n += gridDim.x) {
    const std::uint32_t i = q.many.facet[n];
    Visitor visitor(q, facet_at(q.facets, i));
    each_run(q.grid, visitor.tube(), threadIdx.x / 32, many_threads / 32,
             [&](std::uint32_t from, std::uint32_t to) {
               for (std::uint32_t at = from + threadIdx.x % 32; at < to; at += 32) visitor.look_at(at);
               return true;
             });
    part[threadIdx.x] = visitor.found;
    for (int half = many_threads / 2; half > 0; half /= 2) {
      __syncthreads();
      if (threadIdx.x < half) merge(part[threadIdx.x + half], &part[threadIdx.x]);
    }
    if (threadIdx.x == 0) {
      visitor.found = part[0];
      q.out[__ldg(q.facets.number + i)] = visitor.result();
    }
    __syncthreads();
  }
}

struct PointVisitor {
  using Found = PointSums;
  const PointQuery& q;
  ModelFacet f;
  float square;
  PointSums found;

  __device__ PointVisitor(const PointQuery& query, const ModelFacet& facet)
      : q(query), f(facet), square(facet.radius * facet.radius) {}
  __device__ Tube tube() const { return tube_of(q, f, f.radius); }
  __device__ void look_at(std::uint32_t at) {
    const float4 p = __ldg(q.grid.ball + at);
    const Seen<float> s = seen_from(f, p.x, p.y, p.z);
    if (!(::fabsf(s.distance) <= q.settings.gate && s.square <= square)) return;
    if (q.direction) {
      const float4 d = __ldg(q.direction + at);
      if (!(dot3(f.normal, d.x, d.y, d.z) >= q.settings.least_cosine)) return;
    }
    add(s.distance, q.scale, &found);
  }
  __device__ FacetDeviation result() const { return deviation_of(found, f, 1.0 / q.scale, q.settings); }
};

__global__ void __launch_bounds__(threads) match_points(const DATUM_GRID_CONSTANT PointQuery q) {
  few_balls<PointVisitor>(q);
}
__global__ void __launch_bounds__(many_threads) match_many_points(const DATUM_GRID_CONSTANT PointQuery q) {
  many_balls<PointVisitor>(q);
}

__device__ Corners corners_at(const Corners* from) {
  const float4* v = reinterpret_cast<const float4*>(from);
  const float4 a = __ldg(v), b = __ldg(v + 1), c = __ldg(v + 2);
  return Corners{{{a.x, a.y, a.z}, {a.w, b.x, b.y}, {b.z, b.w, c.x}}, {c.y, c.z, c.w}};
}
static_assert(sizeof(Corners) == 3 * sizeof(float4), "read as three");

template <bool walks>
struct FacetVisitor {
  using Found = Best;
  const FacetQuery& q;
  ModelFacet f;
  float slack;
  std::uint32_t start = 0;
  float start_distance = 0;
  Best found;

  __device__ FacetVisitor(const FacetQuery& query, const ModelFacet& facet)
      : q(query), f(facet), slack(tube_of(query, facet, 0).radius) {
    if (walks) {
      const Grid& g = q.grid.grid[q.grid.levels - 1];
      const std::uint32_t count = __ldg(q.grid.begin + g.first_cell + g.cells[0] * g.cells[1] * g.cells[2]);
      start = walk_start(q.distance, count, from_origin(f.centre[0], f.centre[1], f.centre[2]));
      start_distance = __ldg(q.distance + start);
    }
  }
  __device__ Tube tube() const { return tube_of(q, f, 0); }
  __device__ void look_at(std::uint32_t at) {
    const float4 ball = __ldg(q.grid.ball + at);
    const Seen<float> s = seen_from(f, ball.x, ball.y, ball.z);
    const float radius = ball.w + slack;
    if (!(::fabsf(s.distance) <= radius + q.settings.gate && s.square <= radius * radius)) return;
    std::uint32_t order = 0;
    if (walks) {
      const std::uint32_t place = __ldg(q.place + at);
      order = walk_order(start, place);
      if (order >= found.order) return;
      if (!(::fabsf(__ldg(q.distance + place) - start_distance) <= q.settings.vicinity)) return;
    }
    const PierceTest test{q.settings.gate, q.settings.least_cosine};
    float distance;
    if (!matches(f, corners_at(q.corners + at), test, &distance)) return;
    const std::uint32_t number = __ldg(q.number + at);
    if (walks) {
      found = Best{distance, number, order};
    } else {
      keep_nearest(distance, number, &found);
    }
  }
  __device__ FacetPierced result() const { return pierced_of(found, f, q.settings.sharp_cosine); }
};

template <bool walks>
__global__ void __launch_bounds__(threads) match_facets(const DATUM_GRID_CONSTANT FacetQuery q) {
  few_balls<FacetVisitor<walks>>(q);
}
template <bool walks>
__global__ void __launch_bounds__(many_threads) match_many_facets(const DATUM_GRID_CONSTANT FacetQuery q) {
  many_balls<FacetVisitor<walks>>(q);
}

inline unsigned blocks_of(std::uint32_t count) { return (count + threads - 1) / threads; }

void launch_points(cudaStream_t stream, const PointQuery& q) {
  match_points<<<blocks_of(q.facets.count), threads, 0, stream>>>(q);
  match_many_points<<<many_blocks, many_threads, 0, stream>>>(q);
  cuda::check(cudaGetLastError(), "launch of the match of points");
}

void launch_facets(cudaStream_t stream, const FacetQuery& q) {
  const unsigned blocks = blocks_of(q.facets.count);
  if (q.settings.choice == FacetChoice::first_found && q.grid.levels > 0) {
    match_facets<true><<<blocks, threads, 0, stream>>>(q);
    match_many_facets<true><<<many_blocks, many_threads, 0, stream>>>(q);
  } else {
    match_facets<false><<<blocks, threads, 0, stream>>>(q);
    match_many_facets<false><<<many_blocks, many_threads, 0, stream>>>(q);
  }
  cuda::check(cudaGetLastError(), "launch of the match of facets");
}

}  // namespace
}  // namespace datum::match
