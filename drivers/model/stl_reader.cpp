#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <optional>

#include "drivers/model/model_lines.h"
#include "drivers/model/model_readers.h"

namespace datum {
namespace {

constexpr std::size_t head_bytes = 84, facet_bytes = 50;

std::optional<std::size_t> binary_facets(std::string_view bytes) {
  if (bytes.size() < head_bytes) return std::nullopt;
  std::uint32_t count = 0;
  std::memcpy(&count, bytes.data() + 80, sizeof count);  // little endian, as on this machine
  if (bytes.size() != head_bytes + std::uint64_t{facet_bytes} * count) return std::nullopt;
  return count;
}

void read_binary(std::string_view bytes, std::size_t facets, ModelGatherer& model) {
  model.expect(3 * std::uint64_t{facets}, facets);
  for (std::size_t i = 0; i < facets; ++i) {
    const std::size_t at = head_bytes + facet_bytes * i;
    const auto take = [&](std::size_t offset, const char* what) {
      float v[3];
      std::memcpy(v, bytes.data() + at + offset, sizeof v);
      if (std::isfinite(v[0]) && std::isfinite(v[1]) && std::isfinite(v[2]))
        return ModelVector{v[0], v[1], v[2]};
      model.refuse(fmt::format("facet {} has {} that is not a number; export it again", i, what));
    };
    const ModelVector normal = take(0, "a normal");
    const ModelCorners corners{take(12, "a coordinate"), take(24, "a coordinate"), take(36, "a coordinate")};
    model.take_triangle(corners);
    model.compare_normal(corners, normal);
  }
}

/// solid, then facets, then endsolid; several solids may follow each other.
class AsciiStl {
 public:
  AsciiStl(std::string_view bytes, ModelGatherer& model) : lines_(bytes, model.name()), model_(model) {}

  void read() {
    while (lines_.next()) {
      if (lines_.words()[0] != "solid") refuse_line("'solid'");
      for (step(); lines_.words()[0] != "endsolid"; step()) take_facet();
    }
  }

 private:
  [[noreturn]] void refuse_line(const char* wanted) const {
    lines_.refuse(
        fmt::format("begins with '{}' where {} belongs; it is truncated or damaged, export it again",
                    shown_word(lines_.words()[0]), wanted));
  }
  void step() {
    if (!lines_.next())
      lines_.refuse("ends early, before 'endsolid'; it is truncated or damaged, export it again");
  }
  void expect(std::initializer_list<std::string_view> words, const char* wanted) {
    step();
    if (!lines_.is(words)) refuse_line(wanted);
  }
  void take_facet() {
    const auto& words = lines_.words();
    if (words.size() != 5 || words[0] != "facet" || words[1] != "normal")
      refuse_line("'facet normal X Y Z' or 'endsolid'");
    const ModelVector normal = lines_.vector(2, "has a normal");
    expect({"outer", "loop"}, "'outer loop'");
    ModelCorners corners;
    for (ModelVector& corner : corners) {
      step();
      if (words.size() != 4 || words[0] != "vertex") refuse_line("'vertex X Y Z'");
      corner = lines_.vector(1, "has a coordinate");
    }
    expect({"endloop"}, "'endloop' after three vertices");
    expect({"endfacet"}, "'endfacet'");
    model_.take_triangle(corners);
    model_.compare_normal(corners, normal);
  }

  ModelLines lines_;
  ModelGatherer& model_;
};

}  // namespace

void read_stl(std::string_view bytes, ModelGatherer& model) {
  if (const auto facets = binary_facets(bytes)) return read_binary(bytes, *facets, model);
  const std::size_t begin = bytes.find_first_not_of(" \t\r\n");
  const bool text = bytes.find('\0') == std::string_view::npos;
  if (begin == std::string_view::npos || !text || !bytes.substr(begin).starts_with("solid"))
    model.refuse(
        "is neither a binary STL (its length is not 84 bytes and 50 for each facet announced) nor an ASCII "
        "one "
        "that begins with 'solid'; it is truncated or damaged, export it again");
  AsciiStl(bytes, model).read();
}

}  // namespace datum
