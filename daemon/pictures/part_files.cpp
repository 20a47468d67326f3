#include "daemon/pictures/part_files.h"

#include "daemon/pictures/facet_export.h"
#include "daemon/pictures/surface_export.h"
#include "daemon/pictures/surface_histogram.h"
#include "daemon/pictures/surface_picture.h"

namespace datum {

void write_part_files(const std::filesystem::path& picture, const SurfaceRecipe& recipe,
                      const SurfaceMap& map, const SurfaceCover& cover, const FacetMap* facets,
                      const BoardVerdict& verdict) {
  SurfacePictureSettings settings;
  settings.reach_mm = recipe.settings.reach_mm;
  write_surface_picture(picture, map, verdict, view_of(recipe.settings.view), settings);
  const double range_um = range_of(map);
  const auto beside = [&](const char* what) {
    return picture.parent_path() / (picture.stem().string() + what);
  };
  for (const PartFiles file : recipe.settings.files) {
    switch (file) {
      case PartFiles::points_ply:
        write_surface_ply(beside("_points.ply"), map, verdict, range_um);
        break;
      case PartFiles::points_csv:
        write_points_csv(beside("_points.csv"), map, verdict);
        break;
      case PartFiles::statistics:
        write_statistics_csv(beside("_statistics.csv"), map, cover, verdict);
        break;
      case PartFiles::histogram:
        write_histogram_picture(beside(("_histogram" + picture.extension().string()).c_str()), map, verdict,
                                range_um);
        write_histogram_csv(beside("_histogram.csv"), map, verdict, range_um);
        break;
      case PartFiles::facets:
        if (!facets) break;
        write_facets_ply(beside("_facets.ply"), *facets, map.model->origin, verdict, range_um);
        write_facets_csv(beside("_facets.csv"), *facets, map.model->origin, verdict);
        break;
    }
  }
}

}  // namespace datum
