// tests/data/bad/frames: every file is refused with its line of expected.txt, which starts with the name of
// the file or of the faulty height file.
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "drivers/frame/frame_error.h"
#include "drivers/sensor/read_frame.h"
#include "tests/drivers/sensor/tiny_files.h"
#include "tests/fresh_folder.h"

namespace datum {
namespace {

using namespace datum::testing;
namespace fs = std::filesystem;

const fs::path bad = fs::path(DATUM_SOURCE_DIR) / "tests/data/bad/frames";
const fs::path good = fs::path(DATUM_SOURCE_DIR) / "tests/data/frames";

// "FILE<tab>MESSAGE" a line
std::map<std::string, std::string> expected_messages() {
  std::map<std::string, std::string> messages;
  std::ifstream in(bad / "expected.txt");
  for (std::string line; std::getline(in, line);) {
    const std::size_t tab = line.find('\t');
    messages[line.substr(0, tab)] = tab == std::string::npos ? "" : line.substr(tab + 1);
  }
  return messages;
}

// The sidecars name heights.tif: 2 x 3 signed 16-bit samples.
std::string refusal_of(const fs::path& file) {
  const FreshFolder folder;
  fs::copy(file, folder.path() / file.filename());
  for (const char* name : {"heights.tif", "heights.bmp"}) {
    write_tiff<std::int16_t>(folder.path() / name, 2, 3, {100, 200, -300, INT16_MIN, 0, 32767});
  }
  try {
    read_frame(folder.path() / file.filename(), make_profile());
  } catch (const FrameError& e) {
    return e.what();
  }
  return "accepted";
}

TEST(BadFrames, EachIsRefusedWithItsMessage) {
  const auto messages = expected_messages();
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(bad)) {
    const std::string name = entry.path().filename().string();
    if (name == "expected.txt") continue;
    ++files;
    ASSERT_TRUE(messages.count(name)) << name << " has no line in expected.txt";
    EXPECT_EQ(refusal_of(entry.path()), messages.at(name)) << name;
  }
  EXPECT_EQ(files, messages.size()) << "expected.txt names files that are not there";
  EXPECT_GE(files, 40u);
}

// The bad ones differ from these by one fault.
TEST(BadFrames, TheirGoodOriginalsAreAccepted) {
  EXPECT_EQ(refusal_of(good / "sidecar.json"), "accepted");
  EXPECT_EQ(refusal_of(good / "snapshot.csv"), "accepted");
}

}  // namespace
}  // namespace datum
