// datumctl control: control of the cell by one host (SYSTem:LOCK).
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "daemon/ctl/command_line.h"
#include "daemon/ctl/dialogue.h"
#include "daemon/ctl/exit_status.h"

namespace datum {
namespace {

using Json = nlohmann::ordered_json;

int print_owner(CommandLine& line, ScpiClient& host) {
  const std::string owner = ask(host, "SYSTem:LOCK:OWNer?")[0], own = ask(host, "SYSTem:LOCK:NAME?")[0];
  if (line.json)
    fmt::print("{}\n", Json{{"owner", owner}, {"this_host", own}}.dump(2));
  else
    fmt::print("{}{}\n", owner == "NONE" ? "no host has control" : owner + " has control",
               owner == own ? ": this host" : "");
  return good;
}

/// Keeps the connection open, on which control of a TCP host depends.
void hold(ScpiClient& host) {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, number);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  fmt::print("until Ctrl-C\n");
  std::fflush(stdout);
  const timespec second{1, 0};
  while (sigtimedwait(&set, nullptr, &second) < 0)
    ask(host, "SYSTem:LOCK:OWNer?");  // throws on a lost connection
}

int take(CommandLine& line, bool by_force, bool held) {
  auto host = connect(line.link);
  if (by_force) {
    order(host, "SYSTem:LOCK:FORCe");
  } else if (ask(host, "SYSTem:LOCK:REQuest?")[0] != "1") {
    fmt::print(stderr, "datumctl: {} has control; `datumctl control force` takes it, which is logged\n",
               ask(host, "SYSTem:LOCK:OWNer?")[0]);
    return refused_command;
  }
  print_owner(line, host);
  if (held) hold(host);
  return good;
}

}  // namespace

void add_control_commands(CommandLine& line) {
  auto* all =
      line.app.add_subcommand("control", "which host commands the cell; the others read, and may abort");
  all->require_subcommand(1);
  auto held = std::make_shared<bool>(false);
  auto* owner = line.link_leaf(*all, "owner", "who has control", [&line] {
    auto host = connect(line.link);
    return print_owner(line, host);
  });
  auto* request =
      line.link_leaf(*all, "take", "ask for control", [&line, held] { return take(line, false, *held); });
  auto* force = line.link_leaf(*all, "force", "take control from its holder, which is logged",
                               [&line, held] { return take(line, true, *held); });
  for (auto* command : {request, force})
    command->add_flag("--hold", *held, "keep it until Ctrl-C: on TCP it lasts as long as the connection");
  auto* release =
      line.link_leaf(*all, "release", "give it back, on a serial line: it outlasts datumctl there", [&line] {
        auto host = connect(line.link);
        order(host, "SYSTem:LOCK:RELease");
        return print_owner(line, host);
      });
  for (auto* command : {owner, request, force, release}) line.add_json(*command);
}

}  // namespace datum
