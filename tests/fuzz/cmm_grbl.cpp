// Status reports, settings and pushes of GRBL 1.1.
#include "drivers/cmm/presets.h"
#include "tests/fuzz/cmm_bytes.h"

DATUM_FUZZ_TARGET(cmm_grbl) {
  static const datum::CmmSettings grbl = datum::grbl_1_1();
  datum::fuzz::receive(grbl, bytes);
}
