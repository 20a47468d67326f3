#include "daemon/calibration/calibration_log.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace datum {

namespace {

using Json = nlohmann::ordered_json;

Json json(const Eigen::Vector3d& v) { return {v.x(), v.y(), v.z()}; }

Eigen::Vector3d vector_of(const Json& j) {
  return {j.at(0).get<double>(), j.at(1).get<double>(), j.at(2).get<double>()};
}

/// Calls `take` for each line; names the line that it can't take.
template <class Take>
void each_line(const std::string& log, Take take) {
  std::istringstream in(log);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    try {
      take(Json::parse(line));
    } catch (const nlohmann::json::exception& error) {
      throw CalibrationError("line " + std::to_string(number) +
                             " is no line of a calibration's log: " + error.what());
    } catch (const CalibrationError& error) {
      throw CalibrationError("line " + std::to_string(number) + ": " + error.what());
    }
  }
}

Face face_of(const std::string& name) {
  const auto face = face_named(name);
  if (!face) throw CalibrationError("the artefact has no face '" + name + "'");
  return *face;
}

/// None: all of them.
std::optional<Face> faces_forgotten(const std::string& name) {
  if (name.empty()) return std::nullopt;
  return face_of(name);
}

}  // namespace

void CalibrationLog::begin(const std::filesystem::path& folder, const std::string& utc,
                           const CalibrationSession& session) {
  std::string name;
  for (const char c : utc)
    if (c != '-' && c != ':') name += c;
  std::error_code ignored;
  std::filesystem::create_directories(folder / "sessions", ignored);
  file_ = folder / "sessions" / (name + ".jsonl");
  for (int n = 2; std::filesystem::exists(file_, ignored); ++n)
    file_ = folder / "sessions" / (name + "~" + std::to_string(n) + ".jsonl");
  append({{"utc", utc},
          {"event", "start"},
          {"artefact", session.drawing().serial},
          {"drawing_sha256", session.drawing().sha256},
          {"operator", session.operator_name()},
          {"degc", session.degc()}});
}

void CalibrationLog::append(const Json& line) {
  std::ofstream out(file_, std::ios::app | std::ios::binary);
  out << line.dump(-1, ' ', false, Json::error_handler_t::replace) << "\n";
  if (!out.flush())
    throw CalibrationError(file_.string() + ": cannot be written; check the folder's permissions and room");
}

void CalibrationLog::touched(const std::string& utc, Face face, const Eigen::Vector3d& centre_mm,
                             double spread_um) {
  append({{"utc", utc},
          {"event", "touch"},
          {"face", name_of(face)},
          {"centre_mm", json(centre_mm)},
          {"spread_um", spread_um}});
}

void CalibrationLog::forgot(const std::string& utc, const std::string& face) {
  append({{"utc", utc}, {"event", "forget"}, {"face", face}});
}

void CalibrationLog::scanned(const std::string& utc, const ArtefactScan& scan) {
  Json points;
  for (const Face face : all_faces) points[name_of(face)] = scan.faces.points[index_of(face)].size();
  Json line{{"utc", utc},
            {"event", "scan"},
            {"frame_id", scan.frame_id},
            {"frame_sha256", scan.frame_sha256},
            {"delivery", scan.delivery},
            {"q_mm", json(scan.faces.q_mm)},
            {"points", points}};
  if (const auto& head = scan.head) line["head"] = {{"name", head->name}, {"angles_deg", head->angles_deg}};
  append(line);
}

void CalibrationLog::solved(const std::string& utc, const CalibrationSession& session) {
  append({{"utc", utc}, {"event", "solve"}, {"report", session.report()}});
}

void CalibrationLog::noted(const std::string& utc, const std::string& event, const std::string& text) {
  append({{"utc", utc}, {"event", event}, {"text", text}});
}

std::vector<std::string> replay(const std::string& log, const ArtefactDrawing& drawing,
                                const MachineSetup& machine,
                                const std::function<FacePoints(const ArtefactScan&)>& faces_of) {
  std::optional<CalibrationSession> session;
  std::vector<std::string> report;
  each_line(log, [&](const Json& line) {
    const std::string event = line.at("event").get<std::string>();
    if (event == "start") {
      if (line.at("drawing_sha256") != drawing.sha256)
        throw CalibrationError("the log is of another drawing, sha256 " +
                               line.at("drawing_sha256").get<std::string>());
      session.emplace(drawing, line.at("operator").get<std::string>(), line.at("degc").get<double>(),
                      machine);
    } else if (!session) {
      throw CalibrationError("the log does not begin with its start");
    } else if (event == "touch") {
      session->touched(face_of(line.at("face").get<std::string>()), vector_of(line.at("centre_mm")));
    } else if (event == "forget") {
      session->forget(faces_forgotten(line.at("face").get<std::string>()));
    } else if (event == "scan") {
      ArtefactScan scan;
      scan.frame_id = line.at("frame_id").get<std::string>();
      scan.frame_sha256 = line.at("frame_sha256").get<std::string>();
      scan.delivery = line.at("delivery").get<std::string>();
      scan.faces = {faces_of(scan), vector_of(line.at("q_mm"))};
      if (line.contains("head"))
        scan.head = HeadPosition{line.at("head").at("name").get<std::string>(),
                                 line.at("head").at("angles_deg").get<std::array<double, 3>>()};
      session->scanned(std::move(scan));
    } else if (event == "solve") {
      session->solve();
      report = session->report();
    }
  });
  return report;
}

std::vector<std::string> solved_report(const std::string& log) {
  std::vector<std::string> report;
  each_line(log, [&](const Json& line) {
    if (line.at("event") == "solve") report = line.at("report").get<std::vector<std::string>>();
  });
  return report;
}

std::string artefact_of(const std::string& log) {
  std::string serial;
  each_line(log, [&](const Json& line) {
    if (line.at("event") == "start") serial = line.at("artefact").get<std::string>();
  });
  return serial;
}

}  // namespace datum
