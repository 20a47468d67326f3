#include "daemon/inspection/recipe/recipe.h"

#include <cctype>
#include <limits>

#include "config/toml_reader.h"
#include "config/utc_time.h"
#include "daemon/inspection/recipe/recipe_doubt.h"
#include "daemon/inspection/recipe/recipe_file.h"

namespace datum {

namespace {

constexpr std::int64_t schema = 1;
/// A confidence is a probability below 1; 1e-12 is far beyond the validity of any noise model.
constexpr config::Range confidence_range{0.5, 1 - 1e-12};

FloorSettings read_floor(config::TomlTable table) {
  table.only_keys({"inner_margin_mm", "outer_margin_mm", "neighbour_margin_mm", "threshold_sigmas",
                   "refit_threshold_sigmas", "mode", "form", "confidence", "min_inlier_ratio", "min_sides",
                   "min_side_pixels", "max_rms_sigmas", "max_second_floor", "max_tilt_deg", "form_um",
                   "surface_um"});
  FloorSettings f;
  f.inner_margin_mm = table.number("inner_margin_mm", config::not_negative);
  f.outer_margin_mm = table.number("outer_margin_mm", config::positive);
  f.neighbour_margin_mm = table.number_or("neighbour_margin_mm", f.neighbour_margin_mm, config::not_negative);
  f.threshold_sigmas = table.number_or("threshold_sigmas", f.threshold_sigmas, config::positive);
  f.refit_threshold_sigmas =
      table.number_or("refit_threshold_sigmas", f.refit_threshold_sigmas, config::positive);
  f.mode = table.choice_or("mode", f.mode, {{"screened", FitMode::screened}, {"exact", FitMode::exact}});
  f.form = table.choice_or<FloorForm>("form", f.form,
                                      {{"plane", FloorForm::plane}, {"quadratic", FloorForm::quadratic}});
  f.confidence = table.number_or("confidence", f.confidence, confidence_range);
  f.min_inlier_ratio = table.number_or("min_inlier_ratio", f.min_inlier_ratio, {0, 1});
  f.min_sides = static_cast<int>(table.integer_or("min_sides", f.min_sides, 2, 4));
  f.min_side_pixels = static_cast<int>(table.integer_or("min_side_pixels", f.min_side_pixels, 1, 10'000'000));
  f.max_rms_sigmas = table.number_or("max_rms_sigmas", f.max_rms_sigmas, config::positive);
  f.max_second_floor = table.number_or("max_second_floor", f.max_second_floor, {config::positive.min, 1});
  f.max_tilt_deg = table.number_or("max_tilt_deg", f.max_tilt_deg, {config::positive.min, 45});
  f.form_um = table.number_or("form_um", f.form_um, config::not_negative);
  f.surface_um = table.number_or("surface_um", f.surface_um, config::not_negative);
  if (f.outer_margin_mm <= f.inner_margin_mm) {
    table.refuse("outer_margin_mm", config::shown(f.outer_margin_mm) + " is not above inner_margin_mm",
                 "more than " + config::shown(f.inner_margin_mm));
  }
  if (f.refit_threshold_sigmas < f.threshold_sigmas) {
    table.refuse("refit_threshold_sigmas",
                 config::shown(f.refit_threshold_sigmas) + " is below threshold_sigmas",
                 "at least " + config::shown(f.threshold_sigmas));
  }
  table.finish();
  return f;
}

void read_body(std::optional<config::TomlTable> table, BodySettings& b) {
  if (!table) return;
  table->only_keys({"erode_px", "min_valid_ratio", "min_pixels", "max_clipped_ratio", "max_missing_ratio"});
  b.erode_px = table->number_or("erode_px", b.erode_px, {0, 1000});
  b.min_valid_ratio = table->number_or("min_valid_ratio", b.min_valid_ratio, {config::positive.min, 1});
  b.min_pixels = static_cast<int>(table->integer_or("min_pixels", b.min_pixels, 4, 1'000'000));
  b.max_clipped_ratio = table->number_or("max_clipped_ratio", b.max_clipped_ratio, {0, 1});
  b.max_missing_ratio = table->number_or("max_missing_ratio", b.max_missing_ratio, {0, 1});
  table->finish();
}

void read_decision(config::TomlTable table, Recipe& recipe) {
  table.only_keys({"rule", "confidence"});
  recipe.rule = table.choice<DecisionRule>(
      "rule", {{"14253", DecisionRule::iso14253}, {"simple", DecisionRule::simple}});
  recipe.rule_confidence = table.number_or("confidence", recipe.rule_confidence, confidence_range);
  table.finish();
}

void read_uncertainty(std::optional<config::TomlTable> table, UncertaintySettings& u,
                      config::Problems& problems) {
  if (!table) return;
  table->only_keys({"reproducibility_um", "reproducibility_study", "position_mm", "ring_structure"});
  u.reproducibility_um = table->number_or("reproducibility_um", u.reproducibility_um, config::not_negative);
  // For people: the recipe's hash names it in each result.
  if (table->has("reproducibility_study") && table->text("reproducibility_study").empty())
    table->refuse("reproducibility_study", "is empty",
                  "the id of the study that reproducibility_um comes from");
  u.position_mm = table->number_or("position_mm", u.position_mm, config::not_negative);
  u.ring_structure_is_board = table->choice_or<bool>("ring_structure", u.ring_structure_is_board,
                                                     {{"sensor", false}, {"board", true}});
  doubt_uncertainty(*table, u, problems);
  table->finish();
}

std::string read_serial_number(config::TomlTable& file) {
  std::string serial = file.text("sensor_serial");
  if (serial.empty()) file.refuse("sensor_serial", "is empty", "the serial number of the sensor");
  return serial;
}

void read_keepouts(config::TomlTable& file, Recipe& recipe, config::Problems& problems) {
  std::vector<config::TomlTable> exclusions = file.tables("exclusion"), holes = file.tables("hole");
  for (config::TomlTable& table : exclusions) {
    table.only_keys({"centre_mm", "size_mm", "rotation_deg"});
    BoardRect rect;
    rect.centre_mm = Eigen::Map<const Eigen::Vector2d>(table.numbers("centre_mm", 2).data());
    rect.size_mm = Eigen::Map<const Eigen::Vector2d>(table.numbers("size_mm", 2, config::positive).data());
    rect.rotation_deg = table.number_or("rotation_deg", 0, {-360, 360});
    doubt_rotation(table, rect.rotation_deg, true, problems);
    recipe.exclusions.push_back(rect);
    table.finish();
  }
  for (config::TomlTable& table : holes) {
    table.only_keys({"centre_mm", "diameter_mm"});
    BoardCircle hole;
    hole.centre_mm = Eigen::Map<const Eigen::Vector2d>(table.numbers("centre_mm", 2).data());
    hole.diameter_mm = table.number("diameter_mm", config::positive);
    recipe.holes.push_back(hole);
    table.finish();
  }
}

void read_confirmations(config::TomlTable& file, Recipe& recipe) {
  for (config::TomlTable& table : file.tables("confirmation")) {
    table.only_keys({"by", "at", "references", "frames_sha256"});
    Confirmation said{table.text("by"), table.text("at"), table.texts("references"),
                      table.texts("frames_sha256")};
    if (said.by.empty()) table.refuse("by", "is empty", "who confirmed it");
    if (!utc_from_iso8601(said.at))
      table.refuse("at", "'" + said.at + "' is no time", "YYYY-MM-DDTHH:MM:SSZ");
    recipe.confirmations.push_back(std::move(said));
    table.finish();
  }
}

}  // namespace

std::string read_name(config::TomlTable& table, const char* key) {
  std::string name = table.text(key);
  bool good = !name.empty() && name.size() <= 64;
  for (const char c : name) {
    good = good && (std::isalnum(static_cast<unsigned char>(c)) ||
                    std::string_view("._+/#-").find(c) != std::string_view::npos);
  }
  if (!good) table.refuse(key, "'" + name + "' is not a name", "1 to 64 letters, digits and . _ + / # -");
  return name;
}

namespace {

void read_common(config::TomlTable& file, RecipeParts& parts, Recipe& recipe) {
  parts.read("schema", [&] { file.integer("schema", schema, schema); });
  parts.read("name", [&] { recipe.name = read_name(file, "name"); });
  parts.read("sensor_serial", [&] { recipe.sensor_serial = read_serial_number(file); });
  parts.read("decision", [&] { read_decision(file.table("decision"), recipe); });
  parts.read("serial", [&] {
    if (auto serial = file.table_if("serial")) read_serial(std::move(*serial), recipe);
  });
}

void read_board_parts(config::TomlTable& file, Recipe& recipe, config::Problems& problems) {
  RecipeParts parts(file, problems);
  parts.only_keys({"schema",    "kind",      "name",        "sensor_serial", "decision",     "board",
                   "floor",     "body",      "uncertainty", "warp",          "package",      "component",
                   "exclusion", "hole",      "filter",      "alignment",     "confirmation", "panel",
                   "defects",   "snapshots", "serial",      "control_charts"});
  read_common(file, parts, recipe);
  recipe.board_size_mm.setConstant(
      std::numeric_limits<double>::infinity());  // disables the checks against it
  const bool placed = parts.read("board", [&] { read_board(file.table("board"), recipe, problems); });
  if (!placed) recipe.board_size_mm.setConstant(std::numeric_limits<double>::infinity());
  parts.read("floor", [&] {
    recipe.floor = read_floor(file.table("floor"));
    doubt_floor(file.table("floor"), recipe, problems);
  });
  parts.read("body", [&] { read_body(file.table_if("body"), recipe.body); });
  parts.read("uncertainty",
             [&] { read_uncertainty(file.table_if("uncertainty"), recipe.uncertainty, problems); });
  parts.read("warp", [&] {
    if (auto warp = file.table_if("warp")) read_warp(std::move(*warp), recipe, problems);
  });
  bool complete = false;
  parts.read("component", [&] { complete = read_components(file, recipe, problems); });
  if (complete && recipe.warp && recipe.board_size_mm.allFinite())
    doubt_warp(file.table("warp"), recipe, problems);
  parts.read("exclusion", [&] { read_keepouts(file, recipe, problems); });
  parts.read("confirmation", [&] { read_confirmations(file, recipe); });
  parts.read("snapshots", [&] {
    read_snapshots(file, recipe, placed ? "board" : nullptr);
    demand_board_of_snapshots(file, recipe);
  });
  parts.read("filter", [&] {
    if (auto filter = file.table_if("filter")) read_filter(std::move(*filter), recipe);
  });
  parts.read("defects", [&] {
    if (auto defects = file.table_if("defects")) read_defects(std::move(*defects), recipe);
  });
  parts.read("alignment", [&] {
    if (auto alignment = file.table_if("alignment"))
      read_board_alignment(std::move(*alignment), recipe, complete);
  });
  parts.read("serial", [&] { demand_code_in_one_frame(file, recipe); });
  parts.read("control_charts", [&] {
    if (auto charts = file.table_if("control_charts"))
      read_control_charts(std::move(*charts), recipe, complete);
  });
  parts.read("panel", [&] {
    if (auto panel = file.table_if("panel")) read_panel(std::move(*panel), recipe, complete);
  });
  if (complete && placed) doubt_orientation(file.table("board"), recipe, problems);
}

void read_surface_parts(config::TomlTable& file, Recipe& recipe, config::Problems& problems) {
  if (file.has("filter"))
    file.refuse("filter", "a surface is compared with its model by single points, which a filter moves",
                "no [filter]");
  RecipeParts parts(file, problems);
  parts.only_keys({"schema", "kind", "name", "sensor_serial", "decision", "model", "placement", "surface",
                   "snapshots", "uncertainty", "region", "mask", "alignment", "facet_map", "touching", "hole",
                   "serial", "control_charts"});
  read_common(file, parts, recipe);
  read_surface(file, recipe, parts);
  parts.read("serial", [&] { demand_code_in_one_frame(file, recipe); });
  parts.read("control_charts", [&] {
    if (auto charts = file.table_if("control_charts")) read_control_charts(std::move(*charts), recipe, false);
  });
}

/// `open` returns the document, or throws its error.
template <class Open>
Recipe read_recipe(Open open, config::Problems& problems) {
  Recipe recipe;
  problems.attempt([&] {
    config::TomlTable file = open();
    if (file.has("schema"))
      file.integer("schema", schema, schema);  // in another schema, other keys are known
    recipe.sha256 = file.sha256();
    const bool surface = file.choice_or<bool>("kind", false, {{"board", false}, {"surface", true}});
    if (surface)
      read_surface_parts(file, recipe, problems);
    else
      read_board_parts(file, recipe, problems);
  });
  return recipe;
}

}  // namespace

Recipe load_recipe(const std::filesystem::path& path, config::Problems& problems,
                   const config::TomlParser* parser) {
  Recipe recipe = read_recipe([&] { return config::TomlTable::from_file(path, parser); }, problems);
  recipe.file = path;
  return recipe;
}

Recipe recipe_from_text(std::string_view text, const std::string& name, config::Problems& problems,
                        const config::TomlParser* parser) {
  return read_recipe([&] { return config::TomlTable::from_text(text, name, parser); }, problems);
}

Recipe load_recipe(const std::filesystem::path& path) {
  config::Problems problems;
  Recipe recipe = load_recipe(path, problems);
  problems.throw_first();
  return recipe;
}

}  // namespace datum
