// Export of a compared surface: PLY for CloudCompare and MeshLab, CSV for spreadsheets.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "daemon/inspection/surface/surface_cover.h"
#include "daemon/inspection/surface/surface_map.h"
#include "daemon/inspection/verdict/verdict.h"

namespace datum {

/// Origin of the data, one line each: code, part, recipe, calibration, sensor, time, verdict. Printable ASCII; other
/// characters become '?'.
std::vector<std::string> provenance_of(const BoardVerdict& verdict);

/// Binary little-endian PLY of the measured points: x, y, z as double in mm of the model's coordinates, scalar_deviation
/// as float in um (NaN without a match), class as uchar (0 face, 1 edge, 2 rim, 3 no data), and the pictures' colours.
/// Replaces the file atomically. Throws std::runtime_error that names it.
void write_surface_ply(const std::filesystem::path& file, const SurfaceMap& map, const BoardVerdict& verdict,
                       double range_um);

/// One row per point: coordinates in mm, deviation in um (empty without a match), class, region, number of the facet in
/// the model's file, snapshot from 1, represented area in mm^2. Lines about the origin begin with '#'.
void write_points_csv(const std::filesystem::path& file, const SurfaceMap& map, const BoardVerdict& verdict);

/// One row per region and one for the whole surface: tolerance, area, coverage, statistics. Needs cover_of().
void write_statistics_csv(const std::filesystem::path& file, const SurfaceMap& map, const SurfaceCover& cover,
                          const BoardVerdict& verdict);

}  // namespace datum
