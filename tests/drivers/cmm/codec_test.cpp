#include "drivers/cmm/codec.h"

#include <gmock/gmock.h>

#include "drivers/cmm/presets.h"
#include "tests/drivers/cmm/transcript.h"

namespace datum {
namespace {

using ::testing::ElementsAreArray;
using testing::load_transcripts;
using testing::run_codec;

TEST(CmmCodec, EveryPresetHasAGoldenTranscript) {
  std::vector<std::string> names;
  for (const auto& transcript : load_transcripts("transcripts")) names.push_back(transcript.settings.preset);
  std::sort(names.begin(), names.end());
  std::vector<std::string> presets = preset_names();
  std::sort(presets.begin(), presets.end());
  EXPECT_EQ(names, presets);
}

TEST(CmmCodec, GoldenTranscripts) {
  for (const auto& transcript : load_transcripts("transcripts"))
    EXPECT_THAT(run_codec(transcript, 0), ElementsAreArray(expected_samples(transcript))) << transcript.name;
}

TEST(CmmCodec, AReadMayEndAtAnyByte) {
  for (const auto& transcript : load_transcripts("transcripts"))
    for (std::size_t split = 1; split < device_bytes(transcript); ++split)
      ASSERT_THAT(run_codec(transcript, split), ElementsAreArray(expected_samples(transcript)))
          << transcript.name << " split at " << split;
}

TEST(CmmCodec, BadPositionsAreRefusedWithTheirReason) {
  const auto bad = load_transcripts("bad/positions");
  EXPECT_GE(bad.size(), 10u);
  for (const auto& transcript : bad) {
    const auto samples = run_codec(transcript, 0);
    EXPECT_THAT(samples, ElementsAreArray(expected_samples(transcript))) << transcript.name;
    for (const auto& sample : samples) EXPECT_NE(sample.substr(0, 3), "OK ") << transcript.name;
  }
}

}  // namespace
}  // namespace datum
