// The floor that a ring shows: the backend's plane where one level holds the whole ring, else the plane of the tiles that
// lie on one level, measured again on the host. Lengths in um from the site's centre.
#pragma once

#include <array>

#include "daemon/inspect/ring_tiles.h"
#include "daemon/inspect/tile_step.h"
#include "gpu/board/site_record.h"
#include "gpu/floor_evidence/floor_evidence.h"

namespace datum {

/// A ring's floor with all that speaks for and against it.
struct RingFloor {
  PlaneFit fit;
  RingRecord record;
  RingEvidence evidence;
  TileForm form;            // of the tiles that lie on the floor
  TileStep step;            // among them
  double noise_um = 0;      // of a pixel within its tile
  double lost_um = 0;       // of a quadratic form under the body, to the inliers' threshold about the plane
  double second_level = 0;  // pixels of the fullest other level over the floor's, wherever it lies
  bool by_tiles = false;    // the plane is that of tiles on one level, not the backend's
  std::uint32_t tiles = 0, tiles_off = 0;  // tiles of the ring, and those that lie on another level
  std::uint32_t inliers = 0;               // pixels of the whole ring on the floor
  std::array<std::uint32_t, site_sides> side_inliers{};
  double u_um = 0;  // standard uncertainty of the floor under the body's centre
  /// What a quadratic form adds to the plane's slopes under the body, um over um; zero for a plane.
  Eigen::Vector2d form_slope = Eigen::Vector2d::Zero();
  double u_slope = 0;  // standard uncertainty of its slope, um over um
};

/// `plan` and `record` of one site whose fit is ok; (x_um, y_um) the body's centre; `lsb_um` of the frame's heights, 0 for
/// floats.
/// `expected_form_um`: FloorSettings::form_um.
///
/// Uncertainty: noise (RingEvidence::u_floor_um), the part of the tiles' scatter that noise does not explain, times the
/// form's leverage under the body as if it were one coherent deviation (a level under part of a ring is), and for a plane the
/// bow that a quadratic through the ring shows beyond its own uncertainty, as half width of a rectangular distribution.
RingFloor ring_floor(const SitePlan& plan, const SiteRecord& record, const RingHeights& ring,
                     const std::uint8_t* run_sides, double x_um, double y_um, double lsb_um,
                     double expected_form_um, Isa isa);

}  // namespace datum
