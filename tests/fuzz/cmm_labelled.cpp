// "X= -123.4567 mm", one or several per line.
#include "drivers/cmm/presets.h"
#include "tests/fuzz/cmm_bytes.h"

static datum::CmmSettings several_per_line() {
  datum::CmmSettings s = datum::acurite_vro();
  s.grouping = datum::Grouping::single_line;
  s.unit_token = datum::UnitToken::none;
  s.poll.strings.clear();
  return s;
}

DATUM_FUZZ_TARGET(cmm_labelled) {
  static const datum::CmmSettings vro = datum::acurite_vro(), free_running = several_per_line();
  if (bytes.empty()) return;
  datum::fuzz::receive(bytes.front() & 1 ? free_running : vro, bytes.substr(1));
}
