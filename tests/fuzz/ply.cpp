// PLY, organised.
#include "drivers/sensor/ply_columns.h"
#include "tests/fuzz/cloud_bytes.h"

DATUM_FUZZ_TARGET(ply) {
  datum::fuzz::read_cloud(datum::read_ply, bytes);
  datum::fuzz::expect_frame_or_refusal([&] {
    const auto columns = datum::read_ply_columns(datum::fuzz::view(bytes), "a", {"x", "y", "area"});
    for (const auto& [name, column] : columns)
      datum::fuzz::expect(column.size() == columns.begin()->second.size(), "columns of one length");
  });
}
