// Accumulates a reader's vertices and facets, within the limits of a model.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "drivers/model/model_file.h"

namespace datum {

/// A place in the file's unit, in single precision as in binary STL.
using ModelVector = std::array<float, 3>;
using ModelCorners = std::array<ModelVector, 3>;

class ModelGatherer {
 public:
  ModelGatherer(ModelFile& model, double mm_per_unit) : model_(model), mm_per_unit_(mm_per_unit) {}

  const std::string& name() const { return model_.name; }
  std::size_t facets() const { return model_.facets.size(); }
  [[noreturn]] void refuse(const std::string& what) const;
  /// Counts announced by a file, checked before memory is reserved.
  void expect(std::uint64_t vertices, std::uint64_t facets);

  void take_vertex(const ModelVector& at);
  void take_facet(const std::array<std::uint32_t, 3>& corners);
  /// Adds a facet with three vertices of its own.
  void take_triangle(const ModelCorners& corners);
  /// Counts the current facet where the sum of its corners' normals points to the other side.
  void compare_normal(const ModelCorners& corners, const ModelVector& stated);

 private:
  ModelFile& model_;
  double mm_per_unit_;
};

/// Rounds to single precision; throws ModelError where a component is then not finite.
ModelVector model_vector(const std::array<double, 3>& v, const std::string& where, const char* what);

}  // namespace datum
