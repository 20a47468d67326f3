// A GRBL machine with a touch probe over a plate with holes: its motion and its output. Device coordinates
// are machine coordinates in mm.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace datum {

struct VirtualBore {
  double x_mm = 0, y_mm = 0, radius_mm = 0;
};

struct VirtualPlate {
  double top_mm = 0;  // z of its upper side; the holes go through
  std::vector<VirtualBore> bores;
};

class VirtualProbe {
 public:
  VirtualProbe(VirtualPlate plate, double probe_radius_mm, const std::array<double, 3>& at_mm)
      : plate_(std::move(plate)), radius_mm_(probe_radius_mm), at_mm_(at_mm) {}

  /// Response to one line without its line feed: "$$", or relative moves "G21 G91 ... G38.3 X1.000 F100" and
  /// G1. A G1 into the plate raises an alarm, as a crash would.
  std::string receive_line(const std::string& line);
  /// A status report.
  std::string report() const;
  /// Position of the tip's centre.
  const std::array<double, 3>& at_mm() const { return at_mm_; }
  /// Leads the tip there by hand.
  void place(const std::array<double, 3>& at_mm) { at_mm_ = at_mm; }

 private:
  bool touches(const std::array<double, 3>& centre_mm) const;
  bool go(const std::array<double, 3>& way_mm);

  VirtualPlate plate_;
  double radius_mm_;
  std::array<double, 3> at_mm_;
};

}  // namespace datum
