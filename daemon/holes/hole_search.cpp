#include "daemon/holes/hole_search.h"

#include <nlohmann/json.hpp>

namespace datum {

std::function<HoleCandidate(const HeightFrame&)> search_at(const HolePlace& place,
                                                           const std::array<double, 3>& q_mm) {
  const HtmEstimate<Machine, Sensor> machine_from_sensor{place.calibration.at(Eigen::Vector3d(q_mm.data())),
                                                         place.calibration.covariance};
  const HoleOrder& order = place.order;
  const HoleNominal nominal{order.center_mm, order.radius_mm, order.search_mm, order.radius_tolerance_mm};
  HoleSearch search;
  const double height_mm = (machine_from_sensor.htm.inverse() * order.center_mm).z();
  search.noise_sigma_mm = place.sensor.noise.sigma_um_at(height_mm) * 1e-3;
  search.edge_depth_mm = place.settings.edge_depth_mm;
  search.u_edge_mm = place.settings.u_edge_um * 1e-3;
  return [machine_from_sensor, nominal, search](const HeightFrame& frame) {
    return find_hole(frame, machine_from_sensor, nominal, search);
  };
}

std::string source_line(const HolePlace& place, const FoundHole& found, const std::string& utc,
                        const GaugeWatch::Measured* gauge) {
  const auto list = [](const Eigen::Vector3d& v) { return nlohmann::ordered_json{v.x(), v.y(), v.z()}; };
  nlohmann::ordered_json line{{"utc", utc},
                              {"nominal_center_mm", list(place.order.center_mm)},
                              {"nominal_radius_mm", place.order.radius_mm},
                              {"search_mm", place.order.search_mm},
                              {"radius_tolerance_mm", place.order.radius_tolerance_mm},
                              {"frame", found.identity.frame_id},
                              {"frame_sha256", found.identity.content_sha256},
                              {"q_mm", found.q_mm},
                              {"calibration", place.calibration.id},
                              {"calibration_sha256", place.calibration.sha256}};
  if (gauge)
    line["ring_gauge"] = {{"utc", gauge->utc}, {"off_mm", gauge->check.off_mm}, {"u_mm", gauge->check.u_mm}};
  return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace datum
