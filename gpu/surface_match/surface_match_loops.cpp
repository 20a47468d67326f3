// Matching on a CPU, eight balls at a time. Compiled once for each instruction set.
#include <cstring>

#include "gpu/core/eight_lanes.h"
#include "gpu/core/isa_table.h"
#include "gpu/surface_match/surface_match_kernels.h"

namespace datum::match {
namespace {

static_assert(lanes == lane_count, "balls and boxes come in whole vectors");

/// Calls look(from, to) for each run of balls that the tube may touch.
template <class Look>
inline void each_run(const CellGrid& grid, const Grid& g, const Tube& wide, const Look& look) {
  Tube t = wide;
  CellBox box;
  if (!box_of(g, &t, &box)) return;
  for (std::uint32_t z = box.first[2]; z <= box.last[2]; ++z) {
    const Piece piece = piece_in_layer(g, t, 2, z, {-t.half, t.half});
    if (piece.from > piece.to) continue;
    for (std::uint32_t y = box.first[1]; y <= box.last[1]; ++y) {
      std::uint32_t from = 0, to = 0;
      if (!row_of(g, t, box, piece, y, z, &from, &to)) continue;
      from = grid.begin[from];
      to = grid.begin[to];
      if (from < to) look(from, to);
    }
  }
}

inline std::uint32_t lanes_left(std::uint32_t from, std::uint32_t to) {
  return to - from >= lanes ? 0xFFu : (1u << (to - from)) - 1;
}

inline void match_points(const PointTask& task, const std::uint32_t* order, std::size_t count) {
  const CellGrid& grid = task.grid;
  const Lanes none{}, gate = none + task.settings.gate;
  const double quantum = 1.0 / task.scale;
  for (std::size_t n = 0; n < count; ++n) {
    const ModelFacet& f = task.facets.facet[order[n]];
    PointSums sums;
    const Lanes square = none + f.radius * f.radius;
    const auto look = [&](std::uint32_t from, std::uint32_t to) {
      for (std::uint32_t at = from; at < to; at += lanes) {
        const Seen<Lanes> s = seen_from(f, load(&grid.x[at]), load(&grid.y[at]), load(&grid.z[at]));
        const Marks near = (s.distance <= gate) & (s.distance >= -gate) & (s.square <= square);
        for (std::uint32_t left = bits_of_marks(near) & lanes_left(at, to); left != 0; left &= left - 1) {
          const auto k = static_cast<std::uint32_t>(__builtin_ctz(left));
          if (task.direction) {
            const PointDirection& d = task.direction[at + k];
            if (!(dot3(f.normal, d.x, d.y, d.z) >= task.settings.least_cosine)) continue;
          }
          add(s.distance[k], task.scale, &sums);
        }
      }
    };
    for (std::uint32_t level = 0; level < grid.levels; ++level)
      each_run(grid, grid.grid[level], tube(f.centre, f.normal, task.settings.gate, f.radius, task.farthest),
               look);
    task.out[order[n]] = deviation_of(sums, f, quantum, task.settings);
  }
}

/// The balls that a facet's normal may pierce, one at a time.
template <class Look>
inline void each_ball(const FacetTask& task, const ModelFacet& f, const Look& look) {
  const CellGrid& grid = task.measured.grid;
  const Tube line = tube(f.centre, f.normal, task.settings.gate, 0, task.farthest);
  const Lanes none{};
  for (std::uint32_t level = 0; level < grid.levels; ++level)
    each_run(grid, grid.grid[level], line, [&](std::uint32_t from, std::uint32_t to) {
      for (std::uint32_t at = from; at < to; at += lanes) {
        const Seen<Lanes> s = seen_from(f, load(&grid.x[at]), load(&grid.y[at]), load(&grid.z[at]));
        const Lanes radius = load(&grid.radius[at]) + line.radius, far = radius + task.settings.gate;
        const Marks near = (s.distance <= far) & (s.distance >= none - far) & (s.square <= radius * radius);
        for (std::uint32_t left = bits_of_marks(near) & lanes_left(at, to); left != 0; left &= left - 1)
          look(at + static_cast<std::uint32_t>(__builtin_ctz(left)));
      }
    });
}

inline Best nearest_pierced(const FacetTask& task, const ModelFacet& f) {
  const PierceTest test{task.settings.gate, task.settings.least_cosine};
  Best best;
  each_ball(task, f, [&](std::uint32_t at) {
    float distance = 0;
    if (matches(f, task.measured.corners[at], test, &distance))
      keep_nearest(distance, task.measured.grid.number[at], &best);
  });
  return best;
}

inline Best first_on_walk(const FacetTask& task, const ModelFacet& f) {
  const FacetIndex& m = task.measured;
  const PierceTest test{task.settings.gate, task.settings.least_cosine};
  Best best;
  if (m.distance.empty()) return best;
  const std::uint32_t start = walk_start(m.distance.data(), static_cast<std::uint32_t>(m.distance.size()),
                                         from_origin(f.centre[0], f.centre[1], f.centre[2]));
  each_ball(task, f, [&](std::uint32_t at) {
    const std::uint32_t place = m.place[at], order = walk_order(start, place);
    float distance = 0;
    if (order < best.order && std::fabs(m.distance[place] - m.distance[start]) <= task.settings.vicinity &&
        matches(f, m.corners[at], test, &distance))
      best = {distance, m.grid.number[at], order};
  });
  return best;
}

inline void match_facets(const FacetTask& task, const std::uint32_t* order, std::size_t count) {
  const bool walks = task.settings.choice == FacetChoice::first_found;
  for (std::size_t n = 0; n < count; ++n) {
    const ModelFacet& f = task.facets.facet[order[n]];
    task.out[order[n]] =
        pierced_of(walks ? first_on_walk(task, f) : nearest_pierced(task, f), f, task.settings.sharp_cosine);
  }
}

}  // namespace

extern const Kernels DATUM_OF_ISA(kernels);
const Kernels DATUM_OF_ISA(kernels){match_points, match_facets};

}  // namespace datum::match
