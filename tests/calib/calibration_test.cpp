#include "calib/calibration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "config/toml_reader.h"
#include "config/utc_time.h"
#include "tests/a_calibration.h"
#include "tests/fresh_folder.h"

namespace datum {
namespace {

Calibration example() {
  Calibration c = testing::a_calibration("cell1-2026-03");
  c.made_utc_s = 1772353800;  // date -u -d 2026-03-01T08:30:00Z +%s
  c.method = CalibrationMethod::angled_slot;
  c.artefact_serial = "AS-120 \"7\"";
  c.drawing_sha256 = std::string(64, 'd');
  c.temperature = TemperatureWindow{20.4, 18, 23};
  c.residuals = {{"LP", 5000, 3.25}, {"RP", 4801, 4.0}};
  Eigen::Matrix4d m;
  m << 0, -1, 0, 100, 1, 0, 0, 200, 0, 0, 1, 300, 0, 0, 0, 1;
  c.machine_from_sensor = Htm<Machine, Sensor>(m);
  for (int i = 0; i < 6; ++i) c.covariance(i, (i + 1) % 6) = c.covariance((i + 1) % 6, i) = -1e-12 / 3;
  c.stage.q_cal_mm = {10, 20, 30};
  c.squareness_rad = {8.073e-4, 1e-4, -2e-4};
  c.scale_ppm = {50, -20, 10};
  c.stage_u = {{1e-6, 2e-6, 3e-6}, {2, 3, 4}, {0.5, 0.25, 1}};
  return c;
}

class CalibrationFile : public ::testing::Test {
 protected:
  Calibration loaded(const std::string& text = to_toml(example())) {
    return load_calibration(folder.write("c.toml", text));
  }
  std::string refusal_of(const std::string& text) {
    try {
      loaded(text);
    } catch (const config::ConfigError& error) {
      return error.what();
    }
    return "(accepted)";
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
  EXPECT_EQ(c.method, CalibrationMethod::angled_slot);
  EXPECT_EQ(c.operator_name, "J. M\xc3\xbcller");
  EXPECT_EQ(c.software, "0.1.0 test");
  EXPECT_EQ(c.artefact_serial, "AS-120 \"7\"");
  EXPECT_EQ(c.drawing_sha256, std::string(64, 'd'));
  EXPECT_EQ(c.temperature->measured_degc, 20.4);
  EXPECT_EQ(c.temperature->min_degc, 18);
  EXPECT_EQ(c.temperature->max_degc, 23);
  ASSERT_EQ(c.residuals.size(), 2u);
  EXPECT_EQ(c.residuals[1].feature, "RP");
  EXPECT_EQ(c.residuals[1].points, 4801);
  EXPECT_EQ(c.residuals[0].rms_um, 3.25);
  EXPECT_EQ(c.covariance, example().covariance);
  EXPECT_EQ(c.squareness_rad, example().squareness_rad);
  EXPECT_EQ(c.scale_ppm, example().scale_ppm);
  EXPECT_EQ(c.stage_u.squareness_rad, example().stage_u.squareness_rad);
  EXPECT_EQ(c.stage_u.scale_ppm, example().stage_u.scale_ppm);
  EXPECT_EQ(c.stage_u.position_um, example().stage_u.position_um);
  EXPECT_EQ(c.sha256.size(), 64u);
  EXPECT_EQ(c.file.filename(), "c.toml");
  EXPECT_EQ(to_toml(c), to_toml(example())) << "written again it is the same file";
}

// Each value enters the checksum; other bytes belong to comments or blanks.
TEST_F(CalibrationFile, SeesEachChangedByteOfItsContent) {
  const std::string text = to_toml(example());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ' ' || text[i] == '\n') continue;
    std::string changed = text;
    changed[i] = changed[i] == '7' ? '8' : '7';
    ASSERT_NE(refusal_of(changed), "(accepted)") << text.substr(0, i) << "<-- here";
  }
  EXPECT_EQ(refusal_of("# a comment\n" + text), "(accepted)");
}

TEST_F(CalibrationFile, ToldFromAHandWrittenOneByItsSeal) {
  std::string text = to_toml(example());
  text.replace(text.find("100,\n"), 3, "101");
  EXPECT_THAT(refusal_of(text),
              ::testing::EndsWith("c.toml:3:12: checksum: is not that of the content, which was changed or "
                                  "damaged; allowed: the file as it was made; a file of your own: datumctl "
                                  "calibrate seal FILE --operator NAME"));
  const Calibration own = loaded(sealed(folder.write("own.toml", text), "A. Smith"));
  EXPECT_EQ(own.method, CalibrationMethod::imported);
  EXPECT_EQ(own.operator_name, "A. Smith") << "who answers for it";
  EXPECT_EQ(own.machine_from_sensor.translation_mm().x(), 101);
  EXPECT_NE(own.sha256, loaded().sha256);
}

TEST_F(CalibrationFile, SealingKeepsTheCommentBehindAnOverwrittenValue) {
  const std::string line = "operator = \"J. M\xc3\xbcller\"";
  const auto sealed_line = [&](const std::string& written) {
    std::string text = to_toml(example());
    text.replace(text.find(line), line.size(), written);
    const std::string now = sealed(folder.write("own.toml", text), "A. Smith");
    std::ifstream file(folder.write("sealed.toml", now));
    for (std::string found; std::getline(file, found);)
      if (found.starts_with("operator")) return found;
    return std::string();
  };
  const std::string smith = "operator = \"A. Smith\"";
  EXPECT_EQ(sealed_line(line), smith);
  EXPECT_EQ(sealed_line(line + " # by hand # twice"), smith + "  # by hand # twice");
  EXPECT_EQ(sealed_line(R"(operator = "a # b \" # c" # d)"), smith + "  # d");
  EXPECT_EQ(sealed_line("operator = 'a # \\' # \"b"), smith + "  # \"b");
  EXPECT_EQ(sealed_line("operator = \"# none\""), smith);
}

TEST_F(CalibrationFile, HoldsInItsTemperatureWindowAlone) {
  const Calibration c = loaded();
  const std::int64_t now = c.made_utc_s + 100, hour = 3600;
  const auto why = [&](std::optional<TemperatureReading> t) { return temperature_refusal(c, t, now, hour); };
  EXPECT_EQ(why(TemperatureReading{18, now}), "");
  EXPECT_EQ(why(TemperatureReading{23, now - hour}), "");
  const std::string who = "calibration 'cell1-2026-03' holds from 18.00 to 23.00 degC, ";
  EXPECT_EQ(why(std::nullopt),
            who + "and no host reported the cell's temperature: SENSe:TEMPerature reports it");
  EXPECT_EQ(
      why(TemperatureReading{23.01, now}),
      who + "the cell has 23.01 degC: bring the cell back to its temperature, or calibrate at this one");
  EXPECT_EQ(why(TemperatureReading{17.99, now}).substr(0, who.size() + 23), who + "the cell has 17.99 degC");
  EXPECT_EQ(why(TemperatureReading{std::nan(""), now}).substr(0, who.size() + 12), who + "the cell has");
  const std::string old = "and the cell's temperature was reported at ";
  EXPECT_EQ(
      why(TemperatureReading{20, now - hour - 1}),
      who + old +
          "2026-03-01T07:31:39Z, more than 3600 s before 2026-03-01T08:31:40Z: SENSe:TEMPerature reports "
          "it");
  EXPECT_EQ(why(TemperatureReading{20, now + 1}).substr(0, (who + old).size()), who + old) << "of tomorrow";
  Calibration without = c;
  without.temperature.reset();
  EXPECT_EQ(temperature_refusal(without, std::nullopt, now, hour), "");
}

// daemon/inspection/METROLOGY.md, E5, by hand: q - q_cal = (100, 0, 0), (0, 100, 0) and (0, 0, 100) mm.
TEST_F(CalibrationFile, StageMotionEntersWithSquarenessAndScale) {
  const Calibration c = loaded();
  const auto moved = [&](double x, double y, double z) -> Eigen::Vector3d {
    return c.at({10 + x, 20 + y, 30 + z}).translation_mm() - Eigen::Vector3d(100, 200, 300);
  };
  // Sums of numbers below 512 mm, each with a rounding of at most 6e-14.
  constexpr double rounding_mm = 1e-12;
  EXPECT_LT((moved(100, 0, 0) - Eigen::Vector3d(100 * (1 + 50e-6), 0, 0)).norm(), rounding_mm);
  const double y = 100 * (1 - 20e-6), z = 100 * (1 + 10e-6);
  EXPECT_LT((moved(0, 100, 0) - Eigen::Vector3d(-8.073e-4 * y, y, 0)).norm(), rounding_mm);
  EXPECT_LT((moved(0, 0, 100) - Eigen::Vector3d(-1e-4 * z, 2e-4 * z, z)).norm(), rounding_mm);
  // 8.073e-4 rad is 81 um per 100 mm (METROLOGY.md, finding 5).
  EXPECT_NEAR(moved(0, 100, 0).x() * 1000, -80.73, 0.01);
}

TEST_F(CalibrationFile, AtTheCalibrationPositionItIsTheCalibration) {
  const Calibration c = loaded();
  EXPECT_EQ(c.at(c.stage.q_cal_mm).matrix(), c.machine_from_sensor.matrix());
  EXPECT_EQ(c.at({0, 0, 0}).rotation(), c.machine_from_sensor.rotation()) << "a stage does not turn";
}

TEST_F(CalibrationFile, AnIdealStageNeedsOnlyItsCalibrationPosition) {
  Calibration ideal = example();
  ideal.squareness_rad.setZero();
  ideal.scale_ppm.setZero();
  const Calibration c = loaded(to_toml(ideal));
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
