#include "drivers/model/model_announced.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "drivers/model/model_error.h"
#include "drivers/model/ply_body.h"

namespace datum {
namespace {

[[noreturn]] void refuse_announced(const std::string& name, const std::string& what) {
  throw ModelError(name + ": " + what);
}

bool has_word(std::string_view line, std::string_view word) {
  return line.starts_with(word) &&
         (line.size() == word.size() || line[word.size()] == ' ' || line[word.size()] == '\t');
}

/// Lines whose first word is `word`.
std::size_t count_lines(std::string_view text, std::string_view word) {
  std::size_t count = 0;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find_first_of("\r\n", from), text.size());
    const std::size_t begin = text.find_first_not_of(" \t", from);
    if (begin < end) count += has_word(text.substr(begin, end - begin), word);
    from = end + 1;
  }
  return count;
}

std::optional<std::size_t> binary_stl_facets(std::string_view bytes) {
  if (bytes.size() < 84) return std::nullopt;
  std::uint32_t count = 0;
  std::memcpy(&count, bytes.data() + 80, sizeof count);  // little endian, as this machine is
  if (bytes.size() != 84 + std::uint64_t{50} * count) return std::nullopt;
  return count;
}

std::size_t stl_facets(std::string_view bytes, const std::string& name) {
  if (const auto count = binary_stl_facets(bytes)) return *count;
  const bool text = bytes.find('\0') == std::string_view::npos;
  const std::size_t begin = bytes.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos || !text || !has_word(bytes.substr(begin, 6), "solid"))
    refuse_announced(
        name,
        "is neither a binary STL (its length is not 84 bytes and 50 for each facet announced) nor an ASCII "
        "one that begins with 'solid'; it is truncated or damaged, export it again");
  const std::size_t facets = count_lines(bytes, "facet"), ends = count_lines(bytes, "endfacet"),
                    corners = count_lines(bytes, "vertex");
  if (ends != facets || corners != 3 * facets || count_lines(bytes, "endsolid") == 0)
    refuse_announced(
        name,
        fmt::format("has {} facets, {} vertices and {} ends of facets; it is truncated or damaged, export "
                    "it again",
                    facets, corners, ends));
  return facets;
}

std::size_t ply_facets(std::string_view bytes, const std::string& name) {
  const std::size_t facets = announced_ply_facets(bytes, name);
  if (facets == 0)
    refuse_announced(name, "has points but no facets; a model needs its surface, export it as a mesh");
  return facets;
}

}  // namespace

std::string model_format(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  std::string format = dot == std::string::npos ? "" : name.substr(dot + 1);
  for (char& c : format)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  if (format != "stl" && format != "ply" && format != "obj")
    refuse_announced(name, "is not a model that datumd reads; export it as .stl, .ply or .obj");
  return format;
}

std::optional<std::size_t> announced_facets(std::string_view bytes, const std::string& name) {
  const std::string format = model_format(name);
  if (format == "stl") return stl_facets(bytes, name);
  if (format == "ply") return ply_facets(bytes, name);
  return count_lines(bytes, "f");
}

}  // namespace datum
