// What was measured at each facet of a model, through the whole stage, and its files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <fstream>
#include <sstream>
#include <tuple>

#include "daemon/pictures/part_files.h"
#include "tests/daemon/inspection/surface/surface_scan.h"

namespace datum::facet_map_test {
namespace {

using testing::check;
using testing::FreshFolder;
using ::testing::HasSubstr;
using testing::region;
using testing::SurfaceScene;

const std::string top =
    region("top", "normal = [0, 0, 1]\n", check("\"deviation_mean\"\nlower_um = -500\nupper_um = 500"));
const std::string facet_map = "[facet_map]\nlongest_mm = 1.2\ngate_mm = 0.4\nleast_points = 4\n";

const std::string both = "files = [\"facets\"]\n";  // asks for all of a map

/// 14 x 11 x 6 mm; only the top was seen.
struct Box : SurfaceScene {
  explicit Box(double off_mm) : SurfaceScene(testing::box_model(14, 11, 6, 5)) {
    size = "14, 11, 6";
    surface_keys = both;
    scan([=](const Eigen::Vector3d&) { return off_mm; });
  }
};

TEST(FacetMap, TellsTheOffsetOfEveryFacetThatWasSeen) {
  Box scene(0.1);
  const SurfaceInspection part = scene.inspect(scene.recipe(top + facet_map));
  ASSERT_TRUE(part.facets) << part.verdict.detail;
  const FacetMap& map = *part.facets;
  std::size_t faces = 0, unseen = 0;
  for (std::size_t i = 0; i < map.by_points.size(); ++i) {
    const bool upper = map.model->normal[i][0][2] > 0.9f;
    unseen += !upper && map.by_points[i].kind == MatchClass::no_data;
    EXPECT_LT(map.pieces->facet_in_file[i], scene.model.facets.size());
    if (!upper || map.by_points[i].kind != MatchClass::face) continue;
    ++faces;
    // float coordinates of some hundred mm in the scan, of ten in the model: an ulp of 3e-5 and their rotation
    EXPECT_NEAR(map.by_points[i].mean, 0.1, 2e-4);
    EXPECT_GE(map.by_points[i].count, 4u);
    EXPECT_NEAR(map.by_surface[i].distance, 0.1, 2e-4);
    EXPECT_EQ(map.by_surface[i].kind, MatchClass::face);
  }
  // 14 x 11 mm in pieces of at most 1.2 x 1.2 / 2 mm^2, a ring of them at the edge
  EXPECT_GT(faces, 100u);
  EXPECT_GT(unseen, 100u);
}

TEST(FacetMap, AModelIsCutOnceForAllParts) {
  Box scene(0.1);
  const Recipe recipe = scene.recipe(top + facet_map);
  const SurfaceInspection first = scene.inspect(recipe), second = scene.inspect(recipe);
  ASSERT_TRUE(first.facets && second.facets);
  EXPECT_EQ(first.facets->pieces, second.facets->pieces);
  scene.surface_keys.clear();
  EXPECT_FALSE(scene.inspect(scene.recipe(top)).facets);
}

class NamedMatcher final : public FacetMatcher {
 public:
  void match(const std::shared_ptr<const ModelFacets>& model, const ScannedSurface& surface,
             const ScanMatchSettings& settings, FacetDeviation* by_points,
             FacetPierced* by_surface) override {
    match_scan(*model, surface, settings, cpu_backend(1), by_points, by_surface);
    asked(by_points, by_surface, surface);
    lists = true;
  }
  void sum(const std::shared_ptr<const ModelFacets>& model, const ScannedSurface& surface,
           const ScanMatchSettings& settings, FacetSums* by_points, FacetSums* by_surface) override {
    sum_scan(*model, surface, settings, cpu_backend(1), by_points, by_surface);
    asked(by_points, by_surface, surface);
  }
  std::string describe() const override { return "cuda test device"; }
  int calls = 0;
  bool asked_points = false, asked_surface = false, lists = false;
  std::size_t joined = 0;

 private:
  void asked(bool by_points, bool by_surface, const ScannedSurface& surface) {
    ++calls;
    asked_points = by_points;
    asked_surface = by_surface;
    joined = surface.facet_count;
  }
};

TEST(FacetMap, TheVerdictNamesWhoMadeIt) {
  Box scene(0.1);
  const Recipe recipe = scene.recipe(top + facet_map);
  const SurfaceInspection here = scene.inspect(recipe);
  EXPECT_EQ(here.verdict.backend, describe(cpu_backend(1)));
  NamedMatcher matcher;
  scene.matcher = &matcher;
  const SurfaceInspection there = scene.inspect(recipe);
  EXPECT_EQ(matcher.calls, 1);
  EXPECT_EQ(there.verdict.backend, describe(cpu_backend(1)) + "; facets: cuda test device");
  ASSERT_TRUE(here.facets && there.facets);
  for (std::size_t i = 0; i < here.facets->by_points.size(); ++i)
    EXPECT_EQ(here.facets->by_points[i].mean, there.facets->by_points[i].mean);
}

TEST(FacetMap, OnlyWhatTheRecipeAsksForIsMatched) {
  Box scene(0.1);
  NamedMatcher matcher;
  scene.matcher = &matcher;
  const auto asked = [&](const std::string& files, const std::string& checks) {
    scene.surface_keys = files;
    matcher = {};
    const SurfaceInspection part =
        scene.inspect(scene.recipe(region("top", "normal = [0, 0, 1]\n", checks) +
                                   "[facet_map]\nlongest_mm = 1.2\ngate_mm = 1\nleast_points = 4\n"));
    EXPECT_EQ(part.facets != nullptr, matcher.calls == 1);
    if (part.facets) {
      EXPECT_EQ(part.facets->by_points.empty(), !(matcher.asked_points && matcher.lists));
      EXPECT_EQ(part.facets->by_surface.empty(), !(matcher.asked_surface && matcher.lists));
      EXPECT_EQ(part.facets->sums_by_points.size(), matcher.asked_points);
      EXPECT_EQ(part.facets->sums_by_surface.size(), matcher.asked_surface);
    }
    EXPECT_EQ(matcher.joined > 0, matcher.asked_surface);  // the pixels are not joined for nothing
    return std::tuple(matcher.asked_points, matcher.asked_surface, matcher.lists);
  };
  const std::string mean = check("\"deviation_mean\"\nlower_um = -500\nupper_um = 500"),
                    pfm = check("\"pfm_mean\"\nlower_um = -500\nupper_um = 500"),
                    ffm = check("\"ffm_maximum\"\nupper_um = 500"),
                    share = check("\"ffm_percentile\"\nquantile = 0.9\nupper_um = 500");
  EXPECT_EQ(asked("", mean), std::tuple(false, false, false));
  EXPECT_EQ(asked("", pfm), std::tuple(true, false, false));
  EXPECT_EQ(asked("", ffm), std::tuple(false, true, false));
  EXPECT_EQ(asked("", pfm + ffm), std::tuple(true, true, false));
  EXPECT_EQ(asked("", share), std::tuple(false, true, true));
  EXPECT_EQ(asked(both, mean), std::tuple(true, true, true));
}

TEST(FacetMap, AVerdictByListsIsThatBySumsAlone) {
  Box scene(0.1);
  const auto text = [&](const std::string& files) {
    scene.surface_keys = files;
    BoardVerdict v =
        scene
            .inspect(scene.recipe(
                region("top", "normal = [0, 0, 1]\n",
                       check("\"pfm_mean\"\nupper_um = 500") + check("\"pfm_minimum\"\nlower_um = -500") +
                           check("\"ffm_mean\"\nupper_um = 500") + check("\"ffm_maximum\"\nupper_um = 500")) +
                "[facet_map]\nlongest_mm = 1.2\ngate_mm = 1\nleast_points = 4\n"))
            .verdict;
    EXPECT_EQ(v.components.at(0).checks.size(), 4u);
    for (const CheckVerdict& c : v.components.at(0).checks) EXPECT_EQ(c.reason, Reason::none) << c.detail;
    std::string values;
    for (const CheckVerdict& c : v.components.at(0).checks)
      values += fmt::format("{} {} {}\n", c.value, c.u, name_of(c.decision));
    return values;
  };
  EXPECT_EQ(text(""), text(both));
}

TEST(FacetMap, TooShortAnEdgeIsTheModelsFault) {
  Box scene(0.1);
  const SurfaceInspection part =
      scene.inspect(scene.recipe(top + "[facet_map]\nlongest_mm = 1e-5\ngate_mm = 0.4\n"));
  EXPECT_EQ(part.verdict.reason, Reason::model);
  EXPECT_THAT(part.verdict.detail, HasSubstr("takes more than 2^24 facets"));
  EXPECT_THAT(part.verdict.detail, HasSubstr("facet_map.longest_mm"));
}

TEST(FacetMap, ASurfaceBeyondTheGateIsNoDataNeverZero) {
  Box scene(0.7);
  const SurfaceInspection part = scene.inspect(scene.recipe(top + facet_map));
  ASSERT_TRUE(part.facets) << part.verdict.detail;
  for (const FacetDeviation& d : part.facets->by_points) {
    if (d.kind != MatchClass::edge) {
      EXPECT_EQ(d.kind, MatchClass::no_data);
    }
  }
}

TEST(FacetMap, AStepIsNotBridged) {
  SnapshotGrid grid;
  grid.rows = 2;
  grid.cols = 3;
  grid.point = {0, 1, 2, 3, 4, 5};
  std::vector<ModelPoint> points{{0, 0, 0}, {1, 0, 0}, {2, 0, 9}, {0, 1, 0}, {1, 1, 0}, {2, 1, 9}};
  EXPECT_EQ(facets_of(grid, points, {0, 0, 1}, 75).size(), 2u);
  EXPECT_EQ(facets_of(grid, points, {0, 0, 1}, 89).size(), 4u);   // 83.7 degrees
  EXPECT_EQ(facets_of(grid, points, {0, 0, -1}, 89).size(), 0u);  // from behind
  grid.point[4] = no_point;
  EXPECT_EQ(facets_of(grid, points, {0, 0, 1}, 89).size(), 1u);
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

TEST(PartFiles, AreThoseThatTheRecipeNames) {
  Box scene(0.1);
  scene.surface_keys =
      "files = [\"facets\", \"statistics\", \"histogram\", \"points_csv\", \"points_ply\"]\n";
  const Recipe all = scene.recipe(top + facet_map);
  const SurfaceInspection part = scene.inspect(all);
  FreshFolder folder;
  const auto picture = folder.path() / "p.png";
  write_part_files(picture, *all.surface, *part.map, part.cover, part.facets.get(), part.verdict);
  for (const char* name :
       {"p.png", "p_facets.csv", "p_pfm.ply", "p_ffm.ply", "p_pfm.png", "p_ffm.png", "p_statistics.csv",
        "p_histogram.png", "p_histogram.csv", "p_points.csv", "p_points.ply"})
    EXPECT_TRUE(std::filesystem::exists(folder.path() / name)) << name;

  const std::string csv = text_of(folder.path() / "p_facets.csv");
  EXPECT_THAT(csv, HasSubstr("# facets cut to edges of at most 1.2 mm, gate 0.4 mm, at least 4 points\n"));
  const auto rows = static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n'));
  const auto notes = static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '#'));
  EXPECT_EQ(rows, part.facets->by_points.size() + notes + 1);
  EXPECT_THAT(csv, HasSubstr(",NO_DATA,0,,,,,NO_DATA,\n"));
  const std::string ply = text_of(folder.path() / "p_pfm.ply");
  const std::size_t facets = part.facets->by_points.size();
  const std::size_t header = ply.find("end_header\n") + 11;
  EXPECT_EQ(ply.size() - header, facets * (3 * (3 * 8 + 4 + 3) + 1 + 3 * 4));

  scene.surface_keys.clear();
  const Recipe none = scene.recipe(top);
  FreshFolder other;
  write_part_files(other.path() / "p.png", *none.surface, *part.map, part.cover, nullptr, part.verdict);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(other.path()), {}), 1);
}

TEST(PartFiles, ARecipeThatNamesOthersIsRefused) {
  Box scene(0);
  const auto refusal = [&](const std::string& keys, const std::string& rest) {
    scene.surface_keys = keys;
    try {
      scene.recipe(rest);
      return std::string("accepted");
    } catch (const std::exception& e) {
      return std::string(e.what());
    }
  };
  EXPECT_THAT(refusal("files = [\"pictures\"]\n", top), HasSubstr("'pictures' is none"));
  EXPECT_THAT(refusal("files = [\"histogram\", \"histogram\"]\n", top), HasSubstr("named twice"));
  EXPECT_THAT(refusal("files = [\"facets\"]\n", top), HasSubstr("[surface] files names facets"));
  EXPECT_THAT(refusal("", top + "[facet_map]\nlongest_mm = 0\ngate_mm = 1\n"), HasSubstr("longest_mm"));
  EXPECT_THAT(refusal("", top + "[facet_map]\nlongest_mm = 1\n"), HasSubstr("gate_mm"));
}

}  // namespace
}  // namespace datum::facet_map_test
