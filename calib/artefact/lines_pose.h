// From a plane and two lines in the image to the artefact's place, with covariance.
#pragma once

#include "calib/artefact/line_crossings.h"

namespace datum {

/// Both lines as they cross the scans of rows (long) and columns (short).
struct ImageLines {
  FittedLine along, across;
};

/// Where they meet: x = along.u(y), y = across.u(x).
Eigen::Vector2d meeting(const ScanLine& along, const ScanLine& across);

/// Place of x, y on the plane, seen along the sensor's z.
Eigen::Vector3d lifted(const Eigen::Vector2d& at_mm, const Plane3& plane);

/// z is the plane's normal, y the long line on the plane, the origin where the lines meet. Covariance by
/// central differences over the plane's three and the lines' two errors each, with what the drawing states of
/// them.
HtmEstimate<Sensor, Artefact> lines_pose(const Fit<Plane3, 3>& plane, const ImageLines& lines,
                                         const LinesDrawing& drawing);

}  // namespace datum
