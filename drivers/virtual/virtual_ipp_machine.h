// The machine behind the virtual I++ DME server: where its tip is, in which coordinates, with which tool. It
// shares no code with the driver that reads it.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>

#include "drivers/frame/probe_point.h"

namespace datum {

using VirtualXyz = std::array<double, 3>;

/// X0, Y0, Z0 in mm, theta, psi, phi in degrees.
using VirtualCsy = std::array<double, 6>;

/// p' = R(phi about z) R(theta about x) R(psi about z) (p - p0).
VirtualXyz into_csy(const VirtualCsy& csy, const VirtualXyz& p);
VirtualXyz out_of_csy(const VirtualCsy& csy, const VirtualXyz& p);

class VirtualIppMachine {
 public:
  std::string tool = "Probe1";
  std::string coordinate_system = "MachineCsy";
  std::map<std::string, VirtualXyz> tools{
      {"Probe1", {0, 0, -120}}, {"Probe2", {30, 0, -120}}, {"RefTool", {}}};
  std::map<std::string, VirtualCsy> systems{
      {"MoveableMachineCsy", {}}, {"MultipleArmCsy", {}}, {"PartCsy", {}}};
  bool homed = true;
  bool inches = false;  // a controller that was set up wrongly: the numbers are inches
  double speed_mm_s = 100;
  VirtualXyz volume_mm{1000, 800, 600};  // of the carriage, from 0
  /// A hole in a plate, as the tip's centre feels its wall: below the surface it is kept within the circle.
  struct Hole {
    double x_mm = 0, y_mm = 0, tip_radius_mm = 0, surface_mm = 0;  // MachineCsy
  };
  std::optional<Hole> hole;
  double overshoot_mm = 0;  // each move ends so much farther in X than it was told

  /// Of the tip, MachineCsy, mm.
  VirtualXyz tip_mm(MonotonicNs now) const;
  /// As the controller shows it: active tool, active coordinate system.
  VirtualXyz shown(MonotonicNs now) const;
  /// Shown coordinates -> tip in MachineCsy.
  VirtualXyz tip_of(const VirtualXyz& shown) const;

  /// Puts the tip there at once: somebody moved the stage.
  void place(const VirtualXyz& tip_mm);
  /// Moves the tip there from now on, straight; false: outside the volume.
  bool go(const VirtualXyz& tip_mm, MonotonicNs now);
  /// Where a straight way from here to `tip_mm` meets the hole's wall; nothing: nowhere.
  std::optional<VirtualXyz> wall_before(const VirtualXyz& tip_mm, MonotonicNs now) const;
  /// Stands still where it is.
  void halt(MonotonicNs now);
  bool moving(MonotonicNs now) const { return now < arrives_ns_; }
  MonotonicNs arrives_ns() const { return arrives_ns_; }

 private:
  VirtualXyz offset() const;

  VirtualXyz from_{0, 0, 120}, to_{0, 0, 120};  // carriage, mm
  MonotonicNs left_ns_ = 0, arrives_ns_ = 0;
};

}  // namespace datum
