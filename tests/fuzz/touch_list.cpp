// Touches of a probe, as CSV.
#include <stdexcept>
#include <string>

#include "daemon/ctl/touch_list.h"
#include "tests/fuzz/fuzz_target.h"

DATUM_FUZZ_TARGET(touch_list) {
  try {
    for (const datum::ListedTouch& t : datum::read_touches(std::string(bytes), "fuzz.csv", {"bar", "ball"}))
      datum::fuzz::expect(t.tip_mm.allFinite() && t.labels.size() == 2, "a touch that was read is one");
  } catch (const std::invalid_argument&) {
  }
}
