// Readers of a recipe file's tables.
#pragma once

#include "config/toml_reader.h"
#include "daemon/inspection/recipe/code_region.h"
#include "daemon/inspection/recipe/recipe.h"

namespace datum {

struct AlignmentRecipe;

/// Reads the tables of one file; a part that failed makes no errors in what depends on it.
class RecipeParts {
 public:
  RecipeParts(config::TomlTable& file, config::Problems& problems) : file_(file), problems_(problems) {}

  void only_keys(std::initializer_list<const char*> keys) {
    known_ = problems_.attempt([&] { file_.only_keys(keys); });
  }
  /// False: it was refused. An absent key is not missing where the file has an unknown one, which it is probably meant to be.
  template <class Read>
  bool read(const char* key, Read read) {
    return (!known_ && !file_.has(key)) || problems_.attempt(read);
  }

  config::Problems& problems() { return problems_; }

 private:
  config::TomlTable& file_;
  config::Problems& problems_;
  bool known_ = true;
};

/// [board]: size, coordinate system and placement.
void read_board(config::TomlTable table, Recipe& recipe, config::Problems& problems);

/// The keys of read_placement() and `more`, of the two matrices the one that is given.
config::Words placement_keys(const config::TomlTable& table, const std::string& part, config::Words more);

/// "coordinates" and its motion, as MACHINE_from_PART or origin_mm and rotation_deg. In the result, Machine
/// means Sensor, and Board the part, where the keys say so.
Htm<Machine, Board> read_placement(config::TomlTable& table, const std::string& part, bool& in_machine);

/// [package.NAME] and [[component]]; refuses duplicate references and bodies that leave the board. A refused
/// component does not stop the others. True: every component was read.
bool read_components(config::TomlTable& file, Recipe& recipe, config::Problems& problems);

/// [warp]: the board's own form. Read after the board's size and before the components.
void read_warp(config::TomlTable table, Recipe& recipe, config::Problems& problems);

/// [defects]: limits of the words by which a part's fault is named. Read after board and components.
void read_defects(config::TomlTable table, Recipe& recipe);

/// [alignment] of a board: how far it may lie from its place. Read after board and components; `complete`: all components
/// were read.
void read_board_alignment(config::TomlTable table, Recipe& recipe, bool complete);

/// [[alignment.fiducial]] and the keys beside it in [alignment]. Read after max_rotation_deg.
void read_fiducials(config::TomlTable& table, const Recipe& recipe, AlignmentRecipe& a);

/// [[alignment.hole]], [[alignment.edge]], outline and the keys beside them. Read after fiducials.
void read_mechanical(config::TomlTable& table, const Recipe& recipe, AlignmentRecipe& a);

/// [panel]: places of boards. Read after board, components and alignment; `complete`: all components were read.
void read_panel(config::TomlTable table, Recipe& recipe, bool complete);

/// [snapshots]: the stage's poses. Read after the placement. `placement`: the table that has it; null: it was refused.
void read_snapshots(config::TomlTable& file, Recipe& recipe, const char* placement);
/// Refuses what a board of several snapshots can't have. Read after [snapshots].
void demand_board_of_snapshots(config::TomlTable& file, const Recipe& recipe);

/// [serial]: what a board without number becomes, and the code that has its number.
void read_serial(config::TomlTable table, Recipe& recipe);
/// A table of a code's region by its name, such as "serial.code"; refused where this build reads no codes.
CodeRegion read_code(config::TomlTable& parent, const std::string& name);
/// Refuses a code of a board or part that several frames show. Read after [snapshots].
void demand_code_in_one_frame(config::TomlTable& file, const Recipe& recipe);

/// [control_charts]. Read after the components; `complete`: all of them were read.
void read_control_charts(config::TomlTable table, Recipe& recipe, bool complete);

/// [filter]: refuses characteristics that a filter would falsify. Read after the components.
void read_filter(config::TomlTable table, Recipe& recipe);

/// [[hole]] and [touching] of a surface recipe: holes that are scanned, then touched. Read after placement, snapshots and
/// regions.
void read_holes(config::TomlTable& file, Recipe& recipe, SurfaceRecipe& surface);

/// A surface recipe except its name, sensor and decision: model, placement, snapshots and regions.
void read_surface(config::TomlTable& file, Recipe& recipe, RecipeParts& parts);

/// Requirement of one table, before a tolerance is applied to a nominal. Values in the characteristic's unit.
struct Demand {
  Characteristic characteristic = Characteristic::median;
  double parameter = 0;
  std::optional<double> nominal, lower, upper, tolerance;
};

/// Characteristic, parameter and limits. `heights_only` refuses characteristics that are not in um.
Demand read_demand(config::TomlTable& table, bool heights_only);

/// The same for a region of a surface.
Demand read_surface_demand(config::TomlTable& table);

/// The same for a touched hole.
Demand read_hole_demand(config::TomlTable& table);

/// The same for a board's own form.
Demand read_warp_demand(config::TomlTable& table);

/// Limits as numbers. `nominal` is used where the demand has a tolerance without a nominal; `height_um` is
/// the component's nominal height, the reference of a single limit of a height. Throws config::ConfigError at
/// `table` where the nominal lies outside the limits, or a single limit equals it.
Check resolve(const Demand& demand, std::optional<double> nominal, std::optional<double> height_um,
              const config::TomlTable& table);

/// A part's name or reference. It appears in result lines, so blanks, quotes and separators are refused.
std::string read_name(config::TomlTable& table, const char* key);

}  // namespace datum
