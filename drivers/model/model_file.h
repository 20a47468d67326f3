// A part's surface as its CAD system exported it: triangles of an STL, PLY or OBJ file, in the file's order.
//
// None of these formats states its unit of length, so whoever asks must: nothing is guessed here. A file is taken as a
// whole or refused: nothing is merged, reordered or repaired, and no other file is opened, whatever it names.
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
  /// Largest error that single precision, in which coordinates are kept, adds to one of them.
  double rounding_mm = 0;
};

/// Files above are refused.
constexpr std::size_t max_model_bytes = std::size_t{1} << 30;
/// Models above are refused: a facet takes about 1 kB of memory while it is made ready for distances.
constexpr std::size_t max_model_facets = std::size_t{1} << 22;
constexpr std::size_t max_model_vertices = 3 * max_model_facets;

/// "stl", "ply" or "obj" by the name's extension; throws ModelError for any other.
std::string model_format(const std::string& name);

/// Who makes a model of a file's bytes: another process.
class ModelParser {
 public:
  virtual ~ModelParser() = default;
  /// As model_from_bytes, but for the hash and the name, which it leaves empty. From any thread.
  virtual ModelFile parse(std::string_view bytes, const std::string& name, double mm_per_unit) const = 0;
};

/// Reads `file`, a path below `folder`: NAME.stl (ASCII or binary), NAME.ply or NAME.obj; `mm_per_unit` is the length of
/// the file's unit. Opens as read_bytes_below does: no link is followed, nothing but a regular file is read. A file with
/// another SHA-256 than this is refused unread. Throws ModelError "FILE: what; what to do": no such file, a path that
/// leaves the folder, another format, truncated or contradicting itself, something beside vertices and facets that changes
/// them, facets that are no triangles, a number that is not finite, too many facets, no facet at all. `apart` parses its bytes;
/// null: this process.
ModelFile read_model(const std::filesystem::path& folder, const std::filesystem::path& file,
                     double mm_per_unit, const std::string& sha256, const ModelParser* apart = nullptr);
/// The same of a file's bytes, whatever their hash; `name` tells the format by its extension.
ModelFile model_from_bytes(std::string_view bytes, const std::string& name, double mm_per_unit);

}  // namespace datum
