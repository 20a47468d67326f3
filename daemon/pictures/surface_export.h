// A compared surface as files for other programs: PLY for CloudCompare and MeshLab, CSV for tables.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "daemon/inspection/surface/surface_cover.h"
#include "daemon/inspection/surface/surface_map.h"
#include "daemon/inspection/verdict/verdict.h"

namespace datum {

/// What made it, a line each: code, part, recipe, calibration, sensor, time, verdict. Printable ASCII; anything else in an
/// operator's text becomes '?'.
std::vector<std::string> provenance_of(const BoardVerdict& verdict);

/// Binary little-endian PLY of the measured points: x, y, z as double in mm of the model's coordinates, scalar_deviation as
/// float in um (not a number where nothing was found), class as uchar (0 face, 1 edge, 2 rim, 3 no data), colours as the
/// pictures have them. Replaces the file as a whole. Throws std::runtime_error naming it.
void write_surface_ply(const std::filesystem::path& file, const SurfaceMap& map, const BoardVerdict& verdict,
                       double range_um);

/// A row for each point: coordinates in mm, deviation in um (empty where nothing was found), class, region, number of the
/// facet in the model's file, snapshot from 1, area in mm^2 that the point stands for. Lines of provenance begin with '#'.
void write_points_csv(const std::filesystem::path& file, const SurfaceMap& map, const BoardVerdict& verdict);

/// A row for each region and one for the whole surface: tolerance, area, cover, statistics. Needs cover_of().
void write_statistics_csv(const std::filesystem::path& file, const SurfaceMap& map, const SurfaceCover& cover,
                          const BoardVerdict& verdict);

}  // namespace datum
