#include "tests/virtual_cell/virtual_cmm_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "tests/virtual_cell/virtual_cmm_dialect.h"
#include "tests/virtual_cell/virtual_touch.h"

namespace datum {
namespace {

constexpr const char* axes = "XYZ";

}  // namespace

VirtualCmmDevice::VirtualCmmDevice(const VirtualCmmSettings& settings)
    : settings_(settings), dialect_(virtual_dialect(settings.preset)), random_(settings.seed) {
  const std::vector<std::string> presets = virtual_cmm_presets();
  if (std::find(presets.begin(), presets.end(), settings_.preset) == presets.end())
    throw std::invalid_argument(
        fmt::format("preset '{}' is not known; allowed: {}", settings_.preset, fmt::join(presets, ", ")));
  if (settings_.positions_mm.empty()) throw std::invalid_argument("no position");
}

std::string VirtualCmmDevice::banner() const {
  return settings_.preset == "grbl_1_1" ? "\r\nGrbl 1.1h ['$' for help]\r\n" : "";
}

void VirtualCmmDevice::move(const std::array<double, 3>& position_mm) {
  settings_.positions_mm = {position_mm};
  settings_.drift_um = {};
  if (motion_) motion_->place(position_mm);
}

std::string VirtualCmmDevice::touch(const std::array<double, 3>& position_mm) {
  move(position_mm);
  std::string line = virtual_touch(settings_.preset, position_mm);
  if (const auto end = line.find(":1]"); end != std::string::npos) line.insert(end, head_words());
  return line;
}

std::string VirtualCmmDevice::receive(const std::string& bytes) {
  std::string out;
  for (const char byte : bytes) out += answer_byte(byte);
  return out;
}

bool VirtualCmmDevice::motion_order(const std::string& order, std::string& sends) {
  if (!motion_ || (order != "alarm" && order.rfind("late ", 0) != 0)) return false;
  sends = motion_->order(order, now_);
  return true;
}

std::string VirtualCmmDevice::stream() {
  if (dialect_ && dialect_->streams) return position_lines();
  if (settings_.preset != "mitutoyo_mux10") return "";
  advance();
  return with_garbage(mitutoyo());
}

// Single-byte commands are answered at once, lines at their end.
std::string VirtualCmmDevice::answer_byte(char byte) {
  if (settings_.preset == "heidenhain_nd28x" && byte == '\x02') {
    advance();
    return with_garbage(heidenhain());
  }
  if (settings_.preset == "grbl_1_1" && byte == '?') {
    advance();
    return with_garbage(grbl());
  }
  if (motion_ && (byte == '!' || byte == '~' || byte == '\x18')) return motion_->receive_byte(byte, now_);
  if (dialect_ && dialect_->poll_byte != 0 && byte == dialect_->poll_byte) return position_lines();
  if (byte != '\r' && byte != '\n') {
    if (line_.size() < 128) line_ += byte;
    return "";
  }
  return answer_line(std::exchange(line_, ""));
}

std::string VirtualCmmDevice::answer_line(const std::string& line) {
  if (settings_.preset == "grbl_1_1") return grbl_line(line);
  if (dialect_) {
    const std::string poll = dialect_->poll_line;
    if (!poll.empty() && line == poll) return position_lines();
    return line == "M400" && settings_.preset == "marlin" ? "ok\n" : "";
  }
  if (settings_.preset != "acurite_vro" || line.size() != 3 || line.compare(0, 2, "?A") != 0) return "";
  if (line[2] < '1' || line[2] > '3') return "* = ****.**** ***\r";
  if (line[2] == '1') advance();  // one answer is a round over all axes
  return with_garbage(acurite(line[2]));
}

void VirtualCmmDevice::advance() {
  const auto& script = settings_.positions_mm;
  position_mm_ = motion_ ? motion_->at_mm(now_) : script[std::min<std::size_t>(answers_, script.size() - 1)];
  for (std::size_t i = 0; i < 3; ++i) {
    const double unit = static_cast<double>(random_() >> 11) * 0x1p-53;  // [0, 1)
    const double noise_um = settings_.noise_um * (2 * unit - 1);
    position_mm_[i] += (settings_.drift_um[i] * static_cast<double>(answers_) + noise_um) / 1000;
  }
  ++answers_;
}

std::string VirtualCmmDevice::with_garbage(std::string answer) {
  if (wrong(&VirtualCmmFaults::stale)) return "";
  if (!faulty()) return answer;
  std::string garbage;
  for (int i = 0; i < settings_.faults.garbage; ++i) garbage += static_cast<char>(random_() >> 56);
  return garbage + answer;
}

std::string VirtualCmmDevice::position_lines() {
  advance();
  if (wrong(&VirtualCmmFaults::error)) return with_garbage(dialect_->error);
  const std::size_t axes = dialect_->axes - (wrong(&VirtualCmmFaults::partial) ? 1 : 0);
  return with_garbage(dialect_->position(position_mm_, dialect_->first_axis, axes));
}

std::string VirtualCmmDevice::heidenhain() {
  std::string out;
  const std::size_t count = wrong(&VirtualCmmFaults::partial) ? 2 : 3;
  for (std::size_t i = 0; i < count; ++i)
    out += fmt::format("{}{:10.4f} {} A\r\n", sign_of(position_mm_[i]), std::abs(position_mm_[i]),
                       wrong(&VirtualCmmFaults::error) ? '?' : ' ');
  return out;
}

std::string VirtualCmmDevice::mitutoyo() {
  if (wrong(&VirtualCmmFaults::error)) return "911\r";
  std::string out;
  const std::size_t count = wrong(&VirtualCmmFaults::partial) ? 2 : 3;
  for (std::size_t i = 0; i < count; ++i)
    out += fmt::format("0{}A{}{:08.3f}\r", i + 1, sign_of(position_mm_[i]), std::abs(position_mm_[i]));
  return out;
}

std::string VirtualCmmDevice::acurite(char axis) {
  const auto i = static_cast<std::size_t>(axis - '1');
  if (wrong(&VirtualCmmFaults::error))
    return fmt::format("{} = Error mm\r", static_cast<char>(axes[i] + 'a' - 'A'));
  if (wrong(&VirtualCmmFaults::partial) && i == 2) return "";
  return fmt::format("{}= {:.4f} mm\r", axes[i], position_mm_[i]);
}

/// ",90.000" for each axis of the head.
std::string VirtualCmmDevice::head_words() const {
  std::string words;
  for (const double deg : settings_.head_deg) words += fmt::format(",{:.3f}", deg);
  return words;
}

std::string VirtualCmmDevice::grbl() {
  std::string alarm;
  if (wrong(&VirtualCmmFaults::error) && !std::exchange(alarm_, true)) alarm = "ALARM:1\r\n";
  std::string position =
      fmt::format("{:.3f},{:.3f},{:.3f}", position_mm_[0], position_mm_[1], position_mm_[2]) + head_words();
  if (wrong(&VirtualCmmFaults::partial))
    return "<Idle|MPos:" + position.substr(0, position.rfind(',')) + "\r\n";
  const char* offset =
      answers_ % 10 == 1 ? "|WCO:0.000,0.000,0.000" : "";  // as an idle GRBL: every tenth report
  return fmt::format("{}<{}|MPos:{}|FS:0,0{}>\r\n", alarm,
                     alarm_    ? "Alarm"
                     : motion_ ? motion_->state(now_)
                               : "Idle",
                     position, offset);
}

std::string VirtualCmmDevice::grbl_line(const std::string& line) {
  if (line.empty()) return "";
  if (line == "$$") return "$0=10\r\n$1=25\r\n$10=1\r\n$13=0\r\n$20=0\r\n$21=0\r\n$22=1\r\nok\r\n";
  if (line == "$I") return "[VER:1.1h.20190830:]\r\n[OPT:VL,15,128]\r\nok\r\n";
  if (motion_)
    if (const auto answer = motion_->receive_line(line, now_)) return *answer;
  return line == "$X" || line == "$H" ? "ok\r\n" : "error:20\r\n";
}

}  // namespace datum
