// Where a plane-and-lines artefact stands before the sensor: its heights give the plane, its grey image the
// lines.
//
// Each row of the image crosses the long line, each column the short one; their dark runs' edges are found to
// a fraction of a pixel (grey_edges.h). The middle of the two edges of one crossing is a point of the line: a
// threshold that is a little wrong moves both edges, not the middle. The points are lifted to the plane along
// the line of sight; the heights at an edge itself are blends. Construction as for the angled slots: z is the
// plane's normal, y the long line, the origin where the lines meet.
//
// The covariance holds the noise of the points and, as the drawing states them, form_um of the plane and
// edge_um of each line; not the sensor's scale error, nor grey distortion of its optics.
#pragma once

#include "calib/artefact/lines_drawing.h"
#include "calib/artefact/segmentation.h"
#include "calib/htm_estimate.h"
#include "drivers/frame/height_frame.h"

namespace datum {

struct LinesLimits {
  int half_window = 2;           // of the moving average: 2 half + 1 pixels
  double least_contrast = 0.15;  // of the image's full scale, between plate and line
  double coverage = 0.85;        // of a line's crossings; turned over, the sample shows 78 %
  double beyond = 0.1;           // share of crossings beyond its ends at which it is seen nevertheless
  double noise_mm = 0.05;        // scatter of the plane's points
  double rotation_deg = 20;      // against the sensor's x
  double tilt_deg = 12;          // against the sensor's z
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

/// Throws SegmentationRefused: no intensity, left-handed, a line that is not found, not as wide, not at its
/// place, not at its angle, a plate that is not flat, turned too far.
LinesLocation locate_lines(const HeightFrame& frame, const LinesDrawing& drawing,
                           const LinesLimits& limits = {});

}  // namespace datum
