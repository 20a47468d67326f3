// Signed heads from a file or a signer: one spelling per value, and no signature covers two values.
#include "daemon/sign/signed_head.h"
#include "tests/fuzz/fuzz_target.h"

using namespace datum;

DATUM_FUZZ_TARGET(signed_head) {
  const std::string text(bytes);
  try {
    SignedHead head = signed_head_of(text);
    fuzz::expect(text_of(head) == text, "each has one spelling");
    if (!is_good(head)) return;
    ++head.number;
    fuzz::expect(!is_good(head), "another number is not signed");
  } catch (const SignedHeadError&) {
  }
}
