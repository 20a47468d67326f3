// Inspection of a part: snapshots are transformed to machine and model coordinates, points give deviations,
// regions give characteristics, characteristics give a verdict.
#pragma once

#include <span>

#include "daemon/inspection/board/pipeline.h"
#include "daemon/inspection/surface/facet_map.h"
#include "daemon/inspection/surface/surface_cover.h"
#include "daemon/inspection/surface/surface_model.h"

namespace datum {

/// One frame of a part, and the stage's position. Borrowed.
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

/// `in.pose` is not used. Never throws because of a frame, a position, a model or a calibration: the result
/// is then INVALID with its reason. The result depends on the frames and their order alone, not on the
/// backend's vector width and threads.
SurfaceInspection inspect_surface(std::span<const SurfaceFrame> frames, const InspectionInputs& in,
                                  SurfaceModels& models, const Backend& backend);

/// The verdict of a part that can't be measured, with the snapshots that arrived.
BoardVerdict refused_surface(std::span<const SurfaceFrame> frames, const InspectionInputs& in, Reason reason,
                             const std::string& detail);

}  // namespace datum
