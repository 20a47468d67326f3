// Evidence of a board's form (calib/warp/thin_plate.h).
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace datum {

/// A place where the board's surface was measured: under a component from its ring, or a patch of bare board.
struct WarpKnotEvidence {
  std::string name;
  double x_mm = 0, y_mm = 0;          // board coordinates
  double z_um = 0, u_um = 0;          // over the board's plane z = 0
  double left_out_um = std::nan("");  // height less its prediction from all others; NaN without a surface
};

/// Distance of a place from the nearest measured one.
struct WarpGapEvidence {
  double mm = 0;
  std::array<double, 2> at_mm{};  // board coordinates
};

/// Deviation of bare board from the surface through the knots, beyond noise.
struct WarpOffEvidence {
  double um = 0;
  std::array<double, 2> at_mm{};  // board coordinates
};

/// Evidence of a board's form (calib/warp/thin_plate.h).
struct WarpEvidence {
  std::array<double, 2> outline_mm{};  // outline of bow and twist, about the board's middle
  std::vector<WarpKnotEvidence> knots;
  std::vector<std::array<double, 2>> hull_mm;  // of the measured places; nothing is evaluated beyond it
  std::uint32_t refused = 0;                   // refused rings and patches
  /// "convex" (+), "concave" (-) after JESD22-B112, "not told" within U, "" without a surface
  std::string shape;
  double lambda = 0, leave_one_out_um = 0, roughness_um = 0;
  std::optional<WarpGapEvidence> largest_gap;   // of the outline's places
  std::optional<WarpOffEvidence> farthest_off;  // of the bare board checked beside the knots
  double condition = 0, growth = 0, backward_error = 0;
};

}  // namespace datum
