// datumctl results, show: from the store, or over the link where the store can't be read.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "daemon/configuration/daemon_config.h"
#include "daemon/ctl/command_line.h"
#include "daemon/ctl/exit_status.h"
#include "daemon/ctl/remote_results.h"
#include "daemon/ctl/show.h"
#include "daemon/inspection/verdict/decision.h"
#include "daemon/text/table.h"

namespace datum {
namespace {

struct ResultOptions {
  std::string store, config = "/etc/datumd/datumd.toml";
  std::uint64_t last = 20;
  std::string which;  // a sequence number, or "last"
  std::string decision, recipe, unit, board;
  bool over_link = false, times = false;
};

ResultStore open_store(const ResultOptions& o) {
  return ResultStore::read_only(o.store.empty() ? load_daemon_config(o.config).store
                                                : std::filesystem::path(o.store));
}

ResultFilter filter_of(const ResultOptions& o) {
  ResultFilter filter;
  for (const auto d : {Decision::pass, Decision::inconclusive, Decision::fail, Decision::invalid})
    if (o.decision == name_of(d)) filter.decision = d;
  if (!o.recipe.empty()) filter.recipe = o.recipe;
  if (!o.unit.empty()) filter.unit_id = o.unit;
  if (!o.board.empty()) filter.board_serial = o.board;
  return filter;
}

int print_results(CommandLine& line, const ResultOptions& o) {
  auto results = o.over_link ? remote_results(line.link, filter_of(o), o.last)
                             : open_store(o).list(filter_of(o), o.last);
  std::reverse(results.begin(), results.end());  // the newest last, next to the prompt
  fmt::print("{}", line.json ? results_json(results) : results_text(results, wants_colour(stdout)));
  if (results.empty() && !line.json) fmt::print(stderr, "no stored result matches\n");
  return good;
}

int no_such_result(const std::string& which, const StoreExtent& have) {
  if (have.count == 0)
    fmt::print(stderr, "datumctl: no result is stored\n");
  else
    fmt::print(stderr, "datumctl: no result {}; {} are stored, {} to {}\n", which, have.count, have.first,
               have.last);
  return no_result;
}

/// The newest of a list.
std::optional<StoredResult> first_of(std::vector<StoredResult> results) {
  return results.empty() ? std::nullopt : std::optional(std::move(results.front()));
}

bool is_newest(const ResultOptions& o) { return o.which == "last"; }

std::optional<StoredResult> stored_one(ResultStore& store, const ResultOptions& o) {
  return is_newest(o) ? first_of(store.list({}, 1)) : store.get(std::stoull(o.which));
}

int no_times(std::uint64_t sequence) {
  fmt::print(stderr,
             "datumctl: no times are kept of result {}: an older datumd measured it, or datumd or the power "
             "ended before they "
             "were written\n",
             sequence);
  return no_result;
}

/// Times lie beside the result in the store; over the link there are none.
int show_times(CommandLine& line, const ResultOptions& o) {
  auto store = open_store(o);
  const auto found = stored_one(store, o);
  if (!found) return no_such_result(o.which, store.extent());
  const auto times = store.times(found->sequence);
  if (!times) return no_times(found->sequence);
  fmt::print("{}", line.json ? *times + "\n" : times_text(steps_from_json(*times), wants_colour(stdout)));
  return good;
}

int show_result(CommandLine& line, const ResultOptions& o) {
  if (o.times) return show_times(line, o);
  std::optional<StoredResult> found;
  if (o.over_link) {
    found = is_newest(o) ? first_of(remote_results(line.link, {}, 1))
                         : remote_result(line.link, std::stoull(o.which));
    if (!found) {
      fmt::print(stderr, "datumctl: {} has no result {}\n", address_of(line.link),
                 is_newest(o) ? "yet" : o.which);
      return no_result;
    }
  } else {
    auto store = open_store(o);
    found = stored_one(store, o);
    if (!found) return no_such_result(o.which, store.extent());
  }
  fmt::print("{}", line.json ? found->json + "\n" : board_text(found->verdict(), wants_colour(stdout)));
  return exit_status(found->decision);
}

void add_places(CommandLine& line, CLI::App& command, ResultOptions& o) {
  line.offer(
      command.add_option("--store", o.store, "the store itself (default: what the configuration names)"),
      Offer::files);
  line.offer(command.add_option("--config", o.config, "configuration of the daemon")->capture_default_str(),
             Offer::files);
  line.add_json(command, "stored verdicts as JSON");
  add_link_options(command, line.link);
  for (const char* name : {"--tcp", "--serial"})
    command.get_option(name)->excludes("--store")->excludes("--config")->each([&o](const std::string&) {
      o.over_link = true;
    });
}

}  // namespace

void add_result_commands(CommandLine& line) {
  auto o = std::make_shared<ResultOptions>();
  auto* results = line.leaf(line.app, "results",
                            "stored results, the newest last; with --tcp or --serial from the daemon",
                            [&line, o] { return print_results(line, *o); });
  results->add_option("--last", o->last, "how many at most")->capture_default_str();
  results->add_option("--decision", o->decision, "only these")
      ->transform(CLI::IsMember({"PASS", "INCONCLUSIVE", "FAIL", "INVALID"}, CLI::ignore_case));
  results->add_option("--recipe", o->recipe, "only this recipe's");
  results->add_option("--unit", o->unit, "only this board's");
  results->add_option("--board", o->board, "only this board's, and panels that hold it");
  auto* show =
      line.leaf(line.app, "show", "one result; exit status 0 PASS, 1 FAIL, 2 INCONCLUSIVE, 3 INVALID",
                [&line, o] { return show_result(line, *o); });
  show->add_option("sequence", o->which, "its number, or last")
      ->required()
      ->check([](const std::string& which) -> std::string {
        const bool digits = !which.empty() && which.size() <= 19 &&
                            which.find_first_not_of("0123456789") == std::string::npos;
        return which == "last" || digits ? "" : "'" + which + "': a result's number, or last, is needed";
      });
  auto* times =
      show->add_flag("--times", o->times,
                     "how long each step took, from the delivery to the line at the hosts; exit status 0");
  for (auto* command : {results, show}) add_places(line, *command, *o);
  for (const char* name : {"--tcp", "--serial"}) times->excludes(show->get_option(name));
}

}  // namespace datum
