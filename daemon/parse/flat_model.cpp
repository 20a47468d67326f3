#include "daemon/parse/flat_model.h"

#include <cmath>

namespace datum {

void put_model(ParseOutput& to, const ModelFile& model) {
  to.head.put(static_cast<std::uint64_t>(model.vertices_mm.size()));
  to.head.put(static_cast<std::uint64_t>(model.facets.size()));
  to.head.put(static_cast<std::uint64_t>(model.contradicted_normals));
  to.head.put(model.rounding_mm);
  to.put_array(0, model.vertices_mm);
  to.put_array(1, model.facets);
}

ModelFile take_model(ParsedOutput& from) {
  const auto vertices = from.head.get<std::uint64_t>(), facets = from.head.get<std::uint64_t>();
  ModelFile model;
  model.contradicted_normals = from.head.get<std::uint64_t>();
  model.rounding_mm = from.head.get<double>();
  from.head.finish();
  const bool good = vertices <= max_model_vertices && facets > 0 && facets <= max_model_facets &&
                    model.contradicted_normals <= facets && std::isfinite(model.rounding_mm) &&
                    model.rounding_mm >= 0;
  if (!good)
    throw FlatError("a model of " + std::to_string(vertices) + " vertices and " + std::to_string(facets) +
                    " facets");
  model.vertices_mm = from.array<std::array<double, 3>>(0, vertices);
  model.facets = from.array<std::array<std::uint32_t, 3>>(1, facets);
  for (const auto& vertex : model.vertices_mm)
    for (const double c : vertex)
      if (!std::isfinite(c)) throw FlatError("a vertex that is not finite");
  for (const auto& facet : model.facets)
    for (const std::uint32_t corner : facet)
      if (corner >= vertices) throw FlatError("a facet's corner that is no vertex");
  return model;
}

}  // namespace datum
