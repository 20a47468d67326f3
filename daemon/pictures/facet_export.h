// What was measured at each facet of a model, as files for other programs.
#pragma once

#include <filesystem>

#include "daemon/inspection/surface/facet_map.h"
#include "daemon/pictures/surface_export.h"

namespace datum {

/// A row for each facet of the cut model: its number in the model's file, centroid in mm of the model's coordinates, area in
/// mm^2; of the points in front of it class, number, mean, least, largest and standard deviation in um; of the measured
/// surface along its normal class and distance in um. What has no data is empty.
void write_facets_csv(const std::filesystem::path& file, const FacetMap& map,
                      const std::array<double, 3>& model_origin_mm, const BoardVerdict& verdict);

/// Binary little-endian PLY of the facets, three vertices each, with the mean of the points in front as scalar_deviation in um
/// (not a number without data) and the pictures' colours.
void write_facets_ply(const std::filesystem::path& file, const FacetMap& map,
                      const std::array<double, 3>& model_origin_mm, const BoardVerdict& verdict,
                      double range_um);

}  // namespace datum
