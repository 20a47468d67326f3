// A message of the plant's broker: an entry whose verdict becomes rows or an INVALID board, a gap, or a refusal with its reason.
#include "daemon/collect/plant_message.h"

#include "daemon/collect/verdict_rows.h"
#include "tests/fuzz/fuzz_target.h"

using namespace datum;

DATUM_FUZZ_TARGET(plant_message) {
  const auto content = decode_plant_message(bytes, std::size_t{1} << 20);
  if (const auto* refusal = std::get_if<Refusal>(&content))
    fuzz::expect(!refusal->why.empty(), "it says why");
  const auto* entry = std::get_if<PlantEntry>(&content);
  if (!entry || !entry->is_result()) return;
  const VerdictRows rows = rows_of(*entry, 0);
  for (const MeasurementRow& row : rows.measurements)
    fuzz::expect(row.count.has_value() == (row.decision != 3), "INVALID alone has no value");
}
