// A solid with a seeded defect, seen in two snapshots, inspected by the daemon's own pipeline, and what is true of it.
#pragma once

#include <memory>

#include "daemon/inspection/surface/pipeline_surface.h"
#include "tests/a_calibration.h"
#include "tests/fresh_folder.h"
#include "tests/statistics/surface_defect.h"

namespace datum::statistics {

/// What is true of a part, from frames without noise.
struct DefectTruth {
  double worst_um = 0;  // largest deviation that a pixel sees
  int pixels = 0;       // of one snapshot, the most: how many see more than the demanded one
};

/// One solid and one limit: recipe, model and cell are kept from case to case. Not for several threads at a time.
class SurfaceCell {
 public:
  SurfaceCell(const Solid& solid, double limit_um);

  /// Noise and the part's place depend on the seed.
  struct Seen {
    std::vector<HeightFrame> frames;
    std::vector<Pose> poses;
    DefectTruth truth;
  };
  /// Counts pixels that see more than `beyond` times the tolerance. A pixel sees
  /// - the deviation along its ray, by the normal of what it should have met,
  /// - or less: the distance from the nearest place of the model that looks to the sensor. Where that is the less, the pixel
  ///   lies beside a step, and counts only farther from it than half a pixel and the uncertainty of its place.
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
