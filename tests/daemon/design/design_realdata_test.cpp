// Real designs: the consortium's IPC-2581 test case, centroid files of three tools, and the boards of Debian's kicad-demos.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "config/toml_reader.h"
#include "daemon/design/read_design.h"
#include "daemon/design/recipe_text.h"
#include "daemon/inspection/recipe/recipe.h"
#include "tests/real_data.h"

namespace datum::design_realdata_test {
namespace {

using namespace design;
namespace fs = std::filesystem;

const design::Component& part(const Design& design, const std::string& reference) {
  for (const design::Component& c : design.components)
    if (c.reference == reference) return c;
  throw std::runtime_error("no " + reference);
}

void expect_at(const Design& seen, const char* reference, double x, double y, double deg) {
  SCOPED_TRACE(reference);
  const design::Component& c = part(seen, reference);
  EXPECT_LT((c.origin - Point(x, y)).norm(), 1e-3);  // a micrometre: both are decimals of the same file
  EXPECT_NEAR(c.rotation_deg, deg, 0.01);
}

struct Placement : ::testing::Test {
  fs::path file(const char* name) const { return testing::real_data_folder() / "placement" / name; }
};

TEST_F(Placement, Testcase10HasItsCountsPlacesAndHeights) {
  DATUM_NEED_REAL_DATA("placement/ipc2581c-testcase10.xml");
  const Design d = load_design(file("ipc2581c-testcase10.xml")).design;
  EXPECT_EQ(d.components.size(), 56u);
  std::map<int, int> heights;
  std::size_t top = 0, through = 0;
  for (const design::Component& c : d.components) {
    ++heights[static_cast<int>(std::lround(c.height_um.value_or(0)))];
    top += c.side == Side::top;
    through += c.mount == Mount::through_hole;
    EXPECT_EQ(c.population, Population::populated);
  }
  EXPECT_EQ(top, 23u);
  EXPECT_EQ(through, 1u);
  EXPECT_EQ(heights, (std::map<int, int>{{610, 49}, {1270, 3}, {3810, 4}}));
  EXPECT_EQ(d.holes.size(), 1859u);
  EXPECT_TRUE(d.fiducials.empty());
  EXPECT_FALSE(d.knows_copper) << "it has no mask layer";
  const Design seen = seen_from(d, Side::top, Turn::vertical);
  EXPECT_LT((box_around(seen.outline, 0).size - Point(100.5, 101.5)).norm(), 2e-3);
  expect_at(seen, "U1", 46.4999, 48.4999, 270);
  expect_at(seen, "C12", 16.1556, 14.3907, 0);
  expect_at(seen, "J1", 9.5, 35.9999, 90);
  const Design v = seen_from(d, Side::bottom, Turn::vertical),
               h = seen_from(d, Side::bottom, Turn::horizontal);
  expect_at(v, "C52", 86.3712, 5.0773, 0);
  expect_at(h, "C52", 14.1286, 96.4224, 180);
  const design::Component& c52 = part(v, "C52");
  EXPECT_NEAR((box_around(c52.body, c52.rotation_deg).centre - c52.origin).norm(), 0.4445, 1e-4)
      << "its origin is pin 1";
}

TEST_F(Placement, CentroidFilesOfThreeToolsAreRead) {
  DATUM_NEED_REAL_DATA("placement/EAT001.mnt");
  const Design eagle = load_design(file("EAT001.mnt")).design;
  EXPECT_EQ(eagle.components.size(), 16u);
  EXPECT_EQ(part(eagle, "C28").value, "100 uF") << "with a blank";
  EXPECT_EQ(part(eagle, "C28").package, "UD-6,3X7,7_NICHICON");
  const Design altium = load_design(file("altium-example.csv")).design;
  EXPECT_EQ(altium.components.size(), 29u);
  EXPECT_THAT(altium.remarks,
              ::testing::Contains(::testing::HasSubstr("explain the places of pad 1 in 11 of 11")));
  EXPECT_EQ(load_design(file("kicad-example-F.Cu.pos")).design.components.size(), 95u);
}

/// Boards of the package kicad-demos: the folder DATUM_KICAD_DEMOS, or where Debian installs them.
std::vector<fs::path> demo_boards() {
  const char* given = std::getenv("DATUM_KICAD_DEMOS");
  const fs::path folder = given && *given ? given : "/usr/share/kicad/demos";
  std::vector<fs::path> boards;
  if (!fs::exists(folder)) return boards;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && entry.path().extension() == ".kicad_pcb" && entry.file_size() > 100)
      boards.push_back(entry.path());
  return boards;
}

TEST(KicadDemos, EveryBoardIsReadAndItsRecipesAreAccepted) {
  const auto boards = demo_boards();
  if (boards.empty()) GTEST_SKIP() << "no kicad-demos; DATUM_KICAD_DEMOS names their folder";
  PackageLibrary library;
  library.add_file(DATUM_SOURCE_DIR "/config/packages/starter.toml");
  std::size_t bodies = 0, footprints = 0;
  for (const fs::path& board : boards) {
    SCOPED_TRACE(board.string());
    const ReadDesign read = load_design(board);
    for (const design::Component& c : read.design.components) {
      ++footprints;
      bodies += !c.body.empty();
    }
    for (const Side side : {Side::top, Side::bottom}) {
      DraftSettings settings;
      settings.side = side;
      const Draft draft = draft_recipe(read.design, library, settings);
      if (draft.components.empty()) continue;
      config::Problems problems;
      const Recipe recipe =
          recipe_from_text(recipe_text(draft, settings, {"r", "S1", "b", "0"}), "r.toml", problems);
      for (const auto& error : problems.errors()) ADD_FAILURE() << error.what();
      EXPECT_EQ(recipe.components.size(), draft.components.size());
    }
  }
  EXPECT_GT(boards.size(), 10u);
  EXPECT_GT(bodies * 10, footprints * 8) << "bodies come from F.Fab and B.Fab";
}

TEST(KicadDemos, TheColdfireBoardHasItsGoldenPlaces) {
  for (const fs::path& board : demo_boards())
    if (board.stem().string().starts_with("kit-dev-coldfire")) {
      const Design d = load_design(board).design;
      expect_at(seen_from(d, Side::top, Turn::vertical), "Y101", 52.3240, 26.5430, 270);
      const Design v = seen_from(d, Side::bottom, Turn::vertical),
                   h = seen_from(d, Side::bottom, Turn::horizontal);
      expect_at(v, "C112", 98.6790, 55.8800, 0);
      expect_at(v, "C117", 83.3120, 42.5450, 90);
      expect_at(h, "C112", 58.8010, 35.5600, 180);
      expect_at(h, "C117", 74.1680, 48.8950, 270);
      return;
    }
  GTEST_SKIP() << "no kicad-demos; DATUM_KICAD_DEMOS names their folder";
}

}  // namespace
}  // namespace datum::design_realdata_test
