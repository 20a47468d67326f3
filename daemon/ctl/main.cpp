// datumctl: the operator's command line. Results come from the store, everything else over the command
// protocol.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <ctime>
#include <optional>

#include "config/daemon_config.h"
#include "daemon/ctl/calibrate.h"
#include "daemon/ctl/hole.h"
#include "daemon/ctl/scpi_client.h"
#include "daemon/ctl/show.h"
#include "daemon/ctl/verify.h"
#include "daemon/report/table.h"

namespace datum {
namespace {

// 0 to 3 are verdicts of `show`: PASS, FAIL, INCONCLUSIVE, INVALID.
enum Exit { good = 0, usage = 4, no_store = 5, no_result = 6, no_connection = 7, refused_command = 8 };

struct Options {
  std::string store, config = "/etc/datumd/datumd.toml";
  std::uint64_t last = 20, sequence = 0;
  std::string decision, recipe, unit;
  bool json = false;
  std::string message, tcp = "127.0.0.1:5025", serial;
  int baud = 115200, time_out_ms = 5000;
};

ResultStore open_store(const Options& o) {
  return ResultStore::read_only(o.store.empty() ? load_daemon_config(o.config).store
                                                : std::filesystem::path(o.store));
}

int print_results(const Options& o) {
  ResultFilter filter;
  for (const auto d : {Decision::pass, Decision::inconclusive, Decision::fail, Decision::invalid})
    if (o.decision == name_of(d)) filter.decision = d;
  if (!o.recipe.empty()) filter.recipe = o.recipe;
  if (!o.unit.empty()) filter.unit_id = o.unit;
  auto results = open_store(o).list(filter, o.last);
  std::reverse(results.begin(), results.end());  // the newest last, next to the prompt
  fmt::print("{}", o.json ? results_json(results) : results_text(results, wants_colour(stdout)));
  if (results.empty() && !o.json) fmt::print(stderr, "no stored result matches\n");
  return good;
}

int show_result(const Options& o) {
  auto store = open_store(o);
  const auto found = store.get(o.sequence);
  if (!found) {
    const auto have = store.extent();
    fmt::print(stderr, "datumctl: no result {}; {} are stored, {} to {}\n", o.sequence, have.count,
               have.first, have.last);
    return no_result;
  }
  fmt::print("{}", o.json ? found->json + "\n" : board_text(found->verdict(), wants_colour(stdout)));
  return exit_status(found->decision);
}

ScpiClient connect(const Options& o) {
  std::unique_ptr<Port> port;
  if (!o.serial.empty()) {
    SerialSettings line;
    line.path = o.serial;
    line.baud = o.baud;
    port = serial_port(line);
  } else {
    const auto colon = o.tcp.rfind(':');
    const int number = colon == std::string::npos ? 0 : std::atoi(o.tcp.c_str() + colon + 1);
    if (number < 1 || number > 65535)
      throw RefusedError("--tcp " + o.tcp + ": HOST:PORT with a port from 1 to 65535 is wanted");
    port = tcp_port(o.tcp.substr(0, colon), static_cast<std::uint16_t>(number));
  }
  return {std::move(port), std::chrono::milliseconds(o.time_out_ms)};
}

int send_message(const Options& o) {
  auto host = connect(o);
  const auto reply = host.send(o.message);
  for (const auto& answer : reply.answers) fmt::print("{}\n", answer);
  for (const auto& error : reply.errors) fmt::print(stderr, "datumctl: refused: {}\n", error);
  return reply.errors.empty() ? good : refused_command;
}

int print_status(const Options& o) {
  auto host = connect(o);
  static constexpr std::pair<const char*, const char*> questions[] = {{"daemon", "*IDN?"},
                                                                      {"state", "SYSTem:STATe?"},
                                                                      {"recipe", "CONFigure:RECipe?"},
                                                                      {"unit", "CONFigure:UNIT?"},
                                                                      {"calibration", "CALibration:CURRent?"},
                                                                      {"results", "DATA:COUNt?"},
                                                                      {"links", "DIAGnostic:LINKs?"}};
  for (const auto& [name, question] : questions)
    for (const auto& answer : host.send(question).answers) fmt::print("{:<12} {}\n", name, answer);
  return good;
}

/// An operator walks a probe to the artefact, or a sensor has to be told to expose.
constexpr int patience_ms = 600'000;

int run_calibrate(const CalibrateOptions& c, Options o) {
  if (c.step == "seal" || c.step == "replay") {
    try {
      if (c.step == "replay") return replay(c) ? good : refused_command;
      seal(c);
      return good;
    } catch (const std::runtime_error& error) {
      fmt::print(stderr, "datumctl: {}\n", error.what());
      return usage;
    }
  }
  if (c.step == "touch" || c.step == "scan" || c.step == "solve")
    o.time_out_ms = std::max(o.time_out_ms, patience_ms);
  auto host = connect(o);
  return calibrate(c, host) ? good : refused_command;
}

int run_hole(const HoleOptions& h, Options o) {
  if (h.step == "replay") {
    try {
      return replay(h) ? good : refused_command;
    } catch (const std::runtime_error& error) {
      fmt::print(stderr, "datumctl: {}\n", error.what());
      return usage;
    }
  }
  if (waits(h)) o.time_out_ms = std::max(o.time_out_ms, patience_ms);
  auto host = connect(o);
  return hole(h, host) ? good : refused_command;
}

void add_store_options(CLI::App& command, Options& o) {
  command.add_option("--store", o.store, "the store itself (default: what the configuration names)");
  command.add_option("--config", o.config, "configuration of the daemon")->capture_default_str();
  command.add_flag("--json", o.json, "stored verdicts as JSON");
}

void add_link_options(CLI::App& command, Options& o) {
  command.add_option("--tcp", o.tcp, "HOST:PORT of datumd")->capture_default_str();
  command.add_option("--serial", o.serial, "serial line instead")->excludes("--tcp");
  command.add_option("--baud", o.baud, "of the serial line")->capture_default_str();
  command.add_option("--timeout-ms", o.time_out_ms, "how long an answer may take")
      ->capture_default_str()
      ->check(CLI::Range(1, 3600000));
}

int run(int argc, char** argv) {
  Options o;
  CLI::App app("datumctl: results and control of datumd");
  app.require_subcommand(1);
  auto* results = app.add_subcommand("results", "stored results, the newest last");
  add_store_options(*results, o);
  results->add_option("--last", o.last, "how many at most")->capture_default_str();
  results->add_option("--decision", o.decision, "only these")
      ->transform(CLI::IsMember({"PASS", "INCONCLUSIVE", "FAIL", "INVALID"}, CLI::ignore_case));
  results->add_option("--recipe", o.recipe, "only this recipe's");
  results->add_option("--unit", o.unit, "only this board's");
  auto* show =
      app.add_subcommand("show", "one result; exit status 0 PASS, 1 FAIL, 2 INCONCLUSIVE, 3 INVALID");
  show->add_option("sequence", o.sequence, "its number")->required();
  add_store_options(*show, o);
  auto* send =
      app.add_subcommand("send", "one message of the command protocol; prints its answers, errors on stderr");
  send->add_option("message", o.message, "e.g. \"CONF:REC 'mainboard';:INIT\"")->required();
  add_link_options(*send, o);
  auto* status = app.add_subcommand("status", "what the daemon is doing");
  add_link_options(*status, o);
  CalibrateOptions c;
  auto* calibration = add_calibrate(app, c, [&o](CLI::App& step) { add_link_options(step, o); });
  HoleOptions h;
  auto* holes = add_hole(app, h, [&o](CLI::App& step) { add_link_options(step, o); });
  VerifyOptions v;
  v.now_utc_s = std::time(nullptr);
  auto* verification = add_verify(app, v);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? good : usage;
  }
  if (results->parsed()) return print_results(o);
  if (show->parsed()) return show_result(o);
  if (calibration->parsed()) return run_calibrate(c, o);
  if (holes->parsed()) return run_hole(h, o);
  if (verification->parsed()) return verify(v);
  return send->parsed() ? send_message(o) : print_status(o);
}

}  // namespace
}  // namespace datum

int main(int argc, char** argv) {
  using namespace datum;
  try {
    return run(argc, argv);
  } catch (const StoreError& e) {
    fmt::print(stderr, "datumctl: {}\n", e.what());
    return no_store;
  } catch (const config::ConfigError& e) {
    fmt::print(stderr, "datumctl: {}\ndatumctl: --store FILE reads a store without a configuration\n",
               e.what());
    return no_store;
  } catch (const std::exception& e) {
    fmt::print(stderr,
               "datumctl: {}\ndatumctl: is datumd running, and does its [host.tcp] or [host.serial] name "
               "this address?\n",
               e.what());
    return no_connection;
  }
}
