// PCD, organised.
#include "tests/fuzz/cloud_bytes.h"

DATUM_FUZZ_TARGET(pcd) { datum::fuzz::read_cloud(datum::read_pcd, bytes); }
