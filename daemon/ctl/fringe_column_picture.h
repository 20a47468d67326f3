// Columns of fringes as a picture: what of them is no plane.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gpu/fringe_phase/fringe_phase.h"

namespace datum {

/// Writes a PNG of width x height pixels: columns less their least-squares plane between the 1st and the 99th percentile
/// from dark to light; SATURATED red, LOW MODULATION black, UNWRAP white. Says what it shows. At least one pixel is ok.
/// Throws std::runtime_error naming the file, std::invalid_argument above 16384 pixels a side.
std::string write_column_picture(const std::filesystem::path& file, const std::vector<float>& column_px,
                                 const std::vector<FringeClass>& classes, int width, int height);

}  // namespace datum
