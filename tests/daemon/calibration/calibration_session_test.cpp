// A calibration step by step, and the log that tells it again.
#include "daemon/calibration/calibration_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "calib/artefact/drawing_file.h"
#include "daemon/calibration/calibration_log.h"
#include "tests/fresh_folder.h"
#include "tests/sample_file.h"
#include "tests/virtual_cell/twin_artefact.h"

namespace datum {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

const ArtefactDrawing drawing =
    load_artefact_drawing(std::filesystem::path(DATUM_SOURCE_DIR) / "config/artefacts/angled-slot-120.toml");

template <class To, class From>
Htm<To, From> shift(double x, double y, double z) {
  Eigen::Matrix4d m = Eigen::Matrix4d::Identity();
  m.topRightCorner<3, 1>() << x, y, z;
  return Htm<To, From>(m);
}

class Session : public ::testing::Test {
 protected:
  Session() {
    settings.probe_radius_mm = 1;
    settings.probe_u_radius_um = 0.5;
    settings.probe_u_touch_um = 1;
    settings.probe_checked_by = "ring gauge RG 20";
    session = std::make_unique<CalibrationSession>(drawing, "J. M.", 20.5, machine_setup(settings));
  }
  void touch_all() {
    for (const Face face : all_faces)
      for (const Eigen::Vector3d& place : places_on(drawing.face(face), 6)) {
        const Eigen::Vector3d tip = machine_from_artefact * (place + drawing.face(face).plane.normal);
        session->touched(face, tip);
        log.touched("2026-03-01T08:31:00Z", face, tip, 0.5);
      }
  }
  FacePoints faces(const Htm<Machine, Sensor>& machine_from_sensor) const {
    FacePoints points;
    const Htm<Sensor, Artefact> pose = machine_from_sensor.inverse() * machine_from_artefact;
    for (const Face face : all_faces)
      points[index_of(face)] = points_on({drawing}, face, pose, 2000, 5, 1 + index_of(face));
    return points;
  }
  void scan(const Htm<Machine, Sensor>& machine_from_sensor) {
    session->scanned({{faces(machine_from_sensor), q_mm}, "f7", "ab", "f7.json"});
  }
  Calibration calibration() const {
    return session->calibration("S 7", 1'772'353'800, "0.1.0 test", settings);
  }

  CalibrateSettings settings;
  std::unique_ptr<CalibrationSession> session;
  CalibrationLog log;
  testing::FreshFolder folder;
  const Eigen::Vector3d q_mm{120, 80, 35};
  const Htm<Machine, Artefact> machine_from_artefact = shift<Machine, Artefact>(310, 205, 90);
  const Htm<Machine, Sensor> truth = shift<Machine, Sensor>(312, 208, 95);

  void begin_log() { log.begin(folder.path(), "2026-03-01T08:30:00Z", *session); }
};

TEST_F(Session, SaysWhatIsNeeded) {
  begin_log();
  EXPECT_THAT(session->report(), Contains("LL: 0 touches, 4 are needed"));
  EXPECT_THAT(session->report(), Contains("scan: needed"));
  EXPECT_THROW(session->solve(), FitRefused);
  touch_all();
  scan(truth);
  EXPECT_THAT(session->report(), Contains("LL: 6 touches"));
  EXPECT_THAT(session->report(),
              Contains("scan: frame f7, LP 2000 RP 2000 LL 2000 LR 2000 SU 2000 SL 2000 points"));
  EXPECT_THROW(calibration(), CalibrationError) << "nothing was solved";
  session->solve();
  EXPECT_EQ(session->report().back(), "to be accepted or verified");
}

TEST_F(Session, MakesACalibrationThatNamesWhatItRestsOn) {
  begin_log();
  touch_all();
  scan(truth);
  session->solve();
  const Calibration c = calibration();
  EXPECT_EQ(c.id, "S-7_20260301T083000Z");
  EXPECT_EQ(c.sensor_serial, "S 7");
  EXPECT_EQ(c.expires_utc_s - c.made_utc_s, 180 * 86400);
  EXPECT_EQ(c.temperature->min_degc, 18.5);
  EXPECT_EQ(c.temperature->max_degc, 22.5);
  EXPECT_EQ(c.artefact_serial, "AS120-0001");
  EXPECT_EQ(c.drawing_sha256, drawing.sha256);
  EXPECT_EQ(c.residuals.size(), 12u);
  EXPECT_EQ(c.stage.q_cal_mm, q_mm);
  const Calibration back = load_calibration(folder.write(c.id + ".toml", to_toml(c)));
  EXPECT_EQ(back.sha256, c.sha256);
  EXPECT_EQ(back.covariance, c.covariance);
  // 5 um over 2000 points a face, 36 touches of 0 um: within U at the sensor's origin, and U is useful.
  const Eigen::Vector3d error = (back.at(q_mm) * Eigen::Vector3d::Zero() - truth.translation_mm());
  EXPECT_LT(error.norm(), 0.005);
  EXPECT_LT((back.at(q_mm + Eigen::Vector3d(10, 0, 0)).translation_mm() - back.at(q_mm).translation_mm() -
             Eigen::Vector3d(10, 0, 0))
                .norm(),
            1e-9);
}

TEST_F(Session, AnotherTouchUndoesWhatWasSolved) {
  begin_log();
  touch_all();
  scan(truth);
  session->solve();
  session->touched(Face::lp, {0, 0, 0});
  EXPECT_THROW(calibration(), CalibrationError);
  session->forget(Face::lp);
  EXPECT_THAT(session->report(), Contains("LP: 0 touches, 4 are needed"));
  EXPECT_THAT(session->report(), Contains("RP: 6 touches"));
  session->forget(std::nullopt);
  EXPECT_THAT(session->report(), Contains("RP: 0 touches, 4 are needed"));
}

TEST_F(Session, AFindingForbidsIt) {
  begin_log();
  touch_all();
  scan(truth);
  session->touched(Face::su, machine_from_artefact * Eigen::Vector3d(20, 2.5, -1.2));
  session->solve();
  EXPECT_THAT(session->report(), Contains(HasSubstr("finding: SU touch: residual")));
  EXPECT_EQ(session->report().back(), "must not be accepted");
  EXPECT_THROW(calibration(), CalibrationError);
  EXPECT_THROW(session->drift_from(Calibration{}, {}), CalibrationError) << "nor verified with";
}

TEST_F(Session, ARadiusThatTheFacesCannotTellIsNotBelievedUnlessSomebodySaysHowItWasChecked) {
  settings.probe_checked_by = "";
  session = std::make_unique<CalibrationSession>(drawing, "J. M.", 20.5, machine_setup(settings));
  begin_log();
  touch_all();
  scan(truth);
  session->solve();
  EXPECT_THAT(session->report(),
              Contains(HasSubstr("finding: the touched faces determine the probe's radius to U = ")));
  EXPECT_THAT(session->report(), Contains(HasSubstr("calibration.probe_checked_by")));
  EXPECT_THROW(calibration(), CalibrationError);
  settings.probe_radius_limit_um = 100;  // who is content with what the faces tell
  session = std::make_unique<CalibrationSession>(drawing, "J. M.", 20.5, machine_setup(settings));
  touch_all();
  scan(truth);
  session->solve();
  EXPECT_NO_THROW(calibration());
}

TEST_F(Session, MeasuresADrift) {
  begin_log();
  touch_all();
  scan(truth);
  session->solve();
  const Calibration then = calibration();
  EXPECT_FALSE(session->drift_from(then, {20, 5}).drifted);
  // Remounted 60 um along x: the artefact's scan moves, the touches do not.
  scan(shift<Machine, Sensor>(312.06, 208, 95));
  session->solve();
  const Drift drift = session->drift_from(then, {20, 5});
  EXPECT_TRUE(drift.drifted) << drift.words;
  EXPECT_NEAR(drift.shift_um.x(), 60, 2 * drift.u_shift_um) << drift.words;
}

TEST_F(Session, ReplaysFromItsLogToTheSameReport) {
  begin_log();
  session->touched(Face::lp, {1, 2, 3});
  log.touched("2026-03-01T08:30:30Z", Face::lp, {1, 2, 3}, 0);
  session->forget(Face::lp);
  log.forgot("2026-03-01T08:30:40Z", "LP");
  touch_all();
  scan(truth);
  log.scanned("2026-03-01T08:40:00Z", *session->scan());
  session->solve();
  log.solved("2026-03-01T08:41:00Z", *session);
  const std::string text = testing::slurp(log.file());
  const auto again = [&](const std::string& from) {
    return replay(from, drawing, machine_setup(settings), [&](const ArtefactScan& scan) {
      EXPECT_EQ(scan.frame_id + " " + scan.frame_sha256 + " " + scan.delivery, "f7 ab f7.json");
      return faces(truth);
    });
  };
  EXPECT_EQ(again(text), session->report());
  EXPECT_EQ(solved_report(text), session->report());
  std::string moved = text;
  moved.replace(moved.find("\"spread_um\":0.5"), 15, "\"spread_um\":0.6");
  EXPECT_EQ(again(moved), session->report()) << "how still it stood does not enter";
  const auto digit = text.rfind("\"centre_mm\":[3") + 14;
  EXPECT_NE(again(std::string(text).replace(digit, 1, text[digit] == '1' ? "2" : "1")), session->report());
  EXPECT_THROW(again(text + "{\n"), CalibrationError);
  EXPECT_THROW(again(text.substr(text.find('\n') + 1)), CalibrationError) << "without its start";
}

TEST_F(Session, ARefusedLineOfItsLogIsNamed) {
  begin_log();
  const std::string start = testing::slurp(log.file());
  const auto refusal = [&](const std::string& line) -> std::string {
    try {
      replay(start + line, drawing, machine_setup(settings),
             [](const ArtefactScan&) { return FacePoints{}; });
      return "";
    } catch (const CalibrationError& refused) {
      return refused.what();
    }
  };
  const std::string touch = R"({"event":"touch","centre_mm":[1,2,3],"face":")";
  EXPECT_EQ(refusal(touch + "XX\"}"), "line 2: the artefact has no face 'XX'");
  EXPECT_EQ(refusal(touch + "\"}"), "line 2: the artefact has no face ''") << "only forget means all";
  EXPECT_EQ(refusal(R"({"event":"forget","face":""})"), "");
  EXPECT_EQ(refusal(start), "") << "a start begins again";
}

}  // namespace
}  // namespace datum
