// Planes through terminals, and what JESD22-B108 and JEP95 read from them.
//
// Source: JESD22-B108. Regression plane: parallel to the least-squares plane of all apexes, through the farthest one. Seating plane:
// through three apexes that no other exceeds and whose triangle holds the middle of the body, the projected centre of mass.
#pragma once

#include <Eigen/Core>
#include <array>
#include <functional>
#include <optional>
#include <vector>

namespace datum {

/// A terminal's highest point: place from the body's middle in mm, height away from the body in um, standard uncertainty of it.
struct Apex {
  Eigen::Vector2d at_mm = Eigen::Vector2d::Zero();
  double um = 0, u_um = 0;
};

/// um = a x + b y + c, x and y in mm.
struct ApexPlane {
  double a = 0, b = 0, c = 0;
  std::array<std::size_t, 3> on{};  // apexes that bear it, of a seating plane
  double at(const Eigen::Vector2d& mm) const { return a * mm.x() + b * mm.y() + c; }
};

/// The lowest plane over the middle that no apex exceeds: a linear program in three unknowns, by the exchange of one apex a step. A
/// middle on the border of two triangles counts to that at +x, +y, or with `towards` = -1 to the other: such a part rocks.
/// None: the apexes do not surround the middle.
std::optional<ApexPlane> seating_plane(const std::vector<Apex>& apexes, double towards = 1);
/// Least squares; none: the apexes lie in a line.
std::optional<ApexPlane> apex_plane(const std::vector<Apex>& apexes);

/// Largest distance from the seating plane, the worse of two where the part rocks; from the regression plane; highest less lowest. None as above. Distances are along the
/// sensor's z: a tilt of 5 degrees makes 0.4 % of them.
std::optional<double> seating_coplanarity(const std::vector<Apex>& apexes);
std::optional<double> regression_coplanarity(const std::vector<Apex>& apexes);
std::optional<double> apex_range(const std::vector<Apex>& apexes);

/// A statement on extremes of the apexes, without what noise adds to it.
struct ExtremeValue {
  double value = 0;   // of the apexes less `bias`
  double bias = 0;    // by which noise moves such a value in the mean
  double u = 0;       // scatter by the apexes' noise
  double u_bias = 0;  // of the correction
};
using ApexStatement = std::function<std::optional<double>(const std::vector<Apex>&)>;
/// Parametric bootstrap with 256 fixed samples, in pairs of opposite signs. The apexes' deviations from their least-squares plane are
/// first reduced to what noise leaves of them, sqrt(1 - mean u^2 / their variance): else noise would count twice. The correction is
/// as uncertain as it depends on that reduction: half of its change where the deviations are not reduced, at least 0.35 of itself. The
/// scatter is at least that by the apexes that bear the statement: samples average over near ties, one measurement does not.
std::optional<ExtremeValue> without_lift(const std::vector<Apex>& apexes, const ApexStatement& statement);

}  // namespace datum
