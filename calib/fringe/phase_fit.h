// The height model of a fringe sensor, fitted to a flat plate that was measured at several known heights.
//
// At each node of a grid over the camera's image, from the projector's columns u_k that the steps z_k show there:
//   z (1 + bend t) = h0 + h1 t + ... + h_degree t^degree,  t = (u - centre) per_px
// by least squares, solved twice so that each equation weighs 1 / (1 + bend t)^2 (then residuals are those of z). The
// column at a node is that of the surface of second degree through the columns around it. gpu/fringe_phase/height_model.h is what uses it.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/core/backend.h"
#include "gpu/fringe_phase/fringe_phase.h"

namespace datum {

/// One step, row-major over the camera's image; borrowed.
struct FlatStep {
  double z_um = 0;                   // of the plate, sensor coordinates
  const float* column_px = nullptr;  // of the projector
  const float* sigma_px = nullptr;   // standard deviation of it
  const FringeClass* classes = nullptr;
};

struct PhaseFitSettings {
  std::uint32_t width = 0, height = 0;  // of the camera's image
  std::uint32_t cell_px = 16;           // between nodes: a power of two
  int degree = 1;                       // 1 to 3
  bool bend = true;            // exact for a pinhole projector and a camera without distortion at degree 1
  double max_residual_um = 0;  // rms of any step; above it the fit is refused
  double u_step_um = 0;        // standard uncertainty of a step's height
  double u_plate_um = 0;       // and of the plate's form
};

/// What the model left of one step, pixel by pixel.
struct StepResidual {
  double z_um = 0;
  std::uint64_t pixels = 0;                      // with a height
  double mean_um = 0, rms_um = 0, noise_um = 0;  // noise: rms of what the camera's noise makes of it
};

/// A place of the plate that stands off what the model makes of it in all steps (calib/fringe/plate_spots.h).
struct PlateSpot {
  std::uint32_t row = 0, column = 0;  // of the camera's image, its middle
  double off_um = 0;
};

struct PhaseFit {
  std::uint32_t columns = 0, rows = 0;  // nodes
  std::vector<HeightNode> nodes;        // per_px NaN: not calibrated
  std::vector<float> node_u_um;         // standard uncertainty from the fit, the largest within -1 <= t <= 1
  std::vector<StepResidual> steps;      // ascending z
  double residual_rms_um = 0;           // over the pixels of all steps
  double u_model_um = 0;  // standard uncertainty of a height: fit, residual beyond noise, steps and plate
  std::vector<PlateSpot> spots;  // farther off than u_model_um: dust on the plate? farthest first
  std::uint64_t calibrated = 0;  // nodes
  double worst_condition = 0, worst_backward_error = 0;  // of the nodes' equations
};

/// Throws CalibrationError, in words for the operator: too few steps or two of one height, nothing seen of the plate,
/// a place where columns neither rise nor fall with the height, a residual above its limit.
PhaseFit fit_phase_heights(std::vector<FlatStep> steps, const PhaseFitSettings& settings,
                           const Backend& backend);

/// How many steps a model of this form needs: two more than it has numbers.
int fewest_flat_steps(const PhaseFitSettings& settings);

}  // namespace datum
