// The story of a part: snapshots reach machine coordinates and through them the model's, points become deviations,
// regions become characteristics, characteristics become a verdict.
#pragma once

#include <span>

#include "daemon/inspection/board/pipeline.h"
#include "daemon/inspection/surface/facet_map.h"
#include "daemon/inspection/surface/surface_cover.h"
#include "daemon/inspection/surface/surface_model.h"

namespace datum {

/// One frame of a part, and where the stage stood. Borrowed.
struct SurfaceFrame {
  const HeightFrame* frame = nullptr;
  Pose pose;
};

struct SurfaceInspection {
  BoardVerdict verdict = {};
  std::shared_ptr<const SurfaceMap> map = {};  // for pictures; null where nothing was compared
  SurfaceCover cover = {};
  std::shared_ptr<const FacetMap> facets = {};  // null where the recipe has no [facet_map]
};

/// `in.pose` is not used. Never throws for what a frame, a position, a model or a calibration may be: that gives INVALID
/// with its reason. The result depends on the frames and their order alone, not on the backend's lanes and threads.
SurfaceInspection inspect_surface(std::span<const SurfaceFrame> frames, const InspectionInputs& in,
                                  SurfaceModels& models, const Backend& backend);

/// The verdict of a part that can't be measured, with the snapshots that came.
BoardVerdict refused_surface(std::span<const SurfaceFrame> frames, const InspectionInputs& in, Reason reason,
                             const std::string& detail);

/// Why snapshot `number` (from 0) can't have been taken where the stage stood; empty: it can. Snapshots come in the order
/// of the recipe's poses: of a part that was given up midway none is taken for the next part's.
std::string pose_refusal(const SurfaceRecipe& recipe, std::size_t number, const Pose& pose);

}  // namespace datum
