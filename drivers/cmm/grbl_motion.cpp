#include "drivers/cmm/grbl_motion.h"

#include <fmt/format.h>

#include <cmath>

namespace datum {
namespace {

void check(const CmmSettings& cmm, const MotionSettings& motion, const std::array<double, 3>& from_mm,
           const std::array<double, 3>& to_mm) {
  const auto refuse = [](const std::string& what) { throw RefusedError("probe motion: " + what); };
  if (!motion.allowed)
    refuse("not allowed; the cell's configuration must allow it, and no person may be within its reach");
  if (cmm.layout != Layout::grbl)
    refuse(fmt::format("preset {} takes no commands; allowed: grbl_1_1", cmm.preset));
  if (!(motion.feed_mm_per_min >= 1 && motion.feed_mm_per_min <= 10'000))
    refuse(fmt::format("feed_mm_per_min = {}; allowed: 1 to 10000", motion.feed_mm_per_min));
  double squares = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const double way = to_mm[i] - from_mm[i];
    if (!std::isfinite(way)) refuse("a position that is no number");
    if (cmm.fixed_mm[i] && way != 0) refuse(fmt::format("the device has no axis {}", machine_axes[i]));
    squares += way * way;
  }
  if (std::sqrt(squares) > motion.most_mm)
    refuse(fmt::format("{:.3f} mm at once; allowed: {} mm", std::sqrt(squares), motion.most_mm));
  for (const AxisSettings& axis : cmm.axes) {
    if (!axis.moves_stage()) continue;
    const double to = to_mm[static_cast<std::size_t>(axis.machine_axis)];
    if (to < axis.min_mm || to > axis.max_mm)
      refuse(fmt::format("{} = {} mm; allowed: {} to {} mm", machine_axes[axis.machine_axis], to, axis.min_mm,
                         axis.max_mm));
  }
}

/// " X1.000 Y-2.000": the path along the device's own axes, in mm regardless of the reports' unit.
std::string relative(const CmmSettings& cmm, const std::array<double, 3>& from_mm,
                     const std::array<double, 3>& to_mm) {
  std::string words;
  for (std::size_t i = 0; i < cmm.axes.size(); ++i) {
    const AxisSettings& axis = cmm.axes[i];
    if (!axis.moves_stage()) continue;
    const auto k = static_cast<std::size_t>(axis.machine_axis);
    const double way = (to_mm[k] - from_mm[k]) / (axis.reversed ? -axis.scale : axis.scale);
    // GRBL's axis letters are in the order of its reports.
    if (std::abs(way) >= 0.0005) words += fmt::format(" {}{:.3f}", machine_axes[i], way);
  }
  return words;
}

std::string move(const char* how, const CmmSettings& cmm, const MotionSettings& motion,
                 const std::array<double, 3>& from_mm, const std::array<double, 3>& to_mm) {
  check(cmm, motion, from_mm, to_mm);
  const std::string words = relative(cmm, from_mm, to_mm);
  if (words.empty()) return "";
  return fmt::format("G21 G91 G94 {}{} F{:.0f}\n", how, words, motion.feed_mm_per_min);
}

}  // namespace

std::string grbl_move_until_contact(const CmmSettings& cmm, const MotionSettings& motion,
                                    const std::array<double, 3>& from_mm,
                                    const std::array<double, 3>& to_mm) {
  return move("G38.3", cmm, motion, from_mm, to_mm);
}

std::string grbl_move_back(const CmmSettings& cmm, const MotionSettings& motion,
                           const std::array<double, 3>& from_mm, const std::array<double, 3>& to_mm) {
  return move("G1", cmm, motion, from_mm, to_mm);
}

}  // namespace datum
