#include "drivers/model/model_gatherer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace datum {

void ModelGatherer::refuse(const std::string& what) const { throw ModelError(model_.name + ": " + what); }

void ModelGatherer::expect(std::uint64_t vertices, std::uint64_t facets) {
  if (vertices > max_model_vertices || facets > max_model_facets)
    refuse(fmt::format("has {} vertices and {} facets, a model may have {} and {}; export it coarser",
                       vertices, facets, max_model_vertices, max_model_facets));
  model_.vertices_mm.reserve(vertices);
  model_.facets.reserve(facets);
}

void ModelGatherer::take_vertex(const ModelVector& v) {
  if (model_.vertices_mm.size() == max_model_vertices)
    refuse(fmt::format("has more than {} vertices; export it coarser", max_model_vertices));
  const std::array<double, 3> at{v[0] * mm_per_unit_, v[1] * mm_per_unit_, v[2] * mm_per_unit_};
  for (const double c : at) model_.rounding_mm = std::max(model_.rounding_mm, std::fabs(c) * 0x1p-24);
  model_.vertices_mm.push_back(at);
}

void ModelGatherer::take_facet(const std::array<std::uint32_t, 3>& corners) {
  if (model_.facets.size() == max_model_facets)
    refuse(fmt::format("has more than {} facets; export it coarser", max_model_facets));
  model_.facets.push_back(corners);
}

void ModelGatherer::take_triangle(const ModelCorners& corners) {
  const auto first = static_cast<std::uint32_t>(model_.vertices_mm.size());
  for (const ModelVector& v : corners) take_vertex(v);
  take_facet({first, first + 1, first + 2});
}

void ModelGatherer::compare_normal(const ModelCorners& corners, const ModelVector& stated) {
  float a[3], b[3];
  for (std::size_t k = 0; k < 3; ++k) {
    a[k] = corners[1][k] - corners[0][k];
    b[k] = corners[2][k] - corners[0][k];
  }
  const float turned[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  model_.contradicted_normals += stated[0] * turned[0] + stated[1] * turned[1] + stated[2] * turned[2] < 0;
}

ModelVector model_vector(const std::array<double, 3>& v, const std::string& where, const char* what) {
  ModelVector kept;
  for (std::size_t k = 0; k < 3; ++k) {
    kept[k] = static_cast<float>(v[k]);
    if (!std::isfinite(kept[k]))
      throw ModelError(fmt::format(
          "{}: {} that is not a number (a finite one of single precision); export it again", where, what));
  }
  return kept;
}

}  // namespace datum
