#include "gpu/parallel_planes/parallel_planes.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "gpu/core/parallel_for.h"
#include "gpu/parallel_planes/parallel_planes_check.h"
#include "gpu/parallel_planes/parallel_planes_kernels.h"

namespace datum {
namespace {

using namespace parallel;

constexpr std::uint64_t chunk = std::uint64_t{64} * tile;  // points that a thread takes at a time: 1 MiB

struct Chunk {
  std::size_t sample;
  std::uint64_t first, size;
};

std::vector<Chunk> chunks_of(const PlaneSample* samples, std::size_t count) {
  std::vector<Chunk> chunks;
  for (std::size_t i = 0; i < count; ++i)
    for (std::uint64_t at = 0; at < samples[i].size; at += chunk)
      chunks.push_back({i, at, std::min(chunk, samples[i].size - at)});
  return chunks;
}

void add(const SampleSums& from, SampleSums* to) {
  for (int m = 0; m < moment_count; ++m) {
    to->high[m] += from.high[m];
    to->low[m] += from.low[m];
  }
  to->points += from.points;
  to->faults |= from.faults;
}

}  // namespace

const char* name_of(ParallelStatus status) {
  switch (status) {
    case ParallelStatus::ok:
      return "OK";
    case ParallelStatus::no_points:
      return "NO POINTS";
    case ParallelStatus::out_of_range:
      return "OUT OF RANGE";
    case ParallelStatus::bad_weight:
      return "BAD WEIGHT";
    case ParallelStatus::strip:
      return "STRIP";
    case ParallelStatus::no_plane:
      return "NO PLANE";
  }
  return "UNKNOWN";
}

void fit_parallel_planes(const PlaneSample* samples, std::size_t count, const ParallelSet* sets,
                         std::size_t set_count, const ParallelPlanesSettings& settings,
                         const Backend& backend, ParallelPlanes* shared, ParallelPlane* planes) {
  check(samples, count, sets, set_count, settings);
  const Kernels& loops = kernels(backend.isa);
  const Scale scale = scale_of(settings);
  const std::vector<Chunk> chunks = chunks_of(samples, count);
  std::vector<SampleSums> part(chunks.size(), SampleSums{});
  parallel_for(backend.threads, chunks.size(), [&](std::size_t i, unsigned) {
    const PlaneSample& s = samples[chunks[i].sample];
    const Limits limits{{s.centre[0], s.centre[1], s.centre[2]}, settings.half_range, settings.max_weight};
    loops.add_tiles(s.points + chunks[i].first, chunks[i].size, limits, scale, &part[i]);
  });
  std::vector<SampleSums> sums(count, SampleSums{});
  for (std::size_t i = 0; i < chunks.size(); ++i) add(part[i], &sums[chunks[i].sample]);
  const Job job = job_of(settings);
  for (std::size_t i = 0; i < set_count; ++i) {
    std::vector<PlanePart> parts;
    SetSums set;
    for (std::uint32_t k = sets[i].first; k < sets[i].first + sets[i].planes; ++k) {
      parts.push_back(part_of(job, sums[k], samples[k].centre));
      gather(parts.back(), &set);
    }
    shared[i] = shared_of(job, set);
    for (std::uint32_t k = 0; k < sets[i].planes; ++k) {
      complete(job, set, shared[i], &parts[k]);
      planes[sets[i].first + k] = parts[k].plane;
    }
  }
}

PlaneDistance distance(const ParallelPlanes& shared, const ParallelPlane& a, const ParallelPlane& b) {
  const double apart[3] = {b.centroid[0] - a.centroid[0], b.centroid[1] - a.centroid[1],
                           b.centroid[2] - a.centroid[2]};
  const double along = dot(apart, shared.axis[0]), across = dot(apart, shared.axis[1]);
  return {dot(apart, shared.normal), a.offset_variance + b.offset_variance +
                                         along * along * shared.tilt_variance[0] +
                                         across * across * shared.tilt_variance[1]};
}

PlaneExtremes extremes(const PlaneSample& sample, const ParallelPlanes& shared, const ParallelPlane& plane,
                       const Backend& backend) {
  const Kernels& loops = kernels(backend.isa);
  PlaneFrame frame;
  std::copy(shared.normal, shared.normal + 3, frame.normal);
  std::copy(plane.centroid, plane.centroid + 3, frame.origin);
  const std::vector<Chunk> chunks = chunks_of(&sample, 1);
  constexpr double infinite = std::numeric_limits<double>::infinity();
  std::vector<PlaneExtremes> part(chunks.size(), {infinite, -infinite});
  parallel_for(backend.threads, chunks.size(), [&](std::size_t i, unsigned) {
    loops.extremes(sample.points + chunks[i].first, chunks[i].size, frame, &part[i]);
  });
  PlaneExtremes all{infinite, -infinite};
  for (const PlaneExtremes& p : part) {
    all.lowest = std::min(all.lowest, p.lowest);
    all.highest = std::max(all.highest, p.highest);
  }
  return all;
}

}  // namespace datum
