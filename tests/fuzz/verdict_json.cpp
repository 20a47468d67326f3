// Stored verdicts: written and read again they are equal.
#include "daemon/inspection/verdict/verdict.h"
#include "tests/fuzz/fuzz_target.h"

using namespace datum;

static BoardVerdict reread(const std::string& text) { return verdict_from_json(text); }

DATUM_FUZZ_TARGET(verdict_json) {
  std::string text;
  try {
    text = to_json(reread(std::string(bytes)));
  } catch (const std::runtime_error&) {
    return;
  }
  fuzz::expect(to_json(reread(text)) == text, "the same when it is read again");
}
