#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "daemon/inspection/board/warp_recipe.h"
#include "daemon/inspection/recipe/recipe_doubt.h"
#include "daemon/inspection/recipe/recipe_file.h"
#include "daemon/inspection/recipe/recipe_overlap.h"
#include "daemon/inspection/recipe/terminal_recipe.h"
#include "gpu/core/board_plan.h"

namespace datum {

namespace {

/// Keys common to packages and components; a component's own value takes precedence.
struct Part {
  std::optional<Eigen::Vector2d> body_mm, outline_mm, outline_offset_mm;
  std::optional<double> nominal_um, surface_um, upside_down_um;
  std::optional<std::string> nominal_source;
  std::optional<bool> nominal_confirmed, warp_fallback;
  std::optional<Demand> demand;
  std::vector<Demand> checks;
  std::shared_ptr<const TerminalRecipe> terminals;
  std::shared_ptr<const PasteRecipe> paste;
};

std::optional<Eigen::Vector2d> pair_if(config::TomlTable& table, const char* key, config::Range range = {}) {
  if (!table.has(key)) return std::nullopt;
  return Eigen::Vector2d(Eigen::Map<const Eigen::Vector2d>(table.numbers(key, 2, range).data()));
}

bool has_demand(config::TomlTable& table) {
  bool any = false;
  for (const char* key :
       {"characteristic", "quantile", "top_count", "tolerance_um", "lower_um", "upper_um"}) {
    any = any || table.has(key);
  }
  return any;
}

/// A component's own limits are of its height; other characteristics have a table of their own.
void refuse_limits_of_checks(const config::TomlTable& table, const char* header) {
  const std::pair<const char*, const char*> others[] = {{"mdeg", "tilt"}, {"permille", "presence"}};
  for (const auto& [unit, characteristic] : others)
    for (const char* limit : {"lower_", "upper_", "tolerance_", "nominal_"})
      if (table.has(std::string(limit) + unit))
        table.refuse(std::string(limit) + unit, std::string("is a limit of the ") + characteristic,
                     std::string("a table [[") + header + ".check]] with characteristic = \"" +
                         characteristic + "\" and this limit");
}

Part read_part(config::TomlTable& table, config::Problems& problems) {
  Part part;
  part.body_mm = pair_if(table, "body_mm", config::positive);
  part.outline_mm = pair_if(table, "floor_outline_mm", config::positive);
  part.outline_offset_mm = pair_if(table, "floor_outline_offset_mm");
  part.nominal_um = table.number_if("nominal_um", config::positive);
  if (part.nominal_um) doubt_nominal(table, *part.nominal_um, problems);
  part.nominal_source = table.text_if("nominal_source");
  if (table.has("nominal_confirmed")) part.nominal_confirmed = table.boolean("nominal_confirmed");
  part.surface_um = table.number_if("surface_um", config::not_negative);
  part.upside_down_um = table.number_if("upside_down_um", config::positive);
  if (table.has("fallback"))
    part.warp_fallback = table.choice<bool>("fallback", {{"none", false}, {"warp", true}});
  if (auto terminals = table.table_if("terminals")) part.terminals = read_terminals(std::move(*terminals));
  if (auto paste = table.table_if("paste")) part.paste = read_paste(std::move(*paste));
  if (has_demand(table)) part.demand = read_demand(table, true);
  for (config::TomlTable& check : table.tables("check")) {
    part.checks.push_back(read_demand(check, false));
    doubt_check(check, part.checks.back(), problems);
    check.finish();
  }
  return part;
}

struct Packages {
  std::map<std::string, Part> parts;
  config::Words names, refused;  // names: of all
  bool unreadable = false;       // [package] itself was refused
};

Part read_package(config::TomlTable table, const std::string& name, config::Problems& problems) {
  refuse_limits_of_checks(table, ("package." + name).c_str());
  table.only_keys({"body_mm", "nominal_um", "characteristic", "quantile", "top_count", "tolerance_um",
                   "lower_um", "upper_um", "floor_outline_mm", "floor_outline_offset_mm", "fallback",
                   "nominal_source", "nominal_confirmed", "surface_um", "upside_down_um", "terminals",
                   "paste", "check"});
  Part part = read_part(table, problems);
  if (part.demand && part.nominal_um)
    doubt_height(table, *part.demand, *part.nominal_um, part.checks, problems);
  table.finish();
  return part;
}

Packages read_packages(config::TomlTable& file, config::Problems& problems) {
  Packages packages;
  packages.unreadable = !problems.attempt([&] {
    auto all = file.table_if("package");
    if (!all) return;
    for (const std::string& name : all->table_names()) {
      packages.names.insert(name);
      if (!problems.attempt([&] { packages.parts[name] = read_package(all->table(name), name, problems); }))
        packages.refused.insert(name);
    }
    all->finish();
  });
  return packages;
}

BoardRect outline_of(const BoardRect& body, const Eigen::Vector2d& size_mm,
                     const Eigen::Vector2d& offset_mm) {
  const double turn = body.rotation_deg * std::numbers::pi / 180;
  const Eigen::Vector2d turned(std::cos(turn) * offset_mm.x() - std::sin(turn) * offset_mm.y(),
                               std::sin(turn) * offset_mm.x() + std::cos(turn) * offset_mm.y());
  return {body.centre_mm + turned, size_mm, body.rotation_deg};
}

/// Merges with the package's keys.
Part merged(const Part& own, const Part& package) {
  Part part = own;
  if (!part.body_mm) part.body_mm = package.body_mm;
  if (!part.nominal_um) {  // the source is of the number beside it
    part.nominal_um = package.nominal_um;
    if (!part.nominal_source) part.nominal_source = package.nominal_source;
    if (!part.nominal_confirmed) part.nominal_confirmed = package.nominal_confirmed;
  }
  if (!part.surface_um) part.surface_um = package.surface_um;
  if (!part.upside_down_um) part.upside_down_um = package.upside_down_um;
  if (!part.terminals) part.terminals = package.terminals;
  if (!part.paste) part.paste = package.paste;
  if (!part.warp_fallback) part.warp_fallback = package.warp_fallback;
  if (!part.demand) part.demand = package.demand;
  if (!part.outline_mm) part.outline_mm = package.outline_mm;
  if (!part.outline_offset_mm) part.outline_offset_mm = package.outline_offset_mm;
  part.checks.insert(part.checks.begin(), package.checks.begin(), package.checks.end());
  return part;
}

/// A component may state every key itself and name a package that has no table.
void demand_complete(const Part& part, const Component& c, const Packages& packages,
                     const config::TomlTable& table) {
  const bool complete = part.body_mm && part.nominal_um && part.demand,
             own = part.body_mm || part.nominal_um || part.demand;  // without a package all keys are its own
  if (!complete && !packages.names.count(c.package) && !packages.names.empty() &&
      (!own || !config::nearest(c.package, packages.names).empty()))
    throw config::ConfigError(
        table.where("package"), c.reference,
        "no package '" + c.package + "'" + config::did_you_mean(c.package, packages.names),
        config::one_of(packages.names, "") +
            "; or body_mm, nominal_um and characteristic in the component itself");
  const auto need = [&](bool present, const char* key) {
    if (!present) table.refuse(key, "missing", "a value here or in [package." + c.package + "]");
  };
  need(part.body_mm.has_value(), "body_mm");
  need(part.nominal_um.has_value(), "nominal_um");
  need(part.demand.has_value(), "characteristic");
  if (part.outline_offset_mm) need(part.outline_mm.has_value(), "floor_outline_mm");
}

void demand_on_board(const BoardRect& rect, const Eigen::Vector2d& board_mm, const char* what,
                     const config::TomlTable& table) {
  constexpr double slack_mm = 1e-6;  // a nanometre, for the rounding of a turned corner
  for (const Eigen::Vector2d& corner : corners_mm(rect)) {
    if (corner.minCoeff() < -slack_mm || ((corner - board_mm).array() > slack_mm).any()) {
      table.refuse(
          "centre_mm",
          std::string(what) + " reaches [" + config::shown(corner.x()) + ", " + config::shown(corner.y()) +
              "] mm, outside the board",
          "from [0, 0] to [" + config::shown(board_mm.x()) + ", " + config::shown(board_mm.y()) + "] mm");
    }
  }
}

/// A presence with an upper limit alone beside a height with one: nothing may lie there, so the part's nominal height is beyond.
bool must_be_empty(const Part& part) {
  const auto upper_alone = [](const Demand& d) { return d.upper && !d.lower && !d.tolerance; };
  return upper_alone(*part.demand) &&
         std::any_of(part.checks.begin(), part.checks.end(), [&](const Demand& d) {
           return d.characteristic == Characteristic::presence && upper_alone(d);
         });
}

/// The plan's limit of checks per component.
void demand_few(const std::vector<Check>& checks, const config::TomlTable& table) {
  const auto few = [&](Characteristic characteristic, const char* what, int most) {
    const auto n = std::count_if(checks.begin(), checks.end(),
                                 [&](const Check& c) { return c.characteristic == characteristic; });
    if (n > most)
      table.refuse("check", std::to_string(n) + " checks of a " + what, "at most " + std::to_string(most));
  };
  few(Characteristic::percentile, "percentile", max_quantiles);
  few(Characteristic::top_mean, "top_mean", max_top_counts);
}

/// A characteristic of the board's own surface needs [warp].
void demand_warp(const Component& c, bool has_warp, const config::TomlTable& table) {
  if (has_warp) return;
  if (c.warp_fallback)
    table.refuse("fallback", "is \"warp\", and the recipe has no [warp]", "[warp], or \"none\"");
  for (const Check& check : c.checks)
    if (check.characteristic == Characteristic::board_flatness)
      table.refuse("check", "board_flatness is asked for, and the recipe has no [warp]",
                   "[warp] with its limits");
}

/// What the components of one file share.
struct BoardParts {
  Packages packages;
  Eigen::Vector2d board_mm;
  bool has_warp = false;
  std::map<std::string, int> line_of{};  // of each reference
};

void demand_own_reference(const std::string& reference, const config::TomlTable& table, BoardParts& board) {
  const auto [first, fresh] = board.line_of.emplace(reference, table.where("reference").line);
  if (fresh) return;
  const std::string where = first->second > 0 ? ", first in line " + std::to_string(first->second) : "";
  table.refuse("reference", "'" + reference + "' is used twice" + where,
               "a reference of its own for each component");
}

/// None: its package was refused, so nothing can be said of what it lacks.
std::optional<Component> read_component(config::TomlTable& table, BoardParts& board,
                                        config::Problems& problems) {
  table.name_by("reference");
  refuse_limits_of_checks(table, "component");
  table.only_keys({"reference",
                   "package",
                   "centre_mm",
                   "rotation_deg",
                   "overlaps",
                   "body_mm",
                   "nominal_um",
                   "characteristic",
                   "quantile",
                   "top_count",
                   "tolerance_um",
                   "lower_um",
                   "upper_um",
                   "floor_outline_mm",
                   "floor_outline_offset_mm",
                   "fallback",
                   "nominal_source",
                   "nominal_confirmed",
                   "surface_um",
                   "upside_down_um",
                   "terminals",
                   "paste",
                   "check"});
  Component c;
  c.reference = read_name(table, "reference");
  demand_own_reference(c.reference, table, board);
  c.package = read_name(table, "package");
  const Part own = read_part(table, problems);
  if (board.packages.unreadable || board.packages.refused.count(c.package)) return std::nullopt;
  const auto known = board.packages.parts.find(c.package);
  const Part part = merged(own, known == board.packages.parts.end() ? Part{} : known->second);
  demand_complete(part, c, board.packages, table);
  c.body.centre_mm = Eigen::Map<const Eigen::Vector2d>(table.numbers("centre_mm", 2).data());
  c.body.size_mm = *part.body_mm;
  c.body.rotation_deg = table.number_or("rotation_deg", 0, {-360, 360});
  doubt_rotation(table, c.body.rotation_deg, true, problems);
  c.nominal_height_um = *part.nominal_um;
  if (own.nominal_um || own.demand)
    doubt_height(table, *part.demand, *part.nominal_um, part.checks, problems);
  c.nominal_source = part.nominal_source.value_or("");
  c.nominal_confirmed = part.nominal_confirmed.value_or(true);
  c.surface_um = part.surface_um;
  c.upside_down_um = part.upside_down_um;
  c.terminals = part.terminals;
  c.paste = part.paste;
  c.warp_fallback = part.warp_fallback.value_or(false);
  c.overlaps = table.texts_or("overlaps", {});
  if (part.outline_mm) {
    c.floor_outline =
        outline_of(c.body, *part.outline_mm, part.outline_offset_mm.value_or(Eigen::Vector2d::Zero()));
    demand_on_board(*c.floor_outline, board.board_mm, "the floor outline", table);
  }
  demand_on_board(c.body, board.board_mm, "the body", table);
  c.checks.push_back(must_be_empty(part)
                         ? resolve(*part.demand, std::nullopt, 0, table)
                         : resolve(*part.demand, c.nominal_height_um, c.nominal_height_um, table));
  for (const Demand& demand : part.checks) {
    const bool of_place = is_of_place(demand.characteristic);
    const bool around_height = demand.tolerance && demand.characteristic != Characteristic::board_flatness &&
                               !is_of_terminals(demand.characteristic) &&
                               std::string(unit_of(demand.characteristic)) == "um";
    const bool of_share = demand.tolerance && is_of_paste(demand.characteristic) && !around_height;
    std::optional<double> nominal;
    if (of_place && demand.tolerance)
      nominal = 0;
    else if (around_height)
      nominal = c.nominal_height_um;
    else if (of_share)
      nominal = 100;
    c.checks.push_back(resolve(demand, nominal, c.nominal_height_um, table));
  }
  demand_few(c.checks, table);
  demand_warp(c, board.has_warp, table);
  demand_terminals(c, table);
  table.finish();
  return c;
}

}  // namespace

std::array<Eigen::Vector2d, 4> corners_mm(const BoardRect& rect) {
  const Eigen::Vector2d half = rect.size_mm / 2;
  std::array<Eigen::Vector2d, 4> corners{
      Eigen::Vector2d(-half.x(), -half.y()), Eigen::Vector2d(half.x(), -half.y()),
      Eigen::Vector2d(half.x(), half.y()), Eigen::Vector2d(-half.x(), half.y())};
  const double turn = rect.rotation_deg * std::numbers::pi / 180;
  const double c = std::cos(turn), s = std::sin(turn);
  for (Eigen::Vector2d& p : corners) {
    p = rect.centre_mm + Eigen::Vector2d(c * p.x() - s * p.y(), s * p.x() + c * p.y());
  }
  return corners;
}

bool read_components(config::TomlTable& file, Recipe& recipe, config::Problems& problems) {
  BoardParts board{read_packages(file, problems), recipe.board_size_mm, file.has("warp")};
  if (recipe.warp) board.line_of[recipe.warp->row.reference] = 0;
  std::vector<config::TomlTable> tables = file.tables("component");
  if (tables.empty()) file.refuse("component", "missing", "at least one [[component]]");
  std::vector<std::reference_wrapper<const config::TomlTable>> read;
  for (config::TomlTable& table : tables) {
    problems.attempt([&] {
      auto component = read_component(table, board, problems);
      if (!component) return;
      recipe.components.push_back(std::move(*component));
      read.push_back(table);
    });
  }
  const bool complete = read.size() == tables.size();
  refuse_overlaps(recipe, read, complete, problems);
  return complete;
}

}  // namespace datum
