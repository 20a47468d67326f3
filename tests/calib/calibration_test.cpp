#include "calib/calibration.h"

#include <gtest/gtest.h>

#include "calib/utc_time.h"
#include "tests/fresh_folder.h"

namespace datum {
namespace {

const char* const example = R"(schema = 1
id = "cell1-2026-03"
sensor_serial = "S7"
date = "2026-03-01T08:30:00Z"
expires = "2026-09-01T00:00:00Z"
residual_rms_um = 3.5
machine_from_sensor = [
  0, -1, 0, 100,
  1,  0, 0, 200,
  0,  0, 1, 300,
  0,  0, 0, 1,
]
[stage]
q_cal_mm = [10, 20, 30]
squareness_xy_rad = 8.073e-4
squareness_xz_rad = 1e-4
squareness_yz_rad = -2e-4
scale_ppm = [50, -20, 10]
)";

class CalibrationFile : public ::testing::Test {
 protected:
  Calibration loaded(const std::string& text = example) {
    return load_calibration(folder.write("c.toml", text));
  }
  testing::FreshFolder folder;
};

TEST_F(CalibrationFile, GivesBackWhatIsWritten) {
  const Calibration c = loaded();
  EXPECT_EQ(c.id, "cell1-2026-03");
  EXPECT_EQ(c.sensor_serial, "S7");
  EXPECT_EQ(c.date, "2026-03-01T08:30:00Z");
  EXPECT_EQ(c.made_utc_s, 1772353800);  // date -u -d 2026-03-01T08:30:00Z +%s
  EXPECT_EQ(c.expires_utc_s, 1788220800);
  EXPECT_EQ(c.residual_rms_um, 3.5);
  EXPECT_EQ(c.machine_from_sensor.translation_mm(), Eigen::Vector3d(100, 200, 300));
  EXPECT_EQ(c.machine_from_sensor * Eigen::Vector3d(1, 2, 3), Eigen::Vector3d(98, 201, 303));
  EXPECT_EQ(c.file_sha256.size(), 64u);
  EXPECT_EQ(c.file.filename(), "c.toml");
}

// METROLOGY E5 by hand: q - q_cal = (100, 0, 0) and (0, 100, 0) and (0, 0, 100) mm.
TEST_F(CalibrationFile, StageMotionEntersWithSquarenessAndScale) {
  const Calibration c = loaded();
  const auto moved = [&](double x, double y, double z) -> Eigen::Vector3d {
    return c.at({10 + x, 20 + y, 30 + z}).translation_mm() - Eigen::Vector3d(100, 200, 300);
  };
  constexpr double rounding_mm = 1e-12;  // sums of numbers below 512 mm, each rounded by 6e-14 at most
  EXPECT_LT((moved(100, 0, 0) - Eigen::Vector3d(100 * (1 + 50e-6), 0, 0)).norm(), rounding_mm);
  const double y = 100 * (1 - 20e-6), z = 100 * (1 + 10e-6);
  EXPECT_LT((moved(0, 100, 0) - Eigen::Vector3d(-8.073e-4 * y, y, 0)).norm(), rounding_mm);
  EXPECT_LT((moved(0, 0, 100) - Eigen::Vector3d(-1e-4 * z, 2e-4 * z, z)).norm(), rounding_mm);
  // 8.073e-4 rad is 81 um per 100 mm: the number that the finding names.
  EXPECT_NEAR(moved(0, 100, 0).x() * 1000, -80.73, 0.01);
}

TEST_F(CalibrationFile, AtTheCalibrationPositionItIsTheCalibration) {
  const Calibration c = loaded();
  EXPECT_EQ(c.at(c.stage.q_cal_mm).matrix(), c.machine_from_sensor.matrix());
  EXPECT_EQ(c.at({0, 0, 0}).rotation(), c.machine_from_sensor.rotation()) << "a stage does not turn";
}

TEST_F(CalibrationFile, AnIdealStageNeedsOnlyItsCalibrationPosition) {
  std::string text = example;
  text.resize(text.find("squareness_xy"));
  const Calibration c = loaded(text);
  EXPECT_EQ(c.at({11, 22, 33}).translation_mm(), Eigen::Vector3d(101, 202, 303));
}

TEST_F(CalibrationFile, IsRefusedOutsideItsTimeAndForAnotherSensor) {
  const Calibration c = loaded();
  EXPECT_EQ(refusal(c, "S7", c.made_utc_s), "");
  EXPECT_EQ(refusal(c, "S7", c.expires_utc_s - 1), "");
  EXPECT_EQ(
      refusal(c, "S7", c.expires_utc_s),
      "calibration 'cell1-2026-03' expired at 2026-09-01T00:00:00Z, the clock says 2026-09-01T00:00:00Z: "
      "calibrate again");
  EXPECT_EQ(refusal(c, "S7", c.made_utc_s - 1),
            "calibration 'cell1-2026-03' is dated 2026-03-01T08:30:00Z, the clock says 2026-03-01T08:29:59Z: "
            "correct "
            "the clock or the calibration's date");
  EXPECT_EQ(
      refusal(c, "S8", c.made_utc_s),
      "calibration 'cell1-2026-03' is for sensor S7, the frame is from sensor S8: calibrate this sensor, or "
      "name its calibration in the cell's configuration");
}

TEST(UtcTime, ReadsOneFormOnly) {
  EXPECT_EQ(utc_from_iso8601("1970-01-01T00:00:00Z"), 0);
  EXPECT_EQ(utc_from_iso8601("2000-02-29T23:59:59Z"), 951868799);
  for (const char* text : {"2026-03-01", "2026-03-01T08:30:00", "2026-03-01T08:30:00+01:00",
                           "2026-03-01 08:30:00Z", "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z",
                           "2026-03-01T24:00:00Z", "2026-03-01T00:60:00Z", "2026-03-01T00:00:60Z",
                           "2026-03-01T00:00:00.5Z", "+026-03-01T00:00:00Z", "", "2026-03-01T08:30:00z"}) {
    EXPECT_EQ(utc_from_iso8601(text), std::nullopt) << text;
  }
}

TEST(UtcTime, WritesWhatItReads) {
  for (const char* text :
       {"1970-01-01T00:00:00Z", "2024-02-29T12:34:56Z", "1969-12-31T23:59:59Z", "2038-01-19T03:14:08Z"}) {
    EXPECT_EQ(iso8601_from_utc(*utc_from_iso8601(text)), text);
  }
}

}  // namespace
}  // namespace datum
