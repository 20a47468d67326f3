// What a first demo says in place of studies and charts (DATUM_DESIGN).
#include <fmt/format.h>

#include "daemon/ctl/command_line.h"
#include "daemon/ctl/exit_status.h"

namespace datum {

namespace {

void add_absent_command(CommandLine& line, CLI::App& under, const char* name) {
  line.leaf(under, name, "not in the build of a first demo; ./datum test or install builds it",
            [name] {
              fmt::print(stderr,
                         "datumctl: {}: a first demo leaves it out; ./datum test or install builds it\n",
                         name);
              return static_cast<int>(usage);
            })
      ->allow_extras();
}

}  // namespace

void add_study_commands(CommandLine& line) { add_absent_command(line, line.app, "study"); }
void add_spc_command(CommandLine& line) { add_absent_command(line, line.app, "spc"); }
void add_recipe_reproducibility(CommandLine& line, CLI::App& recipe) {
  add_absent_command(line, recipe, "reproducibility");
}

}  // namespace datum
