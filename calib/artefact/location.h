// Locates the artefact in sensor or machine coordinates, with two estimators from the same six faces.
//
// Constructed estimate (thesis, section 2.7.3): z is the normal of the least-squares plane of LP u RP, each
// patch weighted by its drawn area, so that a denser scan of one patch does not pull the plane (weighted
// total least squares). y is the bottom line of the long slot projected into that plane. The projected bottom
// line of the short slot meets it at the origin. x = y cross z. Of the drawing only the names of the faces
// are used.
//
// Joint estimate: the six parameters of the transform that minimises the point-to-plane distances of all
// faces, by Gauss-Newton. The points of one face enter through three moments (mean and the two slopes over
// the face) without loss. Each face is weighted by the inverse of its covariance.
//
// Both covariances hold the noise of the points, its correlation, and the drawing's uncertainty (form_um) as
// an independent shift and tilt of each face. They do not hold the device's scale and linearity errors,
// temperature, or form within a face between the point spacing and the face's size.
#pragma once

#include <string>

#include "calib/artefact/face_data.h"
#include "calib/htm_estimate.h"

namespace datum {

/// Deviation of a measured face from the joint estimate, with standard uncertainties.
struct FaceResidual {
  double offset_um = 0, u_offset_um = 0;  // at the face's centroid, along its outward normal
  double angle_mdeg = 0;                  // between the two planes
  double sigma_um = 0;                    // scatter of its points about its own plane
  std::size_t points = 0;
};

template <class To>
struct ArtefactLocation {
  HtmEstimate<To, Artefact> constructed, joint;
  std::array<FaceResidual, face_count> faces;
  double rms_um = 0;       // of all points about the drawn planes at the joint estimate, along their normals
  double correlation = 1;  // S of the residuals, see residual_correlation
  Vector6d disagreement;   // difference(constructed, joint)
  Matrix6d disagreement_covariance;
  /// Empty where the estimators agree within the uncertainty of their common data (significance 0.001) and
  /// the faces fit the drawing; else a text that states each difference.
  std::string finding;
};

/// `outwards`: approximate outward direction of the artefact's plate, in To (sensor: +z). Throws FitRefused
/// where a face has too few points or is no plane, slots do not cross, or the fit does not converge.
template <class To>
ArtefactLocation<To> locate(const FacePoints& points, const ArtefactDrawing& drawing,
                            const Eigen::Vector3d& outwards, FaceNoise noise);

extern template ArtefactLocation<Sensor> locate(const FacePoints&, const ArtefactDrawing&,
                                                const Eigen::Vector3d&, FaceNoise);
extern template ArtefactLocation<Machine> locate(const FacePoints&, const ArtefactDrawing&,
                                                 const Eigen::Vector3d&, FaceNoise);

/// machine_from_sensor = machine_from_artefact * inverse(sensor_from_artefact); thesis equation 2.5 prints
/// the inverse (daemon/inspection/METROLOGY.md, E1). The two are treated as independent. Form error that both
/// see alike would partly cancel, so the covariance is too large rather than too small.
inline HtmEstimate<Machine, Sensor> machine_from_sensor(
    const HtmEstimate<Machine, Artefact>& machine_from_artefact,
    const HtmEstimate<Sensor, Artefact>& sensor_from_artefact) {
  return machine_from_artefact * inverse(sensor_from_artefact);
}

}  // namespace datum
