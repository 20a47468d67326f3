// Gocator's CSV export.
#include "drivers/sensor/gocator_csv.h"
#include "tests/fuzz/frame_bytes.h"

using namespace datum;

DATUM_FUZZ_TARGET(gocator_csv) {
  fuzz::expect_frame_or_refusal([&] { check(read_gocator_csv(fuzz::view(bytes), "a.csv")); });
}
