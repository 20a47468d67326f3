// Calibrations that must not be used, with the real daemon.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/a_calibration.h"
#include "tests/scenario/scenario_cell.h"

namespace datum::scenario {
namespace {

// Arming refuses an unusable calibration and names the remedy.
TEST(ScenarioCalibrationGuards, NoBoardIsMeasuredByADoubtfulCalibration) {
  CellOptions options;
  options.arm_at_start = false;
  Cell cell(options);
  std::string recipe = Cell::recipe_text();
  recipe.replace(recipe.find("\"sensor\""), 8, "\"machine\"");
  cell.write("recipes/box.toml", recipe);
  std::string config = slurp(cell.path() / "datumd.toml");
  config.replace(config.find("trigger ="), 0,
                 "calibrations_folder = \"calibrations\"\ncalibration = \"x\"\n");
  cell.write("datumd.toml", config);
  Calibration good = testing::a_calibration("x");
  good.sensor_serial = "S-1";
  good.expires_utc_s = *utc_from_iso8601("2099-01-01T00:00:00Z");
  good.sha256 = checksum_of(good);
  cell.write("calibrations/x.toml", to_toml(good));
  cell.start();
  const auto host = cell.connect();
  const auto refusal_now = [&] {
    EXPECT_EQ(host->command("ABOR;:INIT").substr(0, 5), "-340,") << "armed";
    EXPECT_EQ(fields(host->ask("SYST:STAT?")).at(0), "IDLE");
    return fields(host->ask("CAL:CURR?")).at(5);
  };
  const auto refusal_of = [&](const std::string& text) {
    cell.write("calibrations/x.toml", text);
    return refusal_now();
  };
  const auto with = [&](auto change) {
    Calibration c = good;
    change(c);
    return to_toml(c);
  };
  const auto expect_good = [&] {
    cell.write("calibrations/x.toml", to_toml(good));
    EXPECT_EQ(host->command("ABOR;:INIT"), "0,\"No error\"");
  };
  const auto expect_words = [](const std::string& said, const std::string& words) {
    EXPECT_NE(said.find(words), std::string::npos) << said;
  };
  expect_good();
  std::string tampered = to_toml(good);
  tampered.replace(tampered.find("2099"), 4, "2199");
  expect_words(refusal_of(tampered), "checksum: is not that of the content, which was changed or damaged");
  expect_words(refusal_of(to_toml(good).substr(0, 400)), "x.toml");
  expect_words(refusal_of(with([](Calibration& c) { c.expires_utc_s = c.made_utc_s + 1; })),
               "expired at 2026-03-01T00:00:01Z");
  expect_words(refusal_of(with([](Calibration& c) { c.sensor_serial = "S-2"; })),
               "is for sensor S-2, the frame is from sensor S-1: calibrate this sensor");
  std::string mirrored = to_toml(good);
  mirrored.replace(mirrored.find("  1, 0, 0, 0,"), 13, "  -1, 0, 0, 0,");
  expect_words(refusal_of(mirrored), "the rotation is mirrored (determinant below 0)");
  const std::string window = with([](Calibration& c) { c.temperature = TemperatureWindow{20, 18, 22}; });
  expect_words(refusal_of(window), "no host reported the cell's temperature: SENSe:TEMPerature reports it");
  EXPECT_EQ(host->command("SENS:TEMP 25"), "0,\"No error\"");
  expect_words(refusal_of(window), "the cell has 25.00 degC: bring the cell back to its temperature");
  expect_good();

  CalibrationJournal journal;
  std::string lines = journal.append(testing::journal_entry(JournalEvent::accept, good));
  cell.write("calibrations/journal", lines);
  expect_good();
  const std::string resealed = with([](Calibration& c) { c.residual_rms_um = 1; });
  expect_words(refusal_of(resealed), "its content was changed and sealed again; put the accepted file back");
  cell.write("calibrations/x.toml", to_toml(good));
  cell.write("calibrations/journal",
             lines + journal.append(testing::journal_entry(JournalEvent::drift, good)));
  expect_words(refusal_now(), "has drifted (by a test): calibrate again");
  cell.write("calibrations/journal", std::string(lines).replace(lines.find("\"x\""), 3, "\"y\""));
  expect_words(refusal_now(), "it was changed after it was written");
  cell.write("calibrations/journal", lines);
  expect_good();
  EXPECT_EQ(cell.results().size(), 0u);
}

}  // namespace
}  // namespace datum::scenario
