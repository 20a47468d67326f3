// Claim records of deliveries in work/.
#include "drivers/sensor/claim_record.h"
#include "tests/fuzz/fuzz_target.h"

using namespace datum;

DATUM_FUZZ_TARGET(claim_record) {
  if (const auto record = claim_record_from_text(bytes))
    fuzz::expect(claim_record_from_text(to_text(*record)) == record, "a record that was read can be written");
}
