// Logs of holes: a replay writes a log that replays to itself.
#include "calib/hybrid/hybrid_log.h"
#include "tests/fuzz/fuzz_target.h"

using namespace datum;

DATUM_FUZZ_TARGET(hybrid_log) {
  std::string again;
  try {
    again = replay(std::string(bytes));
  } catch (const HybridLogError& refused) {
    fuzz::expect(*refused.what() != 0, "a refusal has its reason");
    return;
  }
  fuzz::expect(replay(again) == again, "the same when it is replayed again");
}
