// Pemtron .ptr height maps.
#include "drivers/sensor/pemtron_ptr.h"
#include "tests/fuzz/frame_bytes.h"

using namespace datum;

DATUM_FUZZ_TARGET(pemtron_ptr) {
  static const SensorProfile profile = fuzz::any_profile();
  fuzz::expect_frame_or_refusal([&] { check(read_pemtron_ptr(fuzz::view(bytes), profile, "a", "a.ptr")); });
}
