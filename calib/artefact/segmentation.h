// Automatic segmentation of the artefact's six faces in a snapshot.
//
// Coarse candidates (pose_candidates.h) are refined by the joint fit. Each point is then assigned to the face
// whose drawn area contains it. The result must pass gates from the drawing: all six faces are present,
// covered, clean, flat, and at their angles and places; no points of the plate's level lie beyond its
// outline; and no second candidate passes. A failed gate refuses the snapshot and states its reason.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "calib/artefact/face_data.h"
#include "calib/htm.h"
#include "drivers/frame/height_frame.h"

namespace datum {

/// A snapshot unfit for calibration; the text states the reason and the remedy.
class SegmentationRefused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct SegmentationLimits {
  double tilt_deg = 12;  // of the plate against the sensor's z; flanks of 30 degrees then still rise by 18
  std::size_t least_points = 200;  // on each face
  // Least share of each face's drawn area. A sample turned over its x axis reaches 76 % of RP and 83 % of LP,
  // so above that the handedness is certain even where nothing beyond the outline is visible.
  double coverage = 0.85;
  double foreign = 0.10;   // share of the points over a face's area that are not on the face
  double beyond = 0.02;    // ratio of points at the plate's level beyond its outline to those of LP and RP
  double noise_mm = 0.05;  // scatter of a face's points about its own plane
};

struct FaceEvidence {
  std::size_t points = 0;  // on the face
  double coverage = 0;     // share of its drawn area that has points
  double foreign = 0;      // share of the points over its area that are not on it
  double sigma_um = 0;     // scatter about its own plane
  double flatness_um = 0;  // range of means over squares of 16 point spacings
};

struct Segmentation {
  FacePoints faces;                  // sensor coordinates
  std::vector<std::int8_t> face_of;  // for each given point or pixel: index of its Face, or -1
  Htm<Sensor, Artefact> start;       // precise enough to assign faces; locate() gives the estimate
  std::array<FaceEvidence, face_count> evidence;
};

/// Points in right-handed sensor coordinates, z towards the sensor. Throws SegmentationRefused.
Segmentation segment(Points points, const ArtefactDrawing& drawing, const SegmentationLimits& limits = {});

/// Uses the frame's pixels of class ok; face_of is row-major over all pixels. Also refuses a left-handed
/// frame that was not mirrored.
Segmentation segment(const HeightFrame& frame, const ArtefactDrawing& drawing,
                     const SegmentationLimits& limits = {});

}  // namespace datum
