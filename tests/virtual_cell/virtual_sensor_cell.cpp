#include "tests/virtual_cell/virtual_sensor_cell.h"

#include <Eigen/Geometry>
#include <cmath>
#include <map>
#include <numbers>

#include "calib/calibration.h"
#include "config/toml_reader.h"
#include "tests/virtual_cell/twin_design.h"
#include "tests/virtual_cell/twin_file.h"
#include "tests/virtual_cell/virtual_mount.h"

namespace datum {
namespace {

using config::TomlTable;

Eigen::Vector2d pair_of(TomlTable& table, const char* key) {
  const std::vector<double> v = table.numbers(key, 2);
  return {v[0], v[1]};
}

Eigen::Matrix4d matrix_of(TomlTable& table, const char* key) {
  const std::vector<double> m = table.numbers(key, 16);
  return Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>(m.data());
}

/// The board's pose in the recipe: its matrix, or origin_mm and rotation_deg.
Eigen::Matrix4d placement(TomlTable& board) {
  for (const char* key : {"machine_from_board", "sensor_from_board"})
    if (board.has(key)) return matrix_of(board, key);
  const std::vector<double> origin = board.numbers("origin_mm", 3);
  const double turn = board.number_or("rotation_deg", 0) * std::numbers::pi / 180;
  Eigen::Matrix4d m = Eigen::Matrix4d::Identity();
  m.topLeftCorner<2, 2>() << std::cos(turn), -std::sin(turn), std::sin(turn), std::cos(turn);
  m.topRightCorner<3, 1>() << origin[0], origin[1], origin[2];
  return m;
}

struct Package {
  std::optional<Eigen::Vector2d> body_mm;
  std::optional<double> nominal_um;
};

Package read_package(TomlTable& table) {
  Package p;
  if (table.has("body_mm")) p.body_mm = pair_of(table, "body_mm");
  p.nominal_um = table.number_if("nominal_um", config::positive);
  return p;
}

/// Bodies at their nominal place and height. Other keys are left to the daemon, which checks them.
void read_bodies(TomlTable& recipe, TwinBoard& board) {
  std::map<std::string, Package> packages;
  if (auto all = recipe.table_if("package")) {
    for (const std::string& name : all->table_names()) {
      TomlTable table = all->table(name);
      packages[name] = read_package(table);
    }
  }
  for (TomlTable& table : recipe.tables("component")) {
    const Package own = read_package(table), shared = packages[table.text("package")];
    const auto body_mm = own.body_mm ? own.body_mm : shared.body_mm;
    const auto nominal_um = own.nominal_um ? own.nominal_um : shared.nominal_um;
    if (!body_mm) table.refuse("body_mm", "missing", "a value here or in the package");
    if (!nominal_um) table.refuse("nominal_um", "missing", "a value here or in the package");
    TwinBody body;
    body.reference = table.text("reference");
    body.outline = {pair_of(table, "centre_mm"), *body_mm, table.number_or("rotation_deg", 0)};
    body.height_um = *nominal_um;
    board.bodies.push_back(body);
  }
}

/// Artwork of a board with fiducials: copper pads under the bodies' ends, marks in windows of the solder mask. Not of a panel.
std::optional<TwinGrey> read_artwork(TomlTable& recipe, const TwinBoard& board) {
  auto alignment = recipe.table_if("alignment");
  if (!alignment || !alignment->has("fiducial")) return std::nullopt;
  constexpr double copper = 190, window = 45, dark_copper = 25, pad = 210;
  TwinGrey grey;
  for (const TwinBody& body : board.bodies) {
    const double turn = body.outline.rotation_deg * std::numbers::pi / 180;
    for (const double side : {-0.4, 0.4})
      grey.inks.push_back({TwinInk::Form::rect,
                           body.outline.centre_mm + side * body.outline.size_mm.x() *
                                                        Eigen::Vector2d(std::cos(turn), std::sin(turn)),
                           body.outline.size_mm.cwiseProduct(Eigen::Vector2d(0.3, 1)),
                           body.outline.rotation_deg, pad});
  }
  for (TomlTable& table : alignment->tables("fiducial")) {
    Fiducial f;
    f.shape = table.choice<FiducialShape>(
        "shape",
        {{"circle", FiducialShape::circle}, {"ring", FiducialShape::ring}, {"cross", FiducialShape::cross}});
    f.centre_mm = pair_of(table, "centre_mm");
    f.size_mm = table.number("size_mm", config::positive);
    f.inner_mm = table.number_or("inner_mm", 0);
    f.line_mm = table.number_or("line_mm", 0);
    f.rotation_deg = table.number_or("rotation_deg", 0);
    f.clear_mm = table.number_or("clear_mm", f.size_mm / 4);
    f.bright = table.choice<bool>("contrast", {{"bright", true}, {"dark", false}});
    add_mark(grey.inks, f, f.bright ? copper : dark_copper, f.bright ? window : copper);
  }
  return grey;
}

/// Copies the board to the places of [panel].
void lay_panel(TomlTable panel, TwinBoard& board) {
  std::vector<TwinPlace> places;
  const auto add = [&](std::string name, const Eigen::Vector2d& origin, double turn_deg) {
    const Eigen::Rotation2Dd turn(turn_deg * std::numbers::pi / 180);
    places.push_back({std::move(name), {origin + turn * (board.size_mm / 2), board.size_mm, turn_deg}});
  };
  if (panel.has("place")) {
    for (TomlTable& place : panel.tables("place"))
      add(place.text("name"), pair_of(place, "origin_mm"), place.number_or("rotation_deg", 0));
  } else {
    const Eigen::Vector2d pitch = pair_of(panel, "pitch_mm");
    const Eigen::Vector2d first = panel.has("first_mm") ? pair_of(panel, "first_mm") : Eigen::Vector2d(0, 0);
    const std::int64_t columns = panel.integer("columns", 1, 1000), rows = panel.integer("rows", 1, 1000);
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t column = 0; column < columns; ++column)
        add(std::to_string(column + 1) + "-" + std::to_string(row + 1),
            first + Eigen::Vector2d(double(column) * pitch.x(), double(row) * pitch.y()),
            panel.number_or("rotation_deg", 0));
  }
  const auto laid = [&](const TwinRect& rect, const TwinPlace& place) {
    const Eigen::Rotation2Dd turn(place.outline.rotation_deg * std::numbers::pi / 180);
    return TwinRect{place.outline.centre_mm + turn * (rect.centre_mm - board.size_mm / 2), rect.size_mm,
                    rect.rotation_deg + place.outline.rotation_deg};
  };
  TwinBoard whole;
  whole.size_mm = pair_of(panel, "size_mm");
  whole.shape = board.shape;
  for (const TwinPlace& place : places) {
    for (TwinBody body : board.bodies) {
      body.reference += "@" + place.name;
      body.outline = laid(body.outline, place);
      whole.bodies.push_back(std::move(body));
    }
    for (const TwinHole& hole : board.holes)
      whole.holes.push_back({laid({hole.centre_mm, {0, 0}, 0}, place).centre_mm, hole.diameter_mm});
  }
  if (auto mark = panel.table_if("bad_mark"))
    for (const TwinPlace& place : places) {
      TwinBody body;
      body.reference = "bad_mark@" + place.name;
      // a sticker is larger than the area in which it is looked for
      body.outline = laid({pair_of(*mark, "centre_mm"), pair_of(*mark, "size_mm") * 1.5, 0}, place);
      body.height_um = mark->number("height_um", config::positive);
      body.missing = true;
      whole.bodies.push_back(std::move(body));
    }
  whole.places = std::move(places);
  board = std::move(whole);
}

TwinSpread read_spread(TomlTable table) {
  TwinSpread s;
  s.bow_um = table.number("bow_um", config::not_negative);
  s.twist_um = table.number("twist_um", config::not_negative);
  s.height_um = table.number("height_um", config::not_negative);
  s.tilt_mdeg = table.number("tilt_mdeg", config::not_negative);
  s.place_mm = table.number("place_mm", config::not_negative);
  s.scale_ppm = table.number("scale_ppm", config::not_negative);
  table.finish();
  return s;
}

/// Two pads under the ends of each body, visible where it is missing; none where a design has the true ones.
void add_pads(TomlTable pads, TwinBoard& board) {
  const double height_um = pads.number("height_um", config::not_negative);
  const double share = pads.number("share", {0, 0.5});
  pads.finish();
  if (!board.relief.um.empty()) return;  // the design's pads are in it
  for (const TwinBody& body : board.bodies) {
    if (body.reference.starts_with("bad_mark@")) continue;  // a sticker
    const double turn = body.outline.rotation_deg * std::numbers::pi / 180;
    const Eigen::Vector2d along(std::cos(turn), std::sin(turn));
    const double length = share * body.outline.size_mm.x();
    for (double side : {-0.5, 0.5}) {
      const Eigen::Vector2d centre =
          body.outline.centre_mm + side * (body.outline.size_mm.x() - length) * along;
      board.patches.push_back(
          {{centre, {length, body.outline.size_mm.y()}, body.outline.rotation_deg}, height_um});
    }
  }
}

void read_twin(const std::filesystem::path& path, VirtualCell& cell) {
  TomlTable twin = TomlTable::from_file(path);
  twin.integer("schema", 1, 1);
  read_twin_view(twin.table("view"), &cell.view, &cell.sensor);
  cell.sensor.noise = read_twin_noise(twin.table("noise"));
  cell.spread = read_spread(twin.table("spread"));
  add_pads(twin.table("pads"), cell.nominal);
  twin.finish();
}

void place_artefact(const VirtualCellFiles& files, const Htm<Machine, Sensor>& machine_from_sensor,
                    VirtualCell& cell) {
  const VirtualMount mount = load_mount(files.artefact, files.mount);
  cell.artefact = TwinArtefact{mount.drawing};
  cell.sensor_from_artefact = machine_from_sensor.inverse() * mount.machine_from_artefact;
}

}  // namespace

VirtualCell load_cell(const VirtualCellFiles& files) {
  VirtualCell cell;
  TomlTable recipe = TomlTable::from_file(files.recipe);
  cell.recipe = recipe.text("name");
  cell.sensor.serial = recipe.text("sensor_serial");
  TomlTable board = recipe.table("board");
  cell.nominal.size_mm = pair_of(board, "size_mm");
  const Htm<Machine, Board> machine_from_board(placement(board));
  if (board.choice<bool>("coordinates", {{"machine", true}, {"sensor", false}})) {
    if (!files.calibration)
      board.refuse("coordinates", "is machine and no calibration is given", "--calibration FILE");
    const Calibration calibration = load_calibration(*files.calibration);
    const Eigen::Vector3d q = files.position_mm.value_or(calibration.stage.q_cal_mm);
    cell.view.sensor_from_board = (calibration.at(q).inverse() * machine_from_board).matrix();
    if (!files.artefact.empty()) place_artefact(files, calibration.at(q), cell);
  } else {
    cell.view.sensor_from_board = machine_from_board.matrix();
  }
  read_bodies(recipe, cell.nominal);
  if (!recipe.has("panel")) cell.grey = read_artwork(recipe, cell.nominal);
  for (TomlTable& hole : recipe.tables("hole"))
    cell.nominal.holes.push_back({pair_of(hole, "centre_mm"), hole.number("diameter_mm", config::positive)});
  if (auto panel = recipe.table_if("panel")) lay_panel(std::move(*panel), cell.nominal);
  if (!files.design.empty()) {
    lay_design(files.design, files.side, files.turn, cell.nominal);
    cell.nominal.holes.clear();  // the recipe's are wider, by its margins
  }
  read_twin(files.twin, cell);
  return cell;
}

}  // namespace datum
