// Pose of a scanned part from its datum regions (the fit is calib/registration/model_fit.h).
#pragma once

#include <span>
#include <vector>

#include "calib/registration/model_fit.h"
#include "daemon/inspection/surface/surface_map.h"
#include "drivers/frame/height_frame.h"

namespace datum {

/// A frame in right-handed sensor coordinates, and the sensor's pose. Borrowed.
struct PlacedFrame {
  const HeightFrame* frame = nullptr;
  Htm<Machine, Sensor> machine_from_sensor;
};

struct AlignmentSettings {
  double search_mm = 0;  // points farther from the model belong to no region
  /// Approximate number of tiles per region; errors within a tile may correlate.
  double tiles = 200;
  std::size_t most_points = 20'000;  // per region; of more points, a regular subset of rows and columns
  float sharp_cosine = 0.866f;       // sharper edges are excluded
};

/// A model whose facets are assigned to regions. Borrowed.
struct RegionModel {
  std::shared_ptr<const TriangleModel> triangles;  // mm
  const ModelSearch* search = nullptr;
  std::span<const std::uint16_t> region_of_facet;
};

/// The measured points of some regions near the start pose, for a fit: points whose nearest place under a
/// pose is a face of one of them, weighted by the model area that they represented at the start. Points keep
/// their order, so the bits depend on neither backend nor threads. Borrows the model and the backend.
ModelSamples samples_of(const RegionModel& model, std::span<const PlacedFrame> frames,
                        const std::vector<std::uint16_t>& regions, const Htm<Machine, Model>& start,
                        const AlignmentSettings& settings, const Backend& backend);

/// 3-2-1 alignment by these regions, in their order. Refusals: see fit_datums.
ModelFit align_to_datums(const RegionModel& model, std::span<const PlacedFrame> frames,
                         std::span<const std::uint16_t> datums, const Htm<Machine, Model>& start,
                         const AlignmentSettings& settings, const Backend& backend);

/// Bounded refinement on all of these regions.
ModelFit refine_on_regions(const RegionModel& model, std::span<const PlacedFrame> frames,
                           const std::vector<std::uint16_t>& regions,
                           const HtmEstimate<Model, Machine>& start, const RefinementLimits& limits,
                           const AlignmentSettings& settings, const Backend& backend);

}  // namespace datum
