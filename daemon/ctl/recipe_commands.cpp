// datumctl recipe: what changed between two recipes, whether one can be measured, and what an edit does to kept frames.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "calib/calibration_store.h"
#include "config/toml_document.h"
#include "config/toml_reader.h"
#include "daemon/configuration/cell_warnings.h"
#include "daemon/ctl/command_line.h"
#include "daemon/ctl/exit_status.h"
#include "daemon/ctl/recipe_check.h"
#include "daemon/ctl/recipe_diff.h"
#include "daemon/ctl/recipe_trial.h"
#include "daemon/store/recipe_archive.h"
#include "daemon/text/table.h"
#include "drivers/profile/sensor_profile_file.h"

namespace datum {
namespace {

namespace fs = std::filesystem;

struct RecipeOptions {
  std::string a, b;  // of diff; the others have a alone
  std::string of, store, config = "/etc/datumd/datumd.toml";
  std::uint64_t last = 20;
  bool json = false;
};

struct RecipeSource {
  std::string text, name;  // name: of messages
};

fs::path store_of(const RecipeOptions& o) {
  return o.store.empty() ? load_daemon_config(o.config).store : fs::path(o.store);
}

/// Text of a recipe that the store keeps, by its SHA-256 or the beginning of it.
RecipeSource kept_recipe(const std::string& hash, const RecipeOptions& o) {
  const fs::path file = store_of(o);
  std::vector<ArchivedRecipe> found;
  if (fs::exists(file)) found = archived_recipes(file);
  std::erase_if(found, [&](const ArchivedRecipe& r) { return !r.sha256.starts_with(hash); });
  if (found.size() != 1)
    throw std::invalid_argument(fmt::format(
        "'{}' is {} of {}; allowed: a file, or the first digits of one recipe's SHA-256 ('datumctl "
        "recipe kept')",
        hash, found.empty() ? "no file, and no recipe" : "several recipes", file.string()));
  auto store = ResultStore::read_only(file);
  return {store.recipe_text(found.front().sha256).value_or(""),
          fmt::format("recipe {} {}", found.front().name, found.front().sha256.substr(0, 12))};
}

RecipeSource source_of(const std::string& which, const RecipeOptions& o) {
  std::error_code none;
  if (fs::exists(which, none)) return {config::toml_file_bytes(which), which};
  const bool is_hash = which.size() >= 6 && which.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!is_hash)
    throw std::invalid_argument(
        fmt::format("'{}' is no file; allowed: a file, or the first digits of the SHA-256 of a recipe that "
                    "the store keeps",
                    which));
  return kept_recipe(which, o);
}

Recipe recipe_of(const RecipeSource& source, const std::string& which, config::Problems& problems) {
  Recipe recipe = recipe_from_text(source.text, source.name, problems);
  recipe.file = fs::exists(which) ? fs::path(which) : fs::path(source.name);
  return recipe;
}

int print_kept(const RecipeOptions& o) {
  Table table({{"SHA-256"}, {"recipe"}, {"newest result", Table::Align::right}});
  for (const ArchivedRecipe& r : archived_recipes(store_of(o)))
    table.add({{r.sha256}, {r.name}, {std::to_string(r.last)}});
  fmt::print("{}", table.text(false));
  return good;
}

int print_text(const RecipeOptions& o) {
  fmt::print("{}", source_of(o.a, o).text);
  return good;
}

int print_diff(const RecipeOptions& o) {
  const RecipeSource a = source_of(o.a, o), b = source_of(o.b, o);
  const auto all = differences_of(config::parse_toml(a.text, a.name), config::parse_toml(b.text, b.name));
  if (all.empty()) {
    fmt::print("{}\n", a.text == b.text ? "the same text" : "the same values");
    return good;
  }
  fmt::print("{} -> {}\n", a.name, b.name);
  for (const RecipeDifference& d : all)
    fmt::print("{}: {} -> {}\n", d.key, d.a.empty() ? "not stated" : d.a, d.b.empty() ? "not stated" : d.b);
  return failed;
}

/// None: there is none that may be used.
std::optional<Calibration> present_calibration(const DaemonConfig& config, const SensorProfile& sensor) {
  if (config.calibration.empty()) return std::nullopt;
  try {
    return CalibrationStore(config.calibrations).choose(config.calibration, sensor.serial);
  } catch (const CalibrationError&) {
    return std::nullopt;  // datumd --check-config names its fault
  }
}

/// A recipe for this cell's sensor, or its errors.
RecipeReport checked_recipe(const RecipeOptions& o, const DaemonConfig& config) {
  RecipeReport report;
  config::Problems problems;
  Recipe recipe = recipe_of(source_of(o.a, o), o.a, problems);
  for (const auto& error : problems.errors()) report.errors.push_back(error.what());
  for (const auto& doubt : problems.warnings()) report.warnings.push_back(doubt.what());
  if (!report.errors.empty()) return report;
  const SensorProfile sensor = config::load_sensor_profile(config.sensor_profile);
  if (recipe.sensor_serial != sensor.serial)
    report.errors.push_back(fmt::format("{}: sensor_serial: '{}'; this cell has {}", recipe.file.string(),
                                        recipe.sensor_serial, sensor.serial));
  const auto calibration = present_calibration(config, sensor);
  const SensorFit fit =
      sensor_fit(recipe, sensor, calibration_at_rest(config, calibration ? &*calibration : nullptr));
  for (const std::string& text : fit.refusals) report.errors.push_back(recipe.file.string() + ": " + text);
  for (const std::string& text : fit.doubts) report.warnings.push_back(recipe.file.string() + ": " + text);
  if (report.errors.empty()) report.recipe = std::move(recipe);
  return report;
}

int check(const RecipeOptions& o) {
  const DaemonConfig config = load_daemon_config(o.config);
  RecipeReport report = checked_recipe(o, config);
  if (report.recipe) {
    report.of = o.of.empty() ? report.recipe->name : o.of;
    if (const fs::path file = store_of(o); fs::exists(file)) {
      auto store = ResultStore::read_only(file);
      report.boards = try_recipe(*report.recipe, report.of, o.last, config, store);
    }
  }
  fmt::print("{}", o.json ? report_json(report) : report_text(report));
  return status_of(report);
}

int what_if(const RecipeOptions& o) {
  const DaemonConfig config = load_daemon_config(o.config);
  const RecipeReport checked = checked_recipe(o, config);
  const auto& recipe = checked.recipe;
  if (!recipe) {
    for (const std::string& error : checked.errors) fmt::print("{}\n", error);
    return no_store;
  }
  auto store = ResultStore::read_only(store_of(o));
  const auto boards = try_recipe(*recipe, o.of.empty() ? recipe->name : o.of, o.last, config, store);
  int same = 0, verdicts = 0, measured = 0;
  for (auto board = boards.rbegin(); board != boards.rend(); ++board) {
    if (!board->now) continue;
    ++measured;
    const auto changed = changed_components(board->then, *board->now);
    const bool other = board->then.decision != board->now->decision;
    verdicts += other;
    if (!other && changed.empty()) ++same;
    if (other || !changed.empty())
      fmt::print("result {}{}: {} -> {}{}\n", board->then.sequence,
                 board->then.unit_id.empty() ? "" : ", unit " + board->then.unit_id,
                 name_of(board->then.decision), name_of(board->now->decision),
                 board->then.code == board->now->code ? "" : "; then by datumd " + board->then.code);
    for (const std::string& text : changed) fmt::print("  {}\n", text);
  }
  fmt::print("boards: {} measured, {} as before, {} with another verdict\n", measured, same, verdicts);
  fmt::print("{}", unmeasured_text(boards));
  if (measured == 0) {
    fmt::print("nothing is known of the change: no frame of recipe '{}' is kept\n",
               o.of.empty() ? recipe->name : o.of);
    return untold;
  }
  if (same < measured) return failed;
  return measured < static_cast<int>(boards.size()) ? untold : good;
}

}  // namespace

void add_recipe_commands(CommandLine& line) {
  auto o = std::make_shared<RecipeOptions>();
  auto* group = line.app.add_subcommand(
      "recipe",
      "make, compare, check and try recipes, without the daemon; WHICH is a file, or the first digits of the "
      "SHA-256 of a recipe that the store keeps");
  group->require_subcommand(1);
  add_recipe_import(line, *group);
  add_recipe_teach(line, *group);
  add_recipe_reproducibility(line, *group);
  const auto leaf = [&](const char* name, const char* words, int (*run)(const RecipeOptions&)) {
    auto* command = line.leaf(*group, name, words, [o, run, &line] {
      try {
        o->json = line.json;
        return run(*o);
      } catch (const std::invalid_argument& error) {
        fmt::print(stderr, "datumctl: {}\n", error.what());
        return static_cast<int>(usage);
      }
    });
    command->add_option("--store", o->store, "the store itself (default: what the configuration names)");
    command->add_option("--config", o->config, "configuration of the daemon")->capture_default_str();
    return command;
  };
  const auto tried = [&](CLI::App* command) {
    line.offer(command->add_option("which", o->a, "WHICH")->required(), Offer::files);
    command->add_option("--of", o->of, "frames of this recipe's results (default: of the recipe's own name)");
    command->add_option("--last", o->last, "so many of the newest results")
        ->capture_default_str()
        ->check(CLI::Range(1, 10'000));
  };
  auto* diff = leaf("diff", "values that differ; exit status 0: none, 1: these", print_diff);
  line.offer(diff->add_option("a", o->a, "WHICH")->required(), Offer::files);
  line.offer(diff->add_option("b", o->b, "WHICH")->required(), Offer::files);
  auto* checks = leaf(
      "check",
      "errors and doubts of a recipe, components whose heights nobody has confirmed, and from kept frames "
      "measured by it: components with a good floor, time of a board; exit status 0: good, 1: refused, 10: "
      "good, but no frame is kept",
      check);
  tried(checks);
  line.add_json(*checks);
  tried(leaf(
      "what-if",
      "measures kept frames by an edited recipe and shows which verdicts change; exit status 0: none, 1: "
      "some, 10: none, but not all frames could be measured",
      what_if));
  leaf("kept", "recipes that the store keeps, the one that was used last first", print_kept);
  line.offer(leaf("text", "prints the text of a recipe, also of a kept one", print_text)
                 ->add_option("which", o->a, "WHICH")
                 ->required(),
             Offer::files);
}

}  // namespace datum
