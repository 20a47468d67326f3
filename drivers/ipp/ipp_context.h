// IppContext: the reference of an I++ DME position. The same numbers under another tool, coordinate system or
// transformation are another place.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "drivers/cmm/settings.h"

namespace datum {

/// p' = R(phi about z) R(theta about x) R(psi about z) (p - p0).
struct IppTransformation {
  std::array<double, 3> p0_mm{};
  double theta_deg = 0, psi_deg = 0, phi_deg = 0;

  /// X0, Y0, Z0, theta, psi, phi: the order of GetCsyTransformation.
  static IppTransformation of(const std::array<double, 6>& values);
};

/// "at 1 2 3 mm, theta 0 psi 0 phi 90 deg".
std::string describe(const IppTransformation& transformation);
/// Equal rigid motions, independent of their split into angles, within the precision of five decimals.
bool same(const IppTransformation& a, const IppTransformation& b);

struct IppContext {
  bool homed = false;
  std::string coordinate_system, tool;
  std::optional<IppTransformation> transformation;  // none for MachineCsy
};

/// "tool Probe1, PartCsy at 0 0 0 mm, theta 0 psi 0 phi 0 deg".
std::string describe(const IppContext& context);
bool same(const IppContext& a, const IppContext& b);

/// Why positions in this context are not valid for the cell; empty: they are. `confirmed`: the transformation
/// that an operator confirmed, where the configuration states none.
std::string refusal(const IppContext& context, const IppSettings& demanded,
                    const std::optional<IppTransformation>& confirmed);

}  // namespace datum
