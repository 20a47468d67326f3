// IPC-2581 files.
#include "daemon/design/ipc2581.h"
#include "tests/fuzz/design_bytes.h"

DATUM_FUZZ_TARGET(design_ipc2581) {
  datum::fuzz::expect_design_or_refusal([&] { return datum::design::read_ipc2581(bytes, "fuzz"); });
}
