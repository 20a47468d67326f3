// Bundles from a spool: one spelling, no path that leaves a folder, no value beside the signed ones.
#include "daemon/fleet/bundle.h"

#include "tests/fuzz/fuzz_target.h"

using namespace datum;

DATUM_FUZZ_TARGET(bundle) {
  try {
    Bundle bundle = bundle_of(bytes);
    fuzz::expect(bytes_of(bundle) == bytes, "each has one spelling");
    for (const BundleFile& f : bundle.files)
      fuzz::expect(f.name.find('/') == f.name.npos && f.name[0] != '.', "a file has no folder");
    if (!is_good(bundle)) return;
    ++bundle.number;
    fuzz::expect(!is_good(bundle), "another number is not signed");
  } catch (const BundleError&) {
  }
}
