// datumctl frame describe: what it says of a file, all faults of a sidecar at once, and the sidecar that it writes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "daemon/ctl/command_line.h"
#include "daemon/ctl/exit_status.h"
#include "daemon/ctl/frame_description.h"
#include "drivers/frame/frame_error.h"
#include "drivers/sensor/read_frame.h"
#include "tests/drivers/sensor/tiny_files.h"
#include "tests/fresh_folder.h"

namespace datum {
namespace frame_test {

using namespace datum::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

std::string value_of(const FrameDescription& d, const std::string& name) {
  for (const auto& [key, value] : d.rows)
    if (key == name) return value;
  return "";
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// 20 pixels, 2 of them the mark -32768.
std::filesystem::path write_integers(const FreshFolder& folder) {
  std::vector<std::int16_t> samples(20, 100);
  samples[3] = samples[7] = -32768;
  samples[5] = 900;
  write_tiff<std::int16_t>(folder / "a.tif", 4, 5, samples);
  return folder / "a.tif";
}

SidecarAnswers of_integers() {
  SidecarAnswers a;
  a.serial = "SN-1";
  a.handedness = "right";
  a.z_unit = "um";
  a.z_scale = 0.5;
  a.invalid = "-32768";
  a.pixel_mm = {0.02};
  return a;
}

TEST(FrameDescribe, SaysWhatAFileIsAndEveryKeyThatItsSidecarNeeds) {
  const FreshFolder folder;
  const FrameDescription d = describe_frame(write_integers(folder), std::nullopt);
  EXPECT_EQ(value_of(d, "format"), "TIFF");
  EXPECT_EQ(value_of(d, "size"), "4 rows, 5 columns");
  EXPECT_THAT(value_of(d, "samples"), StartsWith("16-bit integers, -32768 to 900"));
  EXPECT_THAT(value_of(d, "samples"),
              HasSubstr("10.0 % are -32768, the lowest: a mark of pixels without a height?"));
  EXPECT_THAT(value_of(d, "sha256"), SizeIs(64));
  EXPECT_EQ(value_of(d, "sidecar"), "a.json, which is missing");
  for (const char* key :
       {"schema_version", "sensor_serial", "frame_id", "capture_time.ns", "capture_time.clock", "x.scale",
        "x.offset", "x.unit", "y.scale", "z.scale", "z.unit", "invalid_value", "handedness"})
    EXPECT_THAT(d.faults, ::testing::Contains(StartsWith(std::string(key) + ": is missing; "))) << key;
  EXPECT_EQ(d.faults.size(), 16u) << "nothing of what may be left out";
}

TEST(FrameDescribe, NamesEveryFaultOfASidecarAtOnceTheTyposFirst) {
  std::string text = write_sidecar(make_sidecar("a.tif"));
  EXPECT_THAT(sidecar_faults(text, "a.json"), IsEmpty());
  nlohmann::json root = nlohmann::json::parse(text);
  root["x"]["scal"] = root["x"]["scale"];
  root["x"].erase("scale");
  root["y"].erase("unit");
  root["z"]["unit"] = "furlong";
  root["handednes"] = "right";
  root.erase("handedness");
  root["colour"] = "green";
  root.erase("frame_id");
  root["capture_time"]["clock"] = "wall";
  const std::vector<std::string> faults = sidecar_faults(root.dump(), "a.json");
  EXPECT_THAT(
      faults,
      ElementsAre("\"colour\": is not known", "\"handednes\": is not known (did you mean 'handedness'?)",
                  "\"x.scal\": is not known (did you mean 'scale'?)", StartsWith("frame_id: is missing; "),
                  StartsWith("capture_time.clock: 'wall' is not known; one of: "),
                  StartsWith("y.unit: is missing; \"m\", \"mm\""),
                  StartsWith("z.unit: 'furlong' is not known; one of: ")))
      << "a misspelt key is not missing as well";
}

TEST(FrameDescribe, AWrongNameOfTheHeightsIsTheOnlyFaultBesideTheirHeader) {
  nlohmann::json root = nlohmann::json::parse(write_sidecar(make_sidecar("a.img")));
  root["header_file"] = "a.hdr";
  ASSERT_THAT(sidecar_faults(root.dump(), "a.json"), IsEmpty());
  root["height_file"] = "~/a.img";
  EXPECT_THAT(sidecar_faults(root.dump(), "a.json"),
              ElementsAre(StartsWith("height_file: '~/a.img' is not a plain")));
}

TEST(FrameDescribe, SaysOfATextThatIsNoSidecarWhy) {
  EXPECT_THAT(sidecar_faults("{", "a.json"), ElementsAre(HasSubstr("is not JSON")));
  EXPECT_THAT(sidecar_faults("{\"x\": 0,05} // mine", "a.json"),
              ElementsAre(::testing::EndsWith("no comments and no comma behind the last value")));
  EXPECT_THAT(sidecar_faults("[]", "a.json"), ElementsAre(HasSubstr("is not a JSON object")));
  EXPECT_THAT(sidecar_faults(R"({"x": 1, "x": 2})", "a.json"), ElementsAre(HasSubstr("is given twice")));
  EXPECT_THAT(sidecar_faults(R"({"x": 7, "y": [], "sha256": {"height": 5}})", "a.json"),
              ::testing::Contains(HasSubstr("sha256.height: is of type number")));
}

TEST(FrameDescribe, WritesASidecarByWhichTheFrameIsRead) {
  const FreshFolder folder;
  const auto sidecar = write_sidecar_beside(write_integers(folder), std::nullopt, of_integers());
  EXPECT_EQ(sidecar, folder / "a.json");
  const HeightFrame frame = read_frame(sidecar, make_profile());
  EXPECT_EQ(frame.count_of(PixelClass::no_data), 2u);
  EXPECT_DOUBLE_EQ(frame.z_mm(1, 0), 0.45);
  EXPECT_DOUBLE_EQ(frame.x.scale_mm, 0.02);
  EXPECT_EQ(frame.frame_id, "a");
  const FrameDescription d = describe_frame(folder / "a.tif", make_profile());
  EXPECT_TRUE(d.is_readable());
  EXPECT_EQ(value_of(d, "sensor"), "SN-1, as the profile says");
  EXPECT_EQ(value_of(d, "heights"), "0.05 to 0.45 mm; 90.00 % of 20 pixels, 10.00 % NO_DATA");
}

TEST(FrameDescribe, NeverOverwritesASidecar) {
  const FreshFolder folder;
  const auto file = write_integers(folder);
  folder.write("a.json", "mine");
  EXPECT_THROW(write_sidecar_beside(file, std::nullopt, of_integers()), std::runtime_error);
  EXPECT_EQ(text_of(folder / "a.json"), "mine");
}

TEST(FrameDescribe, NamesAllThatAnOperatorHasToState) {
  const FreshFolder folder;
  try {
    write_sidecar_beside(write_integers(folder), std::nullopt, {});
    FAIL();
  } catch (const FrameError& error) {
    for (const char* option : {"--serial", "--handedness", "--pixel-mm", "--z-unit", "--invalid"})
      EXPECT_THAT(error.what(), HasSubstr(std::string("\n  ") + option));
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "a.json"));
  SidecarAnswers a = of_integers();
  a.z_scale.reset();
  EXPECT_THROW(write_sidecar_beside(folder / "a.tif", std::nullopt, a), FrameError)
      << "a count has no height of its own";
  a = of_integers();
  a.invalid = "-32768.5";
  EXPECT_THROW(write_sidecar_beside(folder / "a.tif", std::nullopt, a), FrameError);
  a.invalid = "70000";
  EXPECT_THROW(write_sidecar_beside(folder / "a.tif", std::nullopt, a), FrameError)
      << "it can't occur in 16 bits";
  EXPECT_FALSE(std::filesystem::exists(folder / "a.json"))
      << "a sidecar that datumd refuses is not left there";
}

TEST(FrameDescribe, TakesTheGridOfACloudAndTheHeaderOfEnviFromTheirFiles) {
  const FreshFolder folder;
  std::string cloud =
      "VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 3\nHEIGHT 2\n"
      "VIEWPOINT 0 0 0 1 0 0 0\nPOINTS 6\nDATA ascii\n";
  for (int i = 0; i < 6; ++i)
    cloud += std::to_string(20 * (i % 3) - 500) + " " + std::to_string(20 * (i / 3)) + " 750\n";
  SidecarAnswers a;
  a.serial = "SN-1";
  a.handedness = "right";
  a.z_unit = "um";
  const auto sidecar = write_sidecar_beside(folder.write("c.pcd", cloud), std::nullopt, a);
  const HeightFrame frame = read_frame(sidecar, make_profile());
  EXPECT_DOUBLE_EQ(frame.x.at(2), -0.46);
  EXPECT_DOUBLE_EQ(frame.y.at(1), 0.02);
  EXPECT_DOUBLE_EQ(frame.z_mm(0, 0), 0.75);

  folder.write("d.img", std::string(24, '\0'));
  EXPECT_THROW(describe_frame(folder / "d.img", std::nullopt), FrameError) << "no header beside it";
  folder.write("d.hdr", "ENVI\nsamples = 3\nlines = 2\nbands = 1\ndata type = 4\nbyte order = 0\n");
  EXPECT_THAT(describe_frame(folder / "d.img", std::nullopt).faults,
              ::testing::Contains(StartsWith("header_file: ")));
  a.pixel_mm = {0.02, 0.04};
  const HeightFrame envi =
      read_frame(write_sidecar_beside(folder / "d.img", std::nullopt, a), make_profile());
  EXPECT_DOUBLE_EQ(envi.y.scale_mm, 0.04);
}

TEST(FrameDescribe, ComparesWithTheProfileAndSaysWhatDatumdSays) {
  const FreshFolder folder;
  write_sidecar_beside(write_integers(folder), std::nullopt, of_integers());
  SensorProfile other = make_profile();
  other.serial = "SN-2";
  EXPECT_THAT(describe_frame(folder / "a.json", other).faults,
              ElementsAre(HasSubstr("comes from sensor 'SN-1', but the profile is of 'SN-2'")));
  EXPECT_THROW(describe_frame(folder / "a.bmp", std::nullopt), FrameError);
  folder.write("p.ptr", tiny_ptr());
  EXPECT_THAT(describe_frame(folder / "p.ptr", std::nullopt).faults,
              ElementsAre(StartsWith("--sensor PROFILE")));
}

TEST(FrameDescribe, EndsByWhetherDatumdReadsTheFile) {
  const FreshFolder folder;
  const std::string file = write_integers(folder).string();
  const auto run = [](std::vector<const char*> words) {
    words.insert(words.begin(), {"datumctl", "frame", "describe"});
    CommandLine line;
    return line.run(static_cast<int>(words.size()), words.data());
  };
  EXPECT_EQ(run({file.c_str()}), failed);
  EXPECT_EQ(run({file.c_str(), "--serial", "S"}), usage) << "without --write nothing is said about it";
  EXPECT_EQ(run({file.c_str(), "--write", "--serial", "SN-1", "--handedness", "right", "--z-unit", "um",
                 "--z-scale", "0.5", "--invalid", "-32768", "--pixel-mm", "0.02"}),
            good);
  EXPECT_EQ(run({file.c_str()}), good);
  EXPECT_EQ(run({file.c_str(), "--write", "--serial", "SN-1", "--handedness", "right", "--z-unit", "um",
                 "--z-scale", "0.5", "--invalid", "-32768", "--pixel-mm", "0.02"}),
            not_written);
}

}  // namespace frame_test
}  // namespace datum
