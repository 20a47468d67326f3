// datumctl temperature, position, referenced, links, reopen, selftest
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "daemon/ctl/command_line.h"
#include "daemon/ctl/device_answers.h"
#include "daemon/ctl/dialogue.h"
#include "daemon/ctl/exit_status.h"
#include "daemon/text/table.h"

namespace datum {
namespace {

using Json = nlohmann::ordered_json;

int temperature(CommandLine& line, const std::optional<double>& degc) {
  auto host = connect(line.link);
  if (degc) order(host, fmt::format("SENSe:TEMPerature {}", *degc));
  const auto told = ask(host, "SENSe:TEMPerature?", 2);
  if (line.json) {
    const Json now{{"temperature_degc", std::stod(told[0])}, {"told_utc", told[1]}};
    fmt::print("{}\n", now.dump(2));
  } else {
    fmt::print("{} degC, reported at {}\n", told[0], told[1]);
  }
  return good;
}

int position(CommandLine& line) {
  auto host = connect(line.link);
  const auto answer = ask(host, "DIAGnostic:POSition?", 5);
  fmt::print("{}", line.json ? position_json(answer).dump(2) + "\n" : position_text(answer));
  return answer[0] == "OK" ? good : failed;
}

int print_links(CommandLine& line) {
  auto host = connect(line.link);
  const auto links = ask(host, "DIAGnostic:LINKs?");
  if (line.json) return fmt::print("{}\n", Json(links).dump(2)), good;
  for (const auto& link : links) fmt::print("{}\n", link);
  return good;
}

int reopen(CommandLine& line) {
  auto host = connect(line.link);
  order(host, "DIAGnostic:LINKs:REOPen");
  for (const auto& link : ask(host, "DIAGnostic:LINKs?")) fmt::print("{}\n", link);
  return good;
}

int referenced(CommandLine& line) {
  auto host = connect(line.link);
  order(host, "DIAGnostic:POSition:REFerenced");
  fmt::print("{}", position_text(ask(host, "DIAGnostic:POSition?", 5)));
  return good;
}

int self_test(CommandLine& line) {
  auto host = connect(line.link);
  const SelfTest test = self_test_of(host);
  if (line.json) {
    fmt::print("{}\n", self_test_json(test).dump(2));
  } else {
    fmt::print("{}\n", self_test_text(test));
  }
  return test.failures.empty() ? good : failed;
}

}  // namespace

void add_device_commands(CommandLine& line) {
  auto degc = std::make_shared<std::optional<double>>();
  auto* cell = line.link_leaf(line.app, "temperature",
                              "the cell's temperature, or report it, which calibrations may demand",
                              [&line, degc] { return temperature(line, *degc); });
  cell->add_option("degc", *degc, "of now, in degC");
  auto* where =
      line.link_leaf(line.app, "position", "where the CMM says that the stage is; exit status 1: it does not",
                     [&line] { return position(line); });
  line.link_leaf(line.app, "referenced", "state that the machine was homed since its position was lost",
                 [&line] { return referenced(line); });
  auto* links =
      line.link_leaf(line.app, "links", "every link with its state", [&line] { return print_links(line); });
  line.link_leaf(line.app, "reopen", "open links that were refused, once the cause is removed",
                 [&line] { return reopen(line); });
  auto* test = line.link_leaf(line.app, "selftest", "check store, links, calibration and arithmetic now",
                              [&line] { return self_test(line); });
  for (auto* command : {cell, where, links, test}) line.add_json(*command);
}

}  // namespace datum
