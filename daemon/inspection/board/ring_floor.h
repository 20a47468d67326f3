// The floor of a ring: the backend's plane where one level holds the whole ring, else the plane of the tiles
// on one level, measured again on the host. Lengths in um from the site's centre.
#pragma once

#include <array>

#include "daemon/inspection/board/ring_tiles.h"
#include "daemon/inspection/board/tile_form.h"
#include "daemon/inspection/board/tile_step.h"
#include "gpu/board/site_record.h"
#include "gpu/floor_evidence/floor_evidence.h"
#include "gpu/floor_evidence/floor_evidence_math.h"

namespace datum {

/// A ring's floor with its evidence.
struct RingFloor {
  PlaneFit fit;
  RingRecord record;
  RingEvidence evidence;
  TileForm form;            // of the tiles on the floor
  TileStep step;            // among them
  double noise_um = 0;      // of a pixel within its tile
  double lost_um = 0;       // of a quadratic form under the body, lost to the inlier threshold about the
                            // plane
  double second_level = 0;  // pixels of the fullest other level over the floor's, at any height
  bool by_tiles = false;    // the plane is that of tiles on one level instead of the backend's
  std::uint32_t tiles = 0, tiles_off = 0;  // tiles of the ring, and those that lie on another level
  std::uint32_t inliers = 0;               // pixels of the whole ring on the floor
  std::array<std::uint32_t, site_sides> side_inliers{};
  double u_um = 0;  // standard uncertainty of the floor under the body's centre
  /// The quadratic form's contribution to the plane's slopes under the body, um over um; zero for a plane.
  Eigen::Vector2d form_slope = Eigen::Vector2d::Zero();
  double u_slope = 0;  // standard uncertainty of its slope, um over um
  /// The quadratic through the ring's pixels near the plane, and its explained over its unexplained variance.
  ring_math::Form bow;
  double bow_explains = 0;
};

/// Inputs of a ring's floor beside its pixels.
struct FloorAbout {
  double x_um = 0, y_um = 0;  // the body's centre
  double lsb_um = 0;          // of the frame's heights, 0 for floats
  double form_um = 0;         // FloorSettings::form_um
  Isa isa = Isa::scalar;
};

/// `plan`, `tiles` and `record` of one site whose fit is ok; `z` of the ring's pixels (SiteHeights).
///
/// Uncertainty: noise (RingEvidence::u_floor_um); the tiles' variance beyond noise, times the form's leverage
/// under the body, treated as one coherent deviation (as a level under part of a ring is); and for a plane
/// the bow of a quadratic through the ring beyond its own uncertainty, as half width of a rectangular
/// distribution.
RingFloor ring_floor(const SitePlan& plan, const RingTiles& tiles, const SiteRecord& record,
                     const PixelRun* runs, const std::uint8_t* run_sides, const float* z,
                     const FloorAbout& about);

}  // namespace datum
