// Whether a PLY file's body is as long as its header says: assimp fills up what is missing without a word.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace datum {

/// Facets that the header announces; 0 where it announces none. Walks the body, in ASCII line by line, in binary by the
/// sizes of its properties and lists. Throws ModelError where the header is not one, an element has more items than the
/// file has bytes, or the body ends early or late.
std::size_t announced_ply_facets(std::string_view bytes, const std::string& name);

}  // namespace datum
