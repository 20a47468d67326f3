// The projector's columns from one image's phase (gpu/fourier_profilometry). One period says its column but for whole
// periods: neighbours are followed along rows and from row to row, and the largest region that hangs together is kept. What a
// wall parts from it is class unwrap: nobody can tell how many periods high the wall is.
//
// On the CPU alone: each step rests on the one before.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/fringe_phase/fringe_phase.h"

namespace datum {

/// By rows without gaps; phase_rad means something where classes say ok.
struct SinglePhase {
  const float* phase_rad = nullptr;
  const FringeClass* classes = nullptr;
  std::uint32_t width = 0, height = 0;
};

struct RegionSettings {
  float period_px = 0;         // of the fringes on the projector
  float direction = 1;         // -1: the projector's columns fall along a row
  float zero_turns = 0;        // as of FringePattern
  float camera_period_px = 0;  // of the fringes along a row where the surface is level
  float row_gate_rad =
      0;  // largest change of the phase from pixel to pixel of a row, beyond the level surface's:
          // FourierProfilometry::slope_limit_rad_per_px()
  float column_gate_rad = 1.5f;  // from row to row; below pi
};

struct RegionEvidence {
  std::size_t kept = 0, parted = 0;  // pixels with a phase, in the region and outside it
  std::uint32_t contradictory = 0;   // regions that lead back to themselves a period off: never kept
};

/// Writes maps.classes and maps.column_px, and maps.height where a model is given; other maps stay as they are. With a
/// model the whole number of periods is the one that brings the region's median nearest to the middle of the calibrated
/// columns: right while the surface lies, on the whole, within half a period of that; without one, the one whose median is
/// within the first period. Throws std::invalid_argument for settings that mean nothing, missing pointers, a model of
/// another size.
RegionEvidence unwrap_region(const SinglePhase& phase, const RegionSettings& settings,
                             const HeightModel* model, const FringeMaps& maps);

}  // namespace datum
