// The area of a model's surface that each measured point stands for. C++17: CUDA sources include this header.
//
// The surface is divided into patches: facets are halved across their longest side (M. C. Rivara, "Algorithms for refining
// triangular grids", International Journal for Numerical Methods in Engineering 20, 1984) until they are small, and the pieces
// in one voxel are one patch. A point lies on the patch of its nearest place and marks the patches near that one; those
// that mark a patch share its area. Coordinates are relative to the model's origin, lengths in mm.
//
// Counts are integers. A point's share is summed in the order of its patch's list: the same bytes on every backend.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/core/backend.h"
#include "gpu/model_distance/model_distance.h"

namespace datum {

/// Where a part of a facet was halved. A cut's halves come behind it.
struct alignas(64) PatchCut {  // a line of the cache
  double middle[3], across[3];
  double second;         // its sign is that of places in the second half
  std::int32_t half[2];  // cuts, or ~patch where they are pieces
};

/// A model's patches of one reach.
struct PatchLists {
  std::vector<std::int32_t> root;  // of each facet, as PatchCut::half
  std::vector<PatchCut> cuts;
  std::vector<double> area_mm2;  // of each patch
  /// Patches near patch k, itself among them: near[first_near[k]] up to near[first_near[k + 1]]. Both empty: not listed.
  std::vector<std::uint32_t> first_near, near;
};

/// Region index of facets without region.
inline constexpr std::uint16_t no_region = 0xFFFF;

constexpr std::size_t most_reaches = 8;
constexpr std::uint32_t no_patch = 0xFFFFFFFF;

/// A model with patches of 1 to most_reaches reaches, all listed.
struct AreaModel {
  std::shared_ptr<const TriangleModel> triangles;
  std::vector<std::shared_ptr<const PatchLists>> reaches;
  std::vector<std::uint16_t> region = {};  // of each facet its region, or no_region; empty: not told
};

/// Throws std::invalid_argument for lists that name facets, cuts or patches that there are none of, or that are not listed.
void check(const AreaModel& model);

/// Where the results go.
struct AreaShares {
  double* area_mm2 = nullptr;               // of each point, by the first reach; 0: of no face or edge
  std::uint32_t* marks[most_reaches] = {};  // of each reach, of each patch: how many points mark it
};

/// Points with their distances from the model; only those of a face or edge mark patches.
struct JudgedPoints {
  const ModelPoint* points = nullptr;
  const ModelDistance* distances = nullptr;
  std::size_t count = 0;
};

/// On this program's CPU.
void share_areas(const AreaModel& model, const JudgedPoints& points, const Backend& backend,
                 const AreaShares& out);

/// One model on one device.
class DeviceAreas {
 public:
  virtual ~DeviceAreas() = default;
  /// At most 2^28 points. Those on facets that there are none of mark nothing.
  virtual void share(const JudgedPoints& points, const AreaShares& out) = 0;
};

}  // namespace datum
