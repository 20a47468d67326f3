#include "tests/virtual_cell/virtual_grbl.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <utility>

namespace datum {
namespace {

constexpr double ns_per_minute = 60e9;

double feed_of(const std::string& line) {
  const auto f = line.rfind(" F");
  return f == std::string::npos ? 0 : std::strtod(line.c_str() + f + 2, nullptr);
}

}  // namespace

std::optional<std::string> VirtualGrbl::receive_line(const std::string& line, MonotonicNs now) {
  if (line.rfind("G4 ", 0) == 0) {
    if (!move_) return "ok\r\n";
    behind_.emplace_back("ok\r\n");
    return "";
  }
  if (line.rfind("G21 G91", 0) != 0) return std::nullopt;
  if (alarm_ || held_) return "error:9\r\n";
  if (move_ || !(feed_of(line) > 0))
    return "error:24\r\n";  // one move at a time is all that this machine knows
  const std::array<double, 3> from = probe_.at_mm();
  const std::string answer = probe_.receive_line(line);
  if (answer.rfind("error", 0) == 0) return answer;
  const auto& to = probe_.at_mm();
  const double mm = std::hypot(to[0] - from[0], to[1] - from[1], to[2] - from[2]);
  const bool queued = answer == "ok\r\n";  // G1 is acknowledged at once
  move_ = Move{from, to, now, now + static_cast<MonotonicNs>(mm / feed_of(line) * ns_per_minute) + late_ns_,
               queued ? "" : answer};
  return queued ? answer : "";
}

std::string VirtualGrbl::receive_byte(char byte, MonotonicNs now) {
  if (byte == '!') {
    if (move_) probe_.place(halt(now));
    held_ = true;
    return "";
  }
  if (byte == '~') {
    held_ = false;
    return "";
  }
  if (move_) probe_.place(halt(now));
  behind_.clear();
  held_ = alarm_ = false;
  return "\r\nGrbl 1.1h ['$' for help]\r\n";
}

std::array<double, 3> VirtualGrbl::halt(MonotonicNs now) {
  const std::array<double, 3> at = at_mm(now);
  move_.reset();
  return at;
}

std::string VirtualGrbl::advance(MonotonicNs now) {
  if (!move_ || now < move_->ends_ns) return "";
  std::string out = std::exchange(move_, std::nullopt)->answer;
  if (out.rfind("ALARM", 0) == 0) alarm_ = true;
  for (const std::string& ok : std::exchange(behind_, {})) out += ok;
  return out;
}

std::optional<MonotonicNs> VirtualGrbl::deadline() const {
  return move_ ? std::optional(move_->ends_ns) : std::nullopt;
}

std::string VirtualGrbl::state(MonotonicNs) const {
  return alarm_ ? "Alarm" : held_ ? "Hold:0" : move_ ? "Run" : "Idle";
}

std::array<double, 3> VirtualGrbl::at_mm(MonotonicNs now) const {
  if (!move_) return probe_.at_mm();
  const double whole = static_cast<double>(std::max<MonotonicNs>(1, move_->ends_ns - move_->begun_ns));
  const double part = std::clamp(static_cast<double>(now - move_->begun_ns) / whole, 0.0, 1.0);
  std::array<double, 3> at{};
  for (std::size_t i = 0; i < 3; ++i)
    at[i] = move_->from_mm[i] + part * (move_->to_mm[i] - move_->from_mm[i]);
  return at;
}

void VirtualGrbl::place(const std::array<double, 3>& at_mm) {
  move_.reset();
  probe_.place(at_mm);
}

std::string VirtualGrbl::order(const std::string& order, MonotonicNs now) {
  if (order == "alarm") {
    if (move_) probe_.place(halt(now));
    alarm_ = true;
    return "ALARM:1\r\n";
  }
  if (order.rfind("late ", 0) != 0) throw std::invalid_argument("'" + order + "'; allowed: alarm, late MS");
  late_ns_ = static_cast<MonotonicNs>(std::strtod(order.c_str() + 5, nullptr) * 1e6);
  return "";
}

}  // namespace datum
