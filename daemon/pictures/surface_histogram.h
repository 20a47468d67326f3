// Distribution of a surface's deviations, as a picture and as a table. Needs cover_of().
#pragma once

#include <filesystem>

#include "daemon/inspection/surface/surface_map.h"
#include "daemon/inspection/verdict/verdict.h"
#include "daemon/pictures/page.h"

namespace datum {

/// Area of the model over deviation. A bin is a quarter of a colour step; the bins extend to the range and a quarter
/// beyond. Bars have the pictures' colours; the statistics are beside them.
Page draw_histogram(const SurfaceMap& map, const BoardVerdict& verdict, double range_um);

/// Throws std::runtime_error that names the file.
void write_histogram_picture(const std::filesystem::path& file, const SurfaceMap& map,
                             const BoardVerdict& verdict, double range_um);
/// One row per bin: from_um, to_um, area_mm2; the first and the last one are open. Lines about the origin begin with '#'.
void write_histogram_csv(const std::filesystem::path& file, const SurfaceMap& map,
                         const BoardVerdict& verdict, double range_um);

}  // namespace datum
