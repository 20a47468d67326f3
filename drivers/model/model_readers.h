// Readers of the three formats. Each reads a whole file or throws ModelError "FILE:LINE: what; what to do".
#pragma once

#include <string_view>

#include "drivers/model/model_gatherer.h"

namespace datum {

/// Binary: 80 bytes, the number of facets in 32 bits, 50 bytes per facet, nothing else. ASCII: "solid" to
/// "endsolid", once or several times, one statement per line.
void read_stl(std::string_view bytes, ModelGatherer& model);

/// ASCII or binary of either byte order (G. Turk, "The PLY polygon file format", 1994): the elements vertex
/// and face, each once and in this order. Of a vertex x, y, z and, if all three are present, nx, ny, nz are
/// used; of a face its list vertex_indices or vertex_index. Other scalar properties are skipped, other lists
/// and elements refused.
void read_ply_model(std::string_view bytes, ModelGatherer& model);

/// Wavefront OBJ: v, vn and f. vt only limits the indices of f; o, g, s, usemtl and mtllib are skipped, and
/// files that they name are not opened. Any other statement is refused.
void read_obj(std::string_view bytes, ModelGatherer& model);

}  // namespace datum
