#include "tests/virtual_cell/virtual_part_cell.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <nlohmann/json.hpp>

#include "tests/virtual_cell/twin_file.h"

namespace datum {

VirtualPartCell load_part_cell(const std::filesystem::path& twin_file,
                               const std::filesystem::path& calibration) {
  VirtualPartCell cell;
  cell.calibration = load_calibration(calibration);
  cell.sensor.serial = cell.calibration.sensor_serial;
  config::TomlTable twin = config::TomlTable::from_file(twin_file);
  twin.integer("schema", 1, 1);
  read_twin_view(twin.table("view"), &cell.view, &cell.sensor);
  cell.sensor.noise = read_twin_noise(twin.table("noise"));
  config::TomlTable part = twin.table("part");
  const std::vector<double> m = part.numbers("machine_from_part", 16);
  cell.machine_from_part = Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>(m.data());
  check_rigid(cell.machine_from_part);
  part.finish();
  if (auto plate = twin.table_if("plate")) {
    const std::vector<double> size = plate->numbers("size_mm", 3);
    cell.shape.size_mm = {size[0], size[1], size[2]};
    plate->finish();
  }
  for (config::TomlTable& table : twin.tables("bore")) {
    const std::vector<double> drawn = table.numbers("centre_mm", 2),
                              made = table.numbers("made_centre_mm", 2);
    cell.shape.bores.push_back({{drawn[0], drawn[1]},
                                {made[0], made[1]},
                                table.number("diameter_mm") / 2,
                                table.number("made_diameter_mm") / 2});
    table.finish();
  }
  for (config::TomlTable& snapshot : twin.tables("snapshot")) {
    const std::vector<double> q = snapshot.numbers("position_mm", 3);
    cell.positions_mm.emplace_back(q[0], q[1], q[2]);
    snapshot.finish();
  }
  if (cell.positions_mm.empty())
    twin.refuse("snapshot", "missing", "one [[snapshot]] and more, with position_mm");
  twin.finish();
  return cell;
}

HeightFrame snapshot_of(const VirtualPartCell& cell, const std::vector<PartFacet>& part,
                        const PartSnapshot& snapshot) {
  const Htm<Machine, Sensor> machine_from_sensor =
      cell.calibration.at(cell.positions_mm.at(snapshot.position));
  const TwinSurface seen =
      look_at(part, machine_from_sensor.inverse().matrix() * cell.machine_from_part, cell.view);
  HeightFrame frame = render(seen, cell.view, cell.sensor, snapshot.seed);
  frame.job = "surface-part";
  frame.frame_id = fmt::format("{:06}", snapshot.frame);
  frame.captured = {snapshot.utc_ns, ClockDomain::utc};
  frame.source = "virtual-part";
  return frame;
}

std::vector<ScaledBore> bores_of(const VirtualPartCell& cell, const PartDefects& defects) {
  const Eigen::Matrix3d scales_from_machine = cell.calibration.stage.a.inverse();
  std::vector<ScaledBore> bores;
  for (std::size_t k = 0; k < cell.shape.bores.size(); ++k) {
    if (static_cast<int>(k) + 1 == defects.plugged) continue;
    const PartBore& bore = cell.shape.bores[k];
    const Eigen::Vector2d at = defects.made ? bore.made_center_mm : bore.center_mm;
    const Eigen::Vector4d machine = cell.machine_from_part * Eigen::Vector4d(at.x(), at.y(), 0, 1);
    const Eigen::Vector3d q = scales_from_machine * machine.head<3>();
    bores.push_back({q, defects.made ? bore.made_radius_mm : bore.radius_mm});
  }
  return bores;
}

std::string truth_of(const VirtualPartCell& cell, const PartDefects& defects) {
  nlohmann::ordered_json out{
      {"dent_um", defects.dent_um},
      {"dent_center_mm", {defects.dent_center_mm.x(), defects.dent_center_mm.y()}},
      {"hole_shift_mm", {defects.hole_shift_mm.x(), defects.hole_shift_mm.y()}},
      {"post_mm", defects.post_mm},
  };
  for (int row = 0; row < 4; ++row)
    for (int col = 0; col < 4; ++col) out["machine_from_part"].push_back(cell.machine_from_part(row, col));
  for (const Eigen::Vector3d& q : cell.positions_mm) out["positions_mm"].push_back({q.x(), q.y(), q.z()});
  return out.dump();
}

}  // namespace datum
