// KiCad boards.
#include "daemon/design/kicad_board.h"
#include "tests/fuzz/design_bytes.h"

DATUM_FUZZ_TARGET(design_kicad) {
  datum::fuzz::expect_design_or_refusal([&] { return datum::design::read_kicad_board(bytes, "fuzz"); });
}
