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
  std::vector<std::string> presets = line_preset_names();
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

// For any bytes before an answer the result is the position or a reason, never another position.
TEST(CmmCodec, AGarbagePrefixNeverChangesAPosition) {
  std::uint32_t random = 1;  // Numerical Recipes' linear congruential generator
  for (const auto& transcript : load_transcripts("transcripts")) {
    // Its lines begin with a number of any length: a preceding digit is indistinguishable from its own.
    if (transcript.settings.preset == "proscale") continue;
    const auto expected = expected_samples(transcript);
    for (int round = 0; round < 200; ++round) {
      auto noisy = transcript;
      for (auto& step : noisy.steps) {
        if (step.is != testing::TranscriptStep::Is::from_device) continue;
        std::string garbage;
        for (int i = 0; i <= round % 7; ++i)
          garbage += static_cast<char>((random = random * 1664525 + 1013904223) >> 24);
        step.text.insert(0, garbage);
      }
      for (const auto& sample : run_codec(noisy, 0))
        if (sample.substr(0, 3) == "OK ") {
          EXPECT_THAT(expected, ::testing::Contains(sample)) << transcript.name;
        }
    }
  }
}

TEST(CmmCodec, ALineBeyondTheMaximumIsRefusedByEveryPreset) {
  for (auto transcript : load_transcripts("transcripts")) {
    const std::size_t limit = transcript.settings.framing.max_length;
    auto& steps = transcript.steps;
    const auto first = std::find_if(steps.begin(), steps.end(), [](const auto& step) {
      return step.is == testing::TranscriptStep::Is::from_device && step.text.size() > 8;
    });
    first->text.insert(0, std::string(limit + 1, '0'));
    EXPECT_THAT(run_codec(transcript, 0).at(0),
                ::testing::HasSubstr("MALFORMED line longer than " + std::to_string(limit) + " characters"))
        << transcript.name;
  }
}

}  // namespace
}  // namespace datum
