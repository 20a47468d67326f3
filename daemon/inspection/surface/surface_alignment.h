// Where a scanned part lies, from its datum regions (calib/registration/model_fit.h does the fit).
#pragma once

#include <span>
#include <vector>

#include "calib/registration/model_fit.h"
#include "daemon/inspection/surface/surface_map.h"
#include "drivers/frame/height_frame.h"

namespace datum {

/// A frame in right-handed sensor coordinates, and where the sensor stood. Borrowed.
struct PlacedFrame {
  const HeightFrame* frame = nullptr;
  Htm<Machine, Sensor> machine_from_sensor;
};

struct AlignmentSettings {
  double search_mm = 0;              // points farther from the model belong to no region
  double tiles = 200;                // that each region is cut into, about: points of one may err alike
  std::size_t most_points = 20'000;  // of each region; of more, every so-manieth pixel both ways
  float sharp_cosine = 0.866f;       // edges that turn by more are left out
};

/// A model whose facets belong to regions. Borrowed.
struct RegionModel {
  std::shared_ptr<const TriangleModel> triangles;  // mm
  const ModelSearch* search = nullptr;
  std::span<const std::uint16_t> region_of_facet;
};

/// The measured points of some regions, near the start, for a fit: points whose nearest place under a pose is a face of
/// one of them, weighted by the area of the model that they stood for at the start. Points keep their order, so that
/// neither backend nor threads change a bit. Borrows the model and the backend.
ModelSamples samples_of(const RegionModel& model, std::span<const PlacedFrame> frames,
                        const std::vector<std::uint16_t>& regions, const Htm<Machine, Model>& start,
                        const AlignmentSettings& settings, const Backend& backend);

/// 3-2-1 by these regions, in their order. fit_datums tells what is refused.
ModelFit align_to_datums(const RegionModel& model, std::span<const PlacedFrame> frames,
                         std::span<const std::uint16_t> datums, const Htm<Machine, Model>& start,
                         const AlignmentSettings& settings, const Backend& backend);

/// Bounded refinement on all of these regions.
ModelFit refine_on_regions(const RegionModel& model, std::span<const PlacedFrame> frames,
                           const std::vector<std::uint16_t>& regions,
                           const HtmEstimate<Model, Machine>& start, const RefinementLimits& limits,
                           const AlignmentSettings& settings, const Backend& backend);

}  // namespace datum
