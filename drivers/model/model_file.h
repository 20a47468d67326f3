// A part's surface as its CAD system exported it: triangles of an STL, PLY or OBJ file, in the file's order.
//
// None of these formats states its unit of length, so whoever asks must: nothing is guessed here. assimp reads them,
// without any of its post-processing (no merging, no reordering, no repair).
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "drivers/model/model_error.h"

namespace datum {

struct ModelFile {
  std::string name;    // of the file, without its folder
  std::string sha256;  // of its bytes, lower-case hex
  std::vector<std::array<double, 3>> vertices_mm;
  std::vector<std::array<std::uint32_t, 3>> facets;  // corners count anticlockwise, seen from outside
  /// Facets whose normal, as the file states it, points to the other side than their corners say.
  std::size_t contradicted_normals = 0;
  /// Largest error that single precision, in which assimp keeps coordinates, adds to one of them.
  double rounding_mm = 0;
};

/// Files above are refused.
constexpr std::size_t max_model_bytes = std::size_t{1} << 30;

/// Reads NAME.stl (ASCII or binary), NAME.ply or NAME.obj; `mm_per_unit` is the length of the file's unit. A file with
/// another SHA-256 than this is refused unread: what assimp makes of any bytes need not be found out here. Throws
/// ModelError "FILE: what; what to do": no such file, another format, truncated or contradicting itself, facets that
/// are no triangles, a coordinate that is not finite, no facet at all.
ModelFile read_model(const std::filesystem::path& file, double mm_per_unit, const std::string& sha256);
/// The same of a file's bytes, whatever their hash; `name` tells the format by its extension.
ModelFile model_from_bytes(std::string_view bytes, const std::string& name, double mm_per_unit);

}  // namespace datum
