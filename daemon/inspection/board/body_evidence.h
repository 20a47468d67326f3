// Evidence of a body's pixels beside its record: missing pixels and the effect of its rim.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "daemon/inspection/board/body_ranks.h"
#include "daemon/inspection/board/height_threshold.h"
#include "gpu/board/site_record.h"
#include "gpu/component_height/component_height.h"
#include "gpu/core/board_plan.h"

namespace datum {

/// Plane through the body's pixels without its rim, less the plane through all of them, if both cover the
/// rim: um, and um over um along x and y. Zero where the body has no inside.
struct RimShift {
  bool defined = false;
  double share = 0;  // share of the rim's pixels among those with a height
  double mean_um = 0;
  /// Share of the pixels without the rim that lie within rim_px of it. A wall's effect through the rim ends
  /// there at the latest.
  double next_share = 0;
  Eigen::Vector2d slope = Eigen::Vector2d::Zero();
  Eigen::Vector2d moments =
      Eigen::Vector2d::Ones();           // ratio of second moments along x and y, of all pixels to those
                                         // without the rim
  double inner_rms_um = 0;               // of the residuals without the rim
  double highest_um = 0, lowest_um = 0;  // of the rim's pixels over the plane without them
};

struct BodyEvidence {
  std::uint32_t pixels = 0, missing = 0;
  std::uint32_t clipped = 0;  // class OUT_OF_RANGE or SATURATED
  double rows = 0, cols = 0;  // extent of the body
  /// Centroid of the measured pixels from that of all pixels; px.
  Eigen::Vector2d off_centre = Eigen::Vector2d::Zero();
  /// Height of the top plane at missing pixels above its highest measured pixel, and below its lowest; um,
  /// not negative.
  double missing_above_um = 0, missing_below_um = 0;
  SlopeLoss slope_loss;
  RimShift rim;
  MissingRanks ranks;
};

/// Width of the rim: the overshoot at a wall that remains behind the recipe's erosion.
inline constexpr std::int32_t rim_px = 2;

/// Geometry of a body's pixels. Part of a plan, independent of the frame.
struct BodyShape {
  BodyShape() = default;
  explicit BodyShape(const std::vector<PixelRun>& body);

  double rows = 0, cols = 0;                           // extent
  Eigen::Vector2d centroid = Eigen::Vector2d::Zero();  // column and row
  std::vector<PixelRun> rim;                           // pixels within rim_px of the border
  std::vector<std::uint32_t> rim_at;                   // index of each run's first pixel within the body
  /// Pixels within rim_px of the border, and within twice that.
  double rim_pixels = 0, wide_rim_pixels = 0;
};

/// Evaluates the body over the floor of this record and its statistics. `classes` of the frame, with `cols`
/// columns; null where no pixel has one. `wanted`: ranks required by checks.
BodyEvidence body_evidence(const BodyHeights& body, const BodyShape& shape, const std::uint8_t* classes,
                           std::int32_t cols, const BodyRecord& record, const HeightStatistics& heights,
                           const WantedRanks& wanted);

}  // namespace datum
