// An image without a sidecar in the drop folder is reported after a while; time is injected.
#include "drivers/sensor/lone_images.h"

#include <gmock/gmock.h>

#include "drivers/sensor/file_drop.h"
#include "tests/drivers/sensor/tiny_files.h"
#include "tests/fresh_folder.h"

namespace datum {
namespace lone_images_test {

using namespace datum::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr MonotonicNs s = 1'000'000'000;

TEST(LoneImages, AreNamedOnceWhenTheirTimeIsOver) {
  LoneImages lone(60 * s);
  std::vector<std::string> announced;
  const auto is_announced = [&](const std::string& image) {
    return std::find(announced.begin(), announced.end(), image) != announced.end();
  };
  EXPECT_THAT(lone.look({"a.tif"}, is_announced, 100 * s), IsEmpty());
  EXPECT_THAT(lone.look({"a.tif", "b.tif"}, is_announced, 159 * s), IsEmpty());
  EXPECT_THAT(lone.look({"a.tif", "b.tif"}, is_announced, 160 * s), ElementsAre("a.tif"));
  EXPECT_THAT(lone.look({"a.tif", "b.tif"}, is_announced, 170 * s), IsEmpty()) << "said once";
  announced = {"b.tif"};
  EXPECT_THAT(lone.look({"a.tif", "b.tif"}, is_announced, 230 * s), IsEmpty());
  announced.clear();
  EXPECT_THAT(lone.look({"b.tif"}, is_announced, 240 * s), IsEmpty());
  EXPECT_THAT(lone.look({"b.tif"}, is_announced, 290 * s), ElementsAre("b.tif"))
      << "a minute after its sidecar was seen";
  EXPECT_THAT(lone.look({"a.tif", "b.tif"}, is_announced, 300 * s), IsEmpty())
      << "taken away and delivered anew";
}

class LoneImagesInAFolder : public ::testing::Test {
 protected:
  FreshFolder folder;
  MonotonicNs now = 1000 * s;
  FileDrop drop{{folder / "drop"}, [](const FrameIdentity&) { return false; }, now};

  std::vector<std::string> warnings_after(MonotonicNs span) {
    const MonotonicNs end = now + span;
    drop.on_ready(now);
    while (*drop.deadline() <= end) {
      now = *drop.deadline();
      drop.on_deadline(now);
    }
    now = end;
    return drop.take_warnings();
  }
};

TEST_F(LoneImagesInAFolder, AreReportedInTheLogAndInTheLinksReport) {
  write_tiff<std::int16_t>(folder / "drop/board_z.tif", 2, 3, std::vector<std::int16_t>(6));
  folder.write("drop/later.tif.part", "not finished");
  folder.write("drop/notes.txt", "no image");
  EXPECT_THAT(warnings_after(55 * s), IsEmpty());
  EXPECT_EQ(drop.report(now)->record.last_error, "");
  const std::string place = (folder / "drop").string();
  const std::string text = place +
                           ": board_z.tif is not measured: no sidecar names it; write board_z.json last (man "
                           "datumd-frames), and ask: datumctl frame describe " +
                           place + "/board_z.tif";
  EXPECT_THAT(warnings_after(30 * s), ElementsAre("file drop " + text));
  EXPECT_EQ(drop.report(now)->record.last_error, text);
  EXPECT_EQ(drop.report(now)->trouble, "") << "frames can arrive";
  EXPECT_THAT(warnings_after(600 * s), IsEmpty());
}

TEST_F(LoneImagesInAFolder, AreNotThoseOfADeliveryThatWaitsForItsBoard) {
  write_tiny_frame(folder / "drop", "board");       // board_z.tif and board.json
  FrameSidecar other = make_sidecar("image7.tif");  // under another name
  folder.write("drop/job.json", write_sidecar(other));
  write_tiff<std::int16_t>(folder / "drop/image7.tif", 2, 3, std::vector<std::int16_t>(6));
  EXPECT_THAT(warnings_after(600 * s), IsEmpty());
}

TEST_F(LoneImagesInAFolder, AreCountedWhereThereAreMany) {
  for (const char* name : {"a", "b", "c", "d", "e"})
    write_tiff<std::int16_t>(folder.path() / "drop" / (std::string(name) + ".tif"), 2, 3,
                             std::vector<std::int16_t>(6));
  const auto said = warnings_after(90 * s);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_THAT(said[0], HasSubstr("a.tif, b.tif, c.tif and 2 more are not measured: no sidecar names them; "));
}

}  // namespace lone_images_test
}  // namespace datum
