#include "tests/drivers/ipp/ipp_letter.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace datum::testing {
namespace {

std::string printed(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

/// "X(1.5), Y(2)" and "Y" -> 2.
std::optional<double> argument(const std::string& arguments, const std::string& name) {
  const auto at = arguments.find(name + "(");
  if (at == std::string::npos) return std::nullopt;
  return std::strtod(arguments.c_str() + at + name.size() + 1, nullptr);
}

std::string point(const Eigen::Vector3d& p) {
  return "X(" + printed("%.5f", p.x()) + "),Y(" + printed("%.5f", p.y()) + "),Z(" + printed("%.5f", p.z()) +
         ")";
}

}  // namespace

Eigen::Vector3d LetterServer::at(MonotonicNs now) const {
  for (const Leg& leg : way_)
    if (now < leg.arrives_ns) {
      const double part = std::clamp(
          static_cast<double>(now - leg.left_ns) / static_cast<double>(leg.arrives_ns - leg.left_ns), 0.0,
          1.0);
      return leg.from + part * (leg.to - leg.from);
    }
  return at_;
}

void LetterServer::say(const std::string& tag, char mark, const std::string& text) {
  out_ += tag + " " + mark + (text.empty() ? "" : " " + text) + "\r\n";
}

// F3 is unquoted, as in the standard's older examples.
void LetterServer::error(const Line& line, int severity, const std::string& code, const std::string& text) {
  say(line.tag, '!',
      "Error(" + std::to_string(severity) + ", " + code + ", " + line.name + ", \"" + text + "\")");
  if (severity >= 2) erred_ = true;
}

std::string LetterServer::receive(const std::string& bytes, MonotonicNs now) {
  in_ += bytes;
  for (std::size_t end; (end = in_.find("\r\n")) != std::string::npos; in_.erase(0, end + 2)) {
    const std::string text = in_.substr(0, end);
    heard.push_back(text);
    const auto open = text.find('(');
    take({text.substr(0, 5), text.substr(6, open - 6), text.substr(open + 1, text.rfind(')') - open - 1)},
         now);
  }
  run_queue(now);
  return std::exchange(out_, "");
}

void LetterServer::take(const Line& line, MonotonicNs now) {
  say(line.tag, '&');
  if (line.name == "AbortE") return abort(line, now);
  if (line.name == "GetErrStatusE") {
    say(line.tag, '#', erred_ || aborted_ ? "ErrStatus(1)" : "ErrStatus(0)");
    return say(line.tag, '%');
  }
  queue_.push_back(line);
}

void LetterServer::run_queue(MonotonicNs now) {
  if (moving_ && !moving(now)) {
    const Line line = *std::exchange(moving_, std::nullopt);
    if (touched_) say(line.tag, '#', point(*touched_));
    touched_.reset();
    if (!failed_.empty()) error(line, 3, failed_, "it did not end as it should");
    failed_.clear();
    say(line.tag, '%');
  }
  while (!moving_ && !moving(now) && !queue_.empty()) {
    const Line line = queue_.front();
    queue_.pop_front();
    execute(line, now);
    if (!moving_) say(line.tag, '%');
  }
}

std::string LetterServer::advance(MonotonicNs now) {
  run_queue(now);
  return std::exchange(out_, "");
}

std::optional<MonotonicNs> LetterServer::deadline() const {
  if (way_.empty() || (!moving_ && queue_.empty())) return std::nullopt;
  return way_.back().arrives_ns;
}

void LetterServer::hung_up() {
  in_.clear();
  out_.clear();
  queue_.clear();
  moving_.reset();
  touched_.reset();
  failed_.clear();
  session_ = aborted_ = erred_ = false;
  heard.clear();
}

/// 6.3.1.5: running and queued commands end with 0006; after it only ClearAllErrors is accepted.
void LetterServer::abort(const Line& line, MonotonicNs now) {
  if (!session_ && !habits.aborts_without_session) {
    error(line, 2, "0508", "Bad context");
    return say(line.tag, '%');
  }
  place(at(now));
  using Aborted = LetterHabits::Aborted;
  const auto end_others = [&] {
    if (moving_) queue_.push_front(*moving_);
    for (const Line& other : queue_) {
      if (habits.aborted == Aborted::never) continue;
      error(other, 2, "0006", "Transaction aborted");
      say(other.tag, '%');
    }
    queue_.clear();
    moving_.reset();
    touched_.reset();
    failed_.clear();
  };
  if (habits.aborted == Aborted::before) end_others();
  say(line.tag, '%');
  end_others();
  aborted_ = session_;
}

void LetterServer::execute(const Line& line, MonotonicNs now) {
  if (line.name == "EndSession") {
    session_ = aborted_ = erred_ = false;
  } else if (line.name == "StartSession") {
    if (session_) return error(line, 2, "0008", "Protocol error");
    session_ = true;
    aborted_ = erred_ = false;
  } else if (!session_) {
    error(line, 2, "0508", "Bad context");
  } else if (line.name == "ClearAllErrors") {
    aborted_ = erred_ = false;
  } else if (aborted_ || erred_) {
    error(line, 2, "0514", "Use ClearAllErrors to continue");
  } else if (line.name == "GetDMEVersion") {
    say(line.tag, '#', "DMEVersion(\"1.4.3\")");
  } else if (line.name == "GetMachineClass") {
    say(line.tag, '#', "MachineClass(CartCMM)");
  } else if (line.name == "GetXtdErrStatus" || line.name == "IsHomed") {
    say(line.tag, '#', "IsHomed(1)");
  } else if (line.name == "GetCoordSystem") {
    say(line.tag, '#', "CoordSystem(MachineCsy)");
  } else if (line.name == "OnPtMeasReport") {
  } else if (line.name == "Get") {
    say(line.tag, '#', point(at(now)));
  } else if (line.name == "GetProp" || line.name == "SetProp") {
    if (!property(line)) error(line, 2, "0510", "Bad property");
  } else if (line.name == "GoTo" || line.name == "PtMeas") {
    begin(line, now);
  } else {
    error(line, 2, "0501", "Unsupported command");
  }
}

bool LetterServer::property(const Line& line) {
  const std::string name = line.arguments.substr(0, line.arguments.find('('));
  const auto told = [&](double value) {
    return say(line.tag, '#', name + "(" + printed("%.6f", value) + ")"), true;
  };
  if (line.name == "GetProp" && name == "Tool.Name") return say(line.tag, '#', "Tool.Name(\"Probe1\")"), true;
  if (line.name == "GetProp" && name == "Tool.Radius") return habits.tells_radius && told(habits.radius_mm);
  if (line.name == "GetProp" && part.count(name) > 0) return habits.tells_part && told(part.at(name));
  if (const auto p = parameters.find(name); p != parameters.end()) {
    if (line.name == "GetProp") return told(p->second.act);
    const double wanted = *argument(line.arguments, name);
    p->second.act = std::clamp(wanted, p->second.min, p->second.max);
    if (p->second.act != wanted) error(line, 1, "0504", "Argument out of range");
    return true;
  }
  const auto point = name.rfind('.');
  const auto p = point == std::string::npos ? parameters.end() : parameters.find(name.substr(0, point));
  if (line.name != "GetProp" || p == parameters.end() || !habits.tells_ranges) return false;
  if (name.ends_with(".Min")) return told(p->second.min);
  return name.ends_with(".Max") && told(p->second.max);
}

void LetterServer::leg(const Eigen::Vector3d& to, double mm_s, MonotonicNs now) {
  const MonotonicNs left = way_.empty() ? now : std::max(now, way_.back().arrives_ns);
  way_.push_back({at_, to, left, left + 1 + static_cast<MonotonicNs>((to - at_).norm() / mm_s * 1e9)});
  at_ = to;
  fastest_mm_s = std::max(fastest_mm_s, mm_s);
}

bool LetterServer::go(const Eigen::Vector3d& to, double mm_s, const char* during, MonotonicNs now) {
  const auto crash = solid.first(at_, to, ball_mm);
  leg(crash ? crash->at_mm : to, mm_s, now);
  if (!crash) return true;
  crashes.push_back({crash->part, during});
  failed_ = "1001";
  return false;
}

void LetterServer::begin(const Line& line, MonotonicNs now) {
  Eigen::Vector3d target = at(now);
  place(target);
  target.x() = argument(line.arguments, "X").value_or(target.x());
  target.y() = argument(line.arguments, "Y").value_or(target.y());
  target.z() = argument(line.arguments, "Z").value_or(target.z());
  moving_ = line;
  failed_.clear();
  if (line.name == "GoTo") {
    go(target, set("Tool.GoToPar.Speed"), "GoTo", now);
    return;
  }
  Eigen::Vector3d n;
  const auto ijk = line.arguments.find("IJK(");
  if (std::sscanf(line.arguments.c_str() + ijk, "IJK(%lf,%lf,%lf)", &n[0], &n[1], &n[2]) != 3) std::abort();
  touch(line, target, n.normalized(), now);
}

/// 6.3.2.13.
void LetterServer::touch(const Line&, const Eigen::Vector3d& nominal, const Eigen::Vector3d& n,
                         MonotonicNs now) {
  const double radius = habits.adds_radius ? habits.radius_mm : 0;
  const double travel = set("Tool.GoToPar.Speed");
  const Eigen::Vector3d approach =
      nominal + (set("Tool.PtMeasPar.Approach") + of_part("Part.Approach") + radius) * n;
  if (!go(approach, travel, "approach", now)) return;
  const Eigen::Vector3d end = nominal + (radius - set("Tool.PtMeasPar.Search") - of_part("Part.Search")) * n;
  const auto contact = solid.first(approach, end, ball_mm);
  leg(contact ? contact->at_mm : end, set("Tool.PtMeasPar.Speed"), now);
  if (!contact) {
    failed_ = "1006";
    return;
  }
  ++touches;
  if (contact->part != Solid::Part::bore) crashes.push_back({contact->part, "search"});
  touched_ = contact->at_mm;
  const double retract = set("Tool.PtMeasPar.Retract") + of_part("Part.Retract");
  go(habits.retracts_to_approach ? approach : Eigen::Vector3d(contact->at_mm + retract * n), travel,
     "retract", now);
}

}  // namespace datum::testing
