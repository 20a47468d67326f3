#include "daemon/ctl/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "config/finite_options.h"
#include "config/suggestion.h"
#include "daemon/ctl/exit_status.h"
#include "daemon/version/version.h"

namespace datum {
namespace {

/// The nearest, or the only one that `word` begins; empty: none.
std::string meant_by(const std::string& word, const config::Words& known) {
  if (const std::string near = config::nearest(word, known); !near.empty()) return near;
  const auto begun = [&](const std::string& name) { return name.starts_with(word); };
  const auto first = std::find_if(known.begin(), known.end(), begun);
  return std::count_if(known.begin(), known.end(), begun) == 1 ? *first : "";
}

}  // namespace

CommandLine::CommandLine()
    : app_(std::make_unique<CLI::App>("datumctl: results and control of datumd", "datumctl")), app(*app_) {
  app.require_subcommand(1);
  std::string statuses = "Exit status:";
  for (const auto& e : exit_meanings) statuses += std::string("\n  ") + e.status + "  " + e.meaning;
  app.footer(statuses);
  app.set_version_flag("--version", code_id());
  add_status_command(*this);
  add_watch_command(*this);
  add_cell_commands(*this);
  add_control_commands(*this);
  add_result_commands(*this);
  add_export_command(*this);
  add_report_commands(*this);
  add_backup_commands(*this);
  add_signature_command(*this);
  add_device_commands(*this);
  add_listen_command(*this);
  add_doctor_command(*this);
  add_support_commands(*this);
  add_frame_commands(*this);
  add_volume_commands(*this);
  add_recipe_commands(*this);
  add_fit_commands(*this);
  add_chart_commands(*this);
  add_check_commands(*this);
  add_audit_command(*this);
  add_bundle_commands(*this);
  add_study_commands(*this);
  add_spc_command(*this);
  add_calibration_commands(*this);
  add_protocol_commands(*this);
  add_shell_commands(*this);
}

CommandLine::~CommandLine() = default;

CLI::App* CommandLine::leaf(CLI::App& under, const std::string& name, const std::string& words,
                            std::function<int()> run) {
  auto* command = under.add_subcommand(name, words);
  does(*command, std::move(run));
  return command;
}

void CommandLine::does(CLI::App& command, std::function<int()> run) {
  command.callback([this, run = std::move(run)] { chosen_ = run; });
}

CLI::App* CommandLine::link_leaf(CLI::App& under, const std::string& name, const std::string& words,
                                 std::function<int()> run) {
  auto* command = leaf(under, name, words, std::move(run));
  add_link_options(*command, link);
  offer(command->get_option("--serial"), Offer::serial_lines);
  for (const char* file : {"--tls-ca", "--tls-cert", "--tls-key"})
    offer(command->get_option(file), Offer::files);
  return command;
}

void CommandLine::leave_out(CLI::App& under, std::initializer_list<const char*> names) {
  for (const char* name : names)
    leaf(under, name, "not in the build of a first demo; ./datum demo --cad, test or install builds it",
         [name] {
           fmt::print(stderr,
                      "datumctl: {}: a first demo leaves it out; ./datum demo --cad, test or install "
                      "builds it\n",
                      name);
           return static_cast<int>(usage);
         })
        ->allow_extras();
}

void CommandLine::add_json(CLI::App& command, const std::string& words) {
  command.add_flag("--json", json, words);
}

std::string CommandLine::misspelt(const std::vector<std::string>& typed) const {
  const CLI::App* command = &app;
  for (const std::string& word : typed) {
    const std::string name = word.substr(0, word.find('='));
    const auto steps =
        command->get_subcommands([](const CLI::App* step) { return !step->get_group().empty(); });
    config::Words known;
    if (word.starts_with("--")) {
      for (const CLI::Option* option : command->get_options())
        for (const std::string& option_name : option->get_lnames()) known.insert("--" + option_name);
    } else {
      for (const CLI::App* step : steps) known.insert(step->get_name());
    }
    if (known.empty()) continue;  // a value
    if (!known.count(name)) {
      const std::string meant = meant_by(name, known);
      if (!meant.empty()) return fmt::format("'{}' is not known; did you mean '{}'?\n", name, meant);
      if (word.starts_with("--")) return "";
      const std::string path = command == &app ? "" : " " + command->get_name();
      return fmt::format("'{}' is not known; datumctl{} --help lists what is\n", name, path);
    }
    for (const CLI::App* step : steps)
      if (step->get_name() == name) command = step;
  }
  return "";
}

const Offer* CommandLine::offered(const CLI::Option* option) const {
  const auto found = offers_.find(option);
  return found == offers_.end() ? nullptr : &found->second;
}

bool CommandLine::takes(const std::string& option) const {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  return command->get_option_no_throw(option) != nullptr;
}

int CommandLine::run(int argc, const char* const* argv) {
  refuse_not_finite(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    // The cause alone: the parser calls a misspelt command a missing one.
    const std::string cause = e.get_exit_code() == 0 ? "" : misspelt({argv + 1, argv + argc});
    if (cause.empty()) return app.exit(e) == 0 ? good : usage;
    fmt::print(stderr, "{}", cause);
    return usage;
  }
  return chosen_();
}

}  // namespace datum
