// Generation of a fringe projection sensor's raw images, and the validity limits of their pixels.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

namespace datum {

/// A set holds `steps` images per period: fringes A + B cos(2 pi (u / period + shift k / steps)), u the
/// projector's coordinate in its pixels, k = 0 .. steps - 1.
struct FringeSettings {
  std::vector<double> periods_px;  // of the fringes in projector pixels, in the order of the images
  int steps = 4;
  int shift = 1;              // 1 or -1: direction in which the steps move the fringes
  double projector_px = 0;    // width of the projector across its fringes
  int camera_maximum = 255;   // grey; a pixel at this value in any image is saturated
  double min_modulation = 0;  // B in grey; below it a phase is noise
  double agreement_px = 0;    // largest disagreement of the periods, in projector pixels
  double camera_noise_grey = 0,
         camera_noise_per_grey = 0;   // standard deviation of a dark sample; variance per grey of light
  std::string image_names;            // {set}, {period} from 1 and {step} from 1 are placeholders
  std::array<double, 2> origin_mm{};  // x and y of pixel (0, 0), in the sensor's own handedness
  std::filesystem::path calibration;  // file of its phase-to-height calibration
};

}  // namespace datum
