// Models of parts; the first byte selects STL, PLY or OBJ.
#include "tests/fuzz/model_bytes.h"

DATUM_FUZZ_TARGET(model_file) {
  if (bytes.empty()) return;
  const char* const names[] = {"a.stl", "a.ply", "a.obj"};
  datum::fuzz::expect_model_or_refusal(bytes.substr(1), names[static_cast<unsigned char>(bytes[0]) % 3]);
}
