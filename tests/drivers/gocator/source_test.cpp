// Frames of a Gocator in a cell.
#include "drivers/sensor/gocator_source.h"

#include <gmock/gmock.h>

#include "drivers/frame/frame_error.h"
#include "drivers/sensor/read_frame.h"
#include "tests/drivers/gocator/gocator_rig.h"
#include "tests/fresh_folder.h"

namespace datum {
namespace {

using ::testing::ElementsAre;
using testing::gocator_profile;
using testing::gocator_settings;
using testing::GocatorRig;
using ::testing::HasSubstr;
using testing::ms;
using ::testing::StartsWith;

TEST(GocatorSource, ConnectsGreetsAndStartsTheSensor) {
  GocatorRig rig;
  EXPECT_EQ(rig.source.refusal(), "") << "not tried yet";
  ASSERT_TRUE(rig.connect()) << rig.source.describe();
  EXPECT_THAT(rig.source.describe(), HasSubstr("running, protocol 101.11, job board.job"))
      << "the major of LMI's SDK, which calls any other incompatible";
  EXPECT_EQ(rig.warnings(), "");
}

// It lacks GetVersion, and answers the older request in its own form.
TEST(GocatorSource, OlderFirmwareTellsItsVersionInFortyBytes) {
  GocatorRig rig;
  rig.older_firmware = true;
  ASSERT_TRUE(rig.connect()) << rig.source.describe();
  EXPECT_THAT(rig.source.describe(), HasSubstr("running, protocol 4.2, job board.job"));
  EXPECT_EQ(rig.warnings(), "");
  rig.expose();
  ASSERT_TRUE(rig.claim());
}

TEST(GocatorSource, AFrameIsRightHandedInMillimetresAndSaysWhatMadeIt) {
  GocatorRig rig;
  ASSERT_TRUE(rig.connect());
  rig.expose();
  const MonotonicNs exposed_ns = rig.now;
  const auto claim = rig.claim();
  ASSERT_TRUE(claim);
  EXPECT_EQ(claim->doubt, "");
  EXPECT_THAT(claim->name(), StartsWith("1@9000000000"));
  const DroppedFrame dropped = load_frame(*claim, gocator_profile());
  const HeightFrame& f = dropped.frame;
  EXPECT_EQ(f.rows, 4);
  EXPECT_EQ(f.cols, 6);
  EXPECT_TRUE(f.mirrored);
  EXPECT_EQ(f.x.offset_mm, 15 - 5 * 0.035) << "x -> -x, growing with the column again";
  EXPECT_EQ(std::get<std::vector<std::int16_t>>(f.counts)[0], -32768) << "was the last of its row";
  EXPECT_EQ(f.class_at(0, 0), PixelClass::no_data);
  EXPECT_EQ(f.sensor_serial, "67890");
  EXPECT_EQ(f.job, "board.job");
  EXPECT_EQ(scheme_of(f.content_sha256), HashScheme::tree);
  EXPECT_EQ(f.stamp->frame_index, 1u);
  ASSERT_TRUE(f.captured.host);
  ASSERT_TRUE(f.captured.offset);
  EXPECT_NEAR(static_cast<double>(f.captured.ns + f.captured.offset->offset_ns),
              static_cast<double>(exposed_ns), static_cast<double>(f.captured.offset->uncertainty_ns));
  EXPECT_LE(f.captured.host->from_ns, exposed_ns);
  EXPECT_GE(f.captured.host->to_ns, exposed_ns);
  // Request and answer took no time: 1 us of the sensor's clock, twice, and the exposure of 2.5 ms on each
  // side.
  EXPECT_LE(f.captured.host->to_ns - f.captured.host->from_ns, 5 * ms + 4000);
}

TEST(GocatorSource, AnotherOrAModifiedJobIsRefusedWithItsName) {
  GocatorRig rig;
  ASSERT_TRUE(rig.connect());
  rig.device.load_job("other.job");
  rig.expose();
  auto claim = rig.claim();
  ASSERT_TRUE(claim);
  EXPECT_THAT(claim->doubt, HasSubstr("job 'other.job' is loaded, this cell measures with 'board.job'"));
  EXPECT_THAT(rig.source.refusal(), HasSubstr("'other.job'")) << "no arming";
  EXPECT_THROW(load_frame(*claim, gocator_profile()), FrameError);
  EXPECT_EQ(read_claim(*claim, gocator_profile()).frame.job, "other.job") << "the verdict still names it";
  rig.device.load_job("board.job");
  rig.device.modify(true);
  rig.expose();
  claim = rig.claim();
  ASSERT_TRUE(claim);
  EXPECT_THAT(claim->doubt, HasSubstr("was modified since it was loaded"));
  rig.device.modify(false);
  rig.expose();
  EXPECT_EQ(rig.claim()->doubt, "");
  EXPECT_EQ(rig.source.refusal(), "");
}

TEST(GocatorSource, TheWatchSeesAnotherJobWithoutAFrame) {
  GocatorRig rig;
  ASSERT_TRUE(rig.connect());
  rig.device.load_job("other.job");
  rig.pass(2000);
  ASSERT_TRUE(rig.until([&] { return !rig.source.refusal().empty(); }));
  EXPECT_THAT(rig.source.refusal(), HasSubstr("'other.job'"));
  rig.source.begin(rig.now);
  EXPECT_THAT(rig.source.take_fault(), HasSubstr("'other.job'"))
      << "a board that begins now is INVALID at once";
}

TEST(GocatorSource, TheSoftwareTriggerMakesTheExposure) {
  auto settings = gocator_settings();
  settings.trigger = gocator::TriggerBy::software;
  GocatorRig rig(settings);
  ASSERT_TRUE(rig.connect());
  rig.source.begin(rig.now);
  rig.now += 10 * ms;
  const MonotonicNs asked_ns = rig.now;
  rig.source.expose(rig.now);
  ASSERT_TRUE(rig.until([&] { return rig.device.take_trigger(); }));
  rig.expose();
  const auto claim = rig.claim();
  ASSERT_TRUE(claim);
  EXPECT_EQ(claim->doubt, "");
  EXPECT_EQ(claim->exposed->from_ns, asked_ns) << "no earlier than the trigger";
}

TEST(GocatorSource, ARefusedTriggerIsAFault) {
  auto settings = gocator_settings();
  settings.trigger = gocator::TriggerBy::software;
  settings.start = false;
  GocatorRig rig(settings);
  ASSERT_TRUE(rig.until([&] { return !rig.source.refusal().empty(); }));
  EXPECT_THAT(rig.source.refusal(), HasSubstr("is stopped"));
  rig.source.expose(rig.now);
  std::string fault;
  ASSERT_TRUE(rig.until([&] { return !(fault = rig.source.take_fault()).empty(); }));
  EXPECT_THAT(fault, HasSubstr("Trigger was refused: status -1000, invalid state"));
}

TEST(GocatorSource, WithoutAConnectionATriggerIsAFault) {
  auto settings = gocator_settings();
  settings.trigger = gocator::TriggerBy::software;
  GocatorRig rig(settings);
  ASSERT_TRUE(rig.connect());
  rig.hang_up();
  ASSERT_TRUE(rig.until([&] { return !rig.source.refusal().empty(); }));
  rig.source.take_fault();
  rig.source.expose(rig.now);
  EXPECT_THAT(rig.source.take_fault(), HasSubstr("not connected"));
}

TEST(GocatorSource, FramesThatNobodyWantedAreForgotten) {
  GocatorRig rig;
  ASSERT_TRUE(rig.connect());
  rig.expose();
  ASSERT_TRUE(rig.until([&] { return rig.source.describe().find("1 waiting") != std::string::npos; }));
  rig.source.begin(rig.now);
  EXPECT_FALSE(rig.source.next());
  EXPECT_THAT(rig.warnings(), HasSubstr("1 frames came while none was wanted"));
}

TEST(GocatorSource, AFrameExposedBeforeTheTriggerIsSeenAsSuch) {
  GocatorRig rig;
  ASSERT_TRUE(rig.connect());
  GocatorPayload late = rig.device.expose(testing::small_frame(), rig.device_us());
  const MonotonicNs exposed_ns = rig.now;
  rig.now += 500 * ms;
  rig.source.begin(rig.now);  // the trigger
  const MonotonicNs triggered_ns = rig.now;
  rig.now += 10 * ms;
  rig.send(late);
  const auto claim = rig.claim();
  ASSERT_TRUE(claim);
  EXPECT_LE(claim->first_seen_ns, triggered_ns) << "by the sensor's clock, not by its arrival";
  EXPECT_LT(claim->first_seen_ns - exposed_ns, 5 * ms);
}

TEST(GocatorSource, MoreFramesThanAreTakenAreLostAndTold) {
  GocatorRig rig;
  ASSERT_TRUE(rig.connect());
  for (int i = 0; i < 6; ++i) rig.expose();
  ASSERT_TRUE(rig.until([&] {
    return rig.source.describe().find("6 frames, 2 lost, 4 waiting") != std::string::npos;
  })) << rig.source.describe();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(rig.claim()->doubt, "");
  rig.expose();
  EXPECT_THAT(rig.claim()->doubt, HasSubstr("2 frames before it came faster than they are measured"));
}

TEST(GocatorSource, MeasuredFramesAreKnownAgain) {
  GocatorRig rig;
  ASSERT_TRUE(rig.connect());
  rig.device.fault(GocatorFault::twice);
  rig.expose();
  const auto first = rig.claim(), second = rig.claim();
  const DroppedFrame one = read_claim(*first, gocator_profile()),
                     two = read_claim(*second, gocator_profile());
  EXPECT_FALSE(rig.source.is_duplicate(one.identity));
  rig.source.measured(*first, one.identity);
  EXPECT_EQ(one.identity, two.identity);
  EXPECT_TRUE(rig.source.is_duplicate(two.identity));
  FrameIdentity of_an_earlier_run = one.identity;
  of_an_earlier_run.frame_id = rig.stored = "9@9";
  EXPECT_TRUE(rig.source.is_duplicate(of_an_earlier_run));
}

TEST(GocatorSource, AnArchivedFrameIsTheSameFrame) {
  testing::FreshFolder folder;
  auto settings = gocator_settings();
  settings.archive = folder.path() / "frames";
  GocatorRig rig(settings);
  ASSERT_TRUE(rig.connect());
  rig.expose();
  const auto claim = rig.claim();
  const DroppedFrame live = load_frame(*claim, gocator_profile());
  rig.source.measured(*claim, live.identity);
  EXPECT_EQ(rig.warnings(), "");
  const auto file = *settings.archive / "done" / claim->stem() / claim->name();
  const HeightFrame again = read_frame(file, gocator_profile());
  EXPECT_EQ(again.content_sha256, live.identity.content_sha256);
  EXPECT_EQ(again.frame_id, live.identity.frame_id);
  EXPECT_EQ(std::get<std::vector<std::int16_t>>(again.counts),
            std::get<std::vector<std::int16_t>>(live.frame.counts));
  EXPECT_EQ(again.x.offset_mm, live.frame.x.offset_mm);
}

// Whatever the measurement does to the process, its bytes stay.
TEST(GocatorSource, AnArchivedFrameIsWrittenWholeBeforeItIsMeasured) {
  testing::FreshFolder folder;
  auto settings = gocator_settings();
  settings.archive = folder.path() / "frames";
  GocatorRig rig(settings);
  ASSERT_TRUE(rig.connect());
  rig.expose();
  const auto claim = rig.claim();
  const DroppedFrame live = read_claim(*claim, gocator_profile());
  EXPECT_EQ(read_frame(claim->entry, gocator_profile()).content_sha256, live.identity.content_sha256);
  EXPECT_EQ(claim->received->late_fault(), "");
}

TEST(GocatorSource, WhatACrashLeftInTheArchiveIsToldAndPutAside) {
  testing::FreshFolder folder;
  auto settings = gocator_settings();
  settings.archive = folder.path() / "frames";
  folder.write("frames/work/3/7@5.gdp", "bytes");
  GocatorRig rig(settings);
  EXPECT_THAT(rig.warnings(), HasSubstr("7@5.gdp was in work when datumd ended"));
  EXPECT_TRUE(std::filesystem::exists(*settings.archive / "failed" / "7@5" / "7@5.gdp"));
}

TEST(GocatorSource, ALinkInTheArchiveIsNotWrittenThrough) {
  testing::FreshFolder folder;
  auto settings = gocator_settings();
  settings.archive = folder.path() / "frames";
  const auto secret = folder.write("secret", "precious");
  GocatorRig rig(settings);
  ASSERT_TRUE(rig.connect());
  rig.expose();
  const auto claim = rig.claim();
  const auto slot = *settings.archive / "work" / std::to_string(claim->token);
  std::filesystem::create_directories(slot);
  std::filesystem::create_symlink(secret, slot / claim->name());
  const DroppedFrame live = load_frame(*claim, gocator_profile());
  rig.source.measured(*claim, live.identity);
  EXPECT_EQ(rig.warnings(), "");
  EXPECT_EQ(std::filesystem::file_size(secret), 8u);
  const auto file = *settings.archive / "done" / claim->stem() / claim->name();
  EXPECT_EQ(read_frame(file, gocator_profile()).content_sha256, live.identity.content_sha256);
}

TEST(GocatorSource, AnArchiveThatCannotBeWrittenDoesNotCostTheFrame) {
  testing::FreshFolder folder;
  auto settings = gocator_settings();
  settings.archive = folder.path() / "frames";
  GocatorRig rig(settings);
  ASSERT_TRUE(rig.connect());
  rig.expose();
  const auto claim = rig.claim();
  std::filesystem::remove_all(*settings.archive);
  const DroppedFrame live = load_frame(*claim, gocator_profile());
  rig.source.measured(*claim, live.identity);
  EXPECT_THAT(rig.warnings(), HasSubstr("not kept"));
}

}  // namespace
}  // namespace datum
