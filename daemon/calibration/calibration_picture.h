// Pictures of a calibration: the snapshot with its faces coloured, and what each face left over.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "calib/solve/calibration_solve.h"
#include "daemon/pictures/page.h"
#include "drivers/frame/height_frame.h"

namespace datum {

/// Of a face in all pictures; they differ in lightness too.
Rgb color_of(Face face);

/// Heights in grey, light is high; pixels that belong to a face in its colour. `face_of`: index of the Face or -1 for
/// each pixel, row-major; empty: no face was found. The sensor's x runs right, its y up. The longer side of the map
/// is at most max_px.
Page draw_scan(const HeightFrame& frame, const std::vector<std::int8_t>& face_of, const std::string& title,
               int max_px = 1200);

/// A bar for each face and device, in um, with the limit as a dashed line; what is beyond it is red.
Page draw_residuals(const std::vector<FeatureResidual>& residuals, double limit_um, const std::string& title);

}  // namespace datum
