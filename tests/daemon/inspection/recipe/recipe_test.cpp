// Recipes as read from TOML; what must be refused lies in tests/data/bad/recipe.
#include "daemon/inspection/recipe/recipe.h"

#include <gtest/gtest.h>

#include <cmath>

#include "config/toml_reader.h"
#include "daemon/inspection/recipe/recipe_overlap.h"
#include "tests/fresh_folder.h"

namespace datum {
namespace {

const std::string head = R"(schema = 1
name = "r"
sensor_serial = "S7"
[board]
size_mm = [100, 80]
coordinates = "machine"
origin_mm = [10, 20, 5]
rotation_deg = 90
[floor]
inner_margin_mm = 0.2
outer_margin_mm = 1
[decision]
rule = "simple"
)";
const std::string part = R"([[component]]
reference = "R1"
package = "0603"
centre_mm = [50, 40]
rotation_deg = 90
body_mm = [1.6, 0.8]
nominal_um = 450
characteristic = "mean"
lower_um = 400
)";

class RecipeFile : public ::testing::Test {
 protected:
  Recipe loaded(const std::string& text) { return load_recipe(folder.write("r.toml", text)); }
  testing::FreshFolder folder;
};

TEST_F(RecipeFile, GivesBackWhatIsWritten) {
  const Recipe r =
      loaded(head + part + "[[exclusion]]\ncentre_mm = [1, 2]\nsize_mm = [3, 4]\nrotation_deg = 5\n" +
             "[[hole]]\ncentre_mm = [6, 7]\ndiameter_mm = 8\n");
  EXPECT_EQ(r.name, "r");
  EXPECT_EQ(r.sensor_serial, "S7");
  EXPECT_EQ(r.board_size_mm, Eigen::Vector2d(100, 80));
  EXPECT_TRUE(r.in_machine_coordinates);
  EXPECT_EQ(r.floor.inner_margin_mm, 0.2);
  EXPECT_EQ(r.floor.outer_margin_mm, 1);
  EXPECT_EQ(r.rule, DecisionRule::simple);
  ASSERT_EQ(r.components.size(), 1u);
  const Component& c = r.components[0];
  EXPECT_EQ(c.reference + " " + c.package, "R1 0603");
  EXPECT_EQ(c.body.centre_mm, Eigen::Vector2d(50, 40));
  EXPECT_EQ(c.body.size_mm, Eigen::Vector2d(1.6, 0.8));
  EXPECT_EQ(c.body.rotation_deg, 90);
  EXPECT_FALSE(c.floor_outline);
  ASSERT_EQ(c.checks.size(), 1u);
  EXPECT_EQ(c.checks[0].characteristic, Characteristic::mean);
  EXPECT_EQ(c.checks[0].nominal, 450);
  EXPECT_EQ(c.checks[0].lower, 400);
  EXPECT_EQ(c.checks[0].upper, std::nullopt);
  ASSERT_EQ(r.exclusions.size(), 1u);
  EXPECT_EQ(r.exclusions[0].rotation_deg, 5);
  ASSERT_EQ(r.holes.size(), 1u);
  EXPECT_EQ(r.holes[0].diameter_mm, 8);
  EXPECT_EQ(r.sha256.size(), 64u);
}

// A board turned by 90 degrees: its x axis lies along the machine's y. Rounding of sin and cos at 100 mm:
// 2e-14 mm.
TEST_F(RecipeFile, PlacesTheBoard) {
  const Recipe r = loaded(head + part);
  EXPECT_LT((r.machine_from_board * Eigen::Vector3d(100, 0, 0) - Eigen::Vector3d(10, 120, 5)).norm(), 1e-13);
  EXPECT_LT((r.machine_from_board * Eigen::Vector3d(0, 80, 1) - Eigen::Vector3d(-70, 20, 6)).norm(), 1e-13);
}

TEST_F(RecipeFile, PlacesTheBoardByAWholeMatrix) {
  std::string text = head;
  const auto from = text.find("origin_mm"), to = text.find("[floor]");
  text.replace(from, to - from, "machine_from_board = [0,-1,0,10, 1,0,0,20, 0,0,1,5, 0,0,0,1]\n");
  const Recipe r = loaded(text + part);
  EXPECT_EQ(r.machine_from_board * Eigen::Vector3d(100, 0, 0), Eigen::Vector3d(10, 120, 5));
}

TEST_F(RecipeFile, AToleranceLiesAroundTheNominal) {
  std::string text = part;
  text.replace(text.find("lower_um = 400"), 14, "tolerance_um = 40");
  const Check c = loaded(head + text).components.at(0).checks.at(0);
  EXPECT_EQ(c.lower, 410);
  EXPECT_EQ(c.upper, 490);
}

TEST_F(RecipeFile, FurtherChecksKeepTheirUnitsAndOrder) {
  const Recipe r =
      loaded(head + part +
             "[[component.check]]\ncharacteristic = \"tilt\"\nupper_mdeg = 500\n"
             "[[component.check]]\ncharacteristic = \"presence\"\nlower_permille = 900\n"
             "[[component.check]]\ncharacteristic = \"percentile\"\nquantile = 0.98\nupper_um = 520\n"
             "[[component.check]]\ncharacteristic = \"top_mean\"\ntop_count = 50\ntolerance_um = 60\n");
  const auto& checks = r.components.at(0).checks;
  ASSERT_EQ(checks.size(), 5u);
  EXPECT_EQ(checks[1].characteristic, Characteristic::tilt);
  EXPECT_EQ(checks[1].upper, 500);
  EXPECT_EQ(checks[1].nominal, std::nullopt) << "the height is no nominal of a tilt";
  EXPECT_EQ(checks[2].lower, 900);
  EXPECT_EQ(checks[3].parameter, 0.98);
  EXPECT_EQ(checks[3].nominal, std::nullopt);
  EXPECT_EQ(checks[4].parameter, 50);
  EXPECT_EQ(checks[4].lower, 390) << "around the component's nominal height";
}

// C_m needs a tolerance of every check, also where there is one limit: by the nominal, or the component's nominal height.
TEST_F(RecipeFile, EveryCheckHasATolerance) {
  const Recipe r =
      loaded(head + part +
             "[[component.check]]\ncharacteristic = \"percentile\"\nquantile = 0.98\nupper_um = 520\n"
             "[[component.check]]\ncharacteristic = \"minimum\"\nlower_um = 300\nnominal_um = 430\n"
             "[[component.check]]\ncharacteristic = \"tilt\"\nupper_mdeg = 500\n"
             "[[component.check]]\ncharacteristic = \"presence\"\nlower_permille = 900\n");
  const auto& checks = r.components.at(0).checks;
  const double expected[] = {2 * (450 - 400), 2 * (520 - 450), 2 * (430 - 300), 1000, 200};
  ASSERT_EQ(checks.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(tolerance_of(checks[i]), expected[i]) << i;
}

TEST_F(RecipeFile, APartMayLieOnAnotherWhereTheRecipeSaysSo) {
  std::string other = part;
  other.replace(other.find("R1"), 2, "R2");
  EXPECT_THROW(loaded(head + part + other), config::ConfigError);
  EXPECT_EQ(loaded(head + part + other + "overlaps = [\"R1\"]\n").components.at(1).overlaps.at(0), "R1");
  EXPECT_EQ(loaded(head + part + "overlaps = [\"R2\"]\n" + other).components.size(), 2u)
      << "either names the other";
  std::string third = other;
  third.replace(third.find("R2"), 2, "R3");
  EXPECT_THROW(loaded(head + part + other + "overlaps = [\"R1\"]\n" + third + "overlaps = [\"R1\"]\n"),
               config::ConfigError)
      << "R3 on R2 is not said";
}

TEST_F(RecipeFile, BodiesMayTouch) {
  std::string beside = part;
  beside.replace(beside.find("R1"), 2, "R2");
  beside.replace(beside.find("[50, 40]"), 8, "[50.8, 40]");  // turned by 90 degrees a body is 0.8 mm wide
  EXPECT_EQ(loaded(head + part + beside).components.size(), 2u);
}

// 2 x 1 and 2 x 1 crossed at right angles share 1 x 1; a square turned by 45 degrees about a corner of another one's side.
TEST_F(RecipeFile, ANominalHasItsSourceAndItsConfirmation) {
  EXPECT_TRUE(loaded(head + part).components[0].nominal_confirmed) << "what a person writes";
  const std::string package =
      "[package.0603]\nnominal_um = 450\nnominal_source = \"a table\"\nnominal_confirmed = false\nsurface_um "
      "= 5\n";
  std::string of_package = part;
  of_package.erase(of_package.find("nominal_um = 450\n"), 17);
  const Recipe shared = loaded(head + package + of_package);
  EXPECT_FALSE(shared.components[0].nominal_confirmed);
  EXPECT_EQ(shared.components[0].nominal_source, "a table");
  EXPECT_EQ(shared.components[0].surface_um, 5);
  const Recipe own = loaded(head + package + part);
  EXPECT_TRUE(own.components[0].nominal_confirmed) << "they belong to the nominal beside them";
  EXPECT_EQ(own.components[0].nominal_source, "");
  EXPECT_FALSE(loaded(head + part).components[0].surface_um);
}

TEST(RecipeOverlap, SharedArea) {
  const BoardRect a{{5, 5}, {2, 1}, 0};
  EXPECT_NEAR(shared_area_mm2(a, {{5, 5}, {2, 1}, 90}), 1, 1e-12);
  EXPECT_NEAR(shared_area_mm2(a, {{5, 5}, {4, 4}, 30}), 2, 1e-12);
  EXPECT_NEAR(shared_area_mm2({{5, 5}, {4, 4}, 30}, a), 2, 1e-12);
  EXPECT_NEAR(shared_area_mm2(a, {{6.5, 5}, {2, 1}, 0}), 0.5, 1e-12);
  EXPECT_NEAR(shared_area_mm2({{0, 0}, {2, 2}, 0}, {{1, 0}, {2, 2}, 45}), 2 * std::sqrt(2.0) - 1, 1e-12)
      << "half of a diamond of area 4 less two corners of (sqrt(2) - 1)^2 / 2";
  EXPECT_EQ(shared_area_mm2(a, {{7, 5}, {2, 1}, 0}), 0) << "they touch";
  EXPECT_EQ(shared_area_mm2(a, {{5, 6 - 1e-7}, {2, 1}, 0}), 0) << "by the rounding of a corner";
  EXPECT_EQ(shared_area_mm2(a, {{6.2, 6.2}, {1, 1}, 45}), 0) << "near, and apart";
}

TEST_F(RecipeFile, APackageIsDefinedOnceAndAComponentMayDiffer) {
  const Recipe r = loaded(head + R"([package.die]
body_mm = [5, 10]
floor_outline_mm = [16, 14]
floor_outline_offset_mm = [4, 0]
nominal_um = 1000
characteristic = "median"
tolerance_um = 40
[[package.die.check]]
characteristic = "tilt"
upper_mdeg = 300
[[component]]
reference = "U1"
package = "die"
centre_mm = [30, 30]
[[component]]
reference = "U2"
package = "die"
centre_mm = [60, 40]
rotation_deg = 90
nominal_um = 1200
)");
  const Component &u1 = r.components.at(0), &u2 = r.components.at(1);
  EXPECT_EQ(u1.body.size_mm, Eigen::Vector2d(5, 10));
  EXPECT_EQ(u1.checks.at(0).upper, 1040);
  EXPECT_EQ(u1.checks.at(1).characteristic, Characteristic::tilt);
  EXPECT_EQ(u2.checks.at(0).upper, 1240) << "the package's tolerance around its own nominal";
  EXPECT_EQ(u1.floor_outline->centre_mm, Eigen::Vector2d(34, 30));
  EXPECT_EQ(u1.floor_outline->size_mm, Eigen::Vector2d(16, 14));
  // Turned with the part, counter-clockwise: its x axis points up.
  EXPECT_LT((u2.floor_outline->centre_mm - Eigen::Vector2d(60, 44)).norm(), 1e-12);
  EXPECT_EQ(u2.floor_outline->rotation_deg, 90);
}

TEST_F(RecipeFile, CornersRunCounterClockwise) {
  const auto c = corners_mm({{10, 20}, {4, 2}, 90});
  constexpr double rounding_mm = 1e-14;
  EXPECT_LT((c[0] - Eigen::Vector2d(11, 18)).norm(), rounding_mm);
  EXPECT_LT((c[1] - Eigen::Vector2d(11, 22)).norm(), rounding_mm);
  EXPECT_LT((c[2] - Eigen::Vector2d(9, 22)).norm(), rounding_mm);
  EXPECT_LT((c[3] - Eigen::Vector2d(9, 18)).norm(), rounding_mm);
}

TEST_F(RecipeFile, EveryProblemIsNamedNotOnlyTheFirst) {
  std::string text = head + part + part + "rotation = 3\n[[hole]]\ncentre_mm = [6, 7]\ndiameter_mm = 0\n";
  text.replace(text.find("[100, 80]"), 9, "[100, -1]");
  text.replace(text.find("inner_margin_mm = 0.2"), 21, "inner_margin_mm = 2.0");
  config::Problems problems;
  load_recipe(folder.write("r.toml", text), problems);
  const auto place = [&](std::size_t i) {
    return problems.errors().at(i).key() + " " + std::to_string(problems.errors()[i].where().line);
  };
  ASSERT_EQ(problems.errors().size(), 4u);
  EXPECT_EQ(place(0), "board.size_mm 5");
  EXPECT_EQ(place(1), "floor.outer_margin_mm 11");
  EXPECT_EQ(place(2), "R1.rotation 32");
  EXPECT_EQ(place(3), "hole[0].diameter_mm 35");
}

/// Two equal parts that change places where the board lies turned by 180 degrees; then one that is higher, lower or away from the other's place.
TEST_F(RecipeFile, ABoardThatWouldPassTurnedIsDoubted) {
  const auto at = [](const std::string& reference, const std::string& place, const std::string& height) {
    return "[[component]]\nreference = \"" + reference + "\"\npackage = \"0603\"\ncentre_mm = " + place +
           "\nbody_mm = [1.6, 0.8]\nnominal_um = " + height +
           "\ncharacteristic = \"mean\"\ntolerance_um = 50\n";
  };
  const auto doubts = [&](const std::string& text) {
    config::Problems problems;
    load_recipe(folder.write("r.toml", text), problems);
    problems.throw_first();
    std::string all;
    for (const config::ConfigError& doubt : problems.warnings()) all += doubt.what() + std::string("\n");
    return all;
  };
  const std::string pair = at("R1", "[20, 30]", "450") + at("R2", "[80, 50]", "450");
  EXPECT_NE(doubts(head + pair)
                .find("board.size_mm: a board that is put in turned by 180 degrees looks the same to "
                      "this recipe and would pass: R2 would be measured as R1"),
            std::string::npos)
      << doubts(head + pair);
  EXPECT_EQ(doubts(head + pair + "[alignment]\nmax_shift_mm = 2\nmax_rotation_deg = 2\n"), "");
  EXPECT_NE(doubts(head + pair + "[alignment]\nmax_shift_mm = 2\n"), "") << "a shift alone sees no turn";
  std::string keyed = head + pair;
  keyed.insert(keyed.find("rotation_deg = 90"), "keyed_fixture = true\n");
  EXPECT_EQ(doubts(keyed), "");
  EXPECT_EQ(doubts(head + at("R1", "[20, 30]", "450") + at("R2", "[80, 50]", "560")), "");
  EXPECT_EQ(doubts(head + at("R1", "[20, 30]", "450") + at("R2", "[80, 60]", "450")), "");
  EXPECT_EQ(doubts(head + part), "") << "a part in the middle is itself";
}

TEST_F(RecipeFile, ItsHashChangesWithEveryByte) {
  EXPECT_NE(loaded(head + part).sha256, loaded(head + part + "\n").sha256);
}

std::string pose(const std::string& name, double x_mm) {
  return "[[snapshots.pose]]\nname = \"" + name + "\"\nposition_mm = [" + std::to_string(x_mm) +
         ", 0, 0]\ntolerance_mm = 0.5\n";
}

TEST_F(RecipeFile, ABoardMayHaveSeveralSnapshots) {
  EXPECT_FALSE(loaded(head + part).takes_snapshots());
  const std::string snapshots =
      "[snapshots]\ntimeout_ms = 900\none_board = \"time\"\n" + pose("a", 0) + pose("b", 60);
  const Recipe r = loaded(head + part + snapshots);
  EXPECT_TRUE(r.is_board_of_snapshots());
  ASSERT_EQ(r.snapshots.count(), 2u);
  EXPECT_EQ(r.snapshots.poses[1].name, "b");
  EXPECT_EQ(r.snapshots.poses[1].position_mm, Eigen::Vector3d(60, 0, 0));
  EXPECT_EQ(r.snapshots.timeout_ms, 900);

  const auto refusal = [&](const std::string& text) -> std::string {
    config::Problems problems;
    load_recipe(folder.write("r.toml", text), problems);
    std::string all;
    for (const config::ConfigError& error : problems.errors()) all += error.what() + std::string("\n");
    return all;
  };
  const auto says = [&](const std::string& text, const std::string& words) {
    EXPECT_NE(refusal(text).find(words), std::string::npos) << refusal(text);
  };
  const std::string aligned = head + part + snapshots + "[alignment]\nmax_shift_mm = 1\n";
  EXPECT_EQ(refusal(aligned + "max_rotation_deg = 2\n[defects]\n"), "");
  says(aligned, "without max_rotation_deg it correlates one frame's parts");
  says(aligned +
           "max_rotation_deg = 2\n[[alignment.fiducial]]\nname = \"F1\"\nshape = \"circle\"\ncentre_mm = "
           "[4.0, 4.0]\nsize_mm = 1.0\ncontrast = \"bright\"\n",
       "lists fiducials, which are looked for in one frame");
  const std::string panel =
      "[panel]\nsize_mm = [200, 100]\ncolumns = 1\nrows = 1\npitch_mm = [200, 100]\nkeyed_fixture = true\n";
  EXPECT_EQ(refusal(head + part + snapshots + panel), "");
  says(head + part + panel + "[snapshots]\ntimeout_ms = 900\none_board = \"overlap\"\n" + pose("a", 0) +
           pose("b", 60),
       "a board of a panel may lie in a single one");
  says(head + part + snapshots + panel +
           "[panel.serial]\nmissing = \"invalid\"\ncode = { centre_mm = [5, 5], size_mm = [4, 4] }\n",
       "is read in one frame, and a panel of [snapshots] lies in several");
  says(head + part + "[snapshots]\ntimeout_ms = 900\none_board = \"time\"\n" + pose("a", 0) + pose("b", 1),
       "within their tolerances");
  says(head + part + "[snapshots]\ntimeout_ms = 900\none_board = \"time\"\n" + pose("a", 0) + pose("a", 60),
       "is used twice");
  says(head + part + "[snapshots]\n" + pose("a", 0) + pose("b", 60), "timeout_ms");
  says(head + part + "[snapshots]\ntimeout_ms = 900\n" + pose("a", 0) + pose("b", 60),
       "snapshots.one_board: missing: nothing says what proves that all snapshots show one board");
  says(head + part + "[snapshots]\ntimeout_ms = 900\n", "0 poses");
  std::string in_sensor = head + part + snapshots;
  in_sensor.replace(in_sensor.find("\"machine\""), 9, "\"sensor\"");
  says(in_sensor, "board.coordinates is \"sensor\"");
}

TEST(Recipe, TheShippedPemtronRecipeLoads) {
  const Recipe r = load_recipe(DATUM_SOURCE_DIR "/config/recipes/pemtron-warpage.toml");
  ASSERT_EQ(r.components.size(), 5u);
  EXPECT_FALSE(r.in_machine_coordinates);
  // Pixels are cells of 0.12 mm around their centres: die columns x0+8 .. x0+51, rows y0+10 .. y0+104, x0 =
  // 362, y0 = 141.
  const auto corner = corners_mm(r.components[0].body)[0];
  EXPECT_NEAR(corner.x() / 0.12, 362 + 8 - 0.5, 1e-9);
  EXPECT_NEAR(corner.y() / 0.12, 141 + 10 - 0.5, 1e-9);
  const auto outline = corners_mm(*r.components[0].floor_outline);
  EXPECT_NEAR(outline[0].x() / 0.12, 362 - 0.5, 1e-9);
  EXPECT_NEAR(outline[2].y() / 0.12, 256 - 0.5, 1e-9);
}

}  // namespace
}  // namespace datum
