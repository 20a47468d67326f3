// A component's terminals in a height map: the apex of each ball or foot, and the characteristics of them.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "daemon/inspection/defects/part_place.h"
#include "daemon/inspection/defects/part_window.h"
#include "daemon/inspection/defects/terminal_planes.h"
#include "daemon/inspection/recipe/terminal_recipe.h"
#include "daemon/inspection/verdict/characteristic.h"

namespace datum {

struct TerminalsSeen {
  std::vector<Apex> apexes;  // of all terminals, in the part's own axes; heights over the floor
  std::string why;           // not empty: of which terminal nothing can be said, and why
  double sigma_um = 0;       // of a pixel about the terminals' fitted shapes, and at least the frame's
  double cap_um = 0;         // by which a ball's fitted paraboloid stands higher than the ball, taken off
  std::optional<ApexPlane> underside;  // of the body beside its terminals, where the part lies on its back
  double u_underside_um = 0;           // of it at the middle
};

/// Each terminal is sought at its place on the part where the part's own place is known, else at the recipe's.
///
/// Ball: a paraboloid of revolution a + b x + c y + q (x^2 + y^2) by least squares over the pixels within 0.6 radii of its summit,
/// which starts at the highest 3 x 3 median. The radius -1 / (2 q) must be 0.6 to 1.7 of the stated one; a paraboloid through a sphere's
/// cap of radius r stands r^4 / (48 R^3) too high. Foot: a plane over its region without a border of half a pixel, at the middle; the
/// rise to its corners beyond two standard uncertainties enters u as a rectangular term. Pixels off by more than 4.5 robust
/// standard deviations are left out. u of an apex: sigma sqrt(c00 S), c00 of the inverse normal matrix, S the frame's correlation over
/// that area. A terminal with fewer than 10 pixels, less than 0.6 of those that its shape has, or a scatter of more than three times the
/// others' is not seen.
TerminalsSeen terminals_of(const PartWindow& window, const Measured& m, const PartPlaceResult& place);

/// Value and budget of a characteristic of the terminals; INVALID (TERMINALS) where a terminal is not seen or they do not surround
/// the middle.
CheckVerdict evaluate_terminals(const Check& check, const Measured& m, const TerminalsSeen& seen);
/// Of a mounted body: its median height over the floor less its stated thickness.
CheckVerdict standoff_by_thickness(const Check& check, const Measured& m, const TopNoise& top);

}  // namespace datum
