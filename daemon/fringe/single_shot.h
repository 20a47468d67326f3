// Heights from a single fringe image (Fourier-transform profilometry). The calibration of each pixel unwraps its phase.
//
// A phase gives the projector's column modulo one period. Where the columns between the lowest and the highest calibrated
// step span less than a period, exactly one column fits. No neighbour is used, so no error spreads. The method fails at
// walls of components (gpu/fourier_profilometry): it is for bare boards and paste.
#pragma once

#include <memory>

#include "calib/fringe/phase_calibration.h"
#include "daemon/fringe/fringe_maps.h"

namespace datum {

class FourierProfilometry;

/// Class of a pixel that the filter does not reach at the end of a row: no_data of a frame.
inline constexpr FringeClass row_end_class{5};

class SingleShot {
 public:
  /// Throws CalibrationError where the calibrated range spans a period or more, or the carrier can't be filtered.
  SingleShot(const FringeSettings& settings, const PhaseCalibration& calibration);
  ~SingleShot();

  /// As measure_fringes with a model; mean and residual stay empty. Throws FrameError for another image size.
  MeasuredFringes measure(const RawSet& set, FringeDemodulator& demodulator) const;

 private:
  FringeSettings settings_;
  PhaseCalibration calibration_;
  double direction_ = 1;  // sign of the column along a row
  std::unique_ptr<const FourierProfilometry> profilometry_;
};

}  // namespace datum
