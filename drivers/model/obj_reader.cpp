#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <vector>

#include "drivers/model/model_lines.h"
#include "drivers/model/model_readers.h"

namespace datum {
namespace {

/// Indices of one corner in the lists of v and vn.
struct ObjCorner {
  std::size_t vertex = 0;
  std::optional<std::size_t> normal;
};

class ObjReader {
 public:
  ObjReader(std::string_view bytes, ModelGatherer& model) : lines_(bytes, model.name()), model_(model) {}

  void read() {
    while (lines_.next()) take_line(lines_.words()[0]);
  }

 private:
  void take_line(std::string_view word) {
    if (word[0] == '#') return;
    if (word == "v") return take_vertex();
    if (word == "vn") return normals_.push_back(take_vector("has a normal"));
    if (word == "vt") return take_texture();
    if (word == "f") return take_facet();
    for (const std::string_view known : {"o", "g", "s", "usemtl", "mtllib"})
      if (word == known) return;
    lines_.refuse(
        fmt::format("has the statement '{}'; only v, vn, vt, f, o, g, s, usemtl and mtllib are known: export "
                    "facets alone",
                    shown_word(word)));
  }

  /// A colour may follow; a weight, which would change the place, is refused.
  void take_vertex() {
    const std::size_t numbers = lines_.words().size() - 1;
    if (numbers != 3 && numbers != 6)
      lines_.refuse(fmt::format("has a vertex of {} numbers; export it with three", numbers));
    if (numbers == 6) lines_.vector(4, "has a colour");
    bound(vertices_.size(), "vertices");
    vertices_.push_back(lines_.vector(1, "has a coordinate"));
  }
  ModelVector take_vector(const char* what) {
    if (lines_.words().size() != 4) lines_.refuse("has a normal that is not three numbers; export it again");
    bound(normals_.size(), "normals");
    return lines_.vector(1, what);
  }
  void take_texture() {
    bound(textures_, "texture coordinates");
    ++textures_;
  }
  void bound(std::size_t count, const char* what) const {
    if (count >= max_model_vertices)
      lines_.refuse(fmt::format("has more than {} {}; export it coarser", max_model_vertices, what));
  }

  void take_facet() {
    const std::size_t corners = lines_.words().size() - 1;
    if (corners != 3)
      lines_.refuse(
          fmt::format("facet {} has {} corners; export it with triangles only", model_.facets(), corners));
    ModelCorners at;
    ModelVector stated{};
    bool has_normals = true;
    for (std::size_t k = 0; k < 3; ++k) {
      const ObjCorner corner = corner_of(lines_.words()[k + 1]);
      at[k] = vertices_[corner.vertex];
      has_normals = has_normals && corner.normal;
      for (std::size_t axis = 0; has_normals && axis < 3; ++axis)
        stated[axis] += normals_[*corner.normal][axis];
    }
    model_.take_triangle(at);
    if (has_normals) model_.compare_normal(at, stated);
  }

  /// V, V/T, V//N or V/T/N.
  ObjCorner corner_of(std::string_view word) const {
    std::array<std::string_view, 3> parts;
    std::size_t count = 0;
    for (std::string_view rest = word;;) {
      if (count == 3) refuse_corner(word);
      const std::size_t slash = rest.find('/');
      parts[count++] = rest.substr(0, slash);
      if (slash == std::string_view::npos) break;
      rest.remove_prefix(slash + 1);
    }
    ObjCorner corner;
    corner.vertex = place_of(parts[0], vertices_.size(), "vertex");
    if (count > 1 && (count == 2 || !parts[1].empty())) place_of(parts[1], textures_, "texture coordinate");
    if (count == 3) corner.normal = place_of(parts[2], normals_.size(), "normal");
    return corner;
  }

  /// From 1 on, or negative from the last one defined above.
  std::size_t place_of(std::string_view text, std::size_t count, const char* what) const {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) refuse_corner(text);
    const auto known = static_cast<std::int64_t>(count);
    const std::int64_t place = number < 0 ? known + number : number - 1;
    if (number == 0 || place < 0 || place >= known)
      lines_.refuse(fmt::format("facet {} names {} {} of the {} above it; it is damaged, export it again",
                                model_.facets(), what, number, count));
    return static_cast<std::size_t>(place);
  }
  [[noreturn]] void refuse_corner(std::string_view word) const {
    lines_.refuse(
        fmt::format("facet {} has the corner '{}', not V, V/T, V//N or V/T/N; it is damaged, export it again",
                    model_.facets(), shown_word(word)));
  }

  ModelLines lines_;
  ModelGatherer& model_;
  std::vector<ModelVector> vertices_, normals_;
  std::size_t textures_ = 0;
};

}  // namespace

void read_obj(std::string_view bytes, ModelGatherer& model) { ObjReader(bytes, model).read(); }

}  // namespace datum
