// Values that a recipe may have and that are probably not meant: heights in mm, angles in radians, shares in percent. Where
// nothing else can be meant the value is refused; otherwise it is a warning, and the recipe is measured as it is.
#pragma once

#include <optional>
#include <vector>

#include "config/toml_reader.h"
#include "daemon/inspection/recipe/recipe.h"
#include "daemon/inspection/recipe/recipe_file.h"

namespace datum {

/// Adds the warning "FILE:LINE:COLUMN: KEY: doubt".
void warn(const config::TomlTable& table, std::string_view key, const std::string& doubt,
          config::Problems& problems);

/// Throws config::ConfigError for a height below 1 um; warns below 20 um, the height of a print of paste or ink.
void doubt_nominal(const config::TomlTable& table, double nominal_um, config::Problems& problems);

/// Limits of a component's height: warns of a lower limit that a missing part passes, unless a check of presence finds it,
/// and of a tolerance below 1 um. Locations are those of `table`.
void doubt_height(const config::TomlTable& table, const Demand& demand, double nominal_um,
                  const std::vector<Demand>& checks, config::Problems& problems);

constexpr double doubted_tilt_mdeg = 20;  // 3.5 um over 10 mm: less than a solder joint varies

/// Limits of one characteristic in its unit: refuses a presence of at most 1 permille, which is a share; warns of a tilt
/// below doubted_tilt_mdeg and of shares that look like percent.
void doubt_check(const config::TomlTable& table, const Demand& demand, config::Problems& problems);

/// Refuses a multiple of pi / 4 with four digits or more, where `drawn` states that the angle is of a drawing. Warns of the
/// same angle with two or three digits, and of a measured one.
void doubt_rotation(const config::TomlTable& table, double deg, bool drawn, config::Problems& problems);

/// Size and place of [board]: refuses more than 10 m, warns of more than 1.5 m, less than 1 mm, and of a place beyond 20 m.
void doubt_board(const config::TomlTable& board, const Recipe& recipe, config::Problems& problems);

/// Warns where a board that is put in turned by 180 degrees would PASS with each value under another part's reference: no part shows the turn,
/// no [alignment] with max_rotation_deg looks for it, and board.keyed_fixture does not say that the fixture takes it in one way alone.
/// Read after the components, where all of them could be read.
void doubt_orientation(config::TomlTable board, const Recipe& recipe, config::Problems& problems);

/// Refuses a ring that begins beyond the whole board; warns of one wider than half of it. Warns of lengths in um that look
/// like mm, here and in [uncertainty].
void doubt_floor(const config::TomlTable& floor, const Recipe& recipe, config::Problems& problems);
void doubt_uncertainty(const config::TomlTable& table, const UncertaintySettings& u,
                       config::Problems& problems);

/// Warns where the board's outline reaches beyond every patch and ring: bow and twist would be INVALID (WARP_HULL) on each
/// board. Read after the components, where all of them could be read.
void doubt_warp(const config::TomlTable& warp, const Recipe& recipe, config::Problems& problems);

}  // namespace datum
