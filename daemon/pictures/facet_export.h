// Files with the measurement at each facet of a model, for other programs.
#pragma once

#include <filesystem>

#include "daemon/inspection/surface/facet_surface.h"
#include "daemon/pictures/surface_export.h"

namespace datum {

/// One row per facet of the cut model: number in the model's file, centroid in mm of the model's coordinates, area in
/// mm^2; class of the points in front of it, their number, mean, minimum, maximum and standard deviation in um; class and
/// distance in um of the measured surface along its normal. Missing data are empty cells.
void write_facets_csv(const std::filesystem::path& file, const FacetMap& map,
                      const std::array<double, 3>& model_origin_mm, const BoardVerdict& verdict);

/// Binary little-endian PLY of the facets, three vertices each, with the mean of the points in front (or the measured
/// surface along the normal) as scalar_deviation in um (NaN without data) and the pictures' colours.
void write_facets_ply(const std::filesystem::path& file, const FacetMap& map, FacetsBy by,
                      const std::array<double, 3>& model_origin_mm, const BoardVerdict& verdict,
                      double range_um);

}  // namespace datum
