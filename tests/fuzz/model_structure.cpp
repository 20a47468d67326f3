// Models from statements of their formats in any order and number: repeated elements, empty lists, facets before
// vertices, counts without data. The first byte selects the format, each further one a statement.
#include <string>
#include <vector>

#include "tests/fuzz/model_bytes.h"

namespace {

struct Grammar {
  const char* name;
  std::vector<std::string_view> statements;
};

const Grammar& grammar(unsigned char choice) {
  using namespace std::string_view_literals;
  static const std::vector<Grammar> all{
      {"a.ply",
       {"ply\n",
        "format ascii 1.0\n",
        "format binary_little_endian 1.0\n",
        "format binary_big_endian 1.0\n",
        "element vertex 3\n",
        "element vertex 100000\n",
        "element face 1\n",
        "element face 2\n",
        "element edge 1\n",
        "element tristrips 1\n",
        "element vertex 0\n",
        "property float x\n",
        "property float y\n",
        "property double z\n",
        "property float nx\n",
        "property float ny\n",
        "property float nz\n",
        "property uchar red\n",
        "property list uchar int vertex_indices\n",
        "property list uchar uint vertex_index\n",
        "property list uchar float texcoord\n",
        "property list float int vertex_indices\n",
        "property list uint uint vertex_indices\n",
        "end_header\n",
        "comment c\n",
        "0 0 0\n",
        "1 0 0\n",
        "0 1 0\n",
        "3 0 1 2\n",
        "3 0 1 9\n",
        "4 0 1 2 0\n",
        "3 -1 0 1\n",
        "nan 0 0\n",
        "1e39 0 0\n",
        "-1 0 1 2\n",
        "\0\0\0\0\0\0\0\0\0\0\0\0"sv,
        "\3\0\0\0\0\1\0\0\0\2\0\0\0"sv,
        "\3\0\0\0\0\0\0\0\1\0\0\0\2"sv,
        "\xff\xff\xff\xff",
        "obj_info i\n"}},
      {"a.obj",
       {"v 0 0 0\n",
        "v 1 0 0\n",
        "v 0 1 0\n",
        "v 0 0 1 0.5\n",
        "v 0 0 1 1 1 1\n",
        "vn 0 0 1\n",
        "vt 0 0\n",
        "f 1 2 3\n",
        "f -1 -2 -3\n",
        "f 1/1 2/1 3/1\n",
        "f 1//1 2//1 3//1\n",
        "f 1/1/1 2/1/1 3/1/1\n",
        "f 1 2\n",
        "f 1 2 3 1\n",
        "f 0 1 2\n",
        "f 9223372036854775807 1 2\n",
        "f -9223372036854775808 1 2\n",
        "f 1///1 2 3\n",
        "mtllib /dev/zero\n",
        "usemtl m\n",
        "o one\n",
        "g two\n",
        "s 1\n",
        "l 1 2\n",
        "curv 0 1\n",
        "v nan 0 0\n",
        "f 1 2 3 \\\n",
        "vp 0\n",
        "call x.obj\n"}},
      {"a.stl",
       {"solid s\n", "facet normal 0 0 1\n", "outer loop\n", "vertex 0 0 0\n", "vertex 1 0 0\n",
        "vertex 0 1 0\n", "endloop\n", "endfacet\n", "endsolid s\n", "facet normal nan 0 1\n",
        "vertex inf 0 0\n", "vertex 0 0\n", "facet\n", "\n", "color 1 1 1\n",
        "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n"
        "endloop\nendfacet\n"}}};
  return all[choice % all.size()];
}

}  // namespace

DATUM_FUZZ_TARGET(model_structure) {
  if (bytes.empty()) return;
  const Grammar& g = grammar(static_cast<unsigned char>(bytes[0]));
  std::string text;
  for (const char c : bytes.substr(1))
    text += g.statements[static_cast<unsigned char>(c) % g.statements.size()];
  datum::fuzz::expect_model_or_refusal(text, g.name);
}
