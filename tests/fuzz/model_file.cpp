// Models of parts, by their first byte STL, PLY or OBJ.
#include "drivers/model/model_file.h"

#include "tests/fuzz/fuzz_target.h"

using namespace datum;

#ifdef DATUM_LIBFUZZER
/// assimp loses some memory over a file that it refuses; datumd lets it read only the file that a recipe was made for.
extern "C" const char* __lsan_default_suppressions() { return "leak:libassimp"; }
#endif

DATUM_FUZZ_TARGET(model_file) {
  if (bytes.empty()) return;
  const char* const names[] = {"a.stl", "a.ply", "a.obj"};
  try {
    const ModelFile model =
        model_from_bytes(bytes.substr(1), names[static_cast<unsigned char>(bytes[0]) % 3], 1);
    for (const auto& facet : model.facets)
      for (const std::uint32_t corner : facet)
        fuzz::expect(corner < model.vertices_mm.size(), "a facet's corners are vertices");
  } catch (const ModelError&) {
  }
}
