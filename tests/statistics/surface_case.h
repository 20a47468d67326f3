// A solid with a seeded defect in two snapshots, inspected by the daemon's pipeline, and its truth.
#pragma once

#include <memory>

#include "daemon/inspection/surface/pipeline_surface.h"
#include "tests/a_calibration.h"
#include "tests/fresh_folder.h"
#include "tests/statistics/surface_defect.h"

namespace datum::statistics {

/// Truth of a part, from frames without noise.
struct DefectTruth {
  double worst_um = 0;  // largest deviation measured by a pixel
  int pixels = 0;       // largest number in one snapshot of pixels above the demanded deviation
};

/// One solid and one limit: recipe, model and cell are reused. Not thread-safe.
class SurfaceCell {
 public:
  SurfaceCell(const Solid& solid, double limit_um);

  /// The seed determines the noise and the part's pose.
  struct Seen {
    std::vector<HeightFrame> frames;
    std::vector<Pose> poses;
    DefectTruth truth;
  };
  /// Counts pixels that measure more than `beyond` times the tolerance. The deviation of a pixel is the smaller of
  /// - the deviation along its ray, by the normal of the place that it should have met,
  /// - the distance from the nearest place of the model that faces the sensor. Where this is the smaller one, the pixel is
  ///   beside a step, and counts only beyond half a pixel and the uncertainty of its place.
  Seen look(const SeededDefect& defect, std::uint64_t seed, double beyond) const;
  BoardVerdict inspect(const Seen& seen);

  const Solid& solid() const { return solid_; }
  double limit_um() const { return limit_um_; }

 private:
  const Solid& solid_;
  double limit_um_;
  testing::FreshFolder folder_;
  Calibration calibration_;
  SensorProfile sensor_;
  std::vector<std::array<double, 3>> positions_mm_;
  Eigen::Matrix4d machine_from_part_;
  std::vector<PartFacet> drawn_;
  Recipe recipe_;
  SurfaceModels models_;
};

}  // namespace datum::statistics
