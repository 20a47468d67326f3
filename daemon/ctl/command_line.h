// The command line of datumctl: one tree, from which --help, the manual page and completion are made.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "daemon/ctl/link_options.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace datum {

/// Kinds of completion that the tree itself does not define.
enum class Offer {
  files,
  recipes,  // of the daemon, where it answers
  headers,  // of the command protocol
  serial_lines,
};

class CommandLine {
  const std::unique_ptr<CLI::App> app_;

 public:
  CommandLine();
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  CLI::App& app;
  LinkOptions link;
  bool json = false;

  /// Adds a subcommand that calls `run` and returns its exit status.
  CLI::App* leaf(CLI::App& under, const std::string& name, const std::string& words,
                 std::function<int()> run);
  /// Sets the action of an existing subcommand.
  void does(CLI::App& command, std::function<int()> run);
  /// Adds a subcommand that communicates with the daemon.
  CLI::App* link_leaf(CLI::App& under, const std::string& name, const std::string& words,
                      std::function<int()> run);
  /// Adds --json to a subcommand that prints data.
  void add_json(CLI::App& command, const std::string& words = "the same as JSON");

  /// Adds subcommands that refuse, with what builds them (offline_absent.cpp).
  void leave_out(CLI::App& under, std::initializer_list<const char*> names);

  /// Sets the completion of an option.
  void offer(const CLI::Option* option, Offer what) { offers_[option] = what; }
  /// True: the command that was given has this option; to be called after run().
  bool takes(const std::string& option) const;
  const Offer* offered(const CLI::Option* option) const;

  /// "'statsu' is not known; did you mean 'status'?" of the first word that is no command or option; empty: there is none, or
  /// nothing is like it.
  std::string misspelt(const std::vector<std::string>& typed) const;

  /// Parses and runs. Rethrows the exceptions of the subcommand.
  int run(int argc, const char* const* argv);

 private:
  std::function<int()> chosen_;
  std::map<const CLI::Option*, Offer> offers_;
};

// Parts of the tree, one per file.
void add_result_commands(CommandLine& line);                // results, show
void add_export_command(CommandLine& line);                 // export
void add_report_commands(CommandLine& line);                // report
void add_backup_commands(CommandLine& line);                // backup, restore
void add_signature_command(CommandLine& line);              // signature
void add_cell_commands(CommandLine& line);                  // recipes, choose, unit, arm, trigger, abort
void add_audit_command(CommandLine& line);                  // audit
void add_bundle_commands(CommandLine& line);                // bundle
void add_chart_commands(CommandLine& line);                 // chart
void add_chart_freeze(CommandLine& line, CLI::App& chart);  // chart freeze
void add_check_commands(CommandLine& line);                 // check
void add_device_commands(CommandLine& line);                // temperature, position, links, reopen, selftest
void add_listen_command(CommandLine& line);                 // listen
void add_doctor_command(CommandLine& line);                 // doctor
void add_support_commands(CommandLine& line);               // metrics, support
void add_protocol_commands(CommandLine& line);              // send, help, errors
void add_control_commands(CommandLine& line);               // control
void add_status_command(CommandLine& line);                 // status
void add_watch_command(CommandLine& line);                  // watch
void add_frame_commands(CommandLine& line);                 // frame
void add_volume_commands(CommandLine& line);                // volume
void add_recipe_commands(CommandLine& line);                // recipe
void add_recipe_import(CommandLine& line, CLI::App& recipe);           // recipe import, recipe picture
void add_recipe_teach(CommandLine& line, CLI::App& recipe);            // recipe teach, recipe confirm
void add_recipe_reproducibility(CommandLine& line, CLI::App& recipe);  // recipe reproducibility
void add_fit_commands(CommandLine& line);                              // fit
void add_study_commands(CommandLine& line);                            // study
void add_spc_command(CommandLine& line);                               // spc
void add_calibration_commands(CommandLine& line);                      // calibrate, hole, verify
void add_shell_commands(CommandLine& line);                            // completion, manual; hidden

}  // namespace datum
