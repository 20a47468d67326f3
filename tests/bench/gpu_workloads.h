// Data of the GPU table: the paper's planes as points and as a height map, and the board of 58 rings, in
// pinned memory.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpu/core/cuda_support.cuh"
#include "tests/gpu/map_scene.h"

namespace datum::bench {

/// Planes of one run. Points: x of all planes, then y, then z; `map` holds the same points as int16 counts
/// where the workload has one, `frame` its counts in pinned memory.
struct Workload {
  std::string name;
  PlaneFitSettings settings;  // of the points; the mode is the row's
  float paper_t = 0;          // threshold of the baselines
  std::size_t points = 0;
  std::vector<PlanePoints> planes;
  std::vector<testing::TruePlane> truth;
  std::unique_ptr<testing::MapScene> map;
  std::vector<float> xyz;
  cuda::Buffer<unsigned char> frame{cuda::Where::host_mapped};
};

/// `count` planes of across x down points within +-200 as in the paper's section IV (paper_scene's
/// distribution); with_map: across = down, and the height map of the same points.
Workload paper_workload(std::size_t count, std::int32_t across, std::int32_t down,
                        const testing::TruePlane& plane, double inliers, bool with_map);

/// The 58 rings of table 6's board; as points they are what the map holds, in um.
Workload ring_workload();

}  // namespace datum::bench
