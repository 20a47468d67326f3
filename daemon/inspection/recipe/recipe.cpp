#include "daemon/inspection/recipe/recipe.h"

#include <cctype>
#include <limits>

#include "config/toml_reader.h"
#include "daemon/inspection/recipe/recipe_file.h"

namespace datum {

namespace {

constexpr std::int64_t schema = 1;
/// A confidence is a probability below 1; 1e-12 is far beyond the validity of any noise model.
constexpr config::Range confidence_range{0.5, 1 - 1e-12};

FloorSettings read_floor(config::TomlTable table) {
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
  b.erode_px = table->number_or("erode_px", b.erode_px, {0, 1000});
  b.min_valid_ratio = table->number_or("min_valid_ratio", b.min_valid_ratio, {config::positive.min, 1});
  b.min_pixels = static_cast<int>(table->integer_or("min_pixels", b.min_pixels, 4, 1'000'000));
  b.max_clipped_ratio = table->number_or("max_clipped_ratio", b.max_clipped_ratio, {0, 1});
  b.max_missing_ratio = table->number_or("max_missing_ratio", b.max_missing_ratio, {0, 1});
  table->finish();
}

void read_decision(config::TomlTable table, Recipe& recipe) {
  recipe.rule = table.choice<DecisionRule>(
      "rule", {{"14253", DecisionRule::iso14253}, {"simple", DecisionRule::simple}});
  recipe.rule_confidence = table.number_or("confidence", recipe.rule_confidence, confidence_range);
  table.finish();
}

void read_uncertainty(std::optional<config::TomlTable> table, UncertaintySettings& u) {
  if (!table) return;
  u.reproducibility_um = table->number_or("reproducibility_um", u.reproducibility_um, config::not_negative);
  u.position_mm = table->number_or("position_mm", u.position_mm, config::not_negative);
  u.ring_structure_is_board = table->choice_or<bool>("ring_structure", u.ring_structure_is_board,
                                                     {{"sensor", false}, {"board", true}});
  table->finish();
}

std::string read_serial_number(config::TomlTable& file) {
  std::string serial = file.text("sensor_serial");
  if (serial.empty()) file.refuse("sensor_serial", "is empty", "the serial number of the sensor");
  return serial;
}

void read_keepouts(config::TomlTable& file, Recipe& recipe) {
  std::vector<config::TomlTable> exclusions = file.tables("exclusion"), holes = file.tables("hole");
  for (config::TomlTable& table : exclusions) {
    BoardRect rect;
    rect.centre_mm = Eigen::Map<const Eigen::Vector2d>(table.numbers("centre_mm", 2).data());
    rect.size_mm = Eigen::Map<const Eigen::Vector2d>(table.numbers("size_mm", 2, config::positive).data());
    rect.rotation_deg = table.number_or("rotation_deg", 0, {-360, 360});
    recipe.exclusions.push_back(rect);
    table.finish();
  }
  for (config::TomlTable& table : holes) {
    BoardCircle hole;
    hole.centre_mm = Eigen::Map<const Eigen::Vector2d>(table.numbers("centre_mm", 2).data());
    hole.diameter_mm = table.number("diameter_mm", config::positive);
    recipe.holes.push_back(hole);
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

void read_board_parts(config::TomlTable& file, Recipe& recipe, config::Problems& problems) {
  if (!problems.attempt([&] { read_board(file.table("board"), recipe); })) {
    recipe.board_size_mm.setConstant(std::numeric_limits<double>::infinity());  // disables the components'
                                                                                // checks against it
  }
  problems.attempt([&] { recipe.floor = read_floor(file.table("floor")); });
  problems.attempt([&] { read_body(file.table_if("body"), recipe.body); });
  problems.attempt([&] { read_uncertainty(file.table_if("uncertainty"), recipe.uncertainty); });
  problems.attempt([&] {
    if (auto warp = file.table_if("warp")) read_warp(std::move(*warp), recipe, problems);
  });
  problems.attempt([&] { read_components(file, recipe, problems); });
  problems.attempt([&] { read_keepouts(file, recipe); });
  problems.attempt([&] {
    if (auto filter = file.table_if("filter")) read_filter(std::move(*filter), recipe);
  });
  problems.attempt([&] {
    if (auto alignment = file.table_if("alignment")) read_board_alignment(std::move(*alignment), recipe);
  });
}

/// `open` returns the document, or throws its error.
template <class Open>
Recipe read_recipe(Open open, config::Problems& problems) {
  Recipe recipe;
  problems.attempt([&] {
    config::TomlTable file = open();
    file.integer("schema", schema, schema);
    recipe.sha256 = file.sha256();
    problems.attempt([&] { recipe.name = read_name(file, "name"); });
    problems.attempt([&] { recipe.sensor_serial = read_serial_number(file); });
    problems.attempt([&] { read_decision(file.table("decision"), recipe); });
    bool surface = false;
    problems.attempt([&] {
      surface = file.choice_or<bool>("kind", false, {{"board", false}, {"surface", true}});
    });
    if (surface && file.has("filter"))
      file.refuse("filter", "a surface is compared with its model by single points, which a filter moves",
                  "no [filter]");
    if (surface)
      read_surface(file, recipe, problems);
    else
      read_board_parts(file, recipe, problems);
    file.finish();
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
