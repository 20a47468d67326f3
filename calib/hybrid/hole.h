// A round hole, as a scan and as a probe see it. Machine coordinates, mm.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

namespace datum {

/// What a scan fits a hole's circle to.
enum class HoleRim : std::uint8_t {
  surface,  // where the surface ends: the bore's rim, or that of a chamfer of which the sensor sees nothing
  bore,     // where the chamfer ends that the sensor sees all round
};
const char* name_of(HoleRim rim);  // "SURFACE", "BORE"

/// What a scan says of a hole. Its uncertainties are standard ones of (x, y) of the center and of the radius.
struct HoleCandidate {
  Eigen::Vector3d center_mm;  // on the surface
  Eigen::Vector3d normal;     // of the surface, out of the material, towards the sensor; |normal| = 1
  double radius_mm = 0;
  Eigen::Vector3d u_own_mm = Eigen::Vector3d::Zero();  // of this hole: pixels of its edge
  Eigen::Vector3d u_shared_mm =
      Eigen::Vector3d::Zero();   // of all holes: calibration, edges that the sensor loses
  std::optional<HoleRim> rim{};  // none: of a log that was written before rims were told
  double chamfer_mm = 0;         // width of the chamfer that was seen, to a pixel's pitch or two; 0: none was

  Eigen::Vector3d u_mm() const { return (u_own_mm.cwiseAbs2() + u_shared_mm.cwiseAbs2()).cwiseSqrt(); }
};

/// The rim in words: which one it is, and what that leaves open.
std::string words_of(const HoleCandidate& hole);

/// What the probe says, on the surface of the scan, and its standard uncertainty of (x, y, radius).
struct TouchedHole {
  Eigen::Vector3d center_mm = Eigen::Vector3d::Zero();
  double radius_mm = 0;
  Eigen::Vector3d u_mm = Eigen::Vector3d::Zero();
  double form_mm = 0;  // largest distance of a touch from the circle
  int touches = 0;
};

/// (x, y, radius): what scan and touch are compared in.
inline Eigen::Vector3d compared(const HoleCandidate& hole) {
  return {hole.center_mm.x(), hole.center_mm.y(), hole.radius_mm};
}
inline Eigen::Vector3d compared(const TouchedHole& hole) {
  return {hole.center_mm.x(), hole.center_mm.y(), hole.radius_mm};
}

}  // namespace datum
