// datumctl chart: control charts of the running cell.
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
#include "daemon/store/chart_records.h"
#include "daemon/text/table.h"

namespace datum {
namespace {

using Json = nlohmann::ordered_json;

struct ChartOptions {
  std::string recipe, by, why, store, config = "/etc/datumd/datumd.toml";
};

std::string chart_dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Ink ink_of_chart(const std::string& state) {
  return state == "IN_CONTROL" ? Ink::green : state == "DISARMED" ? Ink::red : Ink::yellow;
}

int print_charts(CommandLine& line, ScpiClient& host) {
  Json all = Json::array();
  Table table({{"recipe"},
               {"state"},
               {"hit results"},
               {"newest"},
               {"limits"},
               {"by"},
               {"series"},
               {"rules"},
               {"disarm"},
               {"why"}});
  for (const std::string& name : ask(host, "CHARt:CATalog?")) {
    if (name.empty()) continue;
    const auto c = ask(host, "CHARt:DETail? " + as_parameter(name), 11);
    all.push_back({{"recipe", c[0]},
                   {"state", c[1]},
                   {"why", c[2]},
                   {"hit_results", std::stoull(c[3])},
                   {"last_hit", std::stoull(c[4])},
                   {"limits", c[5]},
                   {"frozen_at", c[6]},
                   {"frozen_by", c[7]},
                   {"series", std::stoull(c[8])},
                   {"rules", c[9]},
                   {"disarm", c[10]}});
    table.add({{c[0]},
               {c[1], ink_of_chart(c[1])},
               {c[3]},
               {c[4]},
               {c[5]},
               {c[7]},
               {c[8]},
               {c[9]},
               {c[10]},
               {c[2]}});
  }
  fmt::print("{}", line.json ? chart_dump(all) : table.text(wants_colour(stdout)));
  if (all.empty() && !line.json)
    fmt::print(stderr, "no recipe has control charts; [control_charts] in a recipe\n");
  return good;
}

/// Waits until the record is on the disk.
int acknowledge_chart(CommandLine& line, const ChartOptions& o) {
  auto host = connect(line.link);
  order(host,
        "CHARt:ACKnowledge " + as_parameter(o.recipe) + "," + as_parameter(o.by) + "," + as_parameter(o.why));
  ask(host, "*OPC?");
  return print_charts(line, host);
}

int print_chart_history(CommandLine& line, const ChartOptions& o) {
  const std::filesystem::path store =
      o.store.empty() ? load_daemon_config(o.config).store : std::filesystem::path(o.store);
  auto records = chart_records(store, o.recipe, 1000);
  std::reverse(records.begin(), records.end());
  Json all = Json::array();
  for (const ChartRecord& r : records) {
    all.push_back(Json::parse(to_statement(r)));
    if (line.json) continue;
    fmt::print("{} {}\n", iso8601_from_utc(r.utc_s), words_of(r));
    for (const ListedHit& h : r.listed)
      fmt::print("  {}: {}, results {} to {}\n", h.series, h.rule, h.first, h.last);
    if (r.hits > r.listed.size()) fmt::print("  and {} more\n", r.hits - r.listed.size());
  }
  if (line.json) fmt::print("{}", chart_dump(all));
  return good;
}

}  // namespace

void add_chart_commands(CommandLine& line) {
  auto o = std::make_shared<ChartOptions>();
  auto* all = line.app.add_subcommand(
      "chart",
      "control charts of the running cell: frozen limits, rules that are hit, a person's acknowledgement");
  all->require_subcommand(1);
  std::vector<CLI::App*> commands;
  commands.push_back(line.link_leaf(*all, "list", "each recipe with charts and its state", [&line] {
    auto host = connect(line.link);
    return print_charts(line, host);
  }));
  auto* seen = line.link_leaf(
      *all, "acknowledge",
      "you have looked into what was hit: the cell may be armed again, runs of points begin anew",
      [&line, o] { return acknowledge_chart(line, *o); });
  line.offer(seen->add_option("recipe", o->recipe, "whose charts")->required(), Offer::recipes);
  seen->add_option("--by", o->by, "who decides it")->required();
  seen->add_option("--reason", o->why, "cause, and what was done")->required();
  commands.push_back(seen);
  auto* history =
      line.leaf(*all, "history", "limits, hits and acknowledgements of a recipe, or of all, from the store",
                [&line, o] { return print_chart_history(line, *o); });
  history->add_option("recipe", o->recipe, "whose charts");
  line.offer(
      history->add_option("--store", o->store, "the store itself (default: what the configuration names)"),
      Offer::files);
  line.offer(history->add_option("--config", o->config, "configuration of the daemon")->capture_default_str(),
             Offer::files);
  commands.push_back(history);
  for (auto* command : commands) line.add_json(*command);
  add_chart_freeze(line, *all);
}

}  // namespace datum
