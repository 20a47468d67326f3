// What a first demo says in place of the commands that it leaves out (DATUM_OFFLINE).
#include "daemon/ctl/command_line.h"

namespace datum {

void add_recipe_import(CommandLine& line, CLI::App& recipe) {
  line.leave_out(recipe, {"import", "update", "picture"});
}
void add_recipe_teach(CommandLine& line, CLI::App& recipe) { line.leave_out(recipe, {"teach", "confirm"}); }
void add_recipe_reproducibility(CommandLine& line, CLI::App& recipe) {
  line.leave_out(recipe, {"reproducibility"});
}
void add_calibration_commands(CommandLine& line) {
  line.leave_out(line.app, {"calibrate", "hole", "verify", "fringe"});
}
void add_fit_commands(CommandLine& line) { line.leave_out(line.app, {"fit"}); }
void add_volume_commands(CommandLine& line) { line.leave_out(line.app, {"volume"}); }
void add_study_commands(CommandLine& line) { line.leave_out(line.app, {"study"}); }
void add_spc_command(CommandLine& line) { line.leave_out(line.app, {"spc"}); }
void add_report_commands(CommandLine& line) { line.leave_out(line.app, {"report"}); }
void add_export_command(CommandLine& line) { line.leave_out(line.app, {"export"}); }
void add_backup_commands(CommandLine& line) { line.leave_out(line.app, {"backup", "restore"}); }
void add_signature_command(CommandLine& line) { line.leave_out(line.app, {"signature"}); }
void add_audit_command(CommandLine& line) { line.leave_out(line.app, {"audit"}); }
void add_bundle_commands(CommandLine& line) { line.leave_out(line.app, {"bundle"}); }
void add_chart_commands(CommandLine& line) { line.leave_out(line.app, {"chart"}); }
void add_check_commands(CommandLine& line) { line.leave_out(line.app, {"check"}); }
void add_support_commands(CommandLine& line) { line.leave_out(line.app, {"metrics", "support"}); }

}  // namespace datum
