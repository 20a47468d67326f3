// datumctl recipe reproducibility: a study's standard uncertainty into a recipe's text.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>

#include "config/toml_reader.h"
#include "daemon/ctl/measured_study.h"
#include "daemon/system/durable_file.h"
#include "daemon/teach/recipe_lookup.h"
#include "daemon/teach/toml_edit.h"
#include "daemon/teach/toml_values.h"

namespace datum {
namespace {

struct ReproducibilityOptions {
  StudyPlace place;
  StudyOptions study;
  std::string recipe, component, output;
};

std::string edited_recipe(const std::string& text, const std::string& name, const Reproducibility& r) {
  teach::TomlEdit edit(text, name);
  const teach::TomlAssignments keys{{"reproducibility_um", teach::toml_number(r.um)},
                                    {"reproducibility_study", teach::toml_text(r.study)}};
  if (const config::TomlNode* table = edit.root().find("uncertainty")) {
    if (table->entries.empty())
      throw std::invalid_argument(name +
                                  ": [uncertainty] is empty: write reproducibility_um = 0.0 into it first");
    edit.set(*table, table->find("reproducibility_um") ? "reproducibility_um" : table->entries.front().key,
             keys);
  } else {
    edit.append(fmt::format("\n[uncertainty]\nreproducibility_um = {}\nreproducibility_study = {}\n",
                            keys[0].second, keys[1].second));
  }
  return edit.text();
}

void put(const ReproducibilityOptions& o) {
  const std::string text = config::toml_file_bytes(o.recipe);
  const Recipe before = teach::accepted_recipe(text, o.recipe);
  if (before.surface) throw std::invalid_argument(o.recipe + ": a study of boards; this is a surface recipe");
  const Reproducibility r = reproducibility_of(o.place, o.study, o.component);
  const std::string edited = edited_recipe(text, o.recipe, r);
  const Recipe after = teach::accepted_recipe(edited, o.recipe);
  if (std::abs(after.uncertainty.reproducibility_um - r.um) > 1e-4)
    throw std::logic_error("the edited recipe does not say what the study says");
  const std::string output = o.output.empty() ? o.recipe : o.output;
  write_file_durably(output, edited);
  fmt::print("{}: reproducibility_um = {:.4f} (was {:.4f}), sigma GRR of {} in study {}; sha256 {}\n", output,
             r.um, before.uncertainty.reproducibility_um, r.component, r.study, after.sha256);
}

}  // namespace

void add_recipe_reproducibility(CommandLine& line, CLI::App& recipe) {
  auto o = std::make_shared<ReproducibilityOptions>();
  auto* command = line.leaf(recipe, "reproducibility",
                            "puts a complete study's sigma GRR into a recipe as reproducibility_um, with the "
                            "study's id: the largest of its components, "
                            "or that of one",
                            [o] { return guarded_study([&] { put(*o); }); });
  line.offer(command->add_option("recipe", o->recipe, "the recipe")->required(), Offer::files);
  command->add_option("--study", o->place.id, "id of the study")->required();
  command->add_option("--component", o->component, "in place of the largest");
  line.offer(command->add_option("-o,--output", o->output, "the edited recipe (default: in its place)"),
             Offer::files);
  add_place_options(line, *command, o->place);
}

}  // namespace datum
