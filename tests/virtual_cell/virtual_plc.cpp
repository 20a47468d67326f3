// virtual-plc: a cell's controller. Selects the recipe, arms, triggers, pulls the sensor's trigger wire,
// waits for the result and prints it. Exit: 0 all PASS, 10 INCONCLUSIVE, 11 FAIL, 12 INVALID (the worst of
// all boards); 2 bad arguments, 3 failure of link or protocol.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <thread>

#include "config/program_options.h"
#include "tests/virtual_cell/virtual_plc_link.h"

namespace datum::plc {
namespace {

struct Options {
  std::string link = "tcp:127.0.0.1:5025", recipe, wire, script;
  std::vector<std::string> units;
  int boards = 1, timeout_s = 30;
  bool trigger = false, heights_only = false;
};

int read_options(int argc, char** argv, Options& o) {
  ProgramOptions app("virtual-plc: has boards measured by datumd and prints their results");
  app.add_option("--link", o.link, "tcp:HOST:PORT or serial:PATH[:BAUD]").show_default();
  app.add_option("--recipe", o.recipe, "recipe to choose").required();
  app.add_option("--unit", o.units, "serial number of a board; one board per option");
  app.add_option("--script", o.script,
                 "file with the serial number of one board per line; '#' begins a comment")
      .existing_file();
  app.add_option("--boards", o.boards, "number of boards, where no serial numbers are given")
      .in_range(1, 1000000);
  app.add_flag("--trigger", o.trigger, "send TRIGger (cells whose trigger is \"bus\")");
  app.add_option("--wire", o.wire, "FIFO that triggers the sensor: one line per board").existing_file();
  app.add_option("--timeout-s", o.timeout_s, "for the link and for each result").in_range(1, 3600);
  app.add_flag("--heights-only", o.heights_only, "print only rows in um");
  if (const auto ended = app.read(argc, argv)) return *ended == 0 ? 0 : 4;
  return -1;
}

std::vector<std::string> units_of(const Options& o) {
  std::vector<std::string> units = o.units;
  std::ifstream script(o.script);
  for (std::string line; !o.script.empty() && std::getline(script, line);) {
    line.erase(std::min(line.find('#'), line.size()));
    while (!line.empty() && line.back() == ' ') line.pop_back();
    if (!line.empty()) units.push_back(line);
  }
  if (units.empty()) units.assign(static_cast<std::size_t>(o.boards), "");
  return units;
}

/// Digital output at the sensor's trigger input. Waits for a sensor that is still starting.
void pull(const std::string& wire) {
  if (wire.empty()) return;
  for (int tries = 0; tries < 100; ++tries) {
    const int fd = ::open(wire.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    const bool written = fd >= 0 && ::write(fd, "\n", 1) == 1;
    if (fd >= 0) ::close(fd);
    if (written) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  throw ProtocolError(wire + ": no sensor is connected to this trigger wire");
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

/// The stage's position before the frame must be known before the sensor exposes; the cell reports it by bit
/// 3 of STATus:OPERation.
void await_sweeping(HostLink& link, int timeout_s) {
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(timeout_s);
  while ((std::stoi(link.query("STAT:OPER:COND?")) & 8) == 0) {
    if (std::chrono::steady_clock::now() > give_up)
      throw ProtocolError("the cell did not get ready for a frame");
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

/// One board: trigger, wait, fetch. Returns the exit code of its verdict.
int measure(HostLink& link, const Options& o, const std::string& unit) {
  if (!unit.empty()) link.command("CONF:UNIT " + quoted(unit));
  if (o.trigger) {
    link.command("TRIG");
    await_sweeping(link, o.timeout_s);
  }
  pull(o.wire);
  const ResultLine result = link.wait_result(std::chrono::seconds(o.timeout_s));
  const std::string sequence = std::to_string(result.sequence);
  Components components = read_components(link.query("FETC:COMP? " + sequence));
  if (components.sequence != result.sequence)
    throw ProtocolError(
        fmt::format("components of result {} came for {}", components.sequence, result.sequence));
  if (o.heights_only) {
    auto& rows = components.rows;
    rows.erase(std::remove_if(rows.begin(), rows.end(),
                              [](const Row& r) { return r.unit != "um" && r.decision == "PASS"; }),
               rows.end());
  }
  fmt::print("\nboard {}: {}  (result {}, frame {}, recipe {})\n{}", unit.empty() ? "-" : unit,
             result.decision, sequence, result.frame, result.recipe, table_of(components.rows));
  std::fflush(stdout);
  return exit_code_of(result.decision);
}

int run(const Options& o) {
  HostLink link(o.link, std::chrono::seconds(o.timeout_s));
  fmt::print("connected to {}\n", link.greet(std::chrono::seconds(o.timeout_s)));
  link.command("*CLS");
  link.command("CONF:REC " + quoted(o.recipe));
  link.command("DATA:PUSH ON");
  link.command("INIT");
  int worst = 0;
  for (const std::string& unit : units_of(o)) worst = std::max(worst, measure(link, o, unit));
  return worst;
}

}  // namespace
}  // namespace datum::plc

int main(int argc, char** argv) try {
  datum::plc::Options options;
  const int status = datum::plc::read_options(argc, argv, options);
  if (status >= 0) return status;
  return datum::plc::run(options);
} catch (const std::invalid_argument& e) {
  std::fprintf(stderr, "virtual-plc: %s\n", e.what());
  return 4;
} catch (const std::exception& e) {
  std::fprintf(stderr, "virtual-plc: %s\n", e.what());
  return 5;
}
