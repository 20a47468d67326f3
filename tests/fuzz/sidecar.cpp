// JSON sidecars: written and read again they are equal.
#include "drivers/sensor/sidecar.h"
#include "tests/fuzz/frame_bytes.h"

using namespace datum;

DATUM_FUZZ_TARGET(sidecar) {
  fuzz::expect_frame_or_refusal([&] {
    const std::string text = write_sidecar(parse_sidecar(fuzz::view(bytes), "a.json"));
    fuzz::expect(write_sidecar(parse_sidecar(fuzz::view(text), "again.json")) == text,
                 "the same when it is read again");
  });
}
