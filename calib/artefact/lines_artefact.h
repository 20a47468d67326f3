// Locates a plane-and-lines artefact before the sensor: heights give the plane, the grey image gives the
// lines.
//
// Each image row crosses the long line, each column the short one. The edges of their dark runs are found
// with sub-pixel resolution (grey_edges.h). The middle of a crossing's two edges is a point of the line,
// because a threshold error moves both edges outwards or inwards alike. Points are projected onto the plane
// along the line of sight; heights at an edge itself mix both surfaces. The coordinate system is that of the
// angled slots: z is the plane's normal, y the long line, the origin the lines' intersection.
//
// The covariance holds the noise of the points and the drawing's form_um of the plane and edge_um of each
// line. It does not hold the sensor's scale error or the distortion of its optics.
#pragma once

#include "calib/artefact/lines_drawing.h"
#include "calib/artefact/segmentation.h"
#include "calib/htm_estimate.h"
#include "drivers/frame/height_frame.h"

namespace datum {

struct LinesLimits {
  int half_window = 2;           // of the moving average: 2 half + 1 pixels
  double least_contrast = 0.15;  // of the image's full scale, between plate and line
  double coverage = 0.85;        // share of a line's crossings; a sample turned over reaches 78 %
  double beyond = 0.1;           // largest share of crossings beyond the line's ends
  double noise_mm = 0.05;        // standard deviation of the plane's points
  double rotation_deg = 20;      // largest rotation against the sensor's x
  double tilt_deg = 12;          // largest tilt against the sensor's z
};

struct LineEvidence {
  std::size_t crossings = 0;  // used
  double coverage = 0;
  double scatter_um = 0;  // of the crossings' middles about the line
  double width_mm = 0;    // median, across the line
};

struct LinesLocation {
  HtmEstimate<Sensor, Artefact> estimate;
  LineEvidence long_line, short_line;
  double plane_sigma_um = 0, flatness_um = 0;
  double angle_deg = 0;  // between the lines
};

/// Throws SegmentationRefused where intensity is missing, the frame is left-handed, a line is not found or
/// has the wrong width, place or angle, the plate is not flat, or the rotation exceeds its limit.
LinesLocation locate_lines(const HeightFrame& frame, const LinesDrawing& drawing,
                           const LinesLimits& limits = {});

}  // namespace datum
