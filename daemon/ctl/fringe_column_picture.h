// Picture of the fringe columns after subtraction of their plane.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gpu/fringe_phase/fringe_phase.h"

namespace datum {

/// Writes a picture of width x height pixels, its format by the file's ending (.png, .svg, .pdf): columns less their least-squares plane, the 1st to the 99th percentile from
/// dark to light; SATURATED red, LOW MODULATION black, UNWRAP white. Returns a legend. At least one pixel must be ok.
/// Throws std::runtime_error that names the file, std::invalid_argument above 16384 pixels a side.
std::string write_column_picture(const std::filesystem::path& file, const std::vector<float>& column_px,
                                 const std::vector<FringeClass>& classes, int width, int height);

}  // namespace datum
