#include "tests/virtual_cell/virtual_probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>

namespace datum {
namespace {

constexpr double step_mm = 0.0005;  // half of GRBL's resolution

}  // namespace

// The rim is sharp: a tip whose centre is less than its radius above the plate must keep that radius from the
// wall.
bool VirtualProbe::touches(const std::array<double, 3>& c) const {
  if (c[2] >= plate_.top_mm + radius_mm_) return false;
  return std::none_of(plate_.bores.begin(), plate_.bores.end(), [&](const VirtualBore& bore) {
    return std::hypot(c[0] - bore.x_mm, c[1] - bore.y_mm) <= bore.radius_mm - radius_mm_;
  });
}

/// Moves until contact or the end; false: no contact. An initial contact is released first.
bool VirtualProbe::go(const std::array<double, 3>& way) {
  const double length = std::hypot(way[0], way[1], way[2]);
  const int steps = std::max(1, static_cast<int>(std::ceil(length / step_mm)));
  const std::array<double, 3> start = at_mm_;
  bool leaving = touches(at_mm_);
  for (int i = 1; i <= steps; ++i) {
    for (std::size_t k = 0; k < 3; ++k) at_mm_[k] = start[k] + way[k] * i / steps;
    const bool contact = touches(at_mm_);
    if (contact && !leaving) return true;
    leaving = contact;
  }
  return leaving;
}

std::string VirtualProbe::receive_line(const std::string& line) {
  if (line == "$$") return "$13=0\r\nok\r\n";
  if (line == "$I") return "[VER:1.1h.20190830:]\r\n[OPT:VL,15,128]\r\nok\r\n";
  std::istringstream words(line);
  std::array<double, 3> way{};
  bool relative = false, probing = false, moving = false;
  for (std::string word; words >> word;) {
    if (word == "G21" || word == "G94" || word[0] == 'F') continue;
    if (word == "G91")
      relative = true;
    else if (word == "G38.3")
      probing = true;
    else if (word == "G1")
      moving = true;
    else if (word[0] >= 'X' && word[0] <= 'Z')
      way[static_cast<std::size_t>(word[0] - 'X')] = std::strtod(word.c_str() + 1, nullptr);
    else
      return "error:20\r\n";
  }
  if (!relative || probing == moving) return "error:20\r\n";
  if (probing && touches(at_mm_)) return "ALARM:4\r\n";
  const bool contact = go(way);
  if (moving) return contact ? "ALARM:1\r\n" : "ok\r\n";
  return fmt::format("[PRB:{:.3f},{:.3f},{:.3f}:{}]\r\nok\r\n", at_mm_[0], at_mm_[1], at_mm_[2],
                     contact ? 1 : 0);
}

std::string VirtualProbe::report() const {
  return fmt::format("<Idle|MPos:{:.3f},{:.3f},{:.3f}|FS:0,0>\r\n", at_mm_[0], at_mm_[1], at_mm_[2]);
}

}  // namespace datum
