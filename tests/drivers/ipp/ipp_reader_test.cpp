// The reader and its link.
#include "drivers/ipp/ipp_reader.h"

#include <gmock/gmock.h>

#include "tests/drivers/cmm/transcript_port.h"
#include "tests/drivers/ipp/ipp_replay.h"

namespace datum {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::ipp_settings;
using testing::TranscriptPort;

TEST(IppReader, WaitsForAConnectionAndTriesAgainLaterAndLater) {
  auto* port = new TranscriptPort;
  port->reachable = false;
  IppReader reader(ipp_settings(), std::unique_ptr<Port>(port));
  MonotonicNs now = 0;
  reader.start(now);
  EXPECT_TRUE(reader.wants_write());
  EXPECT_THAT(reader.describe(), HasSubstr("cmm ipp_dme on transcript: connecting"));
  std::vector<MonotonicNs> waits;
  for (int i = 0; i < 7; ++i) {
    now = *reader.deadline();
    reader.on_deadline(now);  // no answer
    EXPECT_FALSE(port->is_open());
    EXPECT_EQ(reader.latest(now).state, ProbeState::link_down);
    waits.push_back((*reader.deadline() - now) / ns_per_ms);
    now = *reader.deadline();
    reader.on_deadline(now);
  }
  EXPECT_THAT(waits, ElementsAre(250, 500, 1000, 2000, 4000, 8000, 8000));
  port->reachable = true;
  reader.on_ready(now);
  for (int i = 0; i < 30; ++i) reader.on_ready(now);
  EXPECT_EQ(port->written, "00001 EndSession()\r\n");
  EXPECT_THAT(reader.describe(), HasSubstr("open; 0 samples, 0 faults, opened 1 times; STARTING"));
}

TEST(IppReader, ASilentServerIsLeftAndAskedAnew) {
  auto* port = new TranscriptPort;
  IppReader reader(ipp_settings(), std::unique_ptr<Port>(port));
  std::vector<std::string> heard;
  reader.on_sample([&](const ProbePoint& p, MonotonicNs) { heard.push_back(testing::text_of(p)); });
  reader.start(0);
  for (MonotonicNs now = 0; now <= 4000 * ns_per_ms; now += 10 * ns_per_ms) {
    reader.on_deadline(now);
    reader.on_ready(now);
  }
  EXPECT_THAT(heard, ElementsAre("STALE no answer to EndSession() within 1000 ms",
                                 "LINK_DOWN transcript: no answer for 4000 ms to EndSession()"));
  EXPECT_FALSE(port->is_open());
  EXPECT_EQ(reader.deadline(), 4250 * ns_per_ms);
}

TEST(IppReader, AnOldPositionIsStale) {
  auto* port = new TranscriptPort;
  CmmSettings settings = ipp_settings();
  IppReader reader(settings, std::unique_ptr<Port>(port));
  EXPECT_EQ(reader.latest(0).state, ProbeState::none_yet);
  reader.start(0);
  const auto transcript = testing::load_transcript(DATUM_SOURCE_DIR "/tests/data/ipp/session.txt");
  for (const auto& step : transcript.steps) {
    if (step.is == testing::TranscriptStep::Is::sample) break;
    if (step.is == testing::TranscriptStep::Is::from_device) port->queued = step.text;
    for (int i = 0; i < 200; ++i) reader.on_ready(0);
    reader.on_deadline(0);
  }
  EXPECT_EQ(reader.latest(0).state, ProbeState::ok);
  EXPECT_EQ(reader.latest(0).reference, "tool Probe1, MachineCsy");
  EXPECT_EQ(reader.latest(1000 * ns_per_ms).state, ProbeState::ok);
  EXPECT_EQ(reader.latest(1001 * ns_per_ms).detail, "last heard 1001 ms ago; allowed: 1000 ms");
}

}  // namespace
}  // namespace datum
