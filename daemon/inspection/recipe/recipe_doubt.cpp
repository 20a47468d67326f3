#include "daemon/inspection/recipe/recipe_doubt.h"

#include <cmath>
#include <numbers>

#include "calib/warp/hull.h"
#include "daemon/inspection/board/warp_recipe.h"
#include "daemon/inspection/recipe/alignment_recipe.h"
#include "daemon/inspection/recipe/panel_orientation.h"

namespace datum {
namespace {

using config::shown;

constexpr double um_per_mm = 1000;

bool is_height(const Demand& demand) { return demand.characteristic <= Characteristic::top_mean; }

bool finds_absence(const Demand& demand) {
  const double lower =
      demand.lower.value_or(demand.tolerance && demand.nominal ? *demand.nominal - *demand.tolerance : 0);
  return (is_height(demand) || demand.characteristic == Characteristic::presence) && lower > 0;
}

/// "if 0.05 mm are meant, it is 50".
std::string in_um(double mm) { return "if " + shown(mm) + " mm are meant, it is " + shown(mm * um_per_mm); }

void doubt_small_um(const config::TomlTable& table, const char* key, double um, double least,
                    config::Problems& problems) {
  if (um > 0 && um < least) warn(table, key, shown(um) + " um; " + in_um(um), problems);
}

void doubt_share(const config::TomlTable& table, const char* key, std::optional<double> permille,
                 config::Problems& problems) {
  if (!permille || *permille <= 0 || *permille > 100) return;
  if (*permille <= 1)
    table.refuse(key, shown(*permille) + " is a share, not permille",
                 shown(*permille * 1000) + ", in permille");
  warn(table, key,
       shown(*permille) + " permille are " + shown(*permille / 10) + " %; if " + shown(*permille) +
           " % are meant, it is " + shown(*permille * 10),
       problems);
}

void doubt_tilt(const config::TomlTable& table, const char* key, std::optional<double> mdeg,
                config::Problems& problems) {
  if (mdeg && *mdeg > 0 && *mdeg < doubted_tilt_mdeg)
    warn(table, key,
         shown(*mdeg) + " mdeg are " + shown(*mdeg / 1000) + " degrees; if " + shown(*mdeg) +
             " degrees are meant, it is " + shown(*mdeg * 1000),
         problems);
}

void doubt_percent(const config::TomlTable& table, const char* key, std::optional<double> percent,
                   config::Problems& problems) {
  if (percent && *percent > 10)
    warn(table, key,
         shown(*percent) + " % is a board bent by a tenth of its length or more; usual are 0.75 and 1.5",
         problems);
  if (percent && *percent > 0 && *percent < 0.02)
    warn(table, key, shown(*percent) + " %; if it is a ratio, in percent it is " + shown(*percent * 100),
         problems);
}

}  // namespace

void warn(const config::TomlTable& table, std::string_view key, const std::string& doubt,
          config::Problems& problems) {
  problems.warn(config::ConfigError(table.where(key), table.path(key), doubt, ""));
}

void doubt_nominal(const config::TomlTable& table, double nominal_um, config::Problems& problems) {
  constexpr double least_um = 1, usual_um = 20;
  if (nominal_um < least_um)
    table.refuse("nominal_um", shown(nominal_um) + " um is no height of a part; is it in mm?",
                 "a height in um: " + shown(nominal_um * um_per_mm) + " for " + shown(nominal_um) + " mm");
  doubt_small_um(table, "nominal_um", nominal_um, usual_um, problems);
}

void doubt_height(const config::TomlTable& table, const Demand& demand, double nominal_um,
                  const std::vector<Demand>& checks, config::Problems& problems) {
  doubt_small_um(table, "tolerance_um", demand.tolerance.value_or(0), 1, problems);
  const char* const key = demand.tolerance ? "tolerance_um" : "lower_um";
  if (!demand.tolerance && !demand.lower) return;  // an upper limit alone: absence is none of its business
  const double lower = demand.tolerance ? nominal_um - *demand.tolerance : *demand.lower;
  if (lower > 0) return;
  for (const Demand& check : checks)
    if (finds_absence(check)) return;
  warn(table, key,
       "the lower limit is " + shown(lower) +
           " um, so that a missing part passes; state one above 0, or a check of presence",
       problems);
}

void doubt_check(const config::TomlTable& table, const Demand& demand, config::Problems& problems) {
  switch (demand.characteristic) {
    case Characteristic::presence:
      doubt_share(table, "lower_permille", demand.lower, problems);
      return;
    case Characteristic::tilt:
      doubt_tilt(table, "upper_mdeg", demand.upper, problems);
      doubt_tilt(table, "tolerance_mdeg", demand.tolerance, problems);
      return;
    case Characteristic::bow:
    case Characteristic::twist:
      return doubt_percent(table, "upper_percent", demand.upper, problems);
    default:
      return doubt_small_um(table, "tolerance_um", demand.tolerance.value_or(0), 0.1, problems);
  }
}

void doubt_rotation(const config::TomlTable& table, double deg, bool drawn, config::Problems& problems) {
  constexpr double eighth = std::numbers::pi / 4, exact = 5e-5, near = 2e-3;
  const double turns = std::round(std::abs(deg) / eighth), off = std::abs(std::abs(deg) - turns * eighth);
  if (turns < 1 || turns > 8 || off > near) return;
  const std::string degrees = shown(std::copysign(turns * 45, deg));
  const std::string what = shown(deg) + " degrees are " + degrees + " degrees in radians";
  if (drawn && off <= exact) table.refuse("rotation_deg", what, "degrees: " + degrees);
  warn(table, "rotation_deg", what + "; if those are meant, it is " + degrees, problems);
}

void doubt_board(const config::TomlTable& board, const Recipe& recipe, config::Problems& problems) {
  const double longest_mm = recipe.board_size_mm.maxCoeff();
  if (longest_mm > 10'000)
    board.refuse("size_mm",
                 shown(longest_mm) + " mm are " + shown(longest_mm / um_per_mm) + " m; is it in um?",
                 "a size in mm: " + shown(longest_mm / um_per_mm) + " for " + shown(longest_mm) + " um");
  if (longest_mm > 1500)
    warn(board, "size_mm", shown(longest_mm) + " mm is longer than boards are", problems);
  if (recipe.board_size_mm.minCoeff() < 1)
    warn(board, "size_mm", shown(recipe.board_size_mm.minCoeff()) + " mm is shorter than boards are",
         problems);
  const double away_mm = recipe.machine_from_board.matrix().topRightCorner<3, 1>().norm();
  constexpr double machine_mm = 20'000;
  if (away_mm > machine_mm && board.has("origin_mm"))
    warn(board, "origin_mm",
         "the board lies " + shown(std::round(away_mm / um_per_mm)) +
             " m from the origin of its coordinates, outside of any machine; lengths are in mm",
         problems);
}

void doubt_orientation(config::TomlTable board, const Recipe& recipe, config::Problems& problems) {
  const bool keyed = board.boolean_or("keyed_fixture", false);
  if (keyed || recipe.panel || (recipe.alignment && recipe.alignment->max_rotation_deg)) return;
  if (const std::string why = turned_unnoticed(recipe); !why.empty())
    warn(board, "size_mm",
         "a board that is put in turned by 180 degrees looks the same to this recipe and would pass: " + why +
             "; state board.keyed_fixture = true where the fixture takes it in one way alone, [alignment] "
             "with "
             "max_rotation_deg, or a part that tells both ends",
         problems);
}

void doubt_floor(const config::TomlTable& floor, const Recipe& recipe, config::Problems& problems) {
  const FloorSettings& f = recipe.floor;
  const double board_mm = recipe.board_size_mm.maxCoeff();
  if (f.inner_margin_mm >= board_mm)
    floor.refuse("inner_margin_mm", shown(f.inner_margin_mm) + " mm: every ring begins beyond the board",
                 "less than the board's " + shown(board_mm) + " mm; in mm, not in um");
  if (f.outer_margin_mm > board_mm / 2)
    warn(floor, "outer_margin_mm",
         shown(f.outer_margin_mm) + " mm: a ring is wider than half the board (" + shown(board_mm) + " mm)",
         problems);
  doubt_small_um(floor, "form_um", f.form_um, 0.1, problems);
  doubt_small_um(floor, "surface_um", f.surface_um, 0.1, problems);
}

void doubt_warp(const config::TomlTable& warp, const Recipe& recipe, config::Problems& problems) {
  std::vector<Eigen::Vector2d> seen;
  const auto add = [&](BoardRect area, double margin_mm) {
    area.size_mm.array() += 2 * margin_mm;
    const auto corners = corners_mm(area);
    seen.insert(seen.end(), corners.begin(), corners.end());
  };
  for (const Component& c : recipe.components)
    add(c.floor_outline.value_or(c.body), recipe.floor.outer_margin_mm);
  for (BoardRect patch; const Component& c : recipe.warp->patches) {
    patch = c.body;
    patch.size_mm.setConstant(recipe.warp->patch_mm);
    add(patch, 0);
  }
  const std::vector<Eigen::Vector2d> hull = convex_hull(std::move(seen));
  if (hull.size() < 3) return;
  double farthest_mm = 1e-3;
  Eigen::Vector2d at = Eigen::Vector2d::Zero();
  for (const Eigen::Vector2d& corner : corners_mm(warp_outline(recipe)))
    if (const double beyond_mm = beyond_hull_mm(hull, corner); beyond_mm > farthest_mm) {
      farthest_mm = beyond_mm;
      at = corner;
    }
  if (farthest_mm > 1e-3)
    warn(warp, "margin_mm",
         "the outline's corner [" + shown(at.x()) + ", " + shown(at.y()) + "] mm lies " + shown(farthest_mm) +
             " mm beyond every patch and ring: bow and twist will be INVALID (WARP_HULL); widen "
             "[[warp.bare]] to the "
             "corners, or state a larger margin_mm",
         problems);
}

void doubt_uncertainty(const config::TomlTable& table, const UncertaintySettings& u,
                       config::Problems& problems) {
  doubt_small_um(table, "reproducibility_um", u.reproducibility_um, 0.01, problems);
  if (u.position_mm >= 1)
    warn(table, "position_mm", shown(u.position_mm) + " mm; a place on a board is known better", problems);
}

}  // namespace datum
