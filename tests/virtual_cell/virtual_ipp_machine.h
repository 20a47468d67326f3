// The machine of the virtual I++ DME server: place of its tip, coordinate system, tool. It shares no code
// with the driver that reads it.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "drivers/frame/probe_point.h"

namespace datum {

using VirtualXyz = std::array<double, 3>;

/// X0, Y0, Z0 in mm, theta, psi, phi in degrees.
using VirtualCsy = std::array<double, 6>;

/// p' = R(phi about z) R(theta about x) R(psi about z) (p - p0).
VirtualXyz into_csy(const VirtualCsy& csy, const VirtualXyz& p);
VirtualXyz out_of_csy(const VirtualCsy& csy, const VirtualXyz& p);

/// A property with a range: SetProp beyond it sets the nearest limit.
struct VirtualParameter {
  double act = 0, min = 0, max = 0, def = 0;
};

class VirtualIppMachine {
 public:
  std::string tool = "Probe1";
  std::string coordinate_system = "MachineCsy";
  std::map<std::string, VirtualXyz> tools{
      {"Probe1", {0, 0, -120}}, {"Probe2", {30, 0, -120}}, {"RefTool", {}}};
  std::map<std::string, VirtualCsy> systems{
      {"MoveableMachineCsy", {}}, {"MultipleArmCsy", {}}, {"PartCsy", {}}};
  bool homed = true;
  bool inches = false;  // a wrongly configured controller: the numbers are inches
  /// Of the active tool; mm and mm/s. The limits are those of a well-known reference server.
  std::map<std::string, VirtualParameter> parameters{{"Tool.GoToPar.Speed", {100, 1, 500, 5}},
                                                     {"Tool.PtMeasPar.Speed", {20, 1, 500, 5}},
                                                     {"Tool.PtMeasPar.Approach", {10, 1, 100, 20}},
                                                     {"Tool.PtMeasPar.Search", {10, 1, 100, 20}},
                                                     {"Tool.PtMeasPar.Retract", {10, 1, 100, 20}}};
  /// Properties without a range. Others are unknown to the controller.
  std::map<std::string, double> values{{"Part.Approach", 0}, {"Part.Search", 0}, {"Part.Retract", 0}};
  double tool_radius_mm = 0.5;
  VirtualXyz volume_mm{1000, 800, 600};  // of the carriage, from 0
  /// A hole in a plate, as limit of the tip's centre: below the surface it stays within the circle.
  struct Hole {
    double x_mm = 0, y_mm = 0, tip_radius_mm = 0, surface_mm = 0;  // MachineCsy
  };
  std::vector<Hole> holes;  // of different centres; none: the machine knows no solid
  double overshoot_mm = 0;  // excess of each move's end in X

  /// Position of the tip, MachineCsy, mm.
  VirtualXyz tip_mm(MonotonicNs now) const;
  /// Displayed position: active tool, active coordinate system.
  VirtualXyz shown(MonotonicNs now) const { return shown_of(tip_mm(now)); }
  VirtualXyz shown_of(const VirtualXyz& tip_mm) const;
  /// Tip in MachineCsy from displayed coordinates.
  VirtualXyz tip_of(const VirtualXyz& shown) const;

  /// Moves the tip there at once, as by hand.
  void place(const VirtualXyz& tip_mm);
  struct Leg {
    VirtualXyz to_mm;
    double speed_mm_s = 1;
  };
  /// Moves the tip along these straight legs; false: one ends outside the volume.
  bool go(const std::vector<Leg>& legs, MonotonicNs now);
  bool reaches(const VirtualXyz& tip_mm) const;
  /// Intersection of a straight path with the hole's wall, if any.
  std::optional<VirtualXyz> wall_between(const VirtualXyz& from_mm, const VirtualXyz& to_mm) const;
  /// Stops at its current position.
  void halt(MonotonicNs now);
  bool moving(MonotonicNs now) const { return now < arrives_ns_; }
  MonotonicNs arrives_ns() const { return arrives_ns_; }

 private:
  VirtualXyz offset() const;
  struct Stretch {
    VirtualXyz from_mm, to_mm;  // carriage
    MonotonicNs left_ns, arrives_ns;
  };

  VirtualXyz stands_{0, 0, 120};  // carriage, mm, after the last move
  std::deque<Stretch> way_;
  MonotonicNs arrives_ns_ = 0;
};

}  // namespace datum
