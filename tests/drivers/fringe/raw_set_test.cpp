#include "drivers/fringe/raw_set.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "drivers/frame/frame_error.h"
#include "tests/drivers/fringe/raw_sets.h"
#include "tests/fresh_folder.h"

namespace datum {
namespace {

using namespace datum::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

class RawSetTest : public ::testing::Test {
 protected:
  FreshFolder folder;
  FringeSettings settings = two_periods_of_three();

  fs::path at(const std::string& name) const { return folder.path() / name; }
  std::string refusal(const fs::path& sidecar) {
    try {
      read_raw_set(sidecar, settings);
      return "";
    } catch (const FrameError& e) {
      return e.what();
    }
  }
  void rewrite(const fs::path& sidecar, const std::string& from, const std::string& to) {
    std::string text = read_file(sidecar);
    text.replace(text.find(from), from.size(), to);
    write_file(sidecar, text);
  }
};

TEST_F(RawSetTest, ImagesAreNamedByThePatternPeriodByPeriodStepByStep) {
  EXPECT_THAT(image_names(settings, "b7"), ElementsAre("b7_1_01.png", "b7_1_02.png", "b7_1_03.png",
                                                       "b7_2_01.png", "b7_2_02.png", "b7_2_03.png"));
  EXPECT_EQ(pattern_problem(settings), "");
  const std::pair<const char*, const char*> bad[] = {{"a_{period}_{step}.png", "begin"},
                                                     {"{set}_{step}.png", "same name"},
                                                     {"{set}_{period}.png", "same name"},
                                                     {"{set}/{period}_{step}.png", "folder"},
                                                     {"{set}_{period}_{step}.bmp", ".tif"}};
  for (const auto& [pattern, why] : bad) {
    settings.image_names = pattern;
    EXPECT_THAT(pattern_problem(settings), HasSubstr(why)) << pattern;
  }
}

TEST_F(RawSetTest, ReadsEveryImageInItsPlace) {
  const RawSet set = read_raw_set(write_set(folder.path(), "b7", 10, settings), settings);
  EXPECT_EQ(set.rows, 2);
  EXPECT_EQ(set.cols, 3);
  const auto& grey = std::get<std::vector<std::uint8_t>>(set.grey);
  ASSERT_EQ(grey.size(), 36u);
  for (std::size_t i = 0; i < grey.size(); ++i) EXPECT_EQ(grey[i], 10 + i / 6);
  EXPECT_EQ(set.sidecar.frame_id, "f-b7");
  EXPECT_EQ(set.sidecar.captured.ns, 17);
  EXPECT_EQ(set.source, "b7.json");
  EXPECT_EQ(set.content_sha256.size(), 64u);
}

TEST_F(RawSetTest, ALinkOrAFifoInThePlaceOfAnImageIsRefused) {
  const SetSidecar sidecar = write_images(folder.path(), "c", 10, settings);
  write_file(at("c.json"), write_set_sidecar(sidecar));
  const std::string image = sidecar.images[0].name;
  std::filesystem::rename(at(image), at("elsewhere"));
  std::filesystem::create_symlink(at("elsewhere"), at(image));
  EXPECT_THAT(refusal(at("c.json")), HasSubstr("is a link; deliver the file itself"));
  std::filesystem::remove(at(image));
  ASSERT_EQ(::mkfifo(at(image).c_str(), 0600), 0);
  EXPECT_THAT(refusal(at("c.json")), HasSubstr("is not a regular file"));
}

TEST_F(RawSetTest, SixteenBitsAndTiffAreReadToo) {
  settings.camera_maximum = 4095;
  settings.image_names = "{set}-{period}{step}.tif";
  SetSidecar sidecar = write_images(folder.path(), "a", 10, settings);
  for (SetImage& image : sidecar.images) {
    write_tiff(at(image.name), 2, 3, std::vector<std::uint16_t>(6, 4000));
    image.sha256 = sha256_hex({read_bytes(at(image.name), 1 << 20)});
  }
  write_file(at("a.json"), write_set_sidecar(sidecar));
  const RawSet set = read_raw_set(at("a.json"), settings);
  EXPECT_EQ(std::get<std::vector<std::uint16_t>>(set.grey), std::vector<std::uint16_t>(36, 4000));
  settings.camera_maximum = 1023;
  EXPECT_THAT(refusal(at("a.json")), HasSubstr("a-101.tif: has a pixel of 4000, above"));
}

TEST_F(RawSetTest, AnImageOfAnotherBoardsSetIsNeverTaken) {
  const fs::path a = write_set(folder.path(), "a", 10, settings);
  write_set(folder.path(), "b", 90, settings);
  const std::string before = read_raw_set(a, settings).content_sha256;
  fs::copy_file(at("b_2_01.png"), at("a_2_01.png"), fs::copy_options::overwrite_existing);
  EXPECT_THAT(refusal(a), HasSubstr("a_2_01.png: its SHA-256 differs from the sidecar's"));
  rewrite(a, "a_1_01.png", "b_1_01.png");
  EXPECT_THAT(refusal(a), HasSubstr("a.json: images.a_1_01.png: is missing"));
  write_set(folder.path(), "a", 11, settings);
  EXPECT_NE(read_raw_set(a, settings).content_sha256, before);
}

TEST_F(RawSetTest, AnIncompleteOrUnlikeSetIsRefusedByItsImagesName) {
  const fs::path a = write_set(folder.path(), "a", 10, settings);
  fs::remove(at("a_2_03.png"));
  EXPECT_THAT(refusal(a), HasSubstr("a_2_03.png: is not beside its sidecar a.json; the set is not complete"));

  SetSidecar sidecar = write_images(folder.path(), "c", 10, settings);
  write_png(at("c_2_02.png"), 3, 2, std::vector<std::uint8_t>(6, 1));
  sidecar.images[4].sha256 = sha256_hex({read_bytes(at("c_2_02.png"), 1 << 20)});
  write_file(at("c.json"), write_set_sidecar(sidecar));
  EXPECT_THAT(refusal(at("c.json")), HasSubstr("c_2_02.png: has 3 rows x 2 columns, c_1_01.png has 2 x 3"));

  write_png(at("c_2_02.png"), 2, 3, std::vector<std::uint16_t>(6, 1));
  sidecar.images[4].sha256 = sha256_hex({read_bytes(at("c_2_02.png"), 1 << 20)});
  write_file(at("c.json"), write_set_sidecar(sidecar));
  EXPECT_THAT(refusal(at("c.json")), HasSubstr("c_2_02.png: has another depth than c_1_01.png"));
}

TEST_F(RawSetTest, ASidecarThatSaysMoreOrLessIsRefused) {
  const fs::path a = write_set(folder.path(), "a", 10, settings);
  const std::string good = read_file(a);
  const std::tuple<const char*, const char*, const char*> bad[] = {
      {"\"schema_version\": 1", "\"schema_version\": 2", "a.json: schema_version: is 2"},
      {"\"images\": {", "\"images\": {\n    \"a_3_01.png\": \"00\",",
       "a.json: images.a_3_01.png: is not known"},
      {"\"right\"", "\"up\"", "a.json: handedness: 'up' is not known"},
      {"\"frame_id\"", "\"frame\"", "a.json: frame_id: is missing"}};
  for (const auto& [from, to, why] : bad) {
    write_file(a, good);
    rewrite(a, from, to);
    EXPECT_THAT(refusal(a), HasSubstr(why));
  }
}

}  // namespace
}  // namespace datum
