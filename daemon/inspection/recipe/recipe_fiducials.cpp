// [[alignment.fiducial]] of a board's recipe.
#include <algorithm>
#include <cctype>

#include "daemon/inspection/recipe/alignment_recipe.h"
#include "daemon/inspection/recipe/recipe_file.h"
#include "daemon/inspection/recipe/recipe_overlap.h"

namespace datum {
namespace {

constexpr std::size_t most_fiducials = 32, most_name = 16;
constexpr double least_size_mm = 0.05, most_size_mm = 20, usual_clear = 0.25, usual_u_um = 5;

std::string fiducial_name(config::TomlTable& t, const std::vector<Fiducial>& before) {
  std::string name = t.text("name");
  const bool good =
      !name.empty() && name.size() <= most_name &&
      std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '-'; });
  if (!good) t.refuse("name", "'" + name + "' is no name of a fiducial", "1 to 16 letters, digits and '-'");
  for (const Fiducial& other : before)
    if (other.name == name)
      t.refuse("name", "'" + name + "' is the name of another fiducial", "a name of its own for each");
  return name;
}

/// The shape's own keys; another shape's are refused.
void read_shape(config::TomlTable& t, Fiducial& f) {
  f.shape = t.choice<FiducialShape>(
      "shape",
      {{"circle", FiducialShape::circle}, {"ring", FiducialShape::ring}, {"cross", FiducialShape::cross}});
  f.size_mm = t.number("size_mm", {least_size_mm, most_size_mm});
  const auto of_shape = [&](const char* key, FiducialShape shape, double most) {
    if (f.shape == shape) return t.number(key, {least_size_mm / 2, most});
    if (t.has(key))
      t.refuse(key, std::string("belongs to a ") + name_of(shape) + ", and this is a " + name_of(f.shape),
               "leave it out");
    return 0.0;
  };
  f.inner_mm = of_shape("inner_mm", FiducialShape::ring, 0.9 * f.size_mm);
  f.line_mm = of_shape("line_mm", FiducialShape::cross, f.size_mm / 2);
  if (f.shape != FiducialShape::cross && t.has("rotation_deg"))
    t.refuse("rotation_deg", std::string("changes nothing of a ") + name_of(f.shape), "leave it out");
  f.rotation_deg = t.number_or("rotation_deg", 0, {-360, 360});
}

/// Square around the mark.
BoardRect square(const Fiducial& f, double beside_mm) {
  return {f.centre_mm, Eigen::Vector2d::Constant(f.size_mm + 2 * beside_mm), 0};
}

void refuse_place(config::TomlTable& t, const Fiducial& f, const Recipe& recipe,
                  const std::vector<Fiducial>& before) {
  const Eigen::Vector2d& c = f.centre_mm;
  if (!((c.array() >= f.size_mm / 2).all() && ((recipe.board_size_mm - c).array() >= f.size_mm / 2).all()))
    t.refuse("centre_mm", "the fiducial leaves the board", "a place on the board, in its coordinates");
  for (const Component& other : recipe.components)
    if (shared_area_mm2(square(f, 0), other.body) > 0)
      t.refuse("centre_mm", "the fiducial lies under " + other.reference + ", which hides it",
               "a place beside the components");
  for (const Fiducial& other : before)
    if ((other.centre_mm - c).norm() < (other.size_mm + f.size_mm) / 2 + std::max(other.clear_mm, f.clear_mm))
      t.refuse("centre_mm", "the fiducial lies in the clear zone of " + other.name, "a place of its own");
}

Fiducial read_fiducial(config::TomlTable& t, const Recipe& recipe, const std::vector<Fiducial>& before) {
  t.name_by("name");
  t.only_keys({"name", "shape", "centre_mm", "size_mm", "inner_mm", "line_mm", "rotation_deg", "contrast",
               "clear_mm", "u_um"});
  Fiducial f;
  f.name = fiducial_name(t, before);
  const auto centre = t.numbers("centre_mm", 2);
  f.centre_mm = {centre[0], centre[1]};
  read_shape(t, f);
  f.bright = t.choice<bool>("contrast", {{"bright", true}, {"dark", false}});
  f.clear_mm = t.number_or("clear_mm", usual_clear * f.size_mm, {0.1 * f.size_mm, 2 * f.size_mm});
  f.u_um = t.number_or("u_um", usual_u_um, {0, 1000});
  refuse_place(t, f, recipe, before);
  t.finish();
  return f;
}

}  // namespace

const char* name_of(FiducialShape shape) {
  switch (shape) {
    case FiducialShape::circle:
      return "circle";
    case FiducialShape::ring:
      return "ring";
    case FiducialShape::cross:
      return "cross";
  }
  return "";
}

void read_fiducials(config::TomlTable& table, const Recipe& recipe, AlignmentRecipe& a) {
  std::vector<config::TomlTable> tables = table.tables("fiducial");
  if (tables.empty()) {
    for (const char* key : {"min_fiducials", "fiducial_search_mm"})
      if (table.has(key))
        table.refuse(key, "belongs to fiducials", "[[alignment.fiducial]] beside it, or leave it out");
    return;
  }
  if (!a.max_rotation_deg)
    table.refuse("fiducial", "belongs to a registration with rotation",
                 "max_rotation_deg beside it, or leave it out");
  if (tables.size() < 2 || tables.size() > most_fiducials)
    table.refuse("fiducial",
                 std::to_string(tables.size()) +
                     (tables.size() == 1 ? " fiducial, which tells no rotation" : " fiducials"),
                 "2 to " + std::to_string(most_fiducials));
  for (config::TomlTable& t : tables) a.fiducials.push_back(read_fiducial(t, recipe, a.fiducials));
  a.min_fiducials = static_cast<int>(
      table.integer_or("min_fiducials", a.min_fiducials, 2, static_cast<std::int64_t>(tables.size())));
  a.fiducial_search_mm = table.number_or("fiducial_search_mm", a.fiducial_search_mm, {0.05, 10});
}

}  // namespace datum
