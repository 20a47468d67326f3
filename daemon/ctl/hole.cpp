#include "daemon/ctl/hole.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <sstream>

#include "calib/hybrid/hybrid_log.h"
#include "daemon/ctl/dialogue.h"
#include "daemon/ctl/scpi_text.h"

namespace datum {

CLI::App* add_hole(CLI::App& app, HoleOptions& o, const std::function<void(CLI::App&)>& link) {
  auto* all = app.add_subcommand("hole",
                                 "scan a hole, then touch it, step by step; the probe is moved by hand, or "
                                 "by the machine where its configuration allows it");
  all->require_subcommand(1);
  const auto step = [&](const char* name, const char* words) {
    auto* command = all->add_subcommand(name, words);
    command->callback([&o, name] { o.step = name; });
    if (std::string(name) != "replay") link(*command);
    return command;
  };
  auto* start = step("start", "begin; then scan, enter, touch until it is DONE");
  start->add_option("x", o.x_mm, "of its center, machine coordinates, mm")->required();
  start->add_option("y", o.y_mm, "of its center, mm")->required();
  start->add_option("z", o.z_mm, "of the surface, mm")->required();
  start->add_option("radius", o.radius_mm, "of the drawing, mm")->required();
  start->add_option("--search", o.search_mm, "how far off the center may be, mm")->required();
  start->add_option("--tolerance", o.tolerance_mm, "how far off the radius may be, mm")->required();
  step("scan", "find it in the next frame, and wait for that");
  step("enter", "the tip stands still in the hole, where status leads it");
  step("touch", "take the next touch as one of its wall, and wait for it");
  step("status", "where it stands, and where the probe goes next");
  step("abort", "end it, and forget what earlier holes said of the scan's bias");
  auto* again = step("replay", "go through a log again and compare; needs no daemon");
  again->add_option("log", o.file, "hole_*.jsonl in the folder of [holes]")->required();
  return all;
}

std::string command_of(const HoleOptions& o) {
  if (o.step == "start")
    return fmt::format("PROBe:HOLE:STARt {},{},{},{},{},{}", o.x_mm, o.y_mm, o.z_mm, o.radius_mm, o.search_mm,
                       o.tolerance_mm);
  if (o.step == "scan") return "PROBe:HOLE:SCAN";
  if (o.step == "enter") return "PROBe:HOLE:ENTer";
  if (o.step == "touch") return "PROBe:HOLE:TOUCh";
  if (o.step == "abort") return "PROBe:HOLE:ABORt";
  return "";
}

std::optional<std::string> prompt_of(const HoleOptions& o) {
  if (o.step == "scan") return "let the sensor take a frame of the hole";
  if (o.step == "enter") return "keep the tip still in the hole";
  if (o.step == "touch") return "touch the wall, then back to the middle";
  return std::nullopt;
}

bool hole(const HoleOptions& o, ScpiClient& host) {
  const std::string command = command_of(o);
  const bool good = command.empty() || carry_out(host, command, prompt_of(o));
  return print_answers(host, "PROBe:HOLE:STATe?") && good;
}

bool replay(const HoleOptions& o) {
  std::ifstream in(o.file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in || !text) throw HybridLogError(o.file + ": cannot be read");
  const std::string then = text.str(), now = replay(then);
  const auto last = now.rfind('\n', now.size() - 2);
  fmt::print("{}", now.substr(last == std::string::npos ? 0 : last + 1));
  if (now == then) return fmt::print("the same as then\n"), true;
  fmt::print(stderr, "datumctl: the log says otherwise: it was changed, or made by another version\n");
  return false;
}

}  // namespace datum
