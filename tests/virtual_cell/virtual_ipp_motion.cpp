// Motion of the virtual I++ DME server's machine: GoTo, PtMeas with its approach, search and retract, AbortE;
// and the properties of distances and speeds. I++ DME 1.4.3, 6.3.2.13 and 6.3.1.5.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "tests/virtual_cell/virtual_ipp_server.h"
#include "tests/virtual_cell/virtual_ipp_text.h"

namespace datum {
namespace {

/// The vector of "PtMeas(..., IJK(0, 0, 1))", of length 1; none where it is missing or has no length.
std::optional<VirtualXyz> ijk_of(const std::vector<std::string>& arguments) {
  VirtualXyz n{};
  for (const std::string& argument : arguments)
    if (std::sscanf(argument.c_str(), "IJK(%lf,%lf,%lf)", &n[0], &n[1], &n[2]) == 3) {
      const double length = std::hypot(n[0], n[1], n[2]);
      if (length > 0) return VirtualXyz{n[0] / length, n[1] / length, n[2] / length};
    }
  return std::nullopt;
}

VirtualXyz along(const VirtualXyz& from, const VirtualXyz& direction, double mm) {
  return {from[0] + mm * direction[0], from[1] + mm * direction[1], from[2] + mm * direction[2]};
}

}  // namespace

bool VirtualIppServer::property_command(const Command& c) {
  if (c.name == "SetProp") {
    set_property(c);
  } else if (c.name == "GetProp") {
    std::string answer;
    for (const std::string& argument : c.arguments) {
      const std::string one = property(name_of_argument(argument));
      if (one.empty()) return refuse(c, 510, "Bad property"), true;
      answer += (answer.empty() ? "" : ", ") + one;
    }
    answer.empty() ? refuse(c, 502, "Incorrect arguments") : data(c, answer);
  } else {
    return false;
  }
  return true;
}

/// "Tool.PtMeasPar.Search.Min(1)"; empty for an unknown one.
std::string VirtualIppServer::property(const std::string& name) const {
  if (name == "Tool.Name") return "Tool.Name(" + quoted(machine.tool) + ")";
  const auto told = [&](double value) { return fmt::format("{}({:.6g})", name, value); };
  if (const auto value = machine.values.find(name); value != machine.values.end()) return told(value->second);
  const auto whole = machine.parameters.find(name);
  if (whole != machine.parameters.end()) return told(whole->second.act);
  const auto point = name.rfind('.');
  if (point == std::string::npos) return "";
  const auto p = machine.parameters.find(name.substr(0, point));
  const std::string end = name.substr(point);
  if (p == machine.parameters.end()) return "";
  if (end == ".Act") return told(p->second.act);
  if (end == ".Min") return told(p->second.min);
  if (end == ".Max") return told(p->second.max);
  return end == ".Def" ? told(p->second.def) : "";
}

/// Beyond the range the nearest limit is set, with a warning (0504).
void VirtualIppServer::set_property(const Command& c) {
  for (const std::string& argument : c.arguments) {
    std::string name = name_of_argument(argument);
    const auto value = value_of(c.arguments, name);
    if (name.ends_with(".Act")) name.resize(name.size() - 4);
    const auto p = machine.parameters.find(name);
    const auto plain = machine.values.find(name);
    if (!value || !std::isfinite(*value)) return refuse(c, 509, "Bad argument");
    if (plain != machine.values.end()) {
      plain->second = *value;
      continue;
    }
    if (p == machine.parameters.end()) return refuse(c, 510, "Bad property");
    p->second.act = std::clamp(*value, p->second.min, p->second.max);
    if (p->second.act != *value) refuse(c, 504, "Argument out of range", 1);
  }
}

/// "set PROPERTY VALUE [MIN MAX]", "set PROPERTY unknown".
bool VirtualIppServer::set_order(const std::string& line) {
  char name[64] = "", word[64] = "";
  VirtualParameter p;
  const int read = std::sscanf(line.c_str(), "set %63s %63s %lf %lf", name, word, &p.min, &p.max);
  if (read != 2 && read != 4) return false;
  machine.parameters.erase(read == 4 || std::string(word) == "unknown" ? name : "");
  if (std::string(word) == "unknown") return machine.values.erase(name), true;
  p.act = p.def = std::strtod(word, nullptr);
  if (read == 4)
    machine.parameters[name] = p;
  else if (machine.parameters.count(name) > 0)
    machine.parameters[name].act = p.act;
  else if (machine.values[name] = p.act; std::string(name) == "Tool.Radius")
    machine.tool_radius_mm = p.act;
  return true;
}

void VirtualIppServer::abort(const Command&, MonotonicNs now) {
  machine.halt(now);
  if (moving_) {
    say(moving_->tag, '!', "Error(2, 0006, \"" + moving_->text + "\", \"Transaction aborted\")");
    complete(*std::exchange(moving_, std::nullopt));
  }
  for (const Command& dropped : std::exchange(queue_, {})) {
    say(dropped.tag, '!', "Error(2, 0006, \"" + dropped.text + "\", \"Transaction aborted\")");
    complete(dropped);
  }
  error_ = session_;
}

bool VirtualIppServer::move_command(const Command& c, MonotonicNs now) {
  if (c.name != "GoTo" && c.name != "PtMeas") return false;
  if (!machine.homed) return refuse(c, 1005, "Machine not homed", 3), true;
  c.name == "GoTo" ? go_to(c, now) : touch(c, now);
  return true;
}

VirtualXyz VirtualIppServer::target_of(const Command& c, MonotonicNs now) const {
  VirtualXyz target = machine.shown(now);
  const char* names[] = {"X", "Y", "Z"};
  for (std::size_t i = 0; i < 3; ++i)
    if (const auto value = value_of(c.arguments, names[i])) target[i] = *value;
  return machine.tip_of(target);
}

void VirtualIppServer::go_to(const Command& c, MonotonicNs now) {
  VirtualXyz tip = target_of(c, now);
  ending_ = {};
  if (!machine.reaches(tip)) return refuse(c, 1008, "Target position out of machine volume", 3);
  if (const auto wall = machine.wall_between(machine.tip_mm(now), tip)) {
    tip = *wall;
    ending_ = {1001, 3, "Unexpected touch", {}};
  }
  tip[0] += machine.overshoot_mm;
  if (!machine.go({{tip, machine.parameters["Tool.GoToPar.Speed"].act}}, now))
    return refuse(c, 1008, "Target position out of machine volume", 3);
  moving_ = c;
}

void VirtualIppServer::touch(const Command& c, MonotonicNs now) {
  const auto shown_n = ijk_of(c.arguments);
  if (!shown_n) return refuse(c, 1010, "Vector has no norm");
  const VirtualXyz nominal = target_of(c, now), at = machine.tip_mm(now);
  // The vector is in the active coordinate system, like the nominal.
  const VirtualXyz zero = machine.tip_of({0, 0, 0}), tip_n = machine.tip_of(*shown_n);
  const VirtualXyz n{tip_n[0] - zero[0], tip_n[1] - zero[1], tip_n[2] - zero[2]};
  const auto part = [this](const char* name) {
    const auto value = machine.values.find(name);
    return value == machine.values.end() ? 0.0 : value->second;
  };
  const double travel = machine.parameters["Tool.GoToPar.Speed"].act,
               probing = machine.parameters["Tool.PtMeasPar.Speed"].act,
               retract = machine.parameters["Tool.PtMeasPar.Retract"].act + part("Part.Retract");
  const VirtualXyz begin = along(
      nominal, n,
      machine.parameters["Tool.PtMeasPar.Approach"].act + part("Part.Approach") + machine.tool_radius_mm);
  const VirtualXyz end =
      along(nominal, n,
            machine.tool_radius_mm - machine.parameters["Tool.PtMeasPar.Search"].act - part("Part.Search"));
  std::vector<VirtualIppMachine::Leg> legs{{begin, travel}};
  ending_ = {};
  if (const auto crash = machine.wall_between(at, begin)) {
    legs = {{*crash, travel}};
    ending_ = {1001, 3, "Unexpected touch", {}};
  } else if (const auto contact = machine.wall_between(
                 begin, !machine.holes.empty() ? end : along(nominal, n, machine.tool_radius_mm))) {
    legs.push_back({*contact, probing});
    const VirtualXyz rest = along(*contact, n, retract);
    const auto other_wall = machine.wall_between(along(*contact, n, 1e-6), rest);
    legs.push_back({other_wall ? *other_wall : rest, travel});
    legs.back().to_mm[0] += machine.overshoot_mm;
    ending_.touched_mm = contact;
    if (other_wall) ending_.code = 1001, ending_.severity = 3, ending_.text = "Unexpected touch";
  } else if (!machine.holes.empty()) {
    legs.push_back({end, probing});
    ending_ = {1006, 2, "Surface not found", {}};
  } else {  // without a known solid the contact is at the nominal
    const VirtualXyz met = along(nominal, n, machine.tool_radius_mm);
    legs.push_back({met, probing});
    legs.push_back({along(met, n, retract), travel});
    ending_.touched_mm = met;
  }
  if (!machine.go(legs, now)) return refuse(c, 1008, "Target position out of machine volume", 3);
  moving_ = c;
}

/// The machine has reached the end of the move.
void VirtualIppServer::arrive() {
  const Command c = *std::exchange(moving_, std::nullopt);
  if (ending_.touched_mm) data(c, words(touch_content_, machine.shown_of(*ending_.touched_mm)));
  if (ending_.code != 0) refuse(c, ending_.code, ending_.text, ending_.severity);
  complete(c);
}

}  // namespace datum
