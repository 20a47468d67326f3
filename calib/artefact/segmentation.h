// The six faces of the artefact in a snapshot, found without a hand.
//
// Candidates from afar (pose_candidates.h) are refined by the joint fit, then every point is given to the
// face in whose drawn area it lies, and the result must pass gates that the drawing sets: all six faces are
// there, covered, clean, flat, at their angles and places, nothing of the plate's level lies beyond its
// outline, and no second candidate passes. What does not pass is refused with its reason; nothing is guessed.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "calib/artefact/face_data.h"
#include "calib/htm.h"
#include "drivers/frame/height_frame.h"

namespace datum {

/// Why a snapshot is no calibration snapshot, in words, with what to do.
class SegmentationRefused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct SegmentationLimits {
  double tilt_deg = 12;  // of the plate against the sensor's z; flanks of 30 degrees then still rise by 18
  std::size_t least_points = 200;  // on each face
  // Of each face's drawn area. The sample turned over its x axis shows 76 % of RP and 83 % of LP: above that
  // its hand is certain even where nothing can be seen beyond its outline.
  double coverage = 0.85;
  double foreign = 0.10;   // share of the points over a face's area that are not on the face
  double beyond = 0.02;    // points at the plate's level beyond its outline, to those of LP and RP
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
  Htm<Sensor, Artefact> start;       // good enough to know the faces by; locate() gives the estimate
  std::array<FaceEvidence, face_count> evidence;
};

/// Points in right-handed sensor coordinates, z towards the sensor. Throws SegmentationRefused.
Segmentation segment(Points points, const ArtefactDrawing& drawing, const SegmentationLimits& limits = {});

/// The frame's pixels of class ok; face_of is row-major over all pixels. Refuses also a left-handed frame
/// that was not mirrored.
Segmentation segment(const HeightFrame& frame, const ArtefactDrawing& drawing,
                     const SegmentationLimits& limits = {});

}  // namespace datum
