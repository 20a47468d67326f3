// Sets of raw images in a drop folder: complete, late, incomplete, two at a time.
#include <gmock/gmock.h>

#include "drivers/frame/frame_error.h"
#include "drivers/sensor/file_drop.h"
#include "tests/drivers/fringe/raw_sets.h"
#include "tests/fresh_folder.h"

namespace datum {
namespace {

using namespace datum::testing;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

constexpr MonotonicNs ms = 1'000'000;

/// Heights are the sets' mean grey values, which identify the images used.
class GreyReader final : public FrameReader {
 public:
  explicit GreyReader(FringeSettings settings) : settings_(std::move(settings)) {}
  HeightFrame read(const fs::path& delivery, const SensorProfile&) const override {
    const RawSet set = read_raw_set(delivery, settings_);
    HeightFrame frame;
    frame.rows = set.rows;
    frame.cols = set.cols;
    frame.x = frame.y = frame.z = {0.01, 0};
    frame.counts = std::vector<std::int32_t>(set.pixels(), std::get<0>(set.grey).front());
    frame.classes.assign(set.pixels(), PixelClass::ok);
    frame.sensor_serial = set.sidecar.sensor_serial;
    frame.frame_id = set.sidecar.frame_id;
    frame.content_sha256 = set.content_sha256;
    frame.source = set.source;
    return frame;
  }
  std::vector<std::string> files_of(const std::string& sidecar) const override {
    return image_names(settings_, fs::path(sidecar).stem().string());
  }
  std::string refusal(const CellMoment&) const override { return ""; }

 private:
  FringeSettings settings_;
};

class SetDropTest : public ::testing::Test {
 protected:
  FreshFolder base;
  fs::path folder = base.path() / "drop", outside = base.path() / "outside";
  FringeSettings settings = two_periods_of_three();
  SensorProfile profile;
  MonotonicNs now = 1000 * ms;
  std::unique_ptr<FileDrop> drop;

  void SetUp() override {
    fs::create_directory(outside);
    FileDropSettings s{folder, 2000, 500};
    s.images_timeout_ms = 3000;
    s.reader = std::make_shared<GreyReader>(settings);
    profile.serial = "FP-1";
    profile.z_min_mm = -10;
    profile.z_max_mm = 10;
    profile.reader = s.reader;
    drop = std::make_unique<FileDrop>(
        s, [](const FrameIdentity&) { return false; }, now);
  }
  void move_in(const std::string& name) { fs::rename(outside / name, folder / name); }
  void pass(MonotonicNs span) {
    const MonotonicNs end = now + span;
    drop->on_ready(now);
    while (*drop->deadline() <= end) {
      now = *drop->deadline();
      drop->on_deadline(now);
    }
    now = end;
  }
};

TEST_F(SetDropTest, AWholeSetIsTakenAtOnceAndGoesToDoneWithAllItsImages) {
  write_set(outside, "a", 10, settings);
  for (const std::string& name : image_names(settings, "a")) move_in(name);
  drop->on_ready(now);
  EXPECT_FALSE(drop->next()) << "no sidecar yet";
  move_in("a.json");
  drop->on_ready(now);
  const auto claim = drop->next();
  ASSERT_TRUE(claim);
  const DroppedFrame frame = load_frame(*claim, profile);
  EXPECT_EQ(frame.identity.frame_id, "f-a");
  drop->measured(*claim, frame.identity);
  for (const std::string& name : image_names(settings, "a"))
    EXPECT_TRUE(fs::exists(folder / "done/a" / name));
  EXPECT_TRUE(fs::exists(folder / "done/a/a.json"));
}

TEST_F(SetDropTest, ImagesMayComeAfterTheirSidecarWithinTheirTime) {
  write_set(outside, "a", 10, settings);
  move_in("a.json");
  pass(1000 * ms);
  EXPECT_FALSE(drop->next()) << "its images are still to come";
  for (const std::string& name : image_names(settings, "a")) move_in(name);
  pass(1000 * ms);
  const auto claim = drop->next();
  ASSERT_TRUE(claim);
  EXPECT_EQ(load_frame(*claim, profile).identity.frame_id, "f-a");
}

TEST_F(SetDropTest, ASetThatStaysIncompleteIsRefusedWithItsReason) {
  write_set(outside, "a", 10, settings);
  fs::remove(outside / "a_2_03.png");
  for (const std::string& name : image_names(settings, "a"))
    if (fs::exists(outside / name)) move_in(name);
  move_in("a.json");
  pass(2900 * ms);
  EXPECT_FALSE(drop->next());
  pass(600 * ms);
  const auto claim = drop->next();
  ASSERT_TRUE(claim);
  try {
    load_frame(*claim, profile);
    FAIL();
  } catch (const FrameError& e) {
    EXPECT_THAT(e.what(), HasSubstr("a_2_03.png: is not beside its sidecar"));
    drop->failed(*claim, e.what());
  }
  EXPECT_THAT(read_file(folder / "failed/a/a.json.reason.txt"), HasSubstr("a_2_03.png"));
  EXPECT_TRUE(fs::exists(folder / "failed/a/a_1_01.png"));
}

TEST_F(SetDropTest, TwoBoardsSetsThatArriveMixedAreNotMixed) {
  write_set(outside, "a", 10, settings);
  write_set(outside, "b", 90, settings);
  const auto a = image_names(settings, "a"), b = image_names(settings, "b");
  for (std::size_t i = 0; i < a.size(); ++i) {
    move_in(b[i]);
    move_in(a[i]);
  }
  move_in("b.json");
  move_in("a.json");
  drop->on_ready(now);
  for (const char* expected : {"b", "a"}) {
    const auto claim = drop->next();
    ASSERT_TRUE(claim);
    const DroppedFrame frame = load_frame(*claim, profile);
    EXPECT_EQ(frame.identity.frame_id, std::string("f-") + expected);
    EXPECT_EQ(frame.frame.z_mm(0, 0), 0.01 * (*expected == 'a' ? 10 : 90));
  }
}

}  // namespace
}  // namespace datum
