// Division of a model's surface into patches, and their neighbourhood.
#pragma once

#include <Eigen/Geometry>
#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "daemon/inspection/surface/surface_map.h"
#include "gpu/area_share/area_share_cpu.h"

namespace datum {

/// mm, relative to the model's origin.
using SurfacePlace = std::array<double, 3>;

/// The place of a facet nearest to a point, from the distance search's result.
SurfacePlace foot_of(const TriangleModel& model, const ModelPoint& point, const ModelDistance& found);

struct SurfacePatch {
  SurfacePlace center{}, normal{};  // means over its area; the normal of length 1
  double area_mm2 = 0;
  std::size_t region = 0;  // regions.size() for facets without region
};

class SurfacePatches {
 public:
  /// `about`: facets whose boxes lie apart from it are left out; null: none. Throws std::invalid_argument for a reach that
  /// is not above 0 or so small that there are more than 2^24 pieces.
  SurfacePatches(const SurfaceMap& map, double reach_mm, const Eigen::AlignedBox3d* about = nullptr);
  /// Lists each patch's neighbours, so that near() need not look for them; not where the lists would take more than `most_bytes`.
  /// Nothing depends on it but times.
  void list_neighbours(std::size_t most_bytes, unsigned threads);
  std::size_t bytes() const;

  const std::vector<SurfacePatch>& all() const { return patches_; }
  double area_mm2(std::size_t patch) const { return lists_.area_mm2[patch]; }
  /// What places are put on patches by: a facet's root, then cuts (area::patch_below). Not of facets that were left out.
  const PatchLists& lists() const { return lists_; }
  bool is_listed() const { return !lists_.first_near.empty(); }
  /// Of each region as in SurfacePatch, summed in the order of patches.
  const std::vector<double>& areas_mm2() const { return areas_; }
  /// Likewise of the patches that count: is_in(patch).
  template <class IsIn>
  std::vector<double> areas_mm2(const IsIn& is_in) const {
    std::vector<double> sums(regions_ + 1);
    const std::vector<double>& area = lists_.area_mm2;
    for (std::size_t k = 0; k < area.size();) {
      const std::uint16_t region = region_[k];
      double sum = sums[region];
      for (; k < area.size() && region_[k] == region; ++k)
        if (is_in(k)) sum += area[k];
      sums[region] = sum;
    }
    return sums;
  }

  /// Calls visit(other) in a fixed order for patches of the same region, including itself, with a similar
  /// normal and a center within the reach.
  template <class Visit>
  void near(std::uint32_t patch, const Visit& visit) const {
    if (is_listed()) {
      for (std::uint32_t i = lists_.first_near[patch]; i < lists_.first_near[patch + 1]; ++i)
        visit(lists_.near[i]);
      return;
    }
    const SurfacePatch& from = patches_[patch];
    std::array<std::int64_t, 3> low, high;
    for (std::size_t k = 0; k < 3; ++k) {
      low[k] = cell(from.center[k] - reach_mm_);
      high[k] = cell(from.center[k] + reach_mm_);
    }
    for (std::int64_t x = low[0]; x <= high[0]; ++x)
      for (std::int64_t y = low[1]; y <= high[1]; ++y)
        for (std::int64_t z = low[2]; z <= high[2]; ++z) {
          const auto found = cells_.find(key({x, y, z}));
          if (found == cells_.end()) continue;
          for (std::uint32_t i = found->second.first; i < found->second.second; ++i)
            if (meet(by_cell_[i], from)) visit(number_[i]);
        }
  }

 private:
  using Corners = std::array<SurfacePlace, 3>;
  /// Where pieces are put together: a voxel, the axis that they face along, the region.
  struct Key {
    std::array<std::int64_t, 3> voxel;
    int axis;
    std::size_t region;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& k) const;
  };
  std::size_t region_of(std::uint32_t facet) const;
  std::int32_t cut(const Corners& t, double area_mm2, std::uint32_t facet);
  Key key_of(const SurfacePlace& center, std::uint32_t facet) const;
  std::uint32_t add(const SurfacePlace& center, double area_mm2, std::uint32_t facet);
  void finish();
  std::int64_t cell(double mm) const;
  static std::uint64_t key(const std::array<std::int64_t, 3>& cell);
  bool meet(const SurfacePatch& a, const SurfacePatch& b) const;

  const SurfaceMap* map_;      // while facets are cut
  double reach_mm_, side_mm_;  // side: of pieces and voxels
  std::size_t regions_;
  std::size_t pieces_ = 0;
  std::vector<SurfacePatch> patches_;
  PatchLists lists_;
  std::vector<std::uint16_t> region_;                   // of the patches, side by side
  std::vector<double> areas_;                           // of the regions
  std::unordered_map<Key, std::uint32_t, KeyHash> at_;  // while facets are cut
  // Patches by cells that are 2 reaches wide: of each cell its first and behind its last.
  std::unordered_map<std::uint64_t, std::pair<std::uint32_t, std::uint32_t>> cells_;
  std::vector<SurfacePatch> by_cell_;
  std::vector<std::uint32_t> number_;  // of those among all
};

}  // namespace datum
