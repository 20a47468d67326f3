// A round hole, as measured by a scan and by a probe. Machine coordinates, mm.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

namespace datum {

/// The rim to which a scan fits a hole's circle.
enum class HoleRim : std::uint8_t {
  surface,  // the surface's edge: rim of the bore, or of a chamfer that the sensor does not resolve
  bore,     // the inner edge of a chamfer that the sensor sees all round
};
const char* name_of(HoleRim rim);  // "SURFACE", "BORE"

/// A hole measured by a scan. u: standard uncertainties of (x, y) of the center and of the radius.
struct HoleCandidate {
  Eigen::Vector3d center_mm;  // on the surface
  Eigen::Vector3d normal;     // of the surface, out of the material, towards the sensor; |normal| = 1
  double radius_mm = 0;
  Eigen::Vector3d u_own_mm = Eigen::Vector3d::Zero();  // of this hole alone: pixels of its edge
  Eigen::Vector3d u_shared_mm =
      Eigen::Vector3d::Zero();   // common to all holes: calibration, edges lost by the sensor
  std::optional<HoleRim> rim{};  // none: from a log written before rims were recorded
  double chamfer_mm = 0;         // width of the visible chamfer, within a pixel's pitch or two; 0: none

  Eigen::Vector3d u_mm() const { return (u_own_mm.cwiseAbs2() + u_shared_mm.cwiseAbs2()).cwiseSqrt(); }
};

/// The rim as text, with its open alternatives.
std::string words_of(const HoleCandidate& hole);

/// A hole measured by the probe, on the scan's surface, with the standard uncertainty of (x, y, radius).
struct TouchedHole {
  Eigen::Vector3d center_mm = Eigen::Vector3d::Zero();
  double radius_mm = 0;
  Eigen::Vector3d u_mm = Eigen::Vector3d::Zero();
  double form_mm = 0;  // largest distance of a touch from the circle
  int touches = 0;
};

/// (x, y, radius): the quantities in which scan and touch are compared.
inline Eigen::Vector3d compared(const HoleCandidate& hole) {
  return {hole.center_mm.x(), hole.center_mm.y(), hole.radius_mm};
}
inline Eigen::Vector3d compared(const TouchedHole& hole) {
  return {hole.center_mm.x(), hole.center_mm.y(), hole.radius_mm};
}

}  // namespace datum
