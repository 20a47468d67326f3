// The files of a compared part that its recipe asks for, beside its picture.
#pragma once

#include <filesystem>

#include "daemon/inspection/surface/facet_map.h"
#include "daemon/inspection/surface/surface_cover.h"
#include "daemon/inspection/verdict/verdict.h"

namespace datum {

/// `picture`, and beside it, named after it: _points.ply, _points.csv, _statistics.csv, _histogram.png and .csv, _facets.ply
/// and .csv, each where `files` of the recipe's [surface] names it. `facets` may be null. Throws std::runtime_error naming
/// the file that can't be written.
void write_part_files(const std::filesystem::path& picture, const SurfaceRecipe& recipe,
                      const SurfaceMap& map, const SurfaceCover& cover, const FacetMap* facets,
                      const BoardVerdict& verdict);

}  // namespace datum
