// [panel] of a board's recipe.
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "daemon/inspection/board/warp_recipe.h"
#include "daemon/inspection/recipe/alignment_recipe.h"
#include "daemon/inspection/recipe/code_region.h"
#include "daemon/inspection/recipe/defect_recipe.h"
#include "daemon/inspection/recipe/panel_orientation.h"
#include "daemon/inspection/recipe/panel_recipe.h"
#include "daemon/inspection/recipe/recipe_file.h"
#include "daemon/inspection/recipe/recipe_overlap.h"

namespace datum {
namespace {

constexpr std::size_t most_boards = 1000, most_components = 100'000;  // of one panel
constexpr double panel_slack_mm = 1e-6;
/// Share of a mark's pixels above half its height, in permille: a part with half of it is neither there nor absent.
constexpr double least_presence = 500;

Eigen::Vector2d two_numbers(config::TomlTable& table, const char* key, config::Range range = {}) {
  return Eigen::Map<const Eigen::Vector2d>(table.numbers(key, 2, range).data());
}

Eigen::Rotation2Dd rotation_of(const PanelPlace& place) {
  return Eigen::Rotation2Dd(place.rotation_deg * std::numbers::pi / 180);
}

std::vector<PanelPlace> grid_places(config::TomlTable& table, const Recipe& recipe) {
  const auto count = [&](const char* key) { return table.integer(key, 1, most_boards); };
  const std::int64_t columns = count("columns"), rows = count("rows");
  if (columns * rows > static_cast<std::int64_t>(most_boards))
    table.refuse("rows", std::to_string(columns * rows) + " boards",
                 "at most " + std::to_string(most_boards));
  const Eigen::Vector2d pitch = two_numbers(table, "pitch_mm", config::positive);
  const Eigen::Vector2d first =
      table.has("first_mm") ? two_numbers(table, "first_mm") : Eigen::Vector2d(0, 0);
  const double rotation = table.number_or("rotation_deg", 0, {-360, 360});
  const Eigen::Rotation2Dd turn(rotation * std::numbers::pi / 180);
  const Eigen::Vector2d extent = turn.toRotationMatrix().cwiseAbs() * recipe.board_size_mm;
  for (const int axis : {0, 1})
    if ((axis == 0 ? columns : rows) > 1 && pitch[axis] + panel_slack_mm < extent[axis])
      table.refuse("pitch_mm",
                   config::shown(pitch[axis]) + " along " + (axis == 0 ? "x" : "y") +
                       " is less than the board, which is " + config::shown(extent[axis]) +
                       " mm long there: the boards would lie on each other",
                   "at least " + config::shown(extent[axis]));
  std::vector<PanelPlace> places;
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t column = 0; column < columns; ++column)
      places.push_back({std::to_string(column + 1) + "-" + std::to_string(row + 1),
                        first + Eigen::Vector2d(static_cast<double>(column) * pitch.x(),
                                                static_cast<double>(row) * pitch.y()),
                        rotation});
  return places;
}

std::vector<PanelPlace> listed_places(config::TomlTable& table) {
  std::vector<PanelPlace> places;
  std::set<std::string> names;
  std::vector<config::TomlTable> tables = table.tables("place");
  if (tables.size() > most_boards)
    table.refuse("place", std::to_string(tables.size()) + " boards",
                 "at most " + std::to_string(most_boards));
  for (config::TomlTable& t : tables) {
    t.only_keys({"name", "origin_mm", "rotation_deg"});
    PanelPlace place{read_name(t, "name"), two_numbers(t, "origin_mm"),
                     t.number_or("rotation_deg", 0, {-360, 360})};
    if (!names.insert(place.name).second)
      t.refuse("name", "'" + place.name + "' is the name of another place",
               "a name of its own for each place");
    places.push_back(std::move(place));
    t.finish();
  }
  return places;
}

BoardRect outline_at(const Recipe& recipe, const PanelPlace& place) {
  return on_panel(place, {recipe.board_size_mm / 2, recipe.board_size_mm, 0});
}

void refuse_beyond(config::TomlTable& table, const char* key, const Recipe& recipe,
                   const PanelRecipe& panel) {
  for (const PanelPlace& place : panel.places)
    for (const Eigen::Vector2d& corner : corners_mm(outline_at(recipe, place)))
      if ((corner.array() < -panel_slack_mm).any() ||
          (corner.array() > panel.size_mm.array() + panel_slack_mm).any())
        table.refuse(key,
                     "board " + place.name + " reaches to [" + config::shown(corner.x()) + ", " +
                         config::shown(corner.y()) + "] mm, beyond the panel of " +
                         config::shown(panel.size_mm.x()) + " x " + config::shown(panel.size_mm.y()) + " mm",
                     "places within size_mm of the panel");
}

/// Two boards within each other's reach could be taken for each other where one is missing.
void refuse_neighbours(config::TomlTable& table, const char* key, const Recipe& recipe,
                       const PanelRecipe& panel) {
  const double shift_mm = recipe.alignment ? recipe.alignment->max_shift_mm : 0;
  for (std::size_t i = 0; i < panel.places.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) {
      const PanelPlace &a = panel.places[k], &b = panel.places[i];
      const BoardRect at_a = outline_at(recipe, a), at_b = outline_at(recipe, b);
      const double apart_mm = (at_a.centre_mm - at_b.centre_mm).norm();
      if (apart_mm < recipe.board_size_mm.norm() + panel_slack_mm &&
          shared_area_mm2(at_a, at_b) > panel_slack_mm)
        table.refuse(key, "the boards " + a.name + " and " + b.name + " lie on each other",
                     "places that share no area");
      const double reach_mm = 2 * std::numbers::sqrt2 * shift_mm;
      if (apart_mm <= reach_mm)
        table.refuse(
            key,
            "the boards " + a.name + " and " + b.name + " lie " + config::shown(apart_mm) +
                " mm apart, and alignment.max_shift_mm = " + config::shown(shift_mm) +
                " lets either lie so far from its place along x and y that one could be taken for the "
                "other",
            "alignment.max_shift_mm below " + config::shown(apart_mm / (2 * std::numbers::sqrt2)));
    }
}

BadMark read_mark(config::TomlTable table, const Recipe& recipe) {
  table.only_keys({"centre_mm", "size_mm", "rotation_deg", "height_um", "bad_if"});
  BadMark mark;
  Component& c = mark.feature;
  c.reference = "bad_mark";
  c.package = "bad_mark";
  c.body = {two_numbers(table, "centre_mm"), two_numbers(table, "size_mm", config::positive),
            table.number_or("rotation_deg", 0, {-360, 360})};
  c.nominal_height_um = table.number("height_um", {1, 1e6});
  mark.bad_if_there = table.choice_or<bool>("bad_if", true, {{"there", true}, {"absent", false}});
  for (const Eigen::Vector2d& corner : corners_mm(c.body))
    if ((corner.array() < 0).any() || (corner.array() > recipe.board_size_mm.array()).any())
      table.refuse("centre_mm", "the mark leaves the board", "a place on the board, in its coordinates");
  for (const Component& other : recipe.components)
    if (shared_area_mm2(c.body, other.body) > 0)
      table.refuse("centre_mm", "the mark lies on " + other.reference + ", which would be taken for it",
                   "a place beside the components");
  Check height{Characteristic::median,      0,
               c.nominal_height_um,         c.nominal_height_um / 2,
               c.nominal_height_um * 3 / 2, c.nominal_height_um};
  Check presence{Characteristic::presence, 0, std::nullopt, least_presence, std::nullopt, std::nullopt};
  c.checks = {height, presence};
  table.finish();
  return mark;
}

PanelSerials read_serials(config::TomlTable table, const Recipe& recipe) {
  table.only_keys({"missing", "code"});
  PanelSerials s;
  s.missing = table.choice<WithoutBoardSerial>(
      "missing", {{"invalid", WithoutBoardSerial::invalid}, {"position", WithoutBoardSerial::position}});
  if (s.missing == WithoutBoardSerial::position && !recipe.without_serial)
    table.refuse("missing", "\"position\" makes numbers of the panel's own, which no [serial] asks for",
                 "[serial] with missing, or \"invalid\"");
  if (table.has("code") && recipe.takes_snapshots())
    table.refuse("code", "is read in one frame, and a panel of [snapshots] lies in several",
                 "no code: let the host state the numbers by CONFigure:PANel, or the delivery by \"panel\"");
  if (table.has("code")) {
    s.code = std::make_shared<const CodeRegion>(read_code(table, "panel.serial.code"));
    const Eigen::Vector2d low = s.code->centre_mm - s.code->size_mm / 2, high = low + s.code->size_mm;
    if ((low.array() < 0).any() || (high.array() > recipe.board_size_mm.array()).any())
      table.refuse("code", "the region leaves the board, so that a neighbour's code could be read in it",
                   "a region on the board, in its coordinates");
  }
  table.finish();
  return s;
}

/// The recipe for the board at one place.
Recipe board_recipe(const Recipe& recipe, const PanelPlace& place) {
  Recipe board = recipe;
  board.panel = nullptr;
  board.name = panel_reference(place.name, recipe.name);  // tells its plan in the cache
  board.machine_from_board =
      Htm<Machine, Board>(recipe.machine_from_board.matrix() * panel_from_board(place).matrix());
  for (Component& c : board.components) {
    c.reference = panel_reference(place.name, c.reference);
    for (std::string& other : c.overlaps) other = panel_reference(place.name, other);
  }
  if (recipe.warp) {
    auto warp = std::make_shared<WarpRecipe>(*recipe.warp);
    warp->row.reference = panel_reference(place.name, warp->row.reference);
    for (Component& patch : warp->patches) patch.reference = panel_reference(place.name, patch.reference);
    board.warp = std::move(warp);
  }
  if (recipe.defects && recipe.defects->foreign) {
    auto defects = std::make_shared<DefectRecipe>(*recipe.defects);
    defects->foreign->row.reference = panel_reference(place.name, defects->foreign->row.reference);
    board.defects = std::move(defects);
  }
  return board;
}

/// The same for its mark alone: an unpopulated board shows no part by which it could be aligned.
Recipe mark_recipe(const Recipe& recipe, const PanelPlace& place, const BadMark& mark) {
  Recipe marked = board_recipe(recipe, place);
  marked.name += "/" + mark.feature.reference;
  marked.alignment = nullptr;
  marked.warp = nullptr;
  marked.defects = nullptr;
  marked.filter.reset();
  marked.rule = DecisionRule::iso14253;
  for (const Component& c : marked.components) {
    marked.exclusions.push_back(c.body);
    marked.exclusions.back().size_mm.array() += 2 * recipe.floor.neighbour_margin_mm;
  }
  marked.components = {mark.feature};
  marked.components.front().reference = panel_reference(place.name, mark.feature.reference);
  return marked;
}

}  // namespace

std::string panel_reference(const std::string& board, const std::string& reference) {
  return reference + "@" + board;
}

BoardRect on_panel(const PanelPlace& place, const BoardRect& rect) {
  return {place.origin_mm + rotation_of(place) * rect.centre_mm, rect.size_mm,
          rect.rotation_deg + place.rotation_deg};
}

Htm<Board, Board> panel_from_board(const PanelPlace& place) {
  Eigen::Matrix4d m = Eigen::Matrix4d::Identity();
  m.topLeftCorner<2, 2>() = rotation_of(place).toRotationMatrix();
  m.topRightCorner<2, 1>() = place.origin_mm;
  return Htm<Board, Board>(m);
}

void read_panel(config::TomlTable table, Recipe& recipe, bool complete) {
  table.only_keys({"size_mm", "columns", "rows", "pitch_mm", "first_mm", "rotation_deg", "place", "bad_mark",
                   "keyed_fixture", "serial"});
  auto panel = std::make_shared<PanelRecipe>();
  panel->size_mm = two_numbers(table, "size_mm", config::positive);
  if (!recipe.board_size_mm.allFinite() || !complete) return;  // refused already
  const bool is_list = table.has("place");
  for (const char* key : {"columns", "rows", "pitch_mm", "first_mm", "rotation_deg"})
    if (is_list && table.has(key))
      table.refuse(key, "is given beside place", "columns, rows and pitch_mm, or a list of places");
  panel->places = is_list ? listed_places(table) : grid_places(table, recipe);
  const char* key = is_list ? "place" : "pitch_mm";
  refuse_beyond(table, is_list ? "place" : "size_mm", recipe, *panel);
  if (panel->places.size() * recipe.components.size() > most_components)
    table.refuse(key,
                 std::to_string(panel->places.size()) + " boards have " +
                     std::to_string(panel->places.size() * recipe.components.size()) + " components",
                 "at most " + std::to_string(most_components));
  if (recipe.alignment && !recipe.alignment->max_rotation_deg)
    table.refuse(
        "size_mm",
        "an alignment by the shift alone sees the neighbours' parts, and can't tell a board from them",
        "alignment.max_rotation_deg, or no [alignment]");
  if (recipe.alignment && recipe.alignment->model != BoardModel::rigid)
    table.refuse("size_mm",
                 std::string("alignment.model = \"") + name_of(recipe.alignment->model) +
                     "\" beside [panel]: a stretch is estimated for one board in one frame",
                 "alignment.model = \"rigid\", or no [panel]");
  if (recipe.alignment && !recipe.alignment->edges.empty())
    table.refuse("size_mm", "[alignment] looks for the outline, and boards of a panel hang together",
                 "no outline and no [[alignment.edge]]; holes may stay");
  refuse_neighbours(table, key, recipe, *panel);
  const bool keyed =
      table.boolean_or("keyed_fixture", false) || (recipe.alignment && !recipe.alignment->search_turned);
  if (const std::string why = keyed ? "" : turned_unnoticed(recipe, *panel); !why.empty())
    table.refuse("keyed_fixture", why,
                 recipe.alignment ? "true where the fixture or conveyor takes the panel in one way alone"
                                  : "true where the fixture or conveyor takes the panel in one way alone; or "
                                    "[alignment] with max_rotation_deg, or a component that tells both ends");
  if (auto mark = table.table_if("bad_mark")) panel->bad_mark = read_mark(std::move(*mark), recipe);
  if (auto serials = table.table_if("serial")) panel->serials = read_serials(std::move(*serials), recipe);
  table.finish();
  for (const PanelPlace& place : panel->places) {
    panel->boards.push_back(board_recipe(recipe, place));
    if (panel->bad_mark) panel->marks.push_back(mark_recipe(recipe, place, *panel->bad_mark));
  }
  recipe.panel = std::move(panel);
}

}  // namespace datum
