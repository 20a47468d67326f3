// datumd-frames(7) is executed: each sidecar that it shows stands beside a file of its format, and the frame is read.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "drivers/frame/frame_error.h"
#include "drivers/sensor/sidecar_table.h"
#include "tests/drivers/sensor/other_formats.h"
#include "tests/sample_file.h"

namespace datum {
namespace frames_page_test {

using namespace datum::testing;
using ::testing::HasSubstr;

std::string page() {
  std::string text = slurp(std::filesystem::path(DATUM_SOURCE_DIR) / "systemd/datumd-frames.7.in");
  text = std::regex_replace(text, std::regex(R"(\\-)"), "-");
  return std::regex_replace(text, std::regex(R"(\\\(aq)"), "'");
}

/// The sidecars of EXAMPLES.
std::vector<std::string> examples() {
  const std::string text = page();
  const std::regex block(R"(\n\.nf\n(\{[^]*?\})\n\.fi)");
  std::vector<std::string> found;
  for (std::sregex_iterator i(text.begin(), text.end(), block), end; i != end; ++i) found.push_back((*i)[1]);
  return found;
}

/// The 2 x 3 frame of other_formats.h in the file that an example names.
void write_heights(const FreshFolder& folder, const FrameSidecar& s) {
  const std::string name = s.height_file;
  const std::filesystem::path path = folder.path() / name;
  std::string floats;
  for (const float z : heights_mm) floats += stored(z);
  if (name == "a_z.tif") write_tiff<std::int16_t>(path, 2, 3, {200, 400, -600, -32768, 0, 2500});
  if (name == "b.png") write_png<std::uint16_t>(path, 2, 3, {32200, 32400, 31400, 0, 32000, 34500});
  if (name == "c.tif") write_tiff<float>(path, 2, 3, {heights_mm, heights_mm + 6});
  if (name == "d.img") {
    write_file(path, floats);
    write_file(folder.path() / "d.hdr",
               "ENVI\nsamples = 3\nlines = 2\nbands = 1\ndata type = 4\nbyte order = 0\n");
  }
  if (name == "e.pcd") {
    std::string cloud =
        "VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 3\nHEIGHT 2\nVIEWPOINT 0 0 0 "
        "1 0 0 0\n"
        "POINTS 6\nDATA binary\n";
    for (int i = 0; i < 6; ++i)
      cloud += stored(0.02f * static_cast<float>(i % 3)) + stored(0.02f * static_cast<float>(i / 3)) +
               stored(heights_mm[i]);
    write_file(path, cloud);
  }
  if (name == "f.x3p")
    write_file(path, slurp(std::filesystem::path(DATUM_SOURCE_DIR) / "tests/data/x3p/good.x3p"));
  if (s.intensity_file) write_png<std::uint8_t>(folder.path() / *s.intensity_file, 2, 3, {1, 2, 3, 4, 5, 6});
}

void replace_sum(std::string& sidecar, const std::string& sum, const std::filesystem::path& file) {
  if (sum.empty()) return;
  const std::string bytes = slurp(file);
  sidecar.replace(sidecar.find(sum), sum.size(), sha256_hex({bytes_of(bytes)}));
}

TEST(FramesPage, ShowsASidecarOfEachFormatThatIsReadAsItSays) {
  std::set<std::string> formats;
  for (std::string text : examples()) {
    const FreshFolder folder;
    const FrameSidecar s = parse_sidecar(bytes_of(text), "example.json");
    formats.insert(height_format_of(s.height_file)->name);
    write_heights(folder, s);
    if (!s.height_sha256.empty()) {
      folder.write("a.json", text);
      EXPECT_THROW(read_frame(folder.path() / "a.json", make_profile()), FrameError) << "another file's hash";
    }
    replace_sum(text, s.height_sha256, folder.path() / s.height_file);
    if (s.intensity_file) replace_sum(text, s.intensity_sha256, folder.path() / *s.intensity_file);
    folder.write("a.json", text);
    SensorProfile profile = make_profile();
    const HeightFrame frame = read_frame(folder.path() / "a.json", profile);
    ASSERT_EQ(frame.size(), 6u) << text;
    EXPECT_EQ(frame.class_at(1, 0), PixelClass::no_data) << text;
    EXPECT_EQ(frame.count_of(PixelClass::ok), 5u) << text;
    for (int i = 0; i < 6; ++i) {
      if (i == 3) continue;
      EXPECT_NEAR(frame.z_mm(i / 3, i % 3), heights_mm[i], 1e-6) << text << i;
    }
    EXPECT_NEAR(frame.x.scale_mm, 0.02, 1e-12) << text;
  }
  EXPECT_EQ(formats.size(), 5u) << "TIFF, PNG, ENVI, PCD, X3P";
}

/// The path of an array's element without its index.
std::string of_array(const std::string& path) {
  const auto point = path.rfind('.');
  return point != std::string::npos && path.find_last_not_of("0123456789") == point ? path.substr(0, point)
                                                                                    : path;
}

TEST(FramesPage, ShowsEveryKeyThatASidecarMayHave) {
  std::set<std::string> shown, known;
  for (const std::string& text : examples()) {
    const nlohmann::json flat = nlohmann::json::parse(text).flatten();
    for (const auto& [key, value] : flat.items()) {
      std::string path = key.substr(1);
      std::replace(path.begin(), path.end(), '/', '.');
      shown.insert(of_array(path));
    }
  }
  for (const SidecarRow& row : sidecar_rows())
    if (row.allowed != std::string("an object") && row.key != std::string("sha256.header"))
      known.insert(row.key);
  EXPECT_EQ(shown, known);
}

// Each row of the table is a key of the parser, and the parser knows no other.
TEST(SidecarTable, IsWhatTheParserKnows) {
  const auto refusal = [](const nlohmann::json& root) -> std::string {
    const std::string text = root.dump();
    try {
      parse_sidecar(bytes_of(text), "a");
      return "";
    } catch (const FrameError& error) {
      return error.what();
    }
  };
  nlohmann::json whole = nlohmann::json::parse(write_sidecar(make_sidecar("a.img")));
  whole["header_file"] = "a.hdr";
  whole["intensity_file"] = "a.png";
  whole["unit_id"] = "SN-7";
  whole["panel"] = {{"serials", {"A", ""}}, {"bad", {"1-2"}}};
  whole["sha256"] = {{"height", std::string(64, 'a')},
                     {"intensity", std::string(64, 'b')},
                     {"header", std::string(64, 'c')}};
  ASSERT_EQ(refusal(whole), "");
  std::set<std::string> rows;
  for (const SidecarRow& row : sidecar_rows()) {
    rows.insert(row.key);
    std::string path = std::string("/") + row.key;
    std::replace(path.begin() + 1, path.end(), '.', '/');
    const nlohmann::json::json_pointer at(path);
    ASSERT_TRUE(whole.contains(at)) << row.key;
    nlohmann::json without = whole;
    (at.parent_pointer().empty() ? without : without[at.parent_pointer()]).erase(at.back());
    // Of a hash's file the key is another one's; ENVI's header is needed by this file alone.
    if (row.key == std::string("intensity_file")) without["sha256"].erase("intensity");
    const bool is_needed = row.needed || row.key == std::string("header_file");
    EXPECT_EQ(refusal(without).empty(), !is_needed) << row.key << ": " << refusal(without);
    if (is_needed) {
      EXPECT_THAT(refusal(without), HasSubstr(std::string(row.key) + ": is missing"));
    }
  }
  const nlohmann::json flat = whole.flatten();
  for (const auto& [key, value] : flat.items()) {
    std::string name = key.substr(1);
    std::replace(name.begin(), name.end(), '/', '.');
    EXPECT_TRUE(rows.count(of_array(name))) << name;
  }
}

}  // namespace frames_page_test
}  // namespace datum
