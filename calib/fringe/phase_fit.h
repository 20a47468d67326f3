// The height model of a fringe sensor, fitted to a flat plate measured at several known heights.
//
// At each node of a grid over the camera's image, from the projector's columns u_k observed at the steps z_k:
//   z (1 + bend t) = h0 + h1 t + ... + h_degree t^degree,  t = (u - centre) per_px
// by least squares, solved twice so that each equation is weighted by 1 / (1 + bend t)^2 and the residuals
// are those of z. The column at a node is the value of a quadratic surface through the columns around it.
// gpu/fringe_phase/height_model.h applies the model.
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
  bool bend = true;            // exact at degree 1 for a pinhole projector and a camera without distortion
  double max_residual_um = 0;  // rms of any step; a larger one refuses the fit
  double u_step_um = 0;        // standard uncertainty of a step's height
  double u_plate_um = 0;       // standard uncertainty of the plate's form
};

/// Residuals of one step over its pixels.
struct StepResidual {
  double z_um = 0;
  std::uint64_t pixels = 0;                      // with a height
  double mean_um = 0, rms_um = 0, noise_um = 0;  // noise: rms that the camera's noise explains
};

/// A place of the plate that deviates from the model in all steps (plate_spots() in phase_fit.cpp).
struct PlateSpot {
  std::uint32_t row = 0, column = 0;  // its middle in the camera's image
  double off_um = 0;
};

struct PhaseFit {
  std::uint32_t columns = 0, rows = 0;  // nodes
  std::vector<HeightNode> nodes;        // per_px NaN: not calibrated
  std::vector<float> node_u_um;         // standard uncertainty from the fit, the largest within -1 <= t <= 1
  std::vector<StepResidual> steps;      // ascending z
  double residual_rms_um = 0;           // over the pixels of all steps
  double u_model_um = 0;         // standard uncertainty of a height: fit, residual beyond noise, steps, plate
  std::vector<PlateSpot> spots;  // deviations above u_model_um, possibly dust on the plate; largest first
  std::uint64_t calibrated = 0;  // nodes
  double worst_condition = 0, worst_backward_error = 0;  // of the nodes' equations
};

/// Throws CalibrationError with a text for the operator: too few steps, two steps of one height, no visible
/// plate, columns that are not monotonic in height, or a residual above its limit.
PhaseFit fit_phase_heights(std::vector<FlatStep> steps, const PhaseFitSettings& settings,
                           const Backend& backend);

/// Number of steps that a model of this form needs: two more than its coefficients.
int fewest_flat_steps(const PhaseFitSettings& settings);

}  // namespace datum
