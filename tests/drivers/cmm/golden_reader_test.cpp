// The golden transcripts through the reader, which must also send exactly the transcript's bytes at the same
// times.
#include <gmock/gmock.h>

#include "drivers/cmm/presets.h"
#include "drivers/cmm/reader.h"
#include "tests/drivers/cmm/transcript.h"
#include "tests/drivers/cmm/transcript_port.h"

namespace datum::golden_reader_test {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using testing::Transcript;
using testing::TranscriptPort;
using testing::TranscriptStep;

struct Replay {
  TranscriptPort* port = new TranscriptPort;
  CmmReader reader;
  MonotonicNs now = ns_per_ms;
  std::vector<std::string> samples;

  explicit Replay(const CmmSettings& settings) : reader(settings, std::unique_ptr<Port>(port)) {
    reader.on_sample(
        [this](const ProbePoint& sample, MonotonicNs) { samples.push_back(testing::text_of(sample)); });
    reader.start(now);
  }
  // Runs until the expected bytes are written; the clock advances only to the reader's own deadlines.
  std::string sent(std::size_t size) {
    for (int i = 0; i < 100 && port->written.size() < size; ++i) {
      if (!reader.wants_write() && reader.deadline()) {
        now = std::max(now, *reader.deadline());
        reader.on_deadline(now);
      }
      reader.on_ready(now);
    }
    const std::string bytes = port->written.substr(0, size);
    port->written.erase(0, size);
    return bytes;
  }
  void run(const TranscriptStep& step) {
    using Is = TranscriptStep::Is;
    if (step.is == Is::to_device) {
      EXPECT_EQ(sent(step.text.size()), step.text);
    }
    if (step.is == Is::from_device) {
      port->queued += step.text;
      while (!port->queued.empty()) reader.on_ready(now);
    }
    if (step.is == Is::elapse) {
      now += step.ms * ns_per_ms;
      if (reader.deadline() && *reader.deadline() <= now) reader.on_deadline(now);
    }
  }
};

TEST(CmmReader, GoldenTranscripts) {
  for (const auto& transcript : testing::load_transcripts("transcripts")) {
    Replay replay(transcript.settings);
    for (const auto& step : transcript.steps) replay.run(step);
    EXPECT_THAT(replay.samples, ElementsAreArray(expected_samples(transcript))) << transcript.name;
  }
}

TEST(CmmReader, WaitsForAConnectionAndGivesUpAfterThreeSeconds) {
  auto* port = new TranscriptPort;
  port->reachable = false;
  CmmReader reader(grbl_1_1(), std::unique_ptr<Port>(port));
  reader.start(0);
  EXPECT_TRUE(reader.wants_write());
  EXPECT_THAT(reader.describe(), HasSubstr("connecting"));
  EXPECT_EQ(reader.deadline(), 3000 * ns_per_ms);
  reader.on_deadline(3000 * ns_per_ms);
  EXPECT_FALSE(port->is_open());
  EXPECT_EQ(reader.latest(3000 * ns_per_ms).detail, "transcript: can't connect: no answer");
  reader.on_deadline(*reader.deadline());
  EXPECT_EQ(port->written, "");
  port->reachable = true;
  reader.on_ready(4000 * ns_per_ms);
  EXPECT_FALSE(port->written.empty());
  EXPECT_THAT(reader.describe(), HasSubstr("open; 0 samples"));
}

// The reader's deadline is the line's end, also of each of two answers before the next poll.
TEST(CmmReader, APauseEndsAnAnswer) {
  CmmSettings settings = acurite_vro();
  settings.framing.terminator.clear();
  settings.framing.gap_ms = 30;
  Replay replay(settings);
  const auto run = [&](TranscriptStep::Is is, const std::string& text, int ms = 0) {
    replay.run({is, text, ms});
  };
  using Is = TranscriptStep::Is;
  run(Is::to_device, "?A1\r");
  run(Is::from_device, "X= 1.0 mm");
  EXPECT_EQ(replay.reader.deadline(), replay.now + 30 * ns_per_ms);
  run(Is::elapse, "", 30);
  run(Is::to_device, "?A2\r");
  run(Is::from_device, "Y= 2.0 ");
  run(Is::elapse, "", 29);
  run(Is::from_device, "mm");
  run(Is::elapse, "", 30);
  run(Is::to_device, "?A3\r");
  run(Is::from_device, "Z= 3.0 mm");
  run(Is::elapse, "", 30);
  EXPECT_THAT(replay.samples, ::testing::ElementsAre("OK 1 2 3"));
}

}  // namespace
}  // namespace datum::golden_reader_test
