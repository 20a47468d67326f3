// Heights of a single image of fringes (Fourier-transform profilometry), each pixel unwrapped by what was calibrated there.
//
// An angle tells the projector's column but for whole periods. Where the columns between the lowest and the highest step
// of the calibration are fewer than a period, only one of them fits: no neighbour is asked, so that no error spreads.
// Walls of components break the method (gpu/fourier_profilometry): it is for bare boards and paste.
#pragma once

#include <memory>

#include "calib/fringe/phase_calibration.h"
#include "daemon/fringe/fringe_maps.h"

namespace datum {

class FourierProfilometry;

/// Class of a pixel so near to the end of its row that the filter does not reach it: a frame's no_data.
inline constexpr FringeClass row_end_class{5};

class SingleShot {
 public:
  /// Throws CalibrationError: the calibrated range is a period wide or wider somewhere, or the carrier can't be filtered.
  SingleShot(const FringeSettings& settings, const PhaseCalibration& calibration);
  ~SingleShot();

  /// As measure_fringes with a model; mean and residual stay empty. Throws FrameError: another size than the calibration's.
  MeasuredFringes measure(const RawSet& set) const;

 private:
  FringeSettings settings_;
  PhaseCalibration calibration_;
  double direction_ = 1;  // of the column along a row
  std::unique_ptr<const FourierProfilometry> profilometry_;
};

}  // namespace datum
