#include "drivers/ipp/ipp_context.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <numbers>

namespace datum {
namespace {

Eigen::Matrix3d rotation(const IppTransformation& t) {
  const auto about = [](double deg, const Eigen::Vector3d& axis) {
    return Eigen::AngleAxisd(deg * std::numbers::pi / 180, axis).toRotationMatrix();
  };
  const Eigen::Vector3d x = Eigen::Vector3d::UnitX(), z = Eigen::Vector3d::UnitZ();
  return about(t.phi_deg, z) * about(t.theta_deg, x) * about(t.psi_deg, z);
}

// Servers, and the configuration's author, write five decimals: two texts of one number differ by up to 1e-5.
// Three angles make a rotation.
constexpr double same_mm = 1e-5 * 1.001, same_deg = 3e-5 * 1.001;

}  // namespace

IppTransformation IppTransformation::of(const std::array<double, 6>& v) {
  return {{v[0], v[1], v[2]}, v[3], v[4], v[5]};
}

std::string describe(const IppTransformation& t) {
  return fmt::format("at {} {} {} mm, theta {} psi {} phi {} deg", t.p0_mm[0], t.p0_mm[1], t.p0_mm[2],
                     t.theta_deg, t.psi_deg, t.phi_deg);
}

bool same(const IppTransformation& a, const IppTransformation& b) {
  for (std::size_t i = 0; i < 3; ++i)
    if (!(std::abs(a.p0_mm[i] - b.p0_mm[i]) <= same_mm)) return false;
  // |R - S| of two rotations an angle apart is 2 sqrt(2) sin(angle / 2).
  const double apart = (rotation(a) - rotation(b)).norm() / std::numbers::sqrt2;
  return apart <= same_deg * std::numbers::pi / 180;
}

std::string describe(const IppContext& c) {
  return fmt::format("tool {}, {}{}{}", c.tool, c.coordinate_system,
                     c.transformation ? fmt::format(" {}", describe(*c.transformation)) : "",
                     c.homed ? "" : ", not homed");
}

bool same(const IppContext& a, const IppContext& b) {
  if (a.homed != b.homed || a.coordinate_system != b.coordinate_system || a.tool != b.tool) return false;
  if (!a.transformation || !b.transformation) return !a.transformation && !b.transformation;
  return same(*a.transformation, *b.transformation);
}

std::string refusal(const IppContext& c, const IppSettings& demanded,
                    const std::optional<IppTransformation>& confirmed) {
  if (!c.homed) return "the machine is not homed; home it at its controller";
  if (c.tool != demanded.tool)
    return fmt::format("tool '{}' is active; the cell demands '{}'", c.tool, demanded.tool);
  if (c.coordinate_system != demanded.coordinate_system)
    return fmt::format("coordinate system {} is active; the cell demands {}", c.coordinate_system,
                       demanded.coordinate_system);
  if (!c.transformation) return "";
  const std::string here = fmt::format("{} stands {}", c.coordinate_system, describe(*c.transformation));
  if (demanded.transformation) {
    const auto wanted = IppTransformation::of(*demanded.transformation);
    return same(*c.transformation, wanted) ? "" : here + "; the cell demands " + describe(wanted);
  }
  if (confirmed && same(*c.transformation, *confirmed)) return "";
  return here + (confirmed ? "; confirmed was " + describe(*confirmed) : "; no host has confirmed that") +
         "; state cmm.ipp.transformation, or confirm it (DIAGnostic:POSition:REFerenced)";
}

}  // namespace datum
