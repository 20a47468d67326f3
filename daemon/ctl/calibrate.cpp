#include "daemon/ctl/calibrate.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>

#include "calib/artefact/segmentation.h"
#include "calib/calibration.h"
#include "calib/fit/feature.h"
#include "daemon/calibration/calibration_replay.h"
#include "daemon/configuration/daemon_config.h"
#include "daemon/ctl/dialogue.h"
#include "daemon/ctl/scpi_text.h"

namespace datum {

namespace {

bool is_without_daemon(std::string_view step) {
  return step == "seal" || step == "replay" || step == "align" || step == "squareness" || step == "spheres" ||
         step == "lines";
}

/// Options of a step that writes a calibration.
void add_solved_step(CLI::App& command, FileSteps& o) {
  command.add_option("--stage", o.stage, "X,Y,Z: the scales' reading in mm when the frame was taken")
      ->required();
  command.add_option("--operator", o.operator_name, "who answers for it")->required();
  command.add_option("--temperature", o.degc, "of the cell in degC")->required();
  command.add_option("--config", o.config, "configuration of the cell: probe, squareness, validity")
      ->capture_default_str();
  command.add_option("--output", o.output, "file (default: in the configuration's folder of calibrations)");
}

void add_file_steps(FileSteps& o, const std::function<CLI::App*(const char*, const char*)>& step) {
  auto* align = step(
      "align",
      "before a calibration: by which angles the sensor's adjustment is to be turned back, from a frame of a "
      "flat that the machine's probe levelled; exit status 1 where one is beyond the limit");
  align->add_option("frame", o.frame, "of the flat, or of the plate")->required();
  align->add_option("--drawing", o.drawing,
                    "of a plane-and-lines plate aligned with the machine's axes: yaw as well");
  align->add_option("--area", o.area, "only X0,X1,Y0,Y1 in mm, sensor coordinates, of a flat");
  align->add_option("--limit-deg", o.limit_deg, "largest angle that may stay")->check(CLI::PositiveNumber);
  auto* square = step("squareness",
                      "squareness of two axes of the machine, from touches of a ball bar along both "
                      "diagonals of their plane");
  square
      ->add_option("touches", o.touches,
                   "CSV: bar,ball,x_mm,y_mm,z_mm; plus or minus, 1 or 2, tip centres; 5 a ball")
      ->required();
  square->add_option("--plane", o.plane, "of the axes")
      ->transform(CLI::IsMember({"xy", "xz", "yz"}, CLI::ignore_case))
      ->capture_default_str();
  square
      ->add_option("--u-touch-um", o.u_touch_um,
                   "standard uncertainty of a touch; the balls' scatter where it is larger")
      ->required()
      ->check(CLI::PositiveNumber);
  auto* spheres =
      step("spheres", "a calibration by spheres that were touched and seen; accept ID makes it current");
  spheres->add_option("frame", o.frame, "of the spheres")->required();
  spheres
      ->add_option("--touches", o.touches,
                   "CSV: sphere,x_mm,y_mm,z_mm; its number in the drawing, tip centres")
      ->required();
  spheres->add_option("--drawing", o.drawing, "of the sphere artefact")->required();
  auto* lines =
      step("lines",
           "a calibration by a plane-and-lines plate: its lines seen, its edges touched; accept ID makes it "
           "current");
  lines->add_option("frame", o.frame, "of the plate, with its grey image")->required();
  lines
      ->add_option(
          "--touches", o.touches,
          "CSV: face,x_mm,y_mm,z_mm; top, left, right, lower or upper, tip centres; 4 of the top, 3 of an "
          "edge, 2 of one across it")
      ->required();
  lines->add_option("--drawing", o.drawing, "of the plate, with tolerance.outline_um")->required();
  for (auto* command : {spheres, lines}) add_solved_step(*command, o);
  for (auto* command : {align, spheres, lines})
    command->add_option("--sensor", o.sensor, "profile of the sensor")->required();
}

}  // namespace

bool is_of_files(const CalibrateOptions& o) {
  return is_without_daemon(o.step) && o.step != "seal" && o.step != "replay";
}

CLI::App* add_calibrate(CLI::App& app, CalibrateOptions& o, const std::function<void(CLI::App&)>& link) {
  auto* all = app.add_subcommand("calibrate", "calibrate the sensor with an artefact, step by step");
  all->require_subcommand(1);
  const auto step = [&](const char* name, const char* words) {
    auto* command = all->add_subcommand(name, words);
    command->callback([&o, name] { o.step = name; });
    if (!is_without_daemon(name)) link(*command);
    return command;
  };
  auto* start = step("start", "begin; then touch each face, scan, solve, accept");
  start->add_option("artefact", o.artefact, "serial number on the artefact")->required();
  start->add_option("--operator", o.operator_name, "who answers for it")->required();
  start->add_option("--temperature", o.degc, "of the cell in degC")->required();
  auto* touch = step("touch", "take the next touches as ones of this face, and wait for them");
  touch->add_option("face", o.face, "LP, RP, LL, LR, SU or SL")->required();
  touch->add_option("--count", o.count, "how many")->capture_default_str()->check(CLI::Range(1, 100));
  step("forget", "forget the touches of a face, or all")->add_option("face", o.face, "only this face's");
  step("scan", "take the next frame as one of the artefact, and wait for it");
  step("solve", "compute the transform, show residuals and uncertainty");
  auto* accept =
      step("accept", "store what was solved and make it current; or make ID of the folder current");
  auto* id = accept->add_option("id", o.id, "a calibration of the folder");
  auto* who = accept->add_option("--operator", o.operator_name, "who answers for it")->needs(id);
  id->needs(who);
  step("verify", "compare what was solved with the current calibration; a drift forbids to measure with it");
  auto* withdraw = step("withdraw", "the current calibration is current no more");
  withdraw->add_option("--operator", o.operator_name, "who answers for it")->required();
  withdraw->add_option("--why", o.why, "for the journal")->required();
  step("abort", "end without a calibration");
  step("status", "what is there and what is needed");
  add_file_steps(o.files, step);
  auto* seal =
      step("seal", "write the checksum into a calibration that was written by hand; needs no daemon");
  seal->add_option("file", o.file, "its checksum, operator and method are replaced; comments stay")
      ->required();
  seal->add_option("--operator", o.operator_name, "who answers for it")->required();
  auto* again = step("replay", "go through a session's log again and compare; needs no daemon");
  again->add_option("log", o.file, "sessions/*.jsonl in the folder of calibrations")->required();
  again->add_option("--config", o.config, "configuration of the cell")->capture_default_str();
  return all;
}

std::string command_of(const CalibrateOptions& o) {
  if (o.step == "start")
    return fmt::format("CALibration:STARt {},{},{}", as_parameter(o.artefact), as_parameter(o.operator_name),
                       o.degc);
  if (o.step == "touch") return "CALibration:TOUCh " + as_parameter(o.face);
  if (o.step == "forget") return "CALibration:FORGet" + (o.face.empty() ? "" : " " + as_parameter(o.face));
  if (o.step == "scan") return "CALibration:SCAN";
  if (o.step == "solve") return "CALibration:SOLVe";
  if (o.step == "accept" && !o.id.empty())
    return fmt::format("CALibration:ACCept {},{}", as_parameter(o.id), as_parameter(o.operator_name));
  if (o.step == "accept") return "CALibration:ACCept";
  if (o.step == "verify") return "CALibration:VERify";
  if (o.step == "withdraw")
    return fmt::format("CALibration:WITHdraw {},{}", as_parameter(o.operator_name), as_parameter(o.why));
  if (o.step == "abort") return "CALibration:ABORt";
  return "";
}

std::optional<std::string> prompt_of(const CalibrateOptions& o, int touch) {
  if (o.step == "touch") return fmt::format("touch {} ({} of {})", o.face, touch, o.count);
  if (o.step == "scan") return "let the sensor take a frame of the artefact";
  if (o.step == "solve") return "";
  return std::nullopt;
}

bool calibrate(const CalibrateOptions& o, ScpiClient& host) {
  const std::string command = command_of(o);
  bool good = true;
  for (int n = 1; n <= o.count && good && !command.empty(); ++n)
    good = carry_out(host, command, prompt_of(o, n));
  return print_answers(host, "CALibration:STATe?") && good;
}

bool replay(const CalibrateOptions& o) {
  const DaemonConfig config = load_daemon_config(o.config);
  if (!config.calibrate) throw CalibrationError(config.file.string() + " has no [calibration]");
  const Replayed replayed =
      replay_calibration({*config.calibrate, config.sensor_profile, deliveries_folder(config)}, o.file);
  for (const std::string& line : replayed.now) fmt::print("{}\n", line);
  if (replayed.same()) return fmt::print("the same as then\n"), true;
  fmt::print(stderr, "datumctl: then it was:\n");
  for (const std::string& line : replayed.then) fmt::print(stderr, "{}\n", line);
  return false;
}

void seal(const CalibrateOptions& o) {
  const std::string text = sealed(o.file, o.operator_name);
  const std::string part = o.file + ".part";
  std::ofstream out(part, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw std::runtime_error(part + ": cannot be written");
  std::filesystem::rename(part, o.file);
  fmt::print("{}: {}\n", o.file, load_calibration(o.file).sha256);
}

int calibrate_from_files(const CalibrateOptions& o) {
  const auto status = [](Found found) { return static_cast<int>(found); };
  const auto refused = [&](const std::exception& error, Found found) {
    fmt::print(stderr, "datumctl: {}{}\n", found == Found::invalid ? "INVALID: " : "", error.what());
    return status(found);
  };
  try {
    const Verified done = o.step == "align"        ? align_sensor(o.files)
                          : o.step == "squareness" ? measure_squareness(o.files)
                          : o.step == "lines"      ? calibrate_by_lines(o.files)
                                                   : calibrate_by_spheres(o.files);
    fmt::print("{}", done.text);
    return status(done.found);
  } catch (const FitRefused& error) {
    return refused(error, Found::invalid);
  } catch (const SegmentationRefused& error) {
    return refused(error, Found::invalid);
  } catch (const CalibrationError& error) {
    return refused(error, Found::invalid);
  } catch (const std::exception& error) {
    return refused(error, Found::bad_input);
  }
}

}  // namespace datum
