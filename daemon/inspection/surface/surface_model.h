// A recipe's model, made ready: read, checked against what the recipe says of it, its facets given to the regions.
#pragma once

#include <Eigen/Core>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "daemon/inspection/recipe/recipe.h"
#include "daemon/inspection/surface/surface_map.h"
#include "daemon/inspection/surface/surface_recipe.h"
#include "drivers/model/model_error.h"

namespace datum {

class ModelParser;  // drivers/model/model_file.h

struct SurfaceModel {
  std::string name, sha256;  // of the file
  double mm_per_unit = 1;
  std::shared_ptr<const TriangleModel> triangles;  // mm
  std::shared_ptr<const ModelSearch> search;
  std::size_t facets = 0, contradicted_normals = 0;  // in the file
  double rounding_mm = 0;                            // of a coordinate, by single precision
  Eigen::Vector3d low_mm, high_mm;                   // its box
  std::vector<SurfaceRegion> regions;                // with the tolerance that their checks state
  std::vector<std::uint16_t> region_of_facet;
};

/// Reads and checks the model of a surface recipe. Throws ModelError where the file can't be read, has another hash or
/// another size than the recipe states, is inside out, has facets turned against their neighbours or normals that
/// contradict an open surface; where a region has no facet, shares one with another or cuts through one.
/// `parser` reads the file's bytes; null: this process.
SurfaceModel load_surface_model(const Recipe& recipe, unsigned threads, const ModelParser* parser = nullptr);

/// Models are kept from part to part, by what the recipe says of them. May be used by several threads.
class SurfaceModels {
 public:
  explicit SurfaceModels(const ModelParser* parser = nullptr) : parser_(parser) {}
  /// Throws as load_surface_model; what was refused is tried again the next time.
  std::shared_ptr<const SurfaceModel> of(const Recipe& recipe, unsigned threads);

 private:
  static constexpr std::size_t most = 4;  // a line changes between few parts
  const ModelParser* const parser_;
  std::mutex mutex_;
  std::map<std::string, std::pair<std::uint64_t, std::shared_ptr<const SurfaceModel>>>
      last_;  // by recipe's hash
  std::uint64_t uses_ = 0;
};

}  // namespace datum
