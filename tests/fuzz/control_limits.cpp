// The file of a recipe's control limits: any bytes are limits that read back, or are refused.
#include "daemon/charts/control_limits.h"
#include "tests/fuzz/fuzz_target.h"

using namespace datum;

DATUM_FUZZ_TARGET(control_limits) {
  try {
    const quality::FrozenLimits limits = quality::limits_from_json(std::string(bytes), "limits");
    const std::string text = to_json(limits);
    fuzz::expect(to_json(quality::limits_from_json(text, "limits")) == text, "it reads back");
    for (const auto& [key, of] : limits.series) fuzz::expect(of.sigma > 0, "a sigma above 0");
  } catch (const quality::LimitsRefused&) {
  }
}
