// Promises of a model reader for any bytes.
#pragma once

#include <cmath>
#include <string>
#include <string_view>

#include "drivers/model/model_file.h"
#include "tests/fuzz/fuzz_target.h"

namespace datum::fuzz {

inline void expect_model_or_refusal(std::string_view bytes, const std::string& name) {
  try {
    const ModelFile model = model_from_bytes(bytes, name, 1);
    expect(!model.facets.empty(), "a model has a facet");
    // The shortest text of a facet has 8 bytes; its three vertices are its own or the file's.
    expect(model.facets.size() <= bytes.size() && model.vertices_mm.size() <= 3 * bytes.size(),
           "what is kept is bounded by the file");
    for (const auto& facet : model.facets)
      for (const std::uint32_t corner : facet)
        expect(corner < model.vertices_mm.size(), "a facet's corners are vertices");
    for (const auto& vertex : model.vertices_mm)
      for (const double c : vertex) expect(std::isfinite(c), "a coordinate is finite");
  } catch (const ModelError& error) {
    expect(std::string_view(error.what()).size() < 512, "a refusal is short");
  }
}

}  // namespace datum::fuzz
