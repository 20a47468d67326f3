// The files of a compared part beside its picture, as its recipe requests.
#pragma once

#include <filesystem>

#include "daemon/inspection/surface/facet_map.h"
#include "daemon/inspection/surface/surface_cover.h"
#include "daemon/inspection/verdict/verdict.h"

namespace datum {

/// Writes `picture` and the files that `files` of the recipe's [surface] names: _points.ply, _points.csv,
/// _statistics.csv, _histogram as a picture and .csv, _facets.csv, _pfm and _ffm as .ply and pictures, after the name of the picture. `facets` may be null.
/// Throws std::runtime_error that names the file.
void write_part_files(const std::filesystem::path& picture, const SurfaceRecipe& recipe,
                      const SurfaceMap& map, const SurfaceCover& cover, const FacetMap* facets,
                      const BoardVerdict& verdict);

}  // namespace datum
