// How a surface's deviations are spread, as a picture and as a table. Needs cover_of().
#pragma once

#include <filesystem>

#include "daemon/inspection/surface/surface_map.h"
#include "daemon/inspection/verdict/verdict.h"
#include "daemon/pictures/canvas.h"

namespace datum {

/// Area of the model over deviation, in bins of a quarter of a colour step out to the range and a quarter of it beyond;
/// bars in the pictures' colours, the statistics beside.
Canvas draw_histogram(const SurfaceMap& map, const BoardVerdict& verdict, double range_um);

/// Throws std::runtime_error naming the file where it can't be written.
void write_histogram_picture(const std::filesystem::path& file, const SurfaceMap& map,
                             const BoardVerdict& verdict, double range_um);
/// A row for each bin: from_um, to_um, area_mm2; the first and the last one are open. Lines of provenance begin with '#'.
void write_histogram_csv(const std::filesystem::path& file, const SurfaceMap& map,
                         const BoardVerdict& verdict, double range_um);

}  // namespace datum
