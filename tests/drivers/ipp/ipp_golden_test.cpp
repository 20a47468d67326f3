// The golden transcripts: the client's output, its times, and its interpretation of the answers.
#include <gmock/gmock.h>

#include <random>

#include "tests/drivers/ipp/ipp_replay.h"

namespace datum {
namespace {

using ::testing::ElementsAreArray;
using testing::ipp_settings;
using testing::IppReplay;
using testing::Transcript;

std::vector<Transcript> transcripts() { return testing::load_transcripts("ipp"); }

TEST(IppGolden, SessionsAreSpokenAndHeardToTheByte) {
  for (const Transcript& transcript : transcripts()) {
    SCOPED_TRACE(transcript.name);
    IppReplay replay(ipp_settings());
    for (const auto& step : transcript.steps) replay.run(step);
    EXPECT_THAT(replay.heard(), ElementsAreArray(expected_samples(transcript)));
  }
}

TEST(IppGolden, AReadMayEndAnywhere) {
  for (const Transcript& transcript : transcripts()) {
    for (std::size_t split = 1; split < device_bytes(transcript); ++split) {
      IppReplay replay(ipp_settings(), split);
      for (const auto& step : transcript.steps) replay.run(step);
      ASSERT_THAT(replay.heard(), ElementsAreArray(expected_samples(transcript)))
          << transcript.name << " split at " << split;
    }
  }
}

// For a transcript truncated anywhere the client reports the loss in time and never invents a position.
TEST(IppGolden, ATruncatedSessionGivesNoPositionThatTheWholeOneDoesNot) {
  for (const Transcript& transcript : transcripts()) {
    const auto whole = expected_samples(transcript);
    for (std::size_t steps = 0; steps < transcript.steps.size(); ++steps) {
      IppReplay replay(ipp_settings());
      for (std::size_t i = 0; i < steps; ++i) replay.run(transcript.steps[i]);
      for (const std::string& heard : replay.heard())
        if (heard.rfind("OK", 0) == 0 || heard.rfind("TOUCH OK", 0) == 0) {
          EXPECT_THAT(whole, ::testing::Contains(heard));
        }
      replay.run({testing::TranscriptStep::Is::elapse, "", 4000});
      EXPECT_FALSE(replay.client().lost().empty() && !replay.client().deadline());
    }
  }
}

TEST(IppGolden, GarbageBeforeTheFirstLineSpoilsNothingAfterTheNextPosition) {
  std::mt19937_64 random(5);
  const Transcript transcript = testing::load_transcript(DATUM_SOURCE_DIR "/tests/data/ipp/session.txt");
  for (int round = 0; round < 200; ++round) {
    std::string garbage;
    for (int i = 0; i < round; ++i) garbage += static_cast<char>(random() >> 56);
    IppReplay replay(ipp_settings());
    replay.feed(garbage + "\r\n");
    for (const auto& step : transcript.steps) replay.run(step);
    const auto wanted = expected_samples(transcript);
    const auto& heard = replay.heard();
    ASSERT_GE(heard.size(), wanted.size());
    // The garbage may contain line ends: each piece is reported as malformed before the session continues.
    const std::vector<std::string> last(heard.end() - static_cast<std::ptrdiff_t>(wanted.size()),
                                        heard.end());
    ASSERT_THAT(last, ElementsAreArray(wanted)) << round;
    for (std::size_t i = 0; i + wanted.size() < heard.size(); ++i)
      ASSERT_EQ(heard[i].substr(0, 9), "MALFORMED");
  }
}

}  // namespace
}  // namespace datum
