// Centroid files; the first byte selects the file name's ending and what is declared.
#include "daemon/design/centroid.h"
#include "tests/fuzz/design_bytes.h"

DATUM_FUZZ_TARGET(design_centroid) {
  if (bytes.empty()) return;
  const unsigned char choice = static_cast<unsigned char>(bytes[0]);
  const char* const names[] = {"a.pos", "a.csv", "a.mnt", "a.mnb"};
  datum::design::CentroidOptions options;
  if (choice & 4) options.unit = "mm";
  if (choice & 8) options.encoding = "latin1";
  if (choice & 16) options.side = datum::design::Side::bottom;
  if (choice & 32) options.outline = {{0, 0}, {100, 80}};
  datum::fuzz::expect_design_or_refusal(
      [&] { return datum::design::read_centroid(bytes.substr(1), names[choice & 3], options); });
}
