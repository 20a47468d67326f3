// What datumd-batch reads of a batch's folder: a manifest, an output, what was before, positions of an archive. Any bytes are read
// as what they say, or refused.
#include <stdexcept>

#include "daemon/batch/batch_output.h"
#include "daemon/batch/batch_plan.h"
#include "daemon/batch/manifest.h"
#include "tests/fuzz/fuzz_target.h"

using namespace datum;

namespace {

template <class Read>
void read_or_refuse(const Read& read) {
  try {
    read();
  } catch (const std::runtime_error&) {
  }
}

}  // namespace

DATUM_FUZZ_TARGET(batch_texts) {
  const std::string text(bytes);
  read_or_refuse([&] { output_from_text(text); });
  read_or_refuse([&] { positions_from_text(text, "positions"); });
  read_or_refuse([&] {
    const BoardVerdict before = before_from_json(text);
    fuzz::expect(before_to_json(before_from_json(before_to_json(before))) == before_to_json(before),
                 "it reads back");
  });
  read_or_refuse([&] {
    const std::string lines = text + (text.ends_with('\n') ? "" : "\n");
    const Manifest manifest =
        manifest_from_text(lines + manifest_sum(lines), "manifest");  // else none comes further
    for (std::size_t i = 0; i < manifest.size(); ++i) read_or_refuse([&] { manifest.unit(i); });
  });
}
