// What a first demo says in place of the commands that it leaves out (DATUM_OFFLINE).
#include <fmt/format.h>

#include <stdexcept>

#include "daemon/ctl/command_line.h"
#include "daemon/ctl/exit_status.h"
#include "daemon/ctl/qif_study.h"

namespace datum {
namespace {

void add_absent(CommandLine& line, CLI::App& under, std::initializer_list<const char*> names) {
  for (const char* name : names)
    line.leaf(under, name, "not in the build of a first demo; ./datum demo --cad, test or install builds it",
              [name] {
                fmt::print(stderr,
                           "datumctl: {}: a first demo leaves it out; ./datum demo --cad, test or install "
                           "builds it\n",
                           name);
                return static_cast<int>(usage);
              })
        ->allow_extras();
}

}  // namespace

void write_qif_study(QifFile&, const EachResult&, const std::filesystem::path&, const std::string&,
                     const std::function<void(const std::string&)>&) {
  throw std::invalid_argument(
      "--statistics: a first demo leaves it out; ./datum demo --cad, test or install builds it");
}
void add_recipe_import(CommandLine& line, CLI::App& recipe) {
  add_absent(line, recipe, {"import", "update", "picture"});
}
void add_recipe_teach(CommandLine& line, CLI::App& recipe) { add_absent(line, recipe, {"teach", "confirm"}); }
void add_recipe_reproducibility(CommandLine& line, CLI::App& recipe) {
  add_absent(line, recipe, {"reproducibility"});
}
void add_calibration_commands(CommandLine& line) {
  add_absent(line, line.app, {"calibrate", "hole", "verify", "fringe"});
}
void add_fit_commands(CommandLine& line) { add_absent(line, line.app, {"fit"}); }
void add_volume_commands(CommandLine& line) { add_absent(line, line.app, {"volume"}); }
void add_study_commands(CommandLine& line) { add_absent(line, line.app, {"study"}); }
void add_chart_freeze(CommandLine& line, CLI::App& chart) { add_absent(line, chart, {"freeze"}); }
void add_spc_command(CommandLine& line) { add_absent(line, line.app, {"spc"}); }
void add_report_commands(CommandLine& line) { add_absent(line, line.app, {"report"}); }

}  // namespace datum
