// A sensor on a rotary head: calibrated by commands at each position, boards measured at them, and at none of them.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/scenario/calibration_cell.h"

namespace datum::scenario {
namespace {

using nlohmann::json;

/// The head turns about z, as the machine's fourth axis states it.
class ScenarioHead : public ScenarioCalibration {
 protected:
  ScenarioHead()
      : ScenarioCalibration(
            "[calibration.head]\ntolerance_deg = 0.01\nu_turn_mdeg = 0.2\nu_shift_um = 0.5\n"
            "[[calibration.head.position]]\nname = \"straight\"\nangles_deg = [0, 0, 0]\n"
            "[[calibration.head.position]]\nname = \"turned\"\nangles_deg = [0, 0, 5]\n",
            "[[cmm.axis]]\nlabel = \"X\"\nmachine_axis = \"X\"\n[[cmm.axis]]\nlabel = \"Y\"\nmachine_axis = "
            "\"Y\"\n"
            "[[cmm.axis]]\nlabel = \"Z\"\nmachine_axis = \"Z\"\n[[cmm.axis]]\nlabel = \"A\"\nmachine_axis = "
            "\"C\"\n",
            "0") {
    Eigen::Isometry3d turn(Eigen::AngleAxisd(5 * M_PI / 180, Eigen::Vector3d::UnitZ()));
    cell.write("truth/turned.toml", truth(turn));
  }
  void turn(const std::string& deg) {
    tell("machine", "turn " + deg);
    ASSERT_TRUE(cmm->says("turned " + deg)) << cmm->output();
  }
  json measured(const std::string& truth_file, int frame) {
    mount_sensor(truth_file, frame, {"good"});
    expect_good("INIT;:TRIG");
    expose();
    expect_good("ABOR");
    return cell.results().back();
  }
};

TEST_F(ScenarioHead, EachPositionHasItsCalibrationAndAnyOtherIsRefused) {
  expect_good("SENS:TEMP 20.5");
  expect_good("CONF:REC 'demo-board'");
  mount_sensor("truth/mounted.toml", 1, {"artefact"});
  collect_and_solve();
  expect_good("CAL:ACC");
  const Calibration straight = current();
  ASSERT_TRUE(straight.head);
  EXPECT_EQ(straight.head->name, "straight");
  // Twice 0.5 um of the head's return.
  EXPECT_GT(straight.covariance(3, 3), 2 * 0.5e-3 * 0.5e-3);

  turn("5");
  json verdict = measured("truth/turned.toml", 11);
  EXPECT_EQ(verdict["reason"], "CALIBRATION") << "the head stands where nothing was calibrated";
  EXPECT_NE(
      verdict["detail"].get<std::string>().find("the head stands at A 0.0000, B 0.0000, C 5.0000 degrees"),
      std::string::npos)
      << verdict["detail"];
  mount_sensor("truth/turned.toml", 21, {"artefact"});
  collect_and_solve();
  expect_good("CAL:ACC");
  std::vector<std::string> refused;
  const auto heads = CalibrationStore(cell.path() / "calibrations").heads("VS3D-0001", refused);
  ASSERT_EQ(heads.size(), 2u);
  EXPECT_EQ(heads[1].head->name, "turned");

  verdict = measured("truth/turned.toml", 31);
  EXPECT_EQ(verdict["decision"], "PASS") << verdict["detail"];
  EXPECT_EQ(verdict["calibration"], heads[1].id);
  EXPECT_EQ(verdict["calibration_head"], "turned");
  EXPECT_EQ(verdict["pose"]["after"]["head_deg"], json({0, 0, 5}));
  expect_good("DATA:REPL " + std::to_string(verdict["sequence"].get<int>()));
  const Deadline deadline = timeout();
  std::string replayed;
  while ((replayed = host->ask("DATA:REPL?")).find("RUNN") != std::string::npos &&
         std::chrono::steady_clock::now() < deadline)
    continue;
  EXPECT_NE(replayed.find("SAME"), std::string::npos) << replayed;

  turn("0");
  verdict = measured("truth/mounted.toml", 41);
  EXPECT_EQ(verdict["decision"], "PASS") << verdict["detail"];
  EXPECT_EQ(verdict["calibration_head"], "straight");

  turn("2.5");
  verdict = measured("truth/mounted.toml", 51);
  EXPECT_EQ(verdict["decision"], "INVALID");
  EXPECT_EQ(verdict["reason"], "CALIBRATION");

  expect_good("CAL:STAR 'AS120-0001','J. M.',20.5");
  mount_sensor("truth/mounted.toml", 61, {"artefact"});
  expect_good("CAL:SCAN");
  expose();
  const std::string error = host->ask("SYST:ERR?");
  EXPECT_NE(error.find("at none of its positions"), std::string::npos) << error;
  expect_good("CAL:ABOR");
  expect_good("CAL:WITH 'J. M.','the sensor was taken off'");
  EXPECT_EQ(error_of("INIT"), -340) << "at every position of the head";
}

}  // namespace
}  // namespace datum::scenario
