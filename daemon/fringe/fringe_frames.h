// FringeFrames: the FrameReader of a fringe sensor: raw images -> columns of the projector -> heights -> HeightFrame.
#pragma once

#include "calib/fringe/phase_calibration.h"
#include "daemon/fringe/fringe_maps.h"
#include "daemon/fringe/single_shot.h"
#include "drivers/frame/sensor_profile.h"

namespace datum {

class FringeFrames final : public FrameReader {
 public:
  /// settings.steps 1: single-shot demodulation. Throws CalibrationError (single_shot.h).
  FringeFrames(FringeSettings settings, PhaseCalibration calibration,
               std::shared_ptr<FringeDemodulator> demodulator);

  /// Heights are counts of the calibration's LSB. Classes: saturated, low_modulation, unwrap and out_of_range. The frame
  /// carries the step records, its phase uncertainty, and the mean image as intensity.
  HeightFrame read(const std::filesystem::path& delivery, const SensorProfile& profile) const override;
  std::vector<std::string> files_of(const std::string& sidecar) const override;
  std::string refusal(const CellMoment& now) const override;
  std::optional<double> good_at_degc() const override;

 private:
  FringeSettings settings_;
  PhaseCalibration calibration_;
  std::shared_ptr<FringeDemodulator> demodulator_;
  std::unique_ptr<const SingleShot> single_shot_;  // null: phase-shifting
};

}  // namespace datum
