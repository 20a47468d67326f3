// Proposals of golden boards, which people edit.
#include "daemon/teach/proposal_file.h"
#include "tests/fuzz/toml_bytes.h"

DATUM_FUZZ_TARGET(toml_proposal) {
  datum::fuzz::expect_values_or_refusal(bytes, [](const auto& file) {
    const std::string text = proposal_text(datum::teach::read_proposal(file));
    datum::fuzz::expect(!text.empty(), "what was read can be written");
  });
}
