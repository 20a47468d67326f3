#include "daemon/pictures/part_files.h"

#include <algorithm>

#include "daemon/pictures/facet_export.h"
#include "daemon/pictures/surface_export.h"
#include "daemon/pictures/surface_histogram.h"
#include "daemon/pictures/surface_picture.h"

namespace datum {
namespace {

std::filesystem::path beside(const std::filesystem::path& picture, const std::string& what) {
  return picture.parent_path() / (picture.stem().string() + what);
}

/// Of the checks of extremes by facets.
void take_limits(SurfaceMap& map, FacetsBy by, const BoardVerdict& verdict) {
  using enum Characteristic;
  const bool points = by == FacetsBy::points;
  for (std::size_t r = 0; r < std::min(map.regions.size(), verdict.components.size()); ++r)
    for (const CheckVerdict& v : verdict.components[r].checks) {
      SurfaceRegion& region = map.regions[r];
      if (v.check.characteristic == (points ? pfm_maximum : ffm_maximum) && v.check.upper)
        region.upper_mm = std::min(region.upper_mm, *v.check.upper / 1000);
      if (v.check.characteristic == (points ? pfm_minimum : ffm_minimum) && v.check.lower)
        region.lower_mm = std::max(region.lower_mm, *v.check.lower / 1000);
    }
}

void write_facet_files(const std::filesystem::path& picture, const SurfaceRecipe& recipe,
                       const SurfaceMap& compared, const FacetMap& facets, FacetsBy by,
                       const BoardVerdict& verdict) {
  SurfaceMap map = facets_as_surface(facets, compared, by);
  take_limits(map, by, verdict);
  const std::string stem = by == FacetsBy::points ? "_pfm" : "_ffm";
  const double range_um = range_of(map);
  write_facets_ply(beside(picture, stem + ".ply"), facets, by, compared.model->origin, verdict, range_um);
  SurfacePictureSettings settings;
  settings.range_um = range_um;
  draw_facets(map, by, compared.model->origin, verdict, view_of(recipe.settings.view), settings)
      .write(beside(picture, stem + picture.extension().string()), verdict.measured_at);
}

}  // namespace

void write_part_files(const std::filesystem::path& picture, const SurfaceRecipe& recipe,
                      const SurfaceMap& map, const SurfaceCover& cover, const FacetMap* facets,
                      const BoardVerdict& verdict) {
  SurfacePictureSettings settings;
  settings.reach_mm = recipe.settings.reach_mm;
  write_surface_picture(picture, map, verdict, view_of(recipe.settings.view), settings);
  const double range_um = range_of(map);
  for (const PartFiles file : recipe.settings.files) {
    switch (file) {
      case PartFiles::points_ply:
        write_surface_ply(beside(picture, "_points.ply"), map, verdict, range_um);
        break;
      case PartFiles::points_csv:
        write_points_csv(beside(picture, "_points.csv"), map, verdict);
        break;
      case PartFiles::statistics:
        write_statistics_csv(beside(picture, "_statistics.csv"), map, cover, verdict);
        break;
      case PartFiles::histogram:
        write_histogram_picture(beside(picture, "_histogram" + picture.extension().string()), map, verdict,
                                range_um);
        write_histogram_csv(beside(picture, "_histogram.csv"), map, verdict, range_um);
        break;
      case PartFiles::facets:
        if (!facets) break;
        for (const FacetsBy by : {FacetsBy::points, FacetsBy::surface})
          write_facet_files(picture, recipe, map, *facets, by, verdict);
        write_facets_csv(beside(picture, "_facets.csv"), *facets, map.model->origin, verdict);
        break;
    }
  }
}

}  // namespace datum
