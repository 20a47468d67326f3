#include "drivers/sensor/read_frame.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <cmath>
#include <limits>

#include "drivers/sensor/frame_hash.h"
#include "tests/drivers/sensor/expect_refusal.h"
#include "tests/drivers/sensor/tiny_files.h"
#include "tests/fresh_folder.h"

namespace datum {
namespace {

using namespace datum::testing;
using ::testing::ElementsAre;
using enum PixelClass;

class ReadFrame : public ::testing::Test {
 protected:
  FreshFolder folder;
  SensorProfile profile = make_profile();

  void put_sidecar(const FrameSidecar& s) { folder.write("a.json", write_sidecar(s)); }
  HeightFrame read(const std::string& name) { return read_frame(folder.path() / name, profile); }
  void refuse(const std::string& name, const std::string& message) {
    expect_refusal([&] { read(name); }, message);
  }
};

TEST_F(ReadFrame, SignedTiffThroughItsSidecar) {
  write_tiny_frame(folder.path(), "a");
  const HeightFrame frame = read("a.json");
  EXPECT_EQ(frame.rows, 2);
  EXPECT_EQ(frame.cols, 3);
  EXPECT_THAT(std::get<std::vector<std::int16_t>>(frame.counts),
              ElementsAre(100, 200, -300, INT16_MIN, 0, 32767));
  EXPECT_THAT(frame.classes, ElementsAre(ok, ok, ok, no_data, ok, ok));
  EXPECT_EQ(frame.z_mm(0, 2), -1.0 + 0.0005 * -300);
  EXPECT_EQ(frame.x.at(2), -0.5 + 0.02 * 2);
  EXPECT_EQ(frame.sensor_serial, "SN-1");
  EXPECT_EQ(frame.frame_id, "000017");
  EXPECT_EQ(frame.job, "board-a");
  EXPECT_EQ(frame.job_hash, "5f3c");
  EXPECT_EQ(frame.captured.ns, 1'700'000'000'000'000'000);
  EXPECT_EQ(frame.captured.clock, ClockDomain::utc);
  EXPECT_EQ(frame.source, "a_z.tif");
  EXPECT_FALSE(frame.mirrored);
}

TEST_F(ReadFrame, ByTheNameOfItsHeightFile) {
  write_tiny_frame(folder.path(), "a");
  EXPECT_EQ(read("a_z.tif").content_sha256, read("a.json").content_sha256);
  write_png<std::uint16_t>(folder.path() / "b.png", 1, 2, {5, 6});
  FrameSidecar s = make_sidecar("b.png");
  s.invalid.value = 0;
  folder.write("b.json", write_sidecar(s));
  EXPECT_EQ(read("b.png").source, "b.png");
}

TEST_F(ReadFrame, UnsignedSamplesBecomeWiderCountsAndFloatsStay) {
  write_png<std::uint16_t>(folder.path() / "a.png", 1, 3, {0, 1, 65535});
  FrameSidecar s = make_sidecar("a.png");
  s.invalid.value = 0;
  put_sidecar(s);
  HeightFrame frame = read("a.json");
  EXPECT_THAT(std::get<std::vector<std::int32_t>>(frame.counts), ElementsAre(0, 1, 65535));
  EXPECT_THAT(frame.classes,
              ElementsAre(no_data, ok, out_of_range));  // 65535 is 31.8 mm, the range ends at 20

  const float nan = std::numeric_limits<float>::quiet_NaN();
  write_tiff<float>(folder.path() / "a.tif", 1, 3, {1.5f, nan, 0.0f});
  s = make_sidecar("a.tif");
  s.invalid = {InvalidMark::Kind::nan, 0};
  put_sidecar(s);
  frame = read("a.json");
  EXPECT_EQ(std::get<std::vector<float>>(frame.counts)[0], 1.5f);
  EXPECT_THAT(frame.classes, ElementsAre(ok, no_data, ok));
  s.invalid = {InvalidMark::Kind::value, 0};
  write_tiff<float>(folder.path() / "a.tif", 1, 3, {1.5f, 2.0f, 0.0f});
  put_sidecar(s);
  EXPECT_THAT(read("a.json").classes, ElementsAre(ok, ok, no_data));
}

TEST_F(ReadFrame, ALeftHandedSensorIsMirroredOnce) {
  write_tiny_frame(folder.path(), "a");
  FrameSidecar s = make_sidecar("a_z.tif");
  s.handedness = Handedness::left;
  put_sidecar(s);
  refuse("a.json",
         "a_z.tif: is left-handed, but the profile of 'SN-1' says right; correct the one that is wrong");
  profile.handedness = Handedness::left;
  const HeightFrame frame = read("a.json");
  EXPECT_TRUE(frame.mirrored);
  EXPECT_THAT(std::get<std::vector<std::int16_t>>(frame.counts),
              ElementsAre(-300, 200, 100, 32767, 0, INT16_MIN));
  EXPECT_EQ(frame.class_at(1, 2), no_data);
  // column 2 of the delivery, at -0.5 + 2 * 0.02 mm, is column 0 now
  EXPECT_EQ(frame.x.at(0), 0.5 - 2 * 0.02);
}

TEST_F(ReadFrame, HashesAreOverTheDeliveredBytesAndCheckedWhereGiven) {
  write_tiny_frame(folder.path(), "a");
  write_png<std::uint8_t>(folder.path() / "a_i.png", 2, 3, {1, 2, 3, 4, 5, 255});
  const std::string heights = read_file(folder.path() / "a_z.tif"),
                    grey = read_file(folder.path() / "a_i.png");
  FrameSidecar s = make_sidecar("a_z.tif");
  s.height_sha256 = sha256_hex({bytes_of(heights)});
  put_sidecar(s);
  EXPECT_EQ(read("a.json").content_sha256, identity_of(HashScheme::tree, {bytes_of(heights)}, 1));
  const auto plain = [&] {
    return read_frame(folder.path() / "a.json", with_scheme(profile, HashScheme::sha256)).content_sha256;
  };
  EXPECT_EQ(plain(), s.height_sha256);
  s.intensity_file = "a_i.png";
  s.intensity_sha256 = sha256_hex({bytes_of(grey)});
  put_sidecar(s);
  const HeightFrame frame = read("a.json");
  EXPECT_EQ(frame.content_sha256, identity_of(HashScheme::tree, {bytes_of(heights), bytes_of(grey), {}}, 1));
  EXPECT_EQ(plain(), sha256_hex({bytes_of(heights + grey)}));
  EXPECT_THAT(frame.intensity->grey, ElementsAre(1, 2, 3, 4, 5, 255));
  EXPECT_EQ(frame.intensity->bits, 8);
  folder.write("a_i.png", grey + "x");
  refuse("a.json",
         "a_i.png: its SHA-256 differs from the sidecar's; it is truncated, damaged or another file");
}

// FIPS 180-2, appendix B.1
TEST(Sha256, OfAbcIsThePublishedOne) {
  const std::string a = "a", bc = "bc";
  EXPECT_EQ(sha256_hex({bytes_of(a), bytes_of(bc)}),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_F(ReadFrame, HeightsThatContradictTheirSidecarAreRefused) {
  write_tiff<std::int16_t>(folder.path() / "a.tif", 1, 2, {1, 2});
  FrameSidecar s = make_sidecar("a.tif");
  s.invalid = {InvalidMark::Kind::nan, 0};
  put_sidecar(s);
  refuse(
      "a.json",
      "a.tif: has whole numbers, but invalid_value is \"nan\"; give the number that marks an invalid pixel");
  s.invalid = {InvalidMark::Kind::value, 65535};
  put_sidecar(s);
  refuse("a.json", "a.tif: invalid_value 65535 can't occur in samples of -32768 to 32767");
  write_tiff<std::uint16_t>(folder.path() / "a.tif", 1, 2, {1, 2});
  s.invalid.value = -32768;
  put_sidecar(s);
  refuse("a.json", "a.tif: invalid_value -32768 can't occur in samples of 0 to 65535");
  write_tiff<std::uint8_t>(folder.path() / "a.tif", 1, 2, {1, 2});
  refuse("a.json", "a.tif: heights of 8 bits; deliver 16-bit integers or 32-bit floats");
}

TEST_F(ReadFrame, FloatsThatAreNoHeightsAreRefused) {
  const float inf = std::numeric_limits<float>::infinity();
  write_tiff<float>(folder.path() / "a.tif", 2, 2, {1, 2, 3, inf});
  FrameSidecar s = make_sidecar("a.tif");
  s.invalid = {InvalidMark::Kind::nan, 0};
  put_sidecar(s);
  refuse("a.json",
         "a.tif: row 1, column 1 is infinite; mark invalid pixels by NaN and say \"invalid_value\": \"nan\"");
  write_tiff<float>(folder.path() / "a.tif", 2, 2, {1, 2, inf - inf, 1});
  s.invalid = {InvalidMark::Kind::none, 0};
  put_sidecar(s);
  refuse("a.json",
         "a.tif: row 1, column 0 is NaN; mark invalid pixels by NaN and say \"invalid_value\": \"nan\"");
}

TEST_F(ReadFrame, IntensityOfAnotherKindOrSizeIsRefused) {
  write_tiny_frame(folder.path(), "a");
  FrameSidecar s = make_sidecar("a_z.tif");
  s.intensity_file = "a_i.tif";
  put_sidecar(s);
  write_tiff<float>(folder.path() / "a_i.tif", 2, 3, std::vector<float>(6));
  refuse("a.json", "a_i.tif: an intensity image has unsigned samples of 8 or 16 bits");
  write_tiff<std::uint16_t>(folder.path() / "a_i.tif", 3, 2, std::vector<std::uint16_t>(6));
  refuse("a.json", "a_z.tif: the intensity image has 3 x 2 pixels, the height map 2 x 3");
}

TEST_F(ReadFrame, WhatIsNotThereOrNotAFrameIsRefused) {
  put_sidecar(make_sidecar("a_z.tif"));
  refuse("a.json", "a_z.tif: is not beside its sidecar a.json; deliver the sidecar last");
  put_sidecar(make_sidecar("a_z.bmp"));
  folder.write("a_z.bmp", "x");
  refuse("a.json", "a_z.bmp: a sidecar's images are .tif, .tiff or .png");
  refuse("b.json", (folder.path() / "b.json").string() + ": can't be opened: No such file or directory");
  refuse("a.bmp",
         "a.bmp: is no known format; .json (sidecar), .tif, .tiff, .png, .pcd, .ply, .x3p, ENVI, .ptr, .csv "
         "or .gdp is read");
  folder.write("b_z.tif", "");
  refuse("b_z.tif", "b_z.tif: has no sidecar beside it; it needs b.json");
  write_tiny_frame(folder.path(), "c");
  folder.write("d.json", read_file(folder.path() / "c.json"));
  folder.write("d.tif", "");
  refuse("d.tif", "d.tif: d.json names another height file: c_z.tif");
  std::filesystem::create_directory(folder.path() / "e.json");
  refuse("e.json", (folder.path() / "e.json").string() + ": is not a regular file");
  ASSERT_EQ(::mkfifo((folder.path() / "f.json").c_str(), 0600), 0);  // must not block for a writer
  refuse("f.json", (folder.path() / "f.json").string() + ": is not a regular file");
  folder.write("g.json", std::string(70000, ' '));
  refuse("g.json", (folder.path() / "g.json").string() +
                       ": has 70000 bytes, more than the 65536 that such a file may have");
}

// A delivery's files are checked before they are read: a replacement in between is not followed.
TEST_F(ReadFrame, ALinkInThePlaceOfAFileIsNotFollowed) {
  write_tiny_frame(folder.path(), "a");
  folder.write("board.ptr", tiny_ptr());
  std::filesystem::create_symlink(folder.path() / "board.ptr", folder.path() / "link.ptr");
  refuse("link.ptr", (folder.path() / "link.ptr").string() + ": is a link; deliver the file itself");
  EXPECT_EQ(link_followed(folder.path() / "link.ptr"),
            std::filesystem::canonical(folder.path() / "board.ptr"));
  EXPECT_EQ(link_followed("no/such.ptr"), "no/such.ptr");
  std::filesystem::rename(folder.path() / "a_z.tif", folder.path() / "elsewhere.tif");
  std::filesystem::create_symlink(folder.path() / "elsewhere.tif", folder.path() / "a_z.tif");
  refuse("a.json", (folder.path() / "a_z.tif").string() + ": is a link; deliver the file itself");
  std::filesystem::create_symlink(folder.path() / "a.json", folder.path() / "b.json");
  refuse("b.json", (folder.path() / "b.json").string() + ": is a link; deliver the file itself");
}

TEST_F(ReadFrame, AnotherSensorOrAProfileWithoutRangeIsRefused) {
  write_tiny_frame(folder.path(), "a");
  profile.serial = "SN-2";
  refuse("a.json",
         "a_z.tif: comes from sensor 'SN-1', but the profile is of 'SN-2'; use that sensor's profile");
  profile = make_profile();
  profile.z_max_mm = profile.z_min_mm;
  refuse("a.json", "a_z.tif: the profile of 'SN-1' has no measuring range (z -20 to -20 mm)");
}

TEST_F(ReadFrame, PemtronWithItsOwnMarks) {
  folder.write("board.ptr", tiny_ptr());
  const HeightFrame frame = read("board.ptr");
  EXPECT_THAT(std::get<std::vector<float>>(frame.counts), ElementsAre(-100.0f, -4000.0f, 0.0f, 12.5f));
  EXPECT_THAT(frame.classes, ElementsAre(ok, sentinel, zero_pad, ok));
  EXPECT_EQ(frame.z_mm(1, 1), 0.001 * 12.5);
  EXPECT_EQ(frame.x.at(1), 0.12);
  EXPECT_EQ(frame.y.at(1), 0.12);
  EXPECT_EQ(frame.frame_id, "board");
  EXPECT_EQ(frame.sensor_serial, "SN-1");
  EXPECT_EQ(frame.captured.clock, ClockDomain::unknown);
  profile.z_max_mm = 0.01;
  EXPECT_THAT(read("board.ptr").classes, ElementsAre(ok, sentinel, zero_pad, out_of_range));
}

TEST_F(ReadFrame, PemtronThatIsDamagedIsRefused) {
  const std::string good = tiny_ptr();
  const auto spoilt = [&](std::size_t at, const std::string& bytes) {
    return std::string(good).replace(at, 4, bytes);
  };
  folder.write("b.ptr", good.substr(0, 31));
  refuse("b.ptr", "b.ptr: 31 bytes; a .ptr file has a header of 32");
  folder.write("b.ptr", good.substr(0, good.size() - 1));
  refuse("b.ptr", "b.ptr: 47 bytes; 2 rows x 2 columns need exactly 48");
  folder.write("b.ptr", good + "x");
  refuse("b.ptr", "b.ptr: 49 bytes; 2 rows x 2 columns need exactly 48");
  folder.write("b.ptr", spoilt(0, "\xff\xff\xff\xff"));
  refuse("b.ptr", "b.ptr: 4294967295 rows x 2 columns; at most 2^20 each and 2^28 together are read");
  folder.write("b.ptr", spoilt(4, std::string(4, '\0')));
  refuse("b.ptr", "b.ptr: the image is empty (2 x 0)");
  folder.write("b.ptr", spoilt(16, std::string("\x10\0\0\0", 4)));
  refuse("b.ptr", "b.ptr: header byte 16 starts 16, not 32; this is another layout");
  folder.write("b.ptr", spoilt(44, std::string("\0\0\x80\x7f", 4)));
  refuse("b.ptr", "b.ptr: row 1, column 1 is not finite; the file is damaged");
  profile.pixel_pitch_mm.reset();
  folder.write("b.ptr", good);
  refuse("b.ptr", "b.ptr: a .ptr file does not say its pixel pitch; give it in the sensor profile");
}

}  // namespace
}  // namespace datum
