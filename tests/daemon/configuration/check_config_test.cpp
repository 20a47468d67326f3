// --check-config: every problem of a cell's files and of their consistency, one line each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/configuration/daemon_config.h"
#include "tests/a_calibration.h"
#include "tests/fresh_folder.h"

namespace datum {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const char* const config_text = R"(schema = 1
cell = "c"
[sensor]
profile = "s7.toml"
drop_folder = "drop"
[inspection]
recipes_folder = "recipes"
recipe = "board-a"
calibrations_folder = "calibrations"
calibration = "march"
trigger = "on_frame"
[results]
store_file = "results.db"
[host.tcp]
)";
const char* const profile_text = R"(schema = 1
serial = "S7"
model = "m"
handedness = "right"
z_min_mm = -2
z_max_mm = 2
scale_uncertainty_ppm = 100
linearity_um = 0.5
[noise]
z_mm = [0]
sigma_um = [3]
)";
std::string calibration_text(const std::string& id, const std::string& sensor = "S7") {
  Calibration c = testing::a_calibration(id);
  c.sensor_serial = sensor;
  return to_toml(c);
}
const char* const recipe_text = R"(schema = 1
name = "board-a"
sensor_serial = "S7"
[board]
size_mm = [100, 80]
coordinates = "machine"
origin_mm = [0, 0, 0]
[floor]
inner_margin_mm = 0.3
outer_margin_mm = 1.3
[decision]
rule = "14253"
[[component]]
reference = "R1"
package = "0603"
centre_mm = [50, 40]
body_mm = [1.6, 0.8]
nominal_um = 450
characteristic = "median"
tolerance_um = 40
)";
constexpr std::int64_t may_2026 = 1'778'000'000, october_2026 = 1'791'000'000;

std::string with(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

class CheckConfig : public ::testing::Test {
 protected:
  void SetUp() override {
    folder.write("d.toml", config_text);
    folder.write("s7.toml", profile_text);
    folder.write("calibrations/march.toml", calibration_text("march"));
    folder.write("recipes/a.toml", recipe_text);
  }
  /// Lines without the path of the folder.
  std::vector<std::string> problems(std::int64_t now_utc_s = may_2026) {
    std::vector<std::string> lines = check_config(folder.path() / "d.toml", now_utc_s);
    const std::string path = folder.path().string() + "/";
    for (std::string& line : lines) {
      for (auto at = line.find(path); at != std::string::npos; at = line.find(path))
        line.erase(at, path.size());
    }
    return lines;
  }
  testing::FreshFolder folder;
};

TEST_F(CheckConfig, FindsNothingWhereAllIsWell) { EXPECT_THAT(problems(), IsEmpty()); }

TEST_F(CheckConfig, NamesTheProblemsOfEveryFile) {
  folder.write("d.toml", with(config_text, "cell = \"c\"", "cell = 5"));
  folder.write("s7.toml", with(profile_text, "[3]", "[0]"));
  folder.write("calibrations/april.toml", with(calibration_text("april"), "3.5", "-1"));
  folder.write("recipes/b.toml", with(with(recipe_text, "board-a", "board b"), "0.3", "2"));
  EXPECT_THAT(
      problems(),
      ElementsAre("d.toml:2:8: cell: is not a text; allowed: a text in quotes",
                  "s7.toml:11:12: noise.sigma_um: 0 is out of range; allowed: an array of 1 finite numbers, "
                  "each more than 0",
                  "calibrations/april.toml:12:19: residual_rms_um: -1 is out of range; allowed: at least 0",
                  "recipes/b.toml:2:8: name: 'board b' is not a name; allowed: 1 to 64 letters, digits and "
                  ". _ + / # -",
                  "recipes/b.toml:10:19: floor.outer_margin_mm: 1.3 is not above inner_margin_mm; allowed: "
                  "more than 2"));
}

TEST_F(CheckConfig, NamesAModelThatIsNotTheRecipes) {
  folder.write("recipes/part.toml", R"(schema = 1
kind = "surface"
name = "part"
sensor_serial = "S7"
[model]
file = "part.stl"
sha256 = "46c1b0cc3cdab87342c41638471a9f2b6a3a445c3f943bf7ba143b6a21590c84"
unit = "mm"
size_mm = [1, 1, 1]
size_tolerance_mm = 0.01
[placement]
coordinates = "machine"
origin_mm = [0, 0, 0]
[surface]
search_mm = 1
reach_mm = 0.5
[decision]
rule = "14253"
[[region]]
name = "all"
min_coverage = 0.9
max_gap_mm = 1
[[region.check]]
characteristic = "profile"
upper_um = 100
)");
  EXPECT_THAT(problems(), IsEmpty()) << "it is not the chosen one, and its model may still be brought";
  folder.write("recipes/part.stl", "another file");
  EXPECT_THAT(
      problems(),
      ElementsAre("recipes/part.toml: model: part.stl: has the SHA-256 "
                  "100ef6a71bac925f709fe9c114c60460bf6e472cfdb9d44bd8adf1698135260f, the recipe is for "
                  "46c1b0cc3cdab87342c41638471a9f2b6a3a445c3f943bf7ba143b6a21590c84; restore that file, or "
                  "state the new one in the recipe"));
}

TEST_F(CheckConfig, NamesACalibrationThatIsNotThereOrNotForThisSensor) {
  folder.write("calibrations/march.toml", calibration_text("april"));
  EXPECT_THAT(problems(), ElementsAre("d.toml:10:15: inspection.calibration: calibration 'march' is not in "
                                      "calibrations; there is april"));
  folder.write("calibrations/march.toml", calibration_text("march", "S8"));
  EXPECT_THAT(
      problems(),
      ElementsAre("d.toml:10:15: inspection.calibration: calibration 'march' is for sensor S8, the frame is "
                  "from sensor S7: calibrate this sensor, or name its calibration in the cell's "
                  "configuration"));
}

TEST_F(CheckConfig, LooksAtTheCurrentCalibration) {
  folder.write("d.toml", with(config_text, "\"march\"", "\"current\""));
  EXPECT_THAT(problems(), IsEmpty()) << "a cell that is still to be calibrated must be able to start";
  CalibrationJournal journal;
  const Calibration march = load_calibration(folder.path() / "calibrations/march.toml");
  const std::string accepted = journal.append(testing::journal_entry(JournalEvent::accept, march));
  folder.write("calibrations/journal", accepted);
  EXPECT_THAT(problems(), IsEmpty());
  EXPECT_THAT(problems(october_2026),
              ElementsAre("d.toml:10:15: inspection.calibration: calibration 'march' expired at "
                          "2026-09-01T00:00:00Z, the clock says 2026-10-03T04:00:00Z: calibrate again"));
  folder.write("calibrations/journal",
               accepted + journal.append(testing::journal_entry(JournalEvent::drift, march)));
  EXPECT_THAT(problems(),
              ElementsAre("d.toml:10:15: inspection.calibration: calibration 'march' has drifted (by a "
                          "test): calibrate again, or verify it again once the cause is removed"));
}

TEST_F(CheckConfig, NamesAnExpiredCalibration) {
  EXPECT_THAT(problems(october_2026),
              ElementsAre("d.toml:10:15: inspection.calibration: calibration 'march' expired at "
                          "2026-09-01T00:00:00Z, the clock says 2026-10-03T04:00:00Z: calibrate again"));
}

TEST_F(CheckConfig, NamesARecipeThatIsNotThereTwiceThereOrForAnotherSensor) {
  folder.write("recipes/a.toml", with(recipe_text, "board-a", "board-b"));
  EXPECT_THAT(problems(),
              ElementsAre("d.toml:8:10: inspection.recipe: 'board-a' is not in recipes (did you mean "
                          "'board-b'?); allowed: one of: board-b"));
  folder.write("recipes/a.toml", recipe_text);
  folder.write("recipes/b.toml", recipe_text);
  EXPECT_THAT(
      problems(),
      ElementsAre(
          "recipes/b.toml: name: 'board-a' is also the name of recipes/a.toml; allowed: a name of its "
          "own for each recipe"));
  std::filesystem::remove(folder.path() / "recipes/b.toml");
  folder.write("recipes/a.toml", with(recipe_text, "S7", "S8"));
  EXPECT_THAT(problems(),
              ElementsAre("d.toml:8:10: inspection.recipe: 'board-a' is for sensor S8; allowed: a recipe "
                          "for this cell's sensor S7"));
}

TEST_F(CheckConfig, AMachineRecipeNeedsACalibrationOnlyWithThisCellsSensor) {
  folder.write("d.toml", with(config_text, "calibration = \"march\"\n", ""));
  folder.write("recipes/other.toml", with(with(recipe_text, "board-a", "board-b"), "S7", "S8"));
  EXPECT_THAT(problems(),
              ElementsAre("recipes/a.toml: board.coordinates: 'machine' needs a calibration; allowed: "
                          "sensor, or inspection.calibration in d.toml"));
  folder.write("recipes/a.toml", with(recipe_text, "\"machine\"", "\"sensor\""));
  EXPECT_THAT(problems(), IsEmpty());
}

TEST_F(CheckConfig, NamesFoldersThatAreNotThere) {
  folder.write("d.toml",
               with(with(config_text, "\"results.db\"", "\"state/results.db\""), "\"drop\"", "\"s7.toml\""));
  std::filesystem::remove_all(folder.path() / "calibrations");
  EXPECT_THAT(
      problems(),
      ElementsAre(
          "d.toml:13:14: results.store_file: there is no folder state; allowed: a path in a folder that "
          "exists",
          "d.toml:5:15: sensor.drop_folder: s7.toml is not a folder; allowed: a folder that exists",
          "d.toml:9:23: inspection.calibrations_folder: there is no folder calibrations; allowed: a path in "
          "a folder that exists"));
}

}  // namespace
}  // namespace datum
