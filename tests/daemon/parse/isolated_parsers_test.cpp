// The product's datumd-parse: the same frames, models, documents and refusals as in this process, bit for bit; and damaged
// files by the thousand, none of which ends it.
#include "daemon/parse/isolated_parsers.h"

#include <algorithm>
#include <cstdlib>
#include <random>

#include "config/toml_reader.h"
#include "daemon/parse/flat_toml.h"
#include "daemon/parse/kept_samples.h"
#include "drivers/sensor/gocator_csv.h"
#include "drivers/sensor/height_file.h"
#include "tests/damaged_bytes.h"
#include "tests/drivers/sensor/other_formats.h"
#include "tests/sample_file.h"

namespace datum {
namespace {

using namespace datum::testing;
using ::testing::HasSubstr;
namespace fs = std::filesystem;

constexpr std::uint64_t most_pixels = 1'000'000;

const std::string one_facet =
    "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1.5 0 0\nvertex 0 2.25 0\nendloop\n"
    "endfacet\nendsolid a\n";

const std::string tiny_csv =
    "Info\nCSV Version,Sensor Count,XResolution,YResolution,ZResolution\n2,1,0.30000,0.20000,0.00300\nEnd\n\n"
    "DeviceInfo\nID,Model,Transform X\n40959,313109A,0.14133\nEnd\n\n"
    "Part\nFrame,Time,Row Count,Column Count,X Offset,Y Offset,Z Offset\n"
    "12,544820424776,2,3,-0.30000,5.00000,1.69400\n"
    "Y\\X,-0.30000,0.00000,0.30000\n5.00000,1.69400,,1.69700\n5.20000,-1.30600,31.69400,1.69100\nEnd\n";

class IsolatedTest : public ::testing::Test {
 protected:
  IsolatedTest() {
    settings_.on_end = [this](const ParseOrder&, const ByteParts&, const std::string& why) {
      ends.push_back(why);
    };
    link.emplace(settings_);
    link->start();
  }

  static std::string refusal(const std::function<void()>& read) {
    try {
      read();
    } catch (const std::exception& error) {
      return error.what();
    }
    return "accepted";
  }

  FreshFolder folder;
  std::vector<std::string> ends;
  std::optional<ParserClient> link;

 private:
  ParserClientSettings settings_ = frame_parse_settings(most_pixels);
};

TEST_F(IsolatedTest, ImagesAreTheSameBitForBit) {
  const IsolatedFrames apart(*link);
  const auto compare = [&](const std::string& name) {
    const std::string bytes = read_file(folder.path() / name);
    const Raster here = read_image(bytes_of(bytes), name, most_pixels);
    const Raster there = apart.image(bytes_of(bytes), name, most_pixels, [] {});
    EXPECT_EQ(there.rows, here.rows);
    EXPECT_EQ(there.cols, here.cols);
    EXPECT_TRUE(there.samples == here.samples) << name;
    const std::string torn = bytes.substr(0, bytes.size() - 3);
    EXPECT_EQ(refusal([&] { apart.image(bytes_of(torn), name, most_pixels, [] {}); }),
              refusal([&] { read_image(bytes_of(torn), name, most_pixels); }));
    EXPECT_EQ(refusal([&] { apart.image(bytes_of(bytes), name, 5, [] {}); }),
              refusal([&] { read_image(bytes_of(bytes), name, 5); }));
  };
  const fs::path& in = folder.path();
  write_tiff<std::uint8_t>(in / "a.tif", 2, 3, {0, 1, 2, 3, 4, 255});
  write_tiff<std::uint16_t>(in / "b.tif", 2, 3, {0, 1, 2, 3, 4, 65535});
  write_tiff<std::int16_t>(in / "c.tif", 2, 3, {0, 1, 2, 3, 4, -32768});
  write_tiff<std::int32_t>(in / "d.tif", 2, 3, {0, 1, 2, 3, 4, INT32_MIN});
  write_tiff<float>(in / "e.tif", 2, 3, {0, 1, 2, 3, -0.0f, 1e-40f});
  write_png<std::uint8_t>(in / "f.png", 2, 3, {0, 1, 2, 3, 4, 255});
  write_png<std::uint16_t>(in / "g.png", 2, 3, {0, 1, 2, 3, 4, 65535}, 0, true);
  for (const char* name : {"a.tif", "b.tif", "c.tif", "d.tif", "e.tif", "f.png", "g.png"}) compare(name);
  EXPECT_TRUE(ends.empty());
}

TEST_F(IsolatedTest, AFrameOfManyPixelsCrossesWhole) {
  constexpr int rows = 1000, cols = 1000;
  std::vector<std::int16_t> heights(std::size_t{rows} * cols);
  for (std::size_t i = 0; i < heights.size(); ++i) heights[i] = static_cast<std::int16_t>(i * 7919);
  write_tiff(folder.path() / "a.tif", rows, cols, heights);
  const Raster there =
      IsolatedFrames(*link).image(bytes_of(read_file(folder.path() / "a.tif")), "a.tif", most_pixels, [] {});
  EXPECT_TRUE(there.samples == Samples(heights));
}

TEST_F(IsolatedTest, CsvExportsAreTheSame) {
  const HeightFrame here = read_gocator_csv(bytes_of(tiny_csv), "a.csv");
  const HeightFrame there =
      IsolatedFrames(*link).gocator_csv(bytes_of(tiny_csv), "a.csv", most_pixels, [] {});
  EXPECT_TRUE(there.counts == here.counts);
  EXPECT_EQ(there.classes, here.classes);
  EXPECT_EQ(there.sensor_serial, here.sensor_serial);
  EXPECT_EQ(there.frame_id, here.frame_id);
  EXPECT_EQ(there.source, here.source);
  EXPECT_EQ(there.captured.ns, here.captured.ns);
  EXPECT_EQ(there.captured.clock, here.captured.clock);
  for (const auto axis : {&HeightFrame::x, &HeightFrame::y, &HeightFrame::z}) {
    EXPECT_EQ((there.*axis).scale_mm, (here.*axis).scale_mm);
    EXPECT_EQ((there.*axis).offset_mm, (here.*axis).offset_mm);
  }
  const std::string torn = tiny_csv.substr(0, tiny_csv.size() - 8);
  EXPECT_EQ(refusal([&] { IsolatedFrames(*link).gocator_csv(bytes_of(torn), "a.csv", most_pixels, [] {}); }),
            refusal([&] { read_gocator_csv(bytes_of(torn), "a.csv"); }));
}

TEST_F(IsolatedTest, ModelsAreTheSame) {
  const ModelFile here = model_from_bytes(one_facet, "a.stl", 25.4);
  const fs::path file = folder.write("a.stl", one_facet);
  const IsolatedModels apart(*link);
  const ModelFile there = read_model(folder.path(), "a.stl", 25.4, here.sha256, &apart);
  EXPECT_EQ(there.name, here.name);
  EXPECT_EQ(there.sha256, here.sha256);
  EXPECT_EQ(there.vertices_mm, here.vertices_mm);
  EXPECT_EQ(there.facets, here.facets);
  EXPECT_EQ(there.rounding_mm, here.rounding_mm);
  EXPECT_EQ(refusal([&] { apart.parse("solid a\n", "a.stl", 1); }),
            refusal([&] { model_from_bytes("solid a\n", "a.stl", 1); }));
}

TEST_F(IsolatedTest, DocumentsAndTheirRefusalsAreTheSame) {
  const IsolatedTexts apart(*link);
  const std::string text =
      "a = 1\nb = [1.5, -0.0, nan, 9007199254740993]\n[c.d]\ntext = \"\\u00e9\"\nflag = true\nday = "
      "2020-01-01\n"
      "[[e]]\nx = {y = 2}\n[[e]]\n";
  FlatWriter here, there;
  put_document(here, config::parse_toml(text, "a.toml"));
  put_document(there, apart.parse(text, "a.toml"));
  EXPECT_EQ(there.bytes(), here.bytes());
  for (const std::string& bad :
       {std::string("a = "), std::string("a = 1\na = 2"), std::string("a = \"\xff\""),
        std::string("\xc3\xa4 = 1"), "a" + std::string(40, '.') + "b = 1", std::string(70'000, 'x'),
        std::string(std::size_t{5} << 20, '\n')})
    EXPECT_EQ(refusal([&] { apart.parse(bad, "a.toml"); }),
              refusal([&] { config::parse_toml(bad, "a.toml"); }));
  const fs::path recipe = fs::path(DATUM_SOURCE_DIR) / "config/recipes/demo-board.toml";
  EXPECT_EQ(config::TomlTable::from_file(recipe, &apart).text("name"), "demo-board");
  EXPECT_TRUE(ends.empty());
}

TEST(KeptSamples, AreKeptOnceAndNotWithoutEnd) {
  const FreshFolder folder;
  const KeptSamples samples(folder / "failed");
  const fs::path kept = samples.keep("../../etc/a b.toml", bytes_of("x = 1"), "it ended");
  EXPECT_EQ(kept.parent_path(), folder / "failed");
  EXPECT_THAT(kept.filename().string(), HasSubstr("-a_b.toml"));
  EXPECT_EQ(read_file(kept), "x = 1");
  EXPECT_EQ(read_file(kept.string() + ".reason.txt"), "it ended\n");
  EXPECT_TRUE(samples.keep("a b.toml", bytes_of("x = 1"), "again").empty());
  for (int i = 0; i < 100; ++i) samples.keep("a", bytes_of(std::to_string(i)), "again");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder / "failed"), fs::directory_iterator()),
            2 * static_cast<std::ptrdiff_t>(KeptSamples::most_samples));
}

// 100,000 of each kind: DATUM_PARSE_INPUTS=100000.
int inputs_of_a_kind() {
  const char* told = std::getenv("DATUM_PARSE_INPUTS");
  return told ? std::atoi(told) : 400;
}

TEST_F(IsolatedTest, DamagedFilesDoNotEndIt) {
  std::vector<std::int16_t> heights(std::size_t{20} * 18, 7);
  TiffOptions lzw;
  lzw.compression = 5;
  write_tiff(folder.path() / "a.tif", 20, 18, heights, lzw);
  write_png(folder.path() / "a.png", 20, 18, std::vector<std::uint16_t>(heights.begin(), heights.end()));
  FrameSidecar grid = make_sidecar("a.x3p");
  grid.x = {0.02, -0.5};
  grid.y = {0.02, 0};
  grid.z = {1000, 0};
  grid.invalid = {InvalidMark::Kind::nan, 0};
  const std::string sidecar = write_sidecar(grid);
  const std::string x3p = slurp(fs::path(DATUM_SOURCE_DIR) / "tests/data/x3p/good.x3p");
  const std::string toml = slurp(fs::path(DATUM_SOURCE_DIR) / "config/recipes/demo-part.toml");
  const IsolatedFrames frames(*link);
  const IsolatedModels models(*link);
  const IsolatedTexts texts(*link);
  const auto image = [&](const char* name) {
    return [&frames, name](const std::string& b) { frames.image(bytes_of(b), name, most_pixels, [] {}); };
  };
  const std::vector<std::tuple<const char*, std::string, std::function<void(const std::string&)>>> kinds{
      {"TIFF", read_file(folder.path() / "a.tif"), image("a.tif")},
      {"PNG", read_file(folder.path() / "a.png"), image("a.png")},
      {"X3P", x3p,
       [&](const std::string& b) {
         frames.heights(bytes_of(b), bytes_of(sidecar), "a.json", make_profile(), [] {});
       }},
      {"CSV", tiny_csv,
       [&](const std::string& b) { frames.gocator_csv(bytes_of(b), "a.csv", most_pixels, [] {}); }},
      {"STL", one_facet, [&](const std::string& b) { models.parse(b, "a.stl", 1); }},
      {"TOML", toml, [&](const std::string& b) { texts.parse(b, "a.toml"); }},
  };
  const pid_t pid = link->pid();
  std::mt19937 random(22);
  for (const auto& [kind, good, read] : kinds) {
    EXPECT_NO_THROW(read(good)) << kind;
    int accepted = 0, refused = 0;
    for (int i = 0; i < inputs_of_a_kind(); ++i) {
      const std::string bad = damaged(good, random);
      ++(refusal([&, &read = read] { read(bad); }) == "accepted" ? accepted : refused);
    }
    std::printf("%s: %d accepted, %d refused\n", kind, accepted, refused);
    EXPECT_GT(refused, inputs_of_a_kind() / 20) << kind;
    EXPECT_TRUE(ends.empty()) << kind << ": " << ends.front();
  }
  EXPECT_EQ(link->pid(), pid);
}

}  // namespace
}  // namespace datum
