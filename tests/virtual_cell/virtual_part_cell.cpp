#include "tests/virtual_cell/virtual_part_cell.h"

#include <fmt/format.h>

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
