// datumctl check: reference checks of the cell, and results since one was good.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "config/utc_time.h"
#include "daemon/configuration/daemon_config.h"
#include "daemon/ctl/command_line.h"
#include "daemon/ctl/dialogue.h"
#include "daemon/ctl/exit_status.h"
#include "daemon/ctl/scpi_text.h"
#include "daemon/ctl/show.h"
#include "daemon/store/check_records.h"
#include "daemon/text/table.h"

namespace datum {
namespace {

using Json = nlohmann::ordered_json;

struct CheckOptions {
  std::string name, by, why, store, config = "/etc/datumd/datumd.toml";
  std::uint64_t record = 0;
};

std::string dump(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

Ink ink_of_state(const std::string& state) {
  return state == "VALID" ? Ink::green : state == "FAILED" || state == "DUE" ? Ink::red : Ink::yellow;
}

int print_checks(CommandLine& line, ScpiClient& host) {
  Json all = Json::array();
  Table table(
      {{"check"}, {"state"}, {"until"}, {"record"}, {"last good"}, {"readings"}, {"artefact"}, {"why"}});
  for (const std::string& name : ask(host, "CHECk:CATalog?")) {
    if (name.empty()) continue;
    const auto c = ask(host, "CHECk:DETail? " + as_parameter(name), 10);
    all.push_back({{"name", c[0]},
                   {"state", c[1]},
                   {"why", c[2]},
                   {"record", std::stoull(c[3])},
                   {"last_good", std::stoull(c[4])},
                   {"since_utc", c[5]},
                   {"until_utc", c[6]},
                   {"readings_taken", std::stoull(c[7])},
                   {"readings", std::stoull(c[8])},
                   {"artefact", c[9]}});
    table.add({{c[0]},
               {c[1], ink_of_state(c[1])},
               {c[6].empty() ? "-" : c[6]},
               {c[3]},
               {c[4]},
               {c[7] + " of " + c[8]},
               {c[9]},
               {c[2]}});
  }
  fmt::print("{}", line.json ? dump(all) : table.text(wants_colour(stdout)));
  if (all.empty() && !line.json)
    fmt::print(stderr, "no reference check is configured; [reference_checks] in datumd.toml\n");
  return good;
}

/// Waits until the record of the command is on the disk.
int ordered(CommandLine& line, const std::string& command) {
  auto host = connect(line.link);
  order(host, command);
  ask(host, "*OPC?");
  return print_checks(line, host);
}

std::filesystem::path store_of(const CheckOptions& o) {
  return o.store.empty() ? load_daemon_config(o.config).store : std::filesystem::path(o.store);
}

Json json_of(const CheckRecord& r) { return Json::parse(to_statement(r)); }

/// What a verdict said of this check.
std::string relied_on(const std::string& json, const std::string& name) {
  try {
    const BoardVerdict v = verdict_from_json(json);
    if (!v.reference) return "nothing: the cell had no checks";
    if (v.reference->artefact == name) return "artefact";
    for (const ReliedCheck& c : v.reference->checks)
      if (c.name == name)
        return fmt::format("{} {}{}", c.state, c.good,
                           c.override_by ? ", overridden by " + c.override_by->by : "");
    return "nothing: the check is newer";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

int look_back_at(CommandLine& line, const CheckOptions& o) {
  const LookBack found =
      look_back(store_of(o), o.name, o.record > 0 ? std::optional(o.record) : std::nullopt);
  Json rows = Json::array();
  Table table({{"result"}, {"measured"}, {"recipe"}, {"unit"}, {"verdict"}, {"relied on"}});
  for (const LookBackRow& r : found.rows) {
    const std::string relied = relied_on(r.json, o.name);
    rows.push_back({{"sequence", r.sequence},
                    {"measured_at", r.measured_at},
                    {"recipe", r.recipe},
                    {"unit_id", r.unit_id},
                    {"decision", r.decision},
                    {"relied_on", relied}});
    table.add(
        {{fmt::format("{}", r.sequence)}, {r.measured_at}, {r.recipe}, {r.unit_id}, {r.decision}, {relied}});
  }
  if (line.json) {
    Json out{{"check", o.name},
             {"last_good", found.good ? json_of(*found.good) : Json()},
             {"record", found.bad ? json_of(*found.bad) : Json()},
             {"results", rows}};
    fmt::print("{}", dump(out));
    return good;
  }
  fmt::print(
      "{}\n{}",
      found.good
          ? fmt::format("last good: {}, {}", iso8601_from_utc(found.good->utc_s), words_of(*found.good))
          : "check " + o.name + " was never good: every stored result",
      found.bad ? fmt::format("up to: {}, {}\n", iso8601_from_utc(found.bad->utc_s), words_of(*found.bad))
                : "");
  fmt::print("{}{} results\n", found.rows.empty() ? "" : table.text(wants_colour(stdout)), found.rows.size());
  return good;
}

int print_history(CommandLine& line, const CheckOptions& o) {
  auto records = check_records(store_of(o), o.name, 1000);
  std::reverse(records.begin(), records.end());
  Json all = Json::array();
  for (const CheckRecord& r : records) {
    all.push_back(json_of(r));
    if (line.json) continue;
    fmt::print("{} {}\n", iso8601_from_utc(r.utc_s), words_of(r));
    for (const CheckedValue& v : r.values)
      fmt::print("  {} {}: {:.6g} {}, certified {:.6g} (U {:.3g}); E_n {:.3f}, worst {:+.4g} of {:.4g}{}\n",
                 v.component, v.characteristic, v.mean, v.unit, v.certified, v.expanded_certified, v.e_n,
                 v.worst, v.maximum_permissible, v.good ? "" : ": not good");
  }
  if (line.json) fmt::print("{}", dump(all));
  return good;
}

}  // namespace

void add_check_commands(CommandLine& line) {
  auto o = std::make_shared<CheckOptions>();
  auto* all = line.app.add_subcommand(
      "check", "reference checks: artefacts with certified values, measured when they are due");
  all->require_subcommand(1);
  const auto named = [&](CLI::App* command, bool required = true) {
    command->add_option("name", o->name, "of the check, as in datumd.toml")->required(required);
    return command;
  };
  std::vector<CLI::App*> commands;
  commands.push_back(line.link_leaf(*all, "list", "each check and its state", [&line] {
    auto host = connect(line.link);
    return print_checks(line, host);
  }));
  auto* start = named(line.link_leaf(
      *all, "start", "the next boards are readings of its artefact; choose its recipe before, arm after it",
      [&line, o] {
        return ordered(
            line, "CHECk:STARt " + as_parameter(o->name) + (o->by.empty() ? "" : "," + as_parameter(o->by)));
      }));
  start->add_option("--by", o->by, "who does it");
  commands.push_back(start);
  commands.push_back(line.link_leaf(*all, "abort", "end the check in progress; it is due",
                                    [&line] { return ordered(line, "CHECk:ABORt"); }));
  auto* due =
      named(line.link_leaf(*all, "due", "after a collision or a repair: it is due from now on", [&line, o] {
        return ordered(line, "CHECk:DUE " + as_parameter(o->name) + "," + as_parameter(o->why));
      }));
  due->add_option("--reason", o->why, "what happened")->required();
  commands.push_back(due);
  auto* over = named(line.link_leaf(
      *all, "override", "measure without a good check, for a time; each result names who decided it and why",
      [&line, o] {
        return ordered(line, "CHECk:OVERride " + as_parameter(o->name) + "," + as_parameter(o->by) + "," +
                                 as_parameter(o->why));
      }));
  over->add_option("--by", o->by, "who decides it")->required();
  over->add_option("--reason", o->why, "why")->required();
  commands.push_back(over);
  auto* back = named(line.leaf(*all, "look-back", "every result since the last good check, from the store",
                               [&line, o] { return look_back_at(line, *o); }));
  back->add_option("--record", o->record,
                   "of a failed check: the results between the good one before it and it");
  auto* history =
      named(line.leaf(*all, "history", "records of a check, or of all, with their values, from the store",
                      [&line, o] { return print_history(line, *o); }),
            false);
  for (auto* command : {back, history}) {
    command->add_option("--store", o->store, "the store itself (default: what the configuration names)");
    command->add_option("--config", o->config, "configuration of the daemon")->capture_default_str();
    commands.push_back(command);
  }
  for (auto* command : commands) line.add_json(*command);
}

}  // namespace datum
