// Where the artefact stands in a sensor's or a machine's coordinates: two estimators from the same six faces.
//
// Constructed, as the protocol of the angled-slot artefact says: z is the normal of the least-squares plane
// of LP u RP, each patch weighted by its drawn area (a weighted total least squares: the sum stands for the
// integral over the surface, so a denser scan of one patch does not pull the plane); y is the bottom line of
// the long slot projected into that plane; the bottom line of the short slot, projected, meets it at the
// origin; x = y cross z. It uses of the drawing only which face is which.
//
// Joint: the six unknowns of the transform that brings the drawn planes closest to all points of all faces,
// by Gauss-Newton on the point-to-plane distances. Those of one face enter through their three moments (mean
// and the two slopes over the face), which loses nothing; each face counts by the inverse of its covariance.
//
// Both covariances hold the noise of the points, its correlation from point to point, and the uncertainty of
// the drawing (form_um) as an independent shift and tilt of each face. They do not hold: the scale and
// linearity error of the device, temperature, and form within a face on scales between the point spacing and
// the face.
#pragma once

#include <string>

#include "calib/artefact/face_data.h"
#include "calib/htm_estimate.h"

namespace datum {

/// How far a measured face is from where the joint estimate expects it, with standard uncertainties.
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
  /// Empty where the estimators agree within what their common data allow (1 in 1000 by chance) and the faces
  /// fit the drawing; else what differs by how much, in words.
  std::string finding;
};

/// `outwards`: a direction roughly out of the artefact's plate, in To (sensor: +z). Throws FitRefused: a face
/// with too few points, no plane, slots that do not cross, no convergence.
template <class To>
ArtefactLocation<To> locate(const FacePoints& points, const ArtefactDrawing& drawing,
                            const Eigen::Vector3d& outwards, FaceNoise noise);

extern template ArtefactLocation<Sensor> locate(const FacePoints&, const ArtefactDrawing&,
                                                const Eigen::Vector3d&, FaceNoise);
extern template ArtefactLocation<Machine> locate(const FacePoints&, const ArtefactDrawing&,
                                                 const Eigen::Vector3d&, FaceNoise);

/// machine_from_sensor = machine_from_artefact * inverse(sensor_from_artefact) (METROLOGY E1: the thesis
/// prints the inverse). The two are taken as independent: the form error that both see alike would cancel in
/// part, so the covariance is rather too large than too small.
inline HtmEstimate<Machine, Sensor> machine_from_sensor(
    const HtmEstimate<Machine, Artefact>& machine_from_artefact,
    const HtmEstimate<Sensor, Artefact>& sensor_from_artefact) {
  return machine_from_artefact * inverse(sensor_from_artefact);
}

}  // namespace datum
