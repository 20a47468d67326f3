// A recipe's model after loading: verified against the recipe, with its facets assigned to regions.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "daemon/inspection/recipe/recipe.h"
#include "daemon/inspection/surface/facet_pieces.h"
#include "daemon/inspection/surface/region_shape.h"
#include "daemon/inspection/surface/surface_map.h"
#include "daemon/inspection/surface/surface_patches.h"
#include "daemon/inspection/surface/surface_recipe.h"
#include "drivers/model/model_error.h"

namespace datum {

class KeptRays;     // surface_rays.h
class ModelParser;  // drivers/model/model_file.h

/// What each point asks of its facet, side by side: a model's lists lie far apart in memory.
struct alignas(16) FacetSide {
  std::array<float, 3> normal;  // of the face
  std::uint16_t region;
};

struct SurfaceModel {
  std::string name, sha256;  // of the file
  double mm_per_unit = 1;
  std::shared_ptr<const TriangleModel> triangles;  // mm
  std::shared_ptr<const ModelSearch> search;
  std::shared_ptr<const FacetPieces> pieces;         // null where the recipe has no [facet_map]
  std::size_t facets = 0, contradicted_normals = 0;  // in the file
  double rounding_mm = 0;                            // of a coordinate, in single precision
  Eigen::Vector3d low_mm, high_mm;                   // its bounding box
  std::vector<SurfaceRegion> regions;                // with the tolerance from their checks
  std::vector<std::uint16_t> region_of_facet;
  std::vector<FacetSide> sides;  // of the facets
  // What every part needs of it, made once with it.
  std::vector<RegionShape> shapes;  // of the regions
  std::shared_ptr<RegionSlopes> slopes = std::make_shared<RegionSlopes>();
  std::map<double, std::shared_ptr<const SurfacePatches>> patches;  // by the reach of the recipe's covers
  /// The same, as reaches_of() the recipe; null where they are too many, or too many of them to be listed.
  std::shared_ptr<const AreaModel> areas;
  std::shared_ptr<KeptRays> rays;

  std::size_t bytes() const;  // of memory, about
};

/// Reads and verifies the model of a surface recipe. Throws ModelError where the file is unreadable, differs
/// in hash or size from the recipe, is inside out, has facets oriented against their neighbours or normals
/// that contradict an open surface, where a region has no facet, shares one with another or cuts through
/// one, or where [facet_map] cuts the model into too many facets. `parser` parses the file's bytes; null: in this process.
SurfaceModel load_surface_model(const Recipe& recipe, unsigned threads, const ModelParser* parser = nullptr);

/// The reaches of a recipe's covers: that by which points share areas, then those of its regions' gaps; each once.
std::vector<double> reaches_of(const SurfaceRecipe& recipe);

/// Cache of models by recipe, from part to part. Thread-safe.
class SurfaceModels {
 public:
  explicit SurfaceModels(const ModelParser* parser = nullptr) : parser_(parser) {}
  /// Throws as load_surface_model; a refused model is loaded again at the next call.
  std::shared_ptr<const SurfaceModel> of(const Recipe& recipe, unsigned threads);

 private:
  static constexpr std::size_t most = 4;  // a line changes between few parts
  const ModelParser* const parser_;
  std::mutex mutex_;
  /// Cache by the recipe's hash.
  std::map<std::string, std::pair<std::uint64_t, std::shared_ptr<const SurfaceModel>>> last_;
  std::uint64_t uses_ = 0;
};

}  // namespace datum
