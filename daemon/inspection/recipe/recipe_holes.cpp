// [[hole]] and [touching] of a surface recipe.
#include <algorithm>
#include <cmath>

#include "daemon/inspection/recipe/recipe_file.h"
#include "daemon/inspection/surface/surface_recipe.h"

namespace datum {
namespace {

constexpr std::size_t most_holes = 100;
// Scan and touch are compared in the machine's x and y (calib/hybrid/hybrid_probe.cpp): 26 degrees.
constexpr double least_axis_z = 0.9;

/// Index of the snapshot that shows the hole.
std::size_t read_snapshot(config::TomlTable& table, const Recipe& recipe) {
  std::string known;
  for (const SnapshotPose& pose : recipe.snapshots.poses) known += (known.empty() ? "" : ", ") + pose.name;
  const std::string name = table.text("snapshot");
  for (std::size_t i = 0; i < recipe.snapshots.poses.size(); ++i)
    if (recipe.snapshots.poses[i].name == name) return i;
  table.refuse("snapshot", "'" + name + "' is no pose of [snapshots]", "one of: " + known);
}

void read_hole(config::TomlTable& table, Recipe& recipe, SurfaceRecipe& surface) {
  table.only_keys(
      {"name", "snapshot", "centre_mm", "diameter_mm", "search_mm", "diameter_search_mm", "check"});
  HoleDemand hole;
  hole.name = read_name(table, "name");
  hole.snapshot = read_snapshot(table, recipe);
  hole.center_mm = Eigen::Map<const Eigen::Vector3d>(table.numbers("centre_mm", 3).data());
  hole.diameter_mm = table.number("diameter_mm", {0.1, 2000});
  hole.search_mm = table.number("search_mm", {0.001, 100});
  hole.diameter_search_mm = table.number("diameter_search_mm", {0.002, 200});
  for (const Component& other : recipe.components)
    if (other.reference == hole.name)
      table.refuse("name", "'" + hole.name + "' is used twice", "a name of its own for each region and hole");
  Component component;
  component.reference = hole.name;
  component.package = hole_package;
  std::vector<config::TomlTable> checks = table.tables("check");
  if (checks.empty()) table.refuse("check", "missing", "at least one [[hole.check]]");
  for (config::TomlTable& check : checks) {
    const Demand demand = read_hole_demand(check);
    const bool is_diameter = demand.characteristic == Characteristic::diameter;
    const auto nominal = is_diameter ? std::optional(1000 * hole.diameter_mm) : std::optional<double>();
    component.checks.push_back(resolve(demand, nominal, std::nullopt, check));
    check.finish();
  }
  table.finish();
  surface.holes.push_back(std::move(hole));
  recipe.components.push_back(std::move(component));
}

TouchingDemand read_touching(config::TomlTable table) {
  table.only_keys({"travel_z_mm", "timeout_ms"});
  TouchingDemand touching{table.number("travel_z_mm", {-1e5, 1e5}),
                          static_cast<int>(table.integer("timeout_ms", 1, 86'400'000))};
  table.finish();
  return touching;
}

}  // namespace

void read_holes(config::TomlTable& file, Recipe& recipe, SurfaceRecipe& surface) {
  std::vector<config::TomlTable> holes = file.tables("hole");
  if (holes.empty()) {
    if (file.has("touching"))
      file.refuse("touching", "there is no hole to touch", "[[hole]] beside it, or no [touching]");
    return;
  }
  if (!recipe.in_machine_coordinates)
    file.refuse("hole", "a probe touches in machine coordinates, and placement.coordinates is \"sensor\"",
                "coordinates = \"machine\", or no [[hole]]");
  if (recipe.snapshots.poses.empty())
    file.refuse("hole", "the recipe has no [snapshots], so that it is not known which frame shows a hole",
                "[snapshots] with the poses, and the name of one as the hole's snapshot");
  if (holes.size() > most_holes)
    file.refuse("hole", std::to_string(holes.size()) + " holes", "at most " + std::to_string(most_holes));
  if (std::abs(surface.machine_from_model.rotation()(2, 2)) < least_axis_z)
    file.refuse(
        "hole",
        "the model's z, which is the axis of its holes, leans more than 26 degrees from the machine's",
        "a model whose z is along the machine's probe");
  if (!file.has("touching"))
    file.refuse("touching", "missing beside [[hole]]", "[touching] with travel_z_mm and timeout_ms");
  surface.touching = read_touching(file.table("touching"));
  for (config::TomlTable& table : holes) read_hole(table, recipe, surface);
}

}  // namespace datum
