// The log of one calibration: a JSON line for each step, with all that is needed to go through it again.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "daemon/calibration/calibration_session.h"

namespace datum {

class CalibrationLog {
 public:
  /// Begins FOLDER/sessions/TIME_SERIAL.jsonl. Throws CalibrationError where it can't be written.
  void begin(const std::filesystem::path& folder, const std::string& utc, const CalibrationSession& session);
  void touched(const std::string& utc, Face face, const Eigen::Vector3d& centre_mm, double spread_um);
  void forgot(const std::string& utc, const std::string& face);
  void scanned(const std::string& utc, const ArtefactScan& scan);
  /// What was reckoned, as session.report() says it.
  void solved(const std::string& utc, const CalibrationSession& session);
  /// "accept", "verify", "abort", "refused", with what there is to say.
  void noted(const std::string& utc, const std::string& event, const std::string& text);

  const std::filesystem::path& file() const { return file_; }

 private:
  void append(const nlohmann::ordered_json& line);

  std::filesystem::path file_;
};

/// Goes through a log's touches and scan again and returns what solving gives, as session.report() says it: equal
/// to what the log has, or another code made it. `faces_of` reads a scan's faces again from its frame; only what
/// names the frame is set. Throws CalibrationError naming the line that is no line of such a log.
std::vector<std::string> replay(const std::string& log, const ArtefactDrawing& drawing,
                                const MachineSetup& machine,
                                const std::function<FacePoints(const ArtefactScan&)>& faces_of);
/// The lines of the log's last "solve".
std::vector<std::string> solved_report(const std::string& log);
/// Serial number of the log's artefact.
std::string artefact_of(const std::string& log);

}  // namespace datum
