// Signed distance of points from a model's surface: for each point the nearest place on any facet, positive outside.
// C++17: CUDA sources include this header. Coordinates and lengths are in one unit of the caller's, relative to the
// model's origin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "gpu/core/backend.h"
#include "gpu/model_distance/triangle_model.h"

namespace datum {

enum class MatchClass : std::uint8_t {
  face,  // of one smooth surface: a face, or an edge or corner between faces that hardly turn
  edge,  // the nearest place is an edge that turns by more than sharp_cosine says, or a corner: the sign is right, the
  // distance is not one along a normal
  rim,      // the nearest place is an open edge: what lies beyond the model's end has no side
  no_data,  // the point is not finite, or no facet is within the search distance
};

struct ModelDistance {
  float distance = 0;       // signed; 0 and no_data where nothing was found
  std::uint32_t facet = 0;  // of the model; of several at the same distance the lowest
  Place place = Place::face;
  MatchClass kind = MatchClass::no_data;
  std::uint8_t unused[2] = {};
};

struct DistanceSettings {
  float search = 0;             // farthest distance that is looked for
  float sharp_cosine = 0.866f;  // between two facets' normals; below it their edge is sharp (30 degrees)
};

struct ModelPoint {
  float x, y, z;
};

/// A model made ready for searches on the CPU.
class ModelSearch {
 public:
  explicit ModelSearch(std::shared_ptr<const TriangleModel> model, unsigned threads = 1);
  ~ModelSearch();

  /// out[i] belongs to points[i] and depends on nothing else. Throws std::invalid_argument for settings that mean
  /// nothing.
  void find(const ModelPoint* points, std::size_t count, const DistanceSettings& settings,
            const Backend& backend, ModelDistance* out) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace datum
