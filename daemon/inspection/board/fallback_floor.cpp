#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>

#include "daemon/inspection/board/board_warp.h"
#include "daemon/inspection/board/warp_recipe.h"

namespace datum {
namespace {

/// Sets a plane in board coordinates as the site's floor: z = a x + b y + c in um from the site's centre.
void set_plane(const WarpFloor& f, const Htm<Board, Sensor>& board_from_sensor, const Site& site,
               PlaneFit& fit) {
  const Htm<Sensor, Board> sensor_from_board = board_from_sensor.inverse();
  const auto on_plane = [&](double dx, double dy) {
    return Eigen::Vector3d(
        sensor_from_board *
        Eigen::Vector3d(f.centre_mm.x() + dx, f.centre_mm.y() + dy,
                        1e-3 * (f.plane_um + f.slope_um_per_mm.dot(Eigen::Vector2d(dx, dy)))));
  };
  const Eigen::Vector3d p = on_plane(0, 0);
  const Eigen::Vector3d normal = (on_plane(1, 0) - p).cross(on_plane(0, 1) - p);
  fit.a = -normal.x() / normal.z();
  fit.b = -normal.y() / normal.z();
  const double z_mm = p.z() + fit.a * (site.centre_mm.x() - p.x()) + fit.b * (site.centre_mm.y() - p.y());
  fit.c = (z_mm - site.reference_z_mm) * 1e3;
}

}  // namespace

Floor fallback_floor(const Recipe& recipe, const Component& component, const Site& site, const Floor& ring,
                     const BoardWarp& warp, const Htm<Board, Sensor>& board_from_sensor) {
  const WarpArea around = ring_area(recipe, component, true);
  const std::vector<Eigen::Vector2d> places = floor_places_mm(around, component.body.centre_mm);
  std::string why = warp.detail;
  if (warp.reason == Reason::none) why = warp.beyond(places);
  Floor floor = ring;
  if (!why.empty()) {
    floor.detail += "; the warp model can't stand in: " + why;
    return floor;
  }
  const WarpGapEvidence gap = warp.largest_gap(places);
  why = too_far(recipe, gap);
  if (!why.empty()) {
    floor.reason = Reason::warp_gap;
    floor.detail = fmt::format("its ring is {} ({}), and the warp model can't stand in: {}",
                               name_of(ring.reason), ring.detail, why);
    return floor;
  }
  WarpFloor f = floor_of(*warp.surface, around, component.body.centre_mm);
  const double curvature = recipe.warp->max_curvature_um_per_mm2;
  const auto off = farthest_off(warp, places, 0);
  add_half_width(f, std::max(curvature * gap.mm * gap.mm / 2, off ? std::abs(off->um) : 0), around);
  if (warp.u_steps_um > 0)
    f.u_um = std::hypot(f.u_um, warp.u_steps_um);  // its body's frame against the others
  floor.reason = Reason::none;
  floor.detail.clear();
  floor.fit = PlaneFit{};
  set_plane(f, board_from_sensor, site, floor.fit);
  floor.form_um = recipe.floor.form == FloorForm::quadratic ? f.form_um : 0;
  floor.u_um = f.u_um;
  floor.form_slope.setZero();  // the ring's own is not used
  floor.u_slope = f.u_slope_um_per_mm * 1e-3;
  floor.noise_um = ring.evidence.sigma_um;
  floor.correlation = warp.correlation;
  floor.from_warp = WarpFloorEvidence{
      ring.reason, ring.detail, floor.fit.a, floor.fit.b, floor.fit.c + site.reference_z_mm * 1e3,
      f.form_um,   f.u_um,      gap};
  return floor;
}

}  // namespace datum
