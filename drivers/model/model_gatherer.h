// Takes vertices and facets from a reader, within the limits of a model.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "drivers/model/model_file.h"

namespace datum {

/// In the file's unit. Single precision, as binary STL has it.
using ModelVector = std::array<float, 3>;
using ModelCorners = std::array<ModelVector, 3>;

class ModelGatherer {
 public:
  ModelGatherer(ModelFile& model, double mm_per_unit) : model_(model), mm_per_unit_(mm_per_unit) {}

  const std::string& name() const { return model_.name; }
  std::size_t facets() const { return model_.facets.size(); }
  [[noreturn]] void refuse(const std::string& what) const;
  /// Counts that a file announces, before anything is kept for them.
  void expect(std::uint64_t vertices, std::uint64_t facets);

  void take_vertex(const ModelVector& at);
  void take_facet(const std::array<std::uint32_t, 3>& corners);
  /// A facet with three vertices of its own.
  void take_triangle(const ModelCorners& corners);
  /// Counts the present facet where the sum of its corners' normals points to the other side.
  void compare_normal(const ModelCorners& corners, const ModelVector& stated);

 private:
  ModelFile& model_;
  double mm_per_unit_;
};

/// Rounds to single precision; throws ModelError where a component is not finite then.
ModelVector model_vector(const std::array<double, 3>& v, const std::string& where, const char* what);

}  // namespace datum
