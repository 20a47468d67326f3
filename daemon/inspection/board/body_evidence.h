// What the pixels of one body tell beside its record: what is missing, and what its rim does to it.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "daemon/inspection/board/body_ranks.h"
#include "gpu/board/site_record.h"
#include "gpu/component_height/component_height.h"
#include "gpu/core/board_plan.h"

namespace datum {

/// Plane through the body's pixels without its rim, less the plane through all of them, where both have their rim: um and
/// um over um along x and y. Zero where the body has no inside.
struct RimShift {
  bool defined = false;
  double share = 0;  // of the pixels with a height that lie in the rim
  double mean_um = 0;
  /// Of the pixels without the rim, the share within rim_px of it: what reaches through the rim from a wall ends there at the
  /// latest.
  double next_share = 0;
  Eigen::Vector2d slope = Eigen::Vector2d::Zero();
  Eigen::Vector2d moments =
      Eigen::Vector2d::Ones();           // second ones along x and y, of all over those without the rim
  double inner_rms_um = 0;               // of the residuals without the rim
  double highest_um = 0, lowest_um = 0;  // of the rim's pixels over that plane without them
};

struct BodyEvidence {
  std::uint32_t pixels = 0, missing = 0;
  std::uint32_t clipped = 0;  // class OUT_OF_RANGE or SATURATED
  double rows = 0, cols = 0;  // that the body spans
  Eigen::Vector2d off_centre =
      Eigen::Vector2d::Zero();  // centroid of what was seen, from that of all pixels; px
  /// How far the top plane at missing pixels lies above its highest seen pixel, and below its lowest; um, not negative.
  double missing_above_um = 0, missing_below_um = 0;
  RimShift rim;
  MissingRanks ranks;
};

/// Pixels of the border that count as rim: what an overshoot at a wall leaves behind the recipe's erosion.
inline constexpr std::int32_t rim_px = 2;

/// Where a body's pixels lie. It belongs to a plan: no frame changes it.
struct BodyShape {
  BodyShape() = default;
  explicit BodyShape(const std::vector<PixelRun>& body);

  double rows = 0, cols = 0;                           // that it spans
  Eigen::Vector2d centroid = Eigen::Vector2d::Zero();  // column and row
  std::vector<PixelRun> rim;                           // pixels within rim_px of the border
  std::vector<std::uint32_t> rim_at;                   // of each run's first pixel among the body's
  double rim_pixels = 0, wide_rim_pixels = 0;          // within rim_px, and within twice that
};

/// The body over a floor whose record and statistics these are. `classes` of the frame, of `cols` columns; null where no pixel
/// has one. `wanted`: ranks that a check asks for.
BodyEvidence body_evidence(const BodyHeights& body, const BodyShape& shape, const std::uint8_t* classes,
                           std::int32_t cols, const BodyRecord& record, const HeightStatistics& heights,
                           const WantedRanks& wanted);

}  // namespace datum
