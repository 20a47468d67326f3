// The artefact's pose and its covariance from a plane and two image lines.
#pragma once

#include "calib/artefact/line_crossings.h"

namespace datum {

/// Both lines as they cross the scans: rows (long), columns (short).
struct ImageLines {
  FittedLine along, across;
};

/// Intersection: x = along.u(y), y = across.u(x).
Eigen::Vector2d meeting(const ScanLine& along, const ScanLine& across);

/// The point of the plane at (x, y), along the sensor's z. mm.
Eigen::Vector3d lifted(const Eigen::Vector2d& at_mm, const Plane3& plane);

/// z is the plane's normal, y the long line on the plane, the origin the lines' intersection. Covariance by
/// central differences over the plane's three and each line's two parameters, plus the uncertainties that the
/// drawing states.
HtmEstimate<Sensor, Artefact> lines_pose(const Fit<Plane3, 3>& plane, const ImageLines& lines,
                                         const LinesDrawing& drawing);

}  // namespace datum
