#include "daemon/ctl/calibrate.h"

#include <fmt/format.h>

#include <fstream>

#include "calib/calibration.h"
#include "daemon/calibration/calibration_replay.h"
#include "daemon/ctl/dialogue.h"
#include "daemon/ctl/scpi_text.h"

namespace datum {

CLI::App* add_calibrate(CLI::App& app, CalibrateOptions& o, const std::function<void(CLI::App&)>& link) {
  auto* all = app.add_subcommand("calibrate", "calibrate the sensor with an artefact, step by step");
  all->require_subcommand(1);
  const auto step = [&](const char* name, const char* words) {
    auto* command = all->add_subcommand(name, words);
    command->callback([&o, name] { o.step = name; });
    if (std::string(name) != "seal" && std::string(name) != "replay") link(*command);
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

}  // namespace datum
