// Who compares a part's snapshots with its model in one order (surface_compare.h): a GPU, or nobody; then distances are found, judged
// and given their areas one after the other, with the same bytes.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gpu/surface_compare/surface_compare.h"

namespace datum {

/// Facets of the same model whose points' sums are wanted, too (PFM). Borrowed but for the model.
struct FacetsToSum {
  std::shared_ptr<const ModelFacets> model;
  MatchOfPoints how;
  FacetSums* out = nullptr;  // of each of model->regions
};

/// A part's snapshots. Equal pointers in `kept` tell the rays of the last part, which are read no more.
struct PartToCompare {
  PartShots shots;
  std::vector<std::shared_ptr<const void>> kept;  // what each snapshot's rays lie in
  FacetsToSum sums = {};                          // model null: nobody asks
};

/// What is done with results while a GPU's program gives them.
struct ComparedTaken {
  /// Called once the snapshots are on their way, or never.
  std::function<void()> sent;
  /// Room for them; called once, when all are there.
  std::function<ComparedPoints()> room;
  /// The points from .. to are in it; by several threads.
  std::function<void(std::size_t from, std::size_t to)> taken;
};

class SurfaceComparer {
 public:
  virtual ~SurfaceComparer() = default;
  /// Whether so many snapshots, pixels and points can be compared in one order with a model of so many facets.
  virtual bool takes(const PartShots& part, std::size_t facets) const = 0;
  /// False: it was not done, and what was taken counts for nothing. Of several threads one waits for the other.
  virtual bool compare(const ComparedModel& model, const PartToCompare& part, const CompareSettings& settings,
                       const ComparedTaken& out) = 0;
  /// Who compared the last one: "cuda NVIDIA H200 sm_90".
  virtual std::string describe() const = 0;
};

}  // namespace datum
