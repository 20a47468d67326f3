// Evidence of a component that several snapshots of a board show.
#pragma once

#include <cmath>
#include <string>

namespace datum {

/// A value of a component that a second snapshot shows as well, in the check's unit.
struct OverlapEvidence {
  double difference = 0;  // the second snapshot's value less this one
  double u = 0;           // standard uncertainty of the difference: what both have in common cancels
};

/// Where a component of a board of several snapshots was measured.
struct ShownIn {
  std::string snapshot;                   // its name; "": no snapshot that came shows it whole
  double margin_mm = std::nan("");        // of its ring and body from the frame's edge
  std::string second;                     // the snapshot that it is compared with; "": there is none
  double floor_step_um = std::nan("");    // height of its floor on the board there less here
  double u_floor_step_um = std::nan("");  // standard uncertainty: both floors, and the stage's way
};

}  // namespace datum
