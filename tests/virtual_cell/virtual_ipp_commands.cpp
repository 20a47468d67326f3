// The virtual I++ DME server's commands, and the operator's actions at its machine.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <stdexcept>

#include "tests/virtual_cell/virtual_ipp_server.h"
#include "tests/virtual_cell/virtual_ipp_text.h"

namespace datum {
namespace {

std::string listed(const VirtualCsy& csy) {
  return fmt::format("{:.5f}, {:.5f}, {:.5f}, {:.5f}, {:.5f}, {:.5f}", csy[0], csy[1], csy[2], csy[3], csy[4],
                     csy[5]);
}

std::string unquoted(std::string text) {
  std::erase(text, '"');
  return text;
}

}  // namespace

void VirtualIppServer::execute(const Command& c, MonotonicNs now) {
  const bool always = c.name == "EndSession" || c.name == "StartSession" || c.name == "ClearAllErrors" ||
                      c.name == "GetErrStatusE" || c.name == "GetXtdErrStatus" || c.name == "AbortE";
  if (c.name == "AbortE")
    abort(c, now);  // stops a move of an earlier client
  else if (!session_ && c.name != "EndSession" && c.name != "StartSession")
    refuse(c, 508, "Bad context");
  else if (error_ && !always)
    refuse(c, 514, "Use ClearAllErrors to continue");
  else if (move_command(c, now)) {
    if (moving_) return;  // its '%' follows at the end of the move
  } else if (!session_command(c) && !state_command(c, now) && !property_command(c) && !system_command(c))
    refuse(c, 501, "Unsupported command");
  complete(c);
}

bool VirtualIppServer::session_command(const Command& c) {
  if (c.name == "EndSession") {
    session_ = false;
    daemon_.reset();
  } else if (c.name == "StartSession") {
    if (session_) return refuse(c, 507, "Illegal command"), true;
    session_ = true;
    error_ = held_error_;
    if (!error_) errors_.clear();
    touch_content_ = {"X", "Y", "Z"};
  } else if (c.name == "ClearAllErrors") {
    if (held_error_) return true;
    error_ = false;
    errors_.clear();
  } else if (c.name == "GetDMEVersion") {
    data(c, "DMEVersion(" + quoted(version_2 ? "2.5" : "1.4") + ")");
  } else if (c.name == "GetMachineClass") {
    data(c, "GetMachineClass(" + quoted(version_2 ? "CartCMM_RotaryTable" : "CartCMM") + ")");
  } else if (c.name == "GetErrStatusE") {
    data(c, fmt::format("ErrStatus({})", error_ ? 1 : 0));
  } else if (c.name == "StopAllDaemons") {
    daemon_.reset();
  } else if (c.name == "StopDaemon") {
    if (!daemon_ || c.arguments != std::vector{daemon_->tag})
      return refuse(c, 513, "Daemon does not exist"), true;
    running_.erase(daemon_->tag);
    daemon_.reset();
  } else {
    return false;
  }
  return true;
}

bool VirtualIppServer::state_command(const Command& c, MonotonicNs now) {
  if (c.name == "GetXtdErrStatus") {
    data(c, fmt::format("IsHomed({})", machine.homed ? 1 : 0));
    data(c, "IsUserEnabled(0)");
    for (const std::string& error : errors_) data(c, error);
  } else if (c.name == "IsHomed") {
    data(c, fmt::format("IsHomed({})", machine.homed ? 1 : 0));
  } else if (c.name == "Home") {
    machine.homed = true;
  } else if (c.name == "Get") {
    std::vector<std::string> names;
    for (const std::string& argument : c.arguments) names.push_back(name_of_argument(argument));
    const std::string answer = words(names, machine.shown(now));
    answer.empty() ? refuse(c, 509, "Bad argument") : data(c, answer);
  } else if (c.name == "EnumTools") {
    for (const auto& [name, offset] : machine.tools) data(c, '"' + name + '"');
  } else if (c.name == "OnPtMeasReport") {
    touch_content_.clear();
    for (const std::string& argument : c.arguments) touch_content_.push_back(name_of_argument(argument));
  } else if (c.name == "OnMoveReportE") {
    begin_daemon(c, now);
  } else if (c.name == "ChangeTool" || c.name == "SetTool") {
    const std::string name = c.arguments.empty() ? "" : unquoted(c.arguments[0]);
    machine.tools.count(name) > 0 ? void(machine.tool = name) : refuse(c, 1502, "Tool not found");
  } else {
    return false;
  }
  return true;
}

bool VirtualIppServer::system_command(const Command& c) {
  const std::string name = c.arguments.empty() ? "" : c.arguments[0];
  const bool known = machine.systems.count(name) > 0;
  if (c.name == "GetCoordSystem") {
    data(c, version_2 ? machine.coordinate_system : "CoordSystem(" + machine.coordinate_system + ")");
  } else if (c.name == "SetCoordSystem") {
    known || name == "MachineCsy" ? void(machine.coordinate_system = name) : refuse(c, 509, "Bad argument");
  } else if (c.name == "GetCsyTransformation") {
    known ? data(c, "GetCsyTransformation(" + listed(machine.systems[name]) + ")")
          : refuse(c, 509, "Bad argument");
  } else if (c.name == "SetCsyTransformation") {
    if (!known || c.arguments.size() != 7) return refuse(c, 509, "Bad argument"), true;
    VirtualCsy csy;
    for (std::size_t i = 0; i < 6; ++i) csy[i] = std::strtod(c.arguments[i + 1].c_str(), nullptr);
    csy[3] >= 0 && csy[3] <= 180 ? void(machine.systems[name] = csy) : refuse(c, 1007, "Theta out of range");
  } else {
    return false;
  }
  return true;
}

void VirtualIppServer::begin_daemon(const Command& c, MonotonicNs now) {
  if (daemon_) return refuse(c, 515, "Daemon already exists");
  Daemon daemon{c.tag,
                value_of(c.arguments, "Time").value_or(1),
                value_of(c.arguments, "Dis").value_or(1e9),
                {},
                now,
                machine.shown(now)};
  if (daemon.time_s < 0.1) return refuse(c, 504, "Argument out of range", 1);
  for (const std::string& argument : c.arguments) {
    const std::string name = name_of_argument(argument);
    if (name != "Time" && name != "Dis") daemon.content.push_back(name);
  }
  daemon_ = daemon;
}

std::string VirtualIppServer::words(const std::vector<std::string>& names, const VirtualXyz& p) const {
  std::string text;
  for (const std::string& name : names) {
    if (name.size() != 1 || name[0] < 'X' || name[0] > 'Z') return "";
    const double value = p[static_cast<std::size_t>(name[0] - 'X')];
    text += (text.empty() ? "" : ", ") + fmt::format("{}({:.5f})", name, value);
  }
  return text;
}

std::string VirtualIppServer::order(const std::string& line, MonotonicNs now) {
  char word[16] = "", name[64] = "";
  VirtualCsy v{};
  const int numbers = std::sscanf(line.c_str(), "%15s %lf %lf %lf %lf %lf %lf", word, &v[0], &v[1], &v[2],
                                  &v[3], &v[4], &v[5]) -
                      1;
  const std::string what = word;
  const bool named = std::sscanf(line.c_str(), "%*15s %63s", name) == 1;
  if ((what == "move" || what == "touch") && numbers == 3) {
    machine.place(machine.tip_of({v[0], v[1], v[2]}));
    if (what == "touch") say("E0000", '#', "PtMeas(" + words(touch_content_, machine.shown(now)) + ")");
  } else if ((what == "tool" || what == "silent-tool") && named && machine.tools.count(name) > 0) {
    machine.tool = name;
    if (what == "tool") say("E0000", '#', fmt::format("ChangeTool(\"{}\")", name));
  } else if (what == "csy" && named &&
             (machine.systems.count(name) > 0 || name == std::string("MachineCsy"))) {
    machine.coordinate_system = name;
  } else if (what == "transform" && numbers == 6) {
    machine.systems["PartCsy"] = v;
  } else if (set_order(line)) {
  } else if (what == "hole" && numbers == 4) {
    std::erase_if(machine.holes, [&](const auto& h) { return h.x_mm == v[0] && h.y_mm == v[1]; });
    machine.holes.push_back({v[0], v[1], v[2], v[3]});
  } else if (what == "overshoot" && numbers == 1) {
    machine.overshoot_mm = v[0];
  } else if (what == "home" || what == "unhome") {
    machine.homed = what == "home";
  } else if (what == "inches" || what == "mm") {
    machine.inches = what == "inches";
  } else if ((what == "error" || what == "hold-error") && numbers >= 2) {
    held_error_ = what == "hold-error";
    fail("E0000", static_cast<int>(v[0]), static_cast<int>(v[1]), "Panel", "Told at the panel");
  } else if (what == "key" && named) {
    say("E0000", '#', fmt::format("KeyPress(\"{}\")", name));
  } else if (what == "mend") {
    error_ = held_error_ = false;
    errors_.clear();
  } else if (what == "fault" && named) {
    fault = virtual_ipp_fault(name);
  } else {
    throw std::invalid_argument(fmt::format(
        "'{}'; allowed: move X Y Z, touch X Y Z, tool NAME, silent-tool NAME, csy NAME, transform X0 Y0 Z0 "
        "THETA PSI PHI, hole X Y TIP_RADIUS SURFACE_Z, overshoot MM, set PROPERTY VALUE [MIN MAX], set "
        "PROPERTY unknown, home, unhome, inches, mm, error "
        "SEVERITY CODE, hold-error SEVERITY CODE, key NAME, "
        "mend, "
        "fault NAME",
        line));
  }
  return take_output();
}

}  // namespace datum
