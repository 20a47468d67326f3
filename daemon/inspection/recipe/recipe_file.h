// The parts of a recipe file, each read from its own table.
#pragma once

#include "config/toml_reader.h"
#include "daemon/inspection/recipe/recipe.h"

namespace datum {

/// [board]: size, coordinate system and placement.
void read_board(config::TomlTable table, Recipe& recipe);

/// "coordinates", and in them the whole motion MACHINE_from_PART or origin_mm and rotation_deg. Machine is to be read as
/// Sensor, and Board as the part, where the keys say so.
Htm<Machine, Board> read_placement(config::TomlTable& table, const std::string& part, bool& in_machine);

/// [package.NAME] and [[component]]; refuses duplicate references and bodies that leave the board. A refused
/// component does not stop the others.
void read_components(config::TomlTable& file, Recipe& recipe, config::Problems& problems);

/// [warp]: the board's own form. The board's size is read before, components are read after.
void read_warp(config::TomlTable table, Recipe& recipe, config::Problems& problems);

/// [alignment] of a board: how far it may lie from its place. Board and components are read before.
void read_board_alignment(config::TomlTable table, Recipe& recipe);

/// [filter]: refuses characteristics that a filter would falsify. Components are read before.
void read_filter(config::TomlTable table, Recipe& recipe);

/// All of a surface recipe but its name, sensor and decision: model, placement, snapshots and regions.
void read_surface(config::TomlTable& file, Recipe& recipe, config::Problems& problems);

/// What one table demands, before a tolerance is applied to a nominal. Values in the characteristic's unit.
struct Demand {
  Characteristic characteristic = Characteristic::median;
  double parameter = 0;
  std::optional<double> nominal, lower, upper, tolerance;
};

/// Characteristic, parameter and limits. `heights_only` refuses characteristics that are not in um.
Demand read_demand(config::TomlTable& table, bool heights_only);

/// The same of a region of a surface.
Demand read_surface_demand(config::TomlTable& table);

/// The same of a board's own form.
Demand read_warp_demand(config::TomlTable& table);

/// Limits as numbers. `nominal` stands in where the demand has a tolerance and no nominal of its own; `height_um` is the
/// component's nominal height, from which a single limit of a height is judged. Throws config::ConfigError at `table` where
/// the nominal lies outside the limits, or where a single limit lies on it.
Check resolve(const Demand& demand, std::optional<double> nominal, std::optional<double> height_um,
              const config::TomlTable& table);

/// A part's name or reference: it travels in result lines, so no blanks, quotes or separators.
std::string read_name(config::TomlTable& table, const char* key);

}  // namespace datum
