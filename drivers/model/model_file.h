// A part's surface from its CAD system: triangles of an STL, PLY or OBJ file, in the file's order.
//
// None of these formats states its unit of length, so the caller must. A file is accepted as a whole or
// refused: nothing is merged, reordered or repaired, and no file that it references is opened.
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
  std::vector<std::array<std::uint32_t, 3>> facets;  // corners anticlockwise, seen from outside
  /// Number of facets whose stated normal contradicts the order of their corners.
  std::size_t contradicted_normals = 0;
  /// Largest rounding error of a coordinate, which is kept in single precision.
  double rounding_mm = 0;
};

/// Size limit; larger files are refused.
constexpr std::size_t max_model_bytes = std::size_t{1} << 30;
/// Limit of facets: each takes about 1 kB of memory while it is prepared for distance searches.
constexpr std::size_t max_model_facets = std::size_t{1} << 22;
constexpr std::size_t max_model_vertices = 3 * max_model_facets;

/// "stl", "ply" or "obj" by the name's extension; throws ModelError for any other.
std::string model_format(const std::string& name);

/// Parser of a model file's bytes in another process.
class ModelParser {
 public:
  virtual ~ModelParser() = default;
  /// As model_from_bytes, but leaves hash and name empty. Callable from any thread.
  virtual ModelFile parse(std::string_view bytes, const std::string& name, double mm_per_unit) const = 0;
};

/// Reads `file`, a path below `folder`: NAME.stl (ASCII or binary), NAME.ply or NAME.obj; `mm_per_unit` is
/// the length of the file's unit. Opens as read_bytes_below does: symbolic links and non-regular files are
/// refused. A file with another SHA-256 is refused unparsed. Throws ModelError "FILE: what; what to do": no
/// such file, a path outside the folder, another format, truncated or inconsistent content, elements beside
/// vertices and facets that change them, facets that are no triangles, a non-finite number, too many facets,
/// none. `apart` parses the bytes; null: in this process.
ModelFile read_model(const std::filesystem::path& folder, const std::filesystem::path& file,
                     double mm_per_unit, const std::string& sha256, const ModelParser* apart = nullptr);
/// The same for a file's bytes with any hash; the extension of `name` selects the format.
ModelFile model_from_bytes(std::string_view bytes, const std::string& name, double mm_per_unit);

}  // namespace datum
