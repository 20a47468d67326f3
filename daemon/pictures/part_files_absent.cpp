// A first demo compares no parts (DATUM_SURFACES), so that there are no files of them.
#include <stdexcept>

#include "daemon/pictures/part_files.h"

namespace datum {

void write_part_files(const std::filesystem::path& picture, const SurfaceRecipe&, const SurfaceMap&,
                      const SurfaceCover&, const FacetMap*, const BoardVerdict&) {
  throw std::runtime_error(
      picture.string() + ": a first demo draws no parts; ./datum demo --surface, test or install builds it");
}

}  // namespace datum
