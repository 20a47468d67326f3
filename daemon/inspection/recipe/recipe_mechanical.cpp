// [[alignment.hole]], [[alignment.edge]] and outline of a board's recipe.
#include <algorithm>
#include <cctype>

#include "daemon/inspection/recipe/alignment_recipe.h"
#include "daemon/inspection/recipe/recipe_file.h"
#include "daemon/inspection/recipe/recipe_overlap.h"

namespace datum {
namespace {

constexpr std::size_t most_listed_holes = 32, most_listed_edges = 16, most_feature_name = 16;
constexpr double usual_hole_u_um = 25, usual_edge_u_um = 50, least_edge_mm = 3, beyond_outline_mm = 1;

/// Names are those of numbers in the verdict: one list of all.
std::string feature_name(config::TomlTable& t, const AlignmentRecipe& a) {
  std::string name = t.text("name");
  const bool good =
      !name.empty() && name.size() <= most_feature_name &&
      std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '-'; });
  if (!good) t.refuse("name", "'" + name + "' is no name of a feature", "1 to 16 letters, digits and '-'");
  const auto is_it = [&](const auto& other) { return other.name == name; };
  if (std::any_of(a.fiducials.begin(), a.fiducials.end(), is_it) ||
      std::any_of(a.holes.begin(), a.holes.end(), is_it) ||
      std::any_of(a.edges.begin(), a.edges.end(), is_it))
    t.refuse("name", "'" + name + "' is the name of another fiducial, hole or edge",
             "a name of its own for each");
  return name;
}

Eigen::Vector2d place_at(config::TomlTable& t, const char* key) {
  const auto at = t.numbers(key, 2);
  return {at[0], at[1]};
}

AlignmentHole read_alignment_hole(config::TomlTable& t, const Recipe& recipe, const AlignmentRecipe& a) {
  t.name_by("name");
  t.only_keys({"name", "centre_mm", "diameter_mm", "u_um"});
  AlignmentHole h;
  h.name = feature_name(t, a);
  h.centre_mm = place_at(t, "centre_mm");
  h.diameter_mm = t.number("diameter_mm", {0.3, 30});
  h.u_um = t.number_or("u_um", usual_hole_u_um, {0, 1000});
  const double radius = h.diameter_mm / 2;
  if (!((h.centre_mm.array() >= radius).all() &&
        ((recipe.board_size_mm - h.centre_mm).array() >= radius).all()))
    t.refuse("centre_mm", "the hole leaves the board", "a place on the board, in its coordinates");
  const BoardRect square{h.centre_mm, Eigen::Vector2d::Constant(h.diameter_mm), 0};
  for (const Component& other : recipe.components)
    if (shared_area_mm2(square, other.body) > 0)
      t.refuse("centre_mm", "the hole lies under " + other.reference + ", which hides it",
               "a place beside the components");
  for (const AlignmentHole& other : a.holes)
    if ((other.centre_mm - h.centre_mm).norm() < radius + other.diameter_mm / 2)
      t.refuse("centre_mm", "the hole meets " + other.name, "holes that lie apart");
  t.finish();
  return h;
}

bool near_board(const Eigen::Vector2d& at_mm, const Recipe& recipe) {
  return (at_mm.array() >= -beyond_outline_mm).all() &&
         (at_mm.array() <= recipe.board_size_mm.array() + beyond_outline_mm).all();
}

/// A piece of one of the board's four sides whose left is not the board's side of it. Of notches it is not known.
bool runs_backwards(const OutlineEdge& e, const Eigen::Vector2d& size_mm) {
  const Eigen::Vector2d along = e.to_mm - e.from_mm, left(-along.y(), along.x());
  for (const int axis : {0, 1}) {
    const double from = e.from_mm[axis], to = e.to_mm[axis];
    if (std::max(from, to) <= beyond_outline_mm && left[axis] < 0) return true;
    if (std::min(from, to) >= size_mm[axis] - beyond_outline_mm && left[axis] > 0) return true;
  }
  return false;
}

OutlineEdge read_outline_edge(config::TomlTable& t, const Recipe& recipe, const AlignmentRecipe& a) {
  t.name_by("name");
  t.only_keys({"name", "from_mm", "to_mm", "u_um"});
  OutlineEdge e;
  e.name = feature_name(t, a);
  e.from_mm = place_at(t, "from_mm");
  e.to_mm = place_at(t, "to_mm");
  e.u_um = t.number_or("u_um", usual_edge_u_um, {0, 1000});
  for (const auto& [key, at] : {std::pair{"from_mm", e.from_mm}, {"to_mm", e.to_mm}})
    if (!near_board(at, recipe))
      t.refuse(key, "the edge leaves the board by more than 1 mm",
               "a place on the outline, in board coordinates");
  if ((e.to_mm - e.from_mm).norm() < least_edge_mm)
    t.refuse("to_mm", "the edge is shorter than " + config::shown(least_edge_mm) + " mm",
             "a straight piece of the outline; the board lies on its left, seen from from_mm");
  if (runs_backwards(e, recipe.board_size_mm))
    t.refuse("from_mm", "the board lies on the edge's right",
             "both ends exchanged: the board lies on its left");
  t.finish();
  return e;
}

void refuse_lonely(const config::TomlTable& table, std::initializer_list<const char*> keys,
                   const char* features, const char* what) {
  for (const char* key : keys)
    if (table.has(key))
      table.refuse(key, std::string("belongs to ") + features,
                   std::string(what) + " beside it, or leave it out");
}

int least_listed(config::TomlTable& table, const char* key, std::size_t listed) {
  const auto n = static_cast<std::int64_t>(listed);
  return static_cast<int>(table.integer_or(key, std::min<std::int64_t>(2, n), 1, n));
}

void read_alignment_holes(config::TomlTable& table, const Recipe& recipe, AlignmentRecipe& a) {
  std::vector<config::TomlTable> tables = table.tables("hole");
  if (tables.empty())
    return refuse_lonely(table, {"min_holes", "holes_offset_um"}, "holes", "[[alignment.hole]]");
  if (tables.size() > most_listed_holes)
    table.refuse("hole", std::to_string(tables.size()) + " holes",
                 "1 to " + std::to_string(most_listed_holes));
  for (config::TomlTable& t : tables) a.holes.push_back(read_alignment_hole(t, recipe, a));
  a.min_holes = least_listed(table, "min_holes", a.holes.size());
  a.holes_offset_um = table.number_or("holes_offset_um", a.holes_offset_um, {0, 1000});
}

void read_outline_edges(config::TomlTable& table, const Recipe& recipe, AlignmentRecipe& a) {
  std::vector<config::TomlTable> tables = table.tables("edge");
  const bool of_board = table.choice_or<bool>("outline", false, {{"board", true}});
  if (of_board && !tables.empty())
    table.refuse("outline", "is stated beside [[alignment.edge]]",
                 "the board's four sides, or a list of edges");
  if (of_board) a.edges = sides_of(recipe.board_size_mm);
  if (a.edges.empty() && tables.empty())
    return refuse_lonely(table, {"min_edges", "edges_offset_um"}, "the outline",
                         "outline = \"board\" or [[alignment.edge]]");
  if (tables.size() > most_listed_edges)
    table.refuse("edge", std::to_string(tables.size()) + " edges",
                 "1 to " + std::to_string(most_listed_edges));
  for (config::TomlTable& t : tables) a.edges.push_back(read_outline_edge(t, recipe, a));
  a.min_edges = least_listed(table, "min_edges", a.edges.size());
  a.edges_offset_um = table.number_or("edges_offset_um", a.edges_offset_um, {0, 1000});
}

}  // namespace

std::vector<OutlineEdge> sides_of(const Eigen::Vector2d& size) {
  const Eigen::Vector2d low(0, 0), right(size.x(), 0), left(0, size.y());
  return {{"bottom", low, right, usual_edge_u_um},
          {"right", right, size, usual_edge_u_um},
          {"top", size, left, usual_edge_u_um},
          {"left", left, low, usual_edge_u_um}};
}

void read_mechanical(config::TomlTable& table, const Recipe& recipe, AlignmentRecipe& a) {
  if (!a.max_rotation_deg)
    return refuse_lonely(
        table, {"hole", "edge", "outline", "min_holes", "min_edges", "holes_offset_um", "edges_offset_um"},
        "a registration with rotation", "max_rotation_deg");
  read_alignment_holes(table, recipe, a);
  read_outline_edges(table, recipe, a);
}

}  // namespace datum
