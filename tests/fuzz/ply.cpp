// PLY, organised.
#include "tests/fuzz/cloud_bytes.h"

DATUM_FUZZ_TARGET(ply) { datum::fuzz::read_cloud(datum::read_ply, bytes); }
