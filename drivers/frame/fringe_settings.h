// How the raw images of a fringe projection sensor are made, and which of their pixels may be measured.
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

namespace datum {

/// A set holds `steps` images for each period: fringes A + B cos(2 pi (u / period + shift k / steps)) over the projector's
/// coordinate u in its pixels, k = 0 .. steps - 1.
struct FringeSettings {
  std::vector<double> periods_px;  // of the fringes, in pixels of the projector, in the order of the images
  int steps = 4;
  int shift = 1;              // 1 or -1: which way the steps move the fringes
  double projector_px = 0;    // width of the projector across its fringes
  int camera_maximum = 255;   // grey; a pixel that reaches it in any image is saturated
  double min_modulation = 0;  // B in grey; below it a phase is noise
  double agreement_px = 0;    // of the projector, within which the periods must say the same place
  double camera_noise_grey = 0,
         camera_noise_per_grey = 0;   // deviation of a dark sample; variance for each grey of light
  std::string image_names;            // {set}, {period} from 1 and {step} from 1 stand for what differs
  std::array<double, 2> origin_mm{};  // x and y of pixel (0, 0), in the sensor's own hand
  std::filesystem::path calibration;  // file of its phase-to-height calibration
};

}  // namespace datum
