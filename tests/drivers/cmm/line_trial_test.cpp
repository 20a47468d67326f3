#include "drivers/cmm/line_trial.h"

#include <gmock/gmock.h>

#include "drivers/cmm/presets.h"
#include "tests/drivers/cmm/transcript.h"

namespace datum {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

LineTrial tried(const CmmSettings& settings, const std::vector<std::string>& bursts) {
  LineTrial trial(settings);
  MonotonicNs now = 1000 * ns_per_ms;
  for (const std::string& bytes : bursts) trial.receive(bytes, now += 200 * ns_per_ms);
  trial.pause(now + 200 * ns_per_ms);
  return trial;
}

const std::string vro = "X= 1.0 mm\rY= 2.0 mm\rZ= 3.0 mm\r";

TEST(LineTrial, CountsLinesAndPositions) {
  LineTrial trial = tried(acurite_vro(), {vro, vro, "y = Error mm\r"});
  EXPECT_EQ(trial.lines(), 7u);
  EXPECT_EQ(trial.read(), 6u);
  EXPECT_EQ(trial.positions(), 2u);
  EXPECT_EQ(trial.faults().at(ProbeState::device_error).first, "the device says 'y = Error mm'");
  EXPECT_THAT(trial.needs(), IsEmpty());
  const std::vector<TriedLine> lines = trial.take_lines();
  ASSERT_EQ(lines.size(), 7u);
  EXPECT_EQ(lines[1].text, "Y= 2.0 mm");
  EXPECT_EQ(lines[1].at_ns, 1200 * ns_per_ms);
  EXPECT_THAT(trial.take_lines(), IsEmpty());
}

TEST(LineTrial, SaysWhichAxesAreMissingOrUnknown) {
  const auto missing = tried(acurite_vro(), {"X= 1.0 mm\rY= 2.0 mm\r"}).needs();
  ASSERT_EQ(missing.size(), 1u);
  EXPECT_THAT(missing[0], StartsWith("2 of 3 axes came, label Z did not"));
  const auto unknown = tried(acurite_vro(), {vro, "C= 90.0 mm\r"}).needs();
  ASSERT_EQ(unknown.size(), 1u);
  EXPECT_THAT(unknown[0], StartsWith("label 'C' is on the line and no axis: give it a [[cmm.axis]]"));
}

TEST(LineTrial, SaysWhatElseIsNeeded) {
  EXPECT_THAT(tried(acurite_vro(), {}).needs(), ElementsAre(StartsWith("nothing came: it must be polled")));
  EXPECT_THAT(tried(mitutoyo_mux10(), {}).needs(),
              ElementsAre(StartsWith("nothing came: the device's output")));
  EXPECT_THAT(tried(acurite_vro(), {"X= 1.0 mm\n"}).needs(),
              ElementsAre("10 bytes without an end of line: framing.terminator, or the line settings?"));
  EXPECT_THAT(tried(acurite_vro(), {"X= 1.0 INCH\r"}).needs(),
              ::testing::Contains(HasSubstr("as the display is set: the line says inch; configured: mm")));
  EXPECT_THAT(tried(cdi_indicator(), {"+00000125 ,MM\r\n", "+00000125 ,MM\r\n"}).needs(),
              ElementsAre(HasSubstr("state number.implied_decimals"), HasSubstr("state fixed_x_mm"),
                          HasSubstr("state fixed_y_mm")));
}

// Each transcript is read best by its own preset: the lines alone identify the device.
TEST(LineTrial, EachDeviceIsRankedFirstByItsOwnLines) {
  for (const auto& transcript : testing::load_transcripts("transcripts")) {
    std::vector<LineTrial> trials;
    for (const std::string& name : line_preset_names()) trials.emplace_back(preset_by_name(name));
    MonotonicNs now = 0;
    for (const auto& step : transcript.steps) {
      if (step.is != testing::TranscriptStep::Is::from_device) continue;
      // Longer than the axes of one position take, shorter than the VRO's three answers.
      now += 120 * ns_per_ms;
      for (LineTrial& trial : trials) trial.receive(step.text, now);
    }
    const LineTrial& best = *ranked(trials).front();
    EXPECT_GT(best.positions(), 0u) << transcript.name;
    // The same bytes in answer to another poll.
    const bool same = transcript.name == "heidenhain_nd700" && best.preset() == "heidenhain_nd28x_remote";
    EXPECT_TRUE(same || best.preset() == transcript.name)
        << transcript.name << " taken for " << best.preset();
  }
}

}  // namespace
}  // namespace datum
