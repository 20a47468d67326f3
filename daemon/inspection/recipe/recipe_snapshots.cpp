// [snapshots] of a part, or of a board that is larger than the field of view.
#include <fmt/format.h>

#include <set>

#include "daemon/inspection/recipe/recipe_file.h"
#include "daemon/inspection/surface/surface_recipe.h"

namespace datum {
namespace {

constexpr std::size_t most_snapshots = 64;

SnapshotPose read_pose(config::TomlTable& table) {
  table.only_keys({"name", "position_mm", "tolerance_mm"});
  SnapshotPose pose;
  pose.name = read_name(table, "name");
  pose.position_mm = Eigen::Map<const Eigen::Vector3d>(table.numbers("position_mm", 3).data());
  pose.tolerance_mm = table.number("tolerance_mm", config::positive);
  table.finish();
  return pose;
}

/// A missing snapshot is recognised by the next one's position, so a position must be that of one pose.
void demand_apart(const config::TomlTable& table, const SnapshotPlan& plan) {
  for (std::size_t i = 0; i < plan.poses.size(); ++i)
    for (std::size_t k = i + 1; k < plan.poses.size(); ++k) {
      const SnapshotPose &a = plan.poses[i], &b = plan.poses[k];
      const double mm = (a.position_mm - b.position_mm).norm();
      if (mm > a.tolerance_mm + b.tolerance_mm) continue;
      table.refuse("pose",
                   fmt::format("{} and {} are {:g} mm apart, within their tolerances", a.name, b.name, mm),
                   "poses that are farther apart than the sum of their tolerance_mm");
    }
}

}  // namespace

void read_snapshots(config::TomlTable& file, Recipe& recipe, const char* placement) {
  auto table = file.table_if("snapshots");
  if (!table) return;
  table->only_keys({"timeout_ms", "one_board", "pose"});
  SnapshotPlan& plan = recipe.snapshots;
  std::vector<config::TomlTable> poses = table->tables("pose");
  if (poses.empty() || poses.size() > most_snapshots)
    table->refuse("pose", std::to_string(poses.size()) + " poses",
                  "1 to " + std::to_string(most_snapshots) +
                      " [[snapshots.pose]]; without [snapshots] one is taken, wherever the stage stands");
  std::set<std::string> names;
  for (config::TomlTable& at : poses) {
    plan.poses.push_back(read_pose(at));
    const std::string& name = plan.poses.back().name;
    if (!names.insert(name).second)
      at.refuse("name", "'" + name + "' is used twice", "a name of its own for each pose");
  }
  if (poses.size() > 1) {
    plan.timeout_ms = static_cast<int>(table->integer("timeout_ms", 1, 86'400'000));
    if (!table->has("one_board"))  // a host that skips triggers could join two boards, and both PASS
      table->refuse(
          "one_board", "missing: nothing says what proves that all snapshots show one board",
          "\"unit\", each snapshot has the board's number; \"overlap\", of a board: floors that two "
          "snapshots show agree; or \"time\", where nobody changes a board within timeout_ms");
    plan.one_board = table->choice<OneBoard>(
        "one_board", {{"time", OneBoard::time}, {"unit", OneBoard::unit}, {"overlap", OneBoard::overlap}});
    if (plan.one_board == OneBoard::overlap && file.has("model"))
      table->refuse("one_board", "compares the floors of a board's components, and this is a part's recipe",
                    "\"unit\", or \"time\"");
  }
  table->finish();
  if (!placement) return;
  if (!recipe.in_machine_coordinates)  // the sensor's own do not contain the stage's position
    file.refuse(
        "snapshots",
        fmt::format("poses are positions of the machine, and {}.coordinates is \"sensor\"", placement),
        "coordinates = \"machine\", or no [snapshots]");
}

void demand_board_of_snapshots(config::TomlTable& file, const Recipe& recipe) {
  if (recipe.snapshots.poses.empty()) return;
  demand_apart(file.table("snapshots"), recipe.snapshots);
  if (file.has("alignment")) {
    const config::TomlTable alignment = file.table("alignment");
    if (!alignment.has("max_rotation_deg"))
      file.refuse("alignment",
                  "without max_rotation_deg it correlates one frame's parts, and a board of [snapshots] "
                  "lies in several",
                  "max_rotation_deg, which registers all snapshots together, or no [alignment]");
    if (alignment.has("fiducial"))
      file.refuse("alignment",
                  "lists fiducials, which are looked for in one frame, and a board of [snapshots] lies in "
                  "several",
                  "no [[alignment.fiducial]]: the parts of all snapshots place the board");
    for (const char* key : {"hole", "edge", "outline"})
      if (alignment.has(key))
        file.refuse(
            "alignment",
            fmt::format("lists {} = ..., which is looked for in one frame, and a board of [snapshots] "
                        "lies in several",
                        key),
            "no holes and no outline: the parts of all snapshots place the board");
  }
  if (file.has("panel") && recipe.snapshots.one_board == OneBoard::overlap && recipe.snapshots.count() > 1)
    file.refuse(
        "snapshots",
        "one_board = \"overlap\" joins the snapshots of one board by its floors, and a board of a panel "
        "may lie in a single one",
        "\"unit\", each snapshot has the panel's number; or \"time\", where nobody changes a panel "
        "within timeout_ms");
}

}  // namespace datum
