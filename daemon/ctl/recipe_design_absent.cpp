// What a first demo says in place of the commands that it leaves out (DATUM_DESIGN).
#include <fmt/format.h>

#include "daemon/ctl/command_line.h"
#include "daemon/ctl/exit_status.h"

namespace datum {
namespace {

void add_absent(CommandLine& line, CLI::App& recipe, const char* name) {
  line.leaf(recipe, name, "not in the build of a first demo; ./datum demo --cad builds it",
            [name] {
              fmt::print(stderr,
                         "datumctl: recipe {}: a first demo leaves it out; ./datum demo --cad, test or "
                         "install builds it\n",
                         name);
              return static_cast<int>(usage);
            })
      ->allow_extras();
}

}  // namespace

void add_recipe_import(CommandLine& line, CLI::App& recipe) {
  for (const char* name : {"import", "update", "picture"}) add_absent(line, recipe, name);
}

void add_recipe_teach(CommandLine& line, CLI::App& recipe) {
  for (const char* name : {"teach", "confirm"}) add_absent(line, recipe, name);
}

}  // namespace datum
