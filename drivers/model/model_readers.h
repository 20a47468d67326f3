// The three formats. Each reader takes a whole file or throws ModelError "FILE:LINE: what; what to do".
#pragma once

#include <string_view>

#include "drivers/model/model_gatherer.h"

namespace datum {

/// Binary: 80 bytes, the number of facets as 32 bits, 50 bytes a facet, and nothing else. ASCII: "solid" to "endsolid",
/// once or several times, one statement a line.
void read_stl(std::string_view bytes, ModelGatherer& model);

/// ASCII or binary of either byte order (Turk, "The PLY polygon file format", 1994): the elements vertex and face, each
/// once and in this order. Of a vertex x, y, z and, where all three are there, nx, ny, nz count; of a face its list
/// vertex_indices or vertex_index. Other plain numbers are passed over, other lists and elements refused.
void read_ply_model(std::string_view bytes, ModelGatherer& model);

/// Wavefront OBJ: v, vn and f. vt only bounds the indices of f; o, g, s, usemtl and mtllib are passed over, and what they
/// name is not opened. Any other statement is refused.
void read_obj(std::string_view bytes, ModelGatherer& model);

}  // namespace datum
