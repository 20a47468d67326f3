// A recipe from a design: what is measured on one side, and where its floors are.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "daemon/design/board_side.h"
#include "daemon/design/package_library.h"

namespace datum::design {

struct DraftSettings {
  Side side = Side::top;
  Turn turn = Turn::vertical;
  double pitch_mm = 0.05;                                     // of the sensor's pixels
  double inner_mm = 0.3, outer_mm = 1.3, neighbour_mm = 0.3;  // as in a recipe's [floor]
  int min_sides = 3, min_side_pixels = 200;
  bool empty_places = false;   // parts that are not populated: their places are measured, and must be empty
  bool warp_fallback = false;  // for components without a floor of their own
};

/// What a ring lies on. One state: at least 60 % of it, and the rest is cut out.
enum class Surface : std::uint8_t { laminate, copper, both, unknown };
const char* text_of(Surface surface);  // "mask over laminate", ...

struct RingEstimate {
  std::uint32_t pixels = 0;              // left of it, of the sensor's
  std::array<std::uint32_t, 4> sides{};  // of these: -x, +x, -y, +y in the part's own axes
  std::uint32_t whole = 0;               // before anything is cut out
  Surface surface = Surface::unknown;
  bool is_floor = false;
};

/// A component that is measured; lengths in mm, board coordinates.
struct DraftComponent {
  std::string reference, package;
  Box body;
  Box floor_outline;  // around body and pads
  HeightFact height;
  double presence_permille = 750;
  bool must_be_empty = false;  // not populated
  std::optional<double> tilt_mdeg;
  double surface_um = 0;
  RingEstimate ring;
  std::vector<std::string> overlaps;
};

struct LeftOut {
  std::string reference, package, why;
};

struct Draft {
  Design design;  // as seen
  Point size_mm;
  std::vector<DraftComponent> components;
  std::vector<LeftOut> left_out;  // parts of this side that are not measured
  std::vector<Box> exclusions;
  std::vector<Hole> holes;  // circles
  std::vector<std::string> remarks;
};

/// Largest share of an empty place that may lie above half of its part's height: what a present part may lack (presence_permille).
/// U of some 50 permille on an 0603 leaves C_m above 4.
constexpr double empty_permille = 250;

/// Half width of the surface under a ring of one state, um: solder mask on copper varies by 5 to 15 um (PLACEMENT, 10).
constexpr double known_surface_um = 5;

/// Throws DesignError: no outline, or a reference that two measured components share.
Draft draft_recipe(Design design, const PackageLibrary& library, const DraftSettings& settings);

}  // namespace datum::design
