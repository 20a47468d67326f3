// What a model's file says of itself before it is read: a library may well read a torn file without a word.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace datum {

/// Facets that the file must turn out to have, where its text or header says so.
///
/// STL binary: 80 bytes, the number as 32 bits, 50 bytes a facet, and nothing else. STL ASCII: its "facet" words. PLY:
/// "element face N" of its header. OBJ: its "f" lines. Throws
/// ModelError where that contradicts the file's length, or the format is none of these.
std::optional<std::size_t> announced_facets(std::string_view bytes, const std::string& name);

/// "stl", "ply" or "obj" by the name's extension; throws ModelError for any other.
std::string model_format(const std::string& name);

}  // namespace datum
