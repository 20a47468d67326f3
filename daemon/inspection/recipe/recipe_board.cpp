#include <cmath>
#include <numbers>

#include "daemon/inspection/recipe/recipe_doubt.h"
#include "daemon/inspection/recipe/recipe_file.h"

namespace datum {

namespace {

/// A placement rotated about z by `rotation_deg`, counter-clockwise seen from above.
Htm<Machine, Board> placed(const std::vector<double>& origin_mm, double rotation_deg) {
  const double turn = rotation_deg * std::numbers::pi / 180;
  Eigen::Matrix4d m = Eigen::Matrix4d::Identity();
  m.topLeftCorner<2, 2>() << std::cos(turn), -std::sin(turn), std::sin(turn), std::cos(turn);
  m.topRightCorner<3, 1>() = Eigen::Map<const Eigen::Vector3d>(origin_mm.data());
  return Htm<Machine, Board>(m);
}

Htm<Machine, Board> full_matrix(config::TomlTable& table, const std::string& key) {
  const std::vector<double> m = table.numbers(key, 16);
  try {
    return Htm<Machine, Board>(
        Eigen::Matrix4d(Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>(m.data())));
  } catch (const CalibrationError& error) {
    table.refuse(key, error.what(), "a rigid right-handed motion, 16 numbers row by row, lengths in mm");
  }
}

}  // namespace

config::Words placement_keys(const config::TomlTable& table, const std::string& part, config::Words keys) {
  keys.insert({"coordinates", "origin_mm", "rotation_deg"});
  const std::string of_sensor = "sensor_from_" + part, of_machine = "machine_from_" + part;
  if (table.has(of_sensor)) keys.insert(of_sensor);
  if (!table.has(of_sensor) || table.has(of_machine)) keys.insert(of_machine);
  return keys;
}

Htm<Machine, Board> read_placement(config::TomlTable& table, const std::string& part, bool& in_machine) {
  in_machine = table.choice<bool>("coordinates", {{"machine", true}, {"sensor", false}});
  const std::string matrix = (in_machine ? "machine_from_" : "sensor_from_") + part;
  const std::string other = (in_machine ? "sensor_from_" : "machine_from_") + part;
  if (table.has(other)) {
    table.refuse(other, "contradicts coordinates = \"" + table.text("coordinates") + "\"",
                 matrix + ", or origin_mm and rotation_deg");
  }
  if (table.has(matrix)) {
    if (table.has("origin_mm") || table.has("rotation_deg")) {
      table.refuse(matrix, "is given beside origin_mm or rotation_deg",
                   "one of the two ways to place the " + part);
    }
    return full_matrix(table, matrix);
  }
  const std::vector<double> origin_mm = table.numbers("origin_mm", 3);
  return placed(origin_mm, table.number_or("rotation_deg", 0, {-360, 360}));
}

void read_board(config::TomlTable table, Recipe& recipe, config::Problems& problems) {
  table.only_keys(placement_keys(table, "board", {"size_mm", "keyed_fixture"}));
  recipe.board_size_mm =
      Eigen::Map<const Eigen::Vector2d>(table.numbers("size_mm", 2, config::positive).data());
  recipe.machine_from_board = read_placement(table, "board", recipe.in_machine_coordinates);
  doubt_rotation(table, table.number_or("rotation_deg", 0), false, problems);
  doubt_board(table, recipe, problems);
  table.boolean_or("keyed_fixture", false);  // doubt_orientation
  table.finish();
}

}  // namespace datum
