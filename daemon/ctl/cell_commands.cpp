// datumctl recipes, choose, unit, arm, trigger, abort
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "daemon/ctl/command_line.h"
#include "daemon/ctl/dialogue.h"
#include "daemon/ctl/exit_status.h"
#include "daemon/ctl/link_table.h"
#include "daemon/ctl/scpi_text.h"
#include "daemon/ctl/show.h"
#include "daemon/ctl/triggered_result.h"
#include "daemon/inspection/verdict/decision.h"
#include "daemon/text/table.h"

namespace datum {
namespace {

using Json = nlohmann::ordered_json;

struct CellOptions {
  std::string recipe, sha256, unit, repair;
  std::vector<std::string> serials;
  bool wait = false;
};

int print_recipes(CommandLine& line) {
  auto host = connect(line.link);
  const auto names = ask(host, "CONFigure:RECipe:CATalog?");
  const std::string chosen = ask(host, "CONFigure:RECipe?", 2)[0];
  Json all = Json::array();
  Table table({{"recipe"}, {""}});
  for (const auto& name : names) {
    if (name.empty()) continue;
    all.push_back({{"name", name}, {"chosen", name == chosen}});
    table.add({{name}, {name == chosen ? "chosen" : ""}});
  }
  fmt::print("{}", line.json ? all.dump(2) + "\n" : table.text(wants_colour(stdout)));
  if (all.empty() && !line.json) fmt::print(stderr, "no recipe in the folder of recipes\n");
  return good;
}

/// Prints the resulting choice, so that a script can verify it.
int print_choice(CommandLine& line, ScpiClient& host) {
  const auto recipe = ask(host, "CONFigure:RECipe?", 2);
  const std::string unit = ask(host, "CONFigure:UNIT?")[0];
  const auto state = ask(host, "SYSTem:STATe?", 2);
  if (line.json) {
    const Json now{{"recipe", {{"name", recipe[0]}, {"sha256", recipe[1]}}},
                   {"unit", unit},
                   {"state", state[0]},
                   {"state_detail", state[1]}};
    fmt::print("{}\n", now.dump(2));
  } else {
    fmt::print("recipe {}{}{}, {} {}\n", recipe[0].empty() ? "-" : recipe[0], unit.empty() ? "" : ", unit ",
               unit, state[0], state[1]);
  }
  return good;
}

int choose(CommandLine& line, const CellOptions& o) {
  auto host = connect(line.link);
  order(host, "CONFigure:RECipe " + as_parameter(o.recipe) +
                  (o.sha256.empty() ? "" : "," + as_parameter(o.sha256)));
  return print_choice(line, host);
}

/// What the armed cell waits for, from whom and where it comes.
std::string awaited(ScpiClient& host) {
  const bool bus = ask(host, "SYSTem:STATe?", 2)[1].rfind("for a trigger", 0) == 0;
  std::string frame = "the frame";
  for (const LinkRow& link : links_of(host))
    if (link.name == "sensor") {
      frame = fmt::format("{} of {}, {}", bus ? "its frame" : "the next frame", link.kind, link.peer);
      if (!link.trouble.empty()) frame += "; none can come at present: " + link.trouble;
    }
  return bus ? "waits for a trigger (datumctl trigger --wait, or TRIGger of a host), then for " + frame
             : "waits for " + frame;
}

int arm_cell(CommandLine& line) {
  auto host = connect(line.link);
  order(host, "INITiate");
  const int status = print_choice(line, host);
  if (!line.json) fmt::print("{}\n", awaited(host));
  return status;
}

int give_order(CommandLine& line, const std::string& command) {
  auto host = connect(line.link);
  order(host, command);
  return print_choice(line, host);
}

/// Sequence number of the newest result; 0: none.
std::uint64_t newest(ScpiClient& host) {
  if (number_of(ask(host, "DATA:COUNt?")[0]).value_or(0) == 0) return 0;
  return std::stoull(ask(host, "FETCh:BOARd?", 13)[0]);
}

/// Waits for the result of the triggered board, and never accepts that of an earlier board.
std::uint64_t awaited_result(ScpiClient& host, std::uint64_t before) {
  if (wants_colour(stderr)) fmt::print(stderr, "measuring; the sensor exposes now ...\n");
  ask(host, "*OPC?");
  const std::uint64_t after = newest(host);
  if (after <= before)
    throw RefusedCommand(
        "no result was stored: the measurement was aborted, or its result could not be stored");
  return before + 1;
}

int wait_for_result(CommandLine& line, ScpiClient& host, std::uint64_t before) {
  const std::string json = ask_block(host, fmt::format("FETCh:JSON? {}", awaited_result(host, before)));
  const BoardVerdict verdict = verdict_from_json(json);
  fmt::print("{}", line.json ? json + "\n" : verdict_text(verdict, wants_colour(stdout)));
  return exit_status(verdict.decision);
}

std::string as_parameters(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : ",") + as_parameter(text);
  return all;
}

int trigger(CommandLine& line, const CellOptions& o) {
  LinkOptions link = line.link;
  if (o.wait) link.time_out_ms = std::max(link.time_out_ms, longest_step_ms);
  auto host = connect(link);
  const std::uint64_t before = o.wait ? newest(host) : 0;
  if (!o.unit.empty()) order(host, "CONFigure:UNIT " + as_parameter(o.unit));
  order(host, "TRIGger");
  return o.wait ? wait_for_result(line, host, before) : print_choice(line, host);
}

}  // namespace

std::uint64_t triggered_result(const LinkOptions& options, const std::string& unit) {
  LinkOptions link = options;
  link.time_out_ms = std::max(link.time_out_ms, longest_step_ms);
  auto host = connect(link);
  const std::uint64_t before = newest(host);
  order(host, "CONFigure:UNIT " + as_parameter(unit));
  order(host, "TRIGger");
  return awaited_result(host, before);
}

void add_cell_commands(CommandLine& line) {
  auto o = std::make_shared<CellOptions>();
  auto* recipes = line.link_leaf(line.app, "recipes", "recipes that can be chosen",
                                 [&line] { return print_recipes(line); });
  auto* choose_one =
      line.link_leaf(line.app, "choose", "choose a recipe", [&line, o] { return choose(line, *o); });
  line.offer(choose_one->add_option("recipe", o->recipe, "its name")->required(), Offer::recipes);
  choose_one->add_option("--sha256", o->sha256, "only if the file has this hash");
  auto* unit = line.link_leaf(line.app, "unit", "serial number of the next board", [&line, o] {
    std::string commands = "CONFigure:UNIT " + as_parameter(o->unit);
    if (!o->repair.empty()) commands += ";:CONFigure:UNIT:REPair " + as_parameter(o->repair);
    return give_order(line, commands);
  });
  unit->add_option("number", o->unit, "as on the board; it holds for one")->required();
  unit->add_option("--repaired", o->repair,
                   "what was done to it since it was measured last: a rework, no retest");
  auto* boards = line.link_leaf(
      line.app, "boards", "serial numbers of the boards of the next panel",
      [&line, o] { return give_order(line, "CONFigure:UNIT:BOARds " + as_parameters(o->serials)); });
  boards
      ->add_option(
          "numbers", o->serials,
          "one for each place of the chosen recipe, in its order; '' for a board without number; they hold "
          "for one panel, and one '' takes them back")
      ->required();
  auto* arm = line.link_leaf(line.app, "arm", "arm: the next trigger, or frame, is measured",
                             [&line] { return arm_cell(line); });
  auto* pull = line.link_leaf(line.app, "trigger", "measure the board that lies there",
                              [&line, o] { return trigger(line, *o); });
  pull->add_flag("--wait", o->wait, "for its result, and print it; exit status by its verdict");
  pull->add_option("--unit", o->unit, "serial number of this board");
  auto* abort = line.link_leaf(line.app, "abort", "end what is being measured, without a result; disarm",
                               [&line] { return give_order(line, "ABORt"); });
  for (auto* command : {recipes, choose_one, unit, boards, arm, pull, abort}) line.add_json(*command);
}

}  // namespace datum
