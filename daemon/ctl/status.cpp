// datumctl status: the daemon's state, its inputs, and faults that affect trust in results.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <ctime>
#include <nlohmann/json.hpp>

#include "config/utc_time.h"
#include "daemon/ctl/command_line.h"
#include "daemon/ctl/device_answers.h"
#include "daemon/ctl/dialogue.h"
#include "daemon/ctl/exit_status.h"
#include "daemon/ctl/link_table.h"
#include "daemon/ctl/show.h"
#include "daemon/ctl/status.h"
#include "daemon/ctl/status_text.h"
#include "daemon/text/table.h"

namespace datum {
namespace {

using Json = nlohmann::ordered_json;

struct CellStatus {
  std::vector<std::string> identity, state, recipe, calibration, links;
  std::vector<std::string> service;  // empty: an older datumd without this query
  std::vector<std::string> warnings;
  std::vector<std::string> checks;  // state and why of the reference checks; empty: an older datumd
  std::vector<std::string>
      chart;  // state, hit results and why of the chosen recipe's charts; empty: the same
  std::string unit, owner;
  std::uint64_t results = 0;
  std::vector<std::string> board;  // of the newest result; empty: none
  std::vector<LinkRow> link_rows;
  unsigned operation = 0, questionable = 0;
  SelfTest test;
  std::vector<std::string> former_store;  // of a store that was set back: id, last, given
};

unsigned bits(ScpiClient& host, const char* query) {
  return static_cast<unsigned>(number_of(ask(host, query)[0]).value_or(0));
}

CellStatus status_of(ScpiClient& host) {
  CellStatus s;
  s.identity = ask(host, "*IDN?", 4);
  s.state = ask(host, "SYSTem:STATe?", 2);
  s.recipe = ask(host, "CONFigure:RECipe?", 2);
  s.unit = ask(host, "CONFigure:UNIT?")[0];
  s.calibration = ask(host, "CALibration:CURRent?", 6);
  s.results = static_cast<std::uint64_t>(number_of(ask(host, "DATA:COUNt?")[0]).value_or(0));
  if (s.results > 0) s.board = ask(host, "FETCh:BOARd?", 8);
  s.operation = bits(host, "STATus:OPERation:CONDition?");
  s.questionable = bits(host, "STATus:QUEStionable:CONDition?");
  s.owner = ask(host, "SYSTem:LOCK:OWNer?")[0];
  s.links = ask(host, "DIAGnostic:LINKs?");
  s.link_rows = links_of(host);
  s.test = self_test_of(host);
  try {
    s.former_store = ask(host, "DATA:STORe:FORMer?", 3);
  } catch (const RefusedCommand&) {  // an older datumd
  }
  try {
    s.service = ask(host, "DIAGnostic:SERVice?", 4);
    s.warnings = ask(host, "DIAGnostic:WARNings?");
    std::erase(s.warnings, "");
    s.checks = ask(host, "CHECk:STATe?", 2);
    s.chart = ask(host, "CHARt:STATe?", 3);
  } catch (const RefusedCommand&) {
  }
  return s;
}

bool set_back(const std::vector<std::string>& former) { return !former.empty() && !former[0].empty(); }

Json service_json(const std::vector<std::string>& s) {
  if (s.empty()) return {};
  const auto bytes = [](const std::string& field) {
    const auto n = number_of(field);
    return n ? Json(static_cast<std::uint64_t>(*n)) : Json();
  };
  return {
      {"backend", s[0]}, {"backend_fault", s[1]}, {"store_bytes", bytes(s[2])}, {"free_bytes", bytes(s[3])}};
}

Json calibration_json(const std::vector<std::string>& c, std::int64_t now_utc_s) {
  if (c[0].empty()) return {};
  Json out{{"id", c[0]}, {"sha256", c[1]}, {"expires_utc", c[2]}};
  if (const auto expires = utc_from_iso8601(c[2])) out["expires_in_s"] = *expires - now_utc_s;
  const auto residual_um = number_of(c[3]);
  out["residual_rms_um"] = residual_um ? Json(*residual_um) : Json();
  out["usable"] = c[4] == "1";
  out["refusal"] = c[5];
  return out;
}

Json former_json(const std::vector<std::string>& former) {
  if (!set_back(former)) return {};
  return {{"id", former[0]}, {"last", std::stoull(former[1])}, {"given", std::stoull(former[2])}};
}

Json status_json(const CellStatus& s, std::int64_t now_utc_s) {
  Json link_states = Json::array();
  for (const LinkRow& link : s.link_rows) link_states.push_back(link_json(link));
  Json newest;
  if (!s.board.empty())
    newest = {{"sequence", std::stoull(s.board[0])},
              {"decision", s.board[1]},
              {"reason", s.board[2]},
              {"recipe", s.board[3]},
              {"unit", s.board[6]},
              {"measured_at_utc", s.board[7]}};
  return {
      {"daemon",
       {{"maker", s.identity[0]},
        {"model", s.identity[1]},
        {"cell", s.identity[2]},
        {"firmware", s.identity[3]}}},
      {"state", s.state[0]},
      {"state_detail", s.state[1]},
      {"recipe", {{"name", s.recipe[0]}, {"sha256", s.recipe[1]}}},
      {"unit", s.unit},
      {"calibration", calibration_json(s.calibration, now_utc_s)},
      {"results", {{"count", s.results}, {"newest", newest}, {"former_store", former_json(s.former_store)}}},
      {"reference_checks", s.checks.empty() ? Json() : Json{{"state", s.checks[0]}, {"why", s.checks[1]}}},
      {"control_charts",
       s.chart.empty()
           ? Json()
           : Json{{"state", s.chart[0]}, {"hit_results", std::stoull(s.chart[1])}, {"why", s.chart[2]}}},
      {"conditions", operation_text(s.operation)},
      {"questionable", questionable_text(s.questionable)},
      {"control", s.owner},
      {"service", service_json(s.service)},
      {"links", s.links},
      {"link_states", link_states},
      {"warnings", s.warnings},
      {"self_test", self_test_json(s.test)}};
}

Cell calibration_cell(const std::vector<std::string>& c, std::int64_t now_utc_s) {
  if (c[0].empty()) return {"-"};
  if (c[4] != "1") return {c[0] + ": " + c[5], Ink::red};
  const auto expires = utc_from_iso8601(c[2]);
  return {fmt::format("{}, expires {}{}, residual {} um", c[0], c[2],
                      expires ? " (" + span_text(*expires - now_utc_s) + ")" : "", c[3])};
}

Cell newest_cell(const CellStatus& s) {
  if (s.board.empty()) return {"none stored"};
  return {fmt::format("{} stored; newest {}: {}{} at {}", s.results, s.board[0], s.board[1],
                      s.board[2] == "NONE" ? "" : " " + s.board[2], s.board[7]),
          ink_of_decision(s.board[1])};
}

/// "results 12.3 MiB, 85.1 GiB free".
Cell storage_cell(const std::vector<std::string>& service) {
  constexpr double bytes_per_mib = 1024.0 * 1024.0, scarce_mib = 1024.0;
  const auto store = number_of(service[2]), free = number_of(service[3]);
  if (!free) return {"not known yet"};
  const double free_mib = *free / bytes_per_mib;
  return {fmt::format("results {:.1f} MiB, {:.1f} GiB free", store.value_or(0) / bytes_per_mib,
                      free_mib / 1024.0),
          free_mib < scarce_mib ? Ink::red : Ink::plain};
}

std::string status_text(const CellStatus& s, std::int64_t now_utc_s, bool colour) {
  Table table({{"what"}, {"now"}});
  const auto row = [&](const char* name, Cell cell) { table.add({{name}, std::move(cell)}); };
  row("daemon", {fmt::format("{} {}, cell {}", s.identity[1], s.identity[3], s.identity[2])});
  row("state", {s.state[0] + (s.state[1].empty() ? "" : ", " + s.state[1])});
  row("recipe", {or_none(s.recipe[0])});
  row("unit", {or_none(s.unit)});
  row("calibration", calibration_cell(s.calibration, now_utc_s));
  if (!s.checks.empty() && s.checks[0] != "NONE")
    row("reference checks", {s.checks[0] + (s.checks[1].empty() ? "" : ", " + s.checks[1]),
                             s.checks[0] == "VALID" ? Ink::plain : Ink::red});
  if (!s.chart.empty() && s.chart[0] != "NONE")
    row("control charts", {s.chart[0] + (s.chart[2].empty() ? "" : ", " + s.chart[2]),
                           s.chart[0] == "IN_CONTROL" ? Ink::plain : Ink::red});
  row("results", newest_cell(s));
  if (set_back(s.former_store))
    row("store", {fmt::format("put back from a copy: was {} up to result {}, new results follow number {}",
                              s.former_store[0], s.former_store[1], s.former_store[2]),
                  Ink::yellow});
  row("conditions", {or_none(fmt::format("{}", fmt::join(operation_text(s.operation), ", ")))});
  if (s.questionable)
    row("doubtful", {fmt::format("{}", fmt::join(questionable_text(s.questionable), ", ")), Ink::yellow});
  if (!s.service.empty()) {
    row("backend",
        s.service[1].empty() ? Cell{s.service[0]} : Cell{s.service[0] + ": " + s.service[1], Ink::red});
    row("storage", storage_cell(s.service));
  }
  row("control", {s.owner == "NONE" ? "free: any host may command" : s.owner});
  for (const LinkRow& link : s.link_rows)
    row(link.name.c_str(), {link_text(link), link.trouble.empty() ? Ink::plain : Ink::red});
  for (const std::string& warning : s.warnings) row("warning", {warning, Ink::yellow});
  if (s.test.failures.empty()) row("self-test", {"passed", Ink::green});
  for (const auto& failure : s.test.failures) row("self-test", {"FAILED: " + failure, Ink::red});
  return table.text(colour);
}

int print_status(CommandLine& line) {
  auto host = connect(line.link);
  fmt::print("{}", status_report(host, {line.json, wants_colour(stdout)}));
  return good;
}

}  // namespace

std::string status_report(ScpiClient& host, const StatusForm& form) {
  const CellStatus s = status_of(host);
  const std::int64_t now_utc_s = std::time(nullptr);
  return form.json ? status_json(s, now_utc_s).dump(2) + "\n" : status_text(s, now_utc_s, form.colour);
}

void add_status_command(CommandLine& line) {
  line.add_json(*line.link_leaf(line.app, "status", "what the daemon is doing, with what, and its self-test",
                                [&line] { return print_status(line); }));
}

}  // namespace datum
