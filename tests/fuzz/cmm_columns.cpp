// Fixed columns; the first byte selects the device.
#include "drivers/cmm/presets.h"
#include "tests/fuzz/cmm_bytes.h"

DATUM_FUZZ_TARGET(cmm_columns) {
  static const datum::CmmSettings nd28x = datum::heidenhain_nd28x(), mux10 = datum::mitutoyo_mux10();
  if (bytes.empty()) return;
  datum::fuzz::receive(bytes.front() & 1 ? mux10 : nd28x, bytes.substr(1));
}
