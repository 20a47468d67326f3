// datumctl: the operator's command line. Results come from the store, all other data over the command protocol.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "config/toml_reader.h"
#include "daemon/ctl/command_line.h"
#include "daemon/ctl/connection_advice.h"
#include "daemon/ctl/dialogue.h"
#include "daemon/ctl/exit_status.h"
#include "daemon/ctl/terminal_text.h"
#include "daemon/store/result_store.h"

namespace {

void say(const std::string& lines) {
  for (std::size_t from = 0, to = 0; from < lines.size(); from = to + 1) {
    to = std::min(lines.find('\n', from), lines.size());
    fmt::print(stderr, "datumctl: {}\n", lines.substr(from, to - from));
  }
}

}  // namespace

int main(int argc, char** argv) {
  using namespace datum;
  guard_terminal(stdout, STDOUT_FILENO);
  guard_terminal(stderr, STDERR_FILENO);
  CommandLine line;
  try {
    return line.run(argc, argv);
  } catch (const StoreError& e) {
    say(e.what());
    if (line.takes("--tcp")) say("--tcp or --serial asks the daemon for results instead of the store");
    return no_store;
  } catch (const config::ConfigError& e) {
    say(e.what());
    if (line.takes("--store"))
      say("--store FILE reads a store without a configuration");
    else if (line.takes("--config"))
      say("--config FILE names the configuration, where it is not in /etc/datumd");
    return no_store;
  } catch (const RefusedCommand& e) {
    fmt::print(stderr, "datumctl: refused: {}\n", e.what());
    return refused_command;
  } catch (const std::exception& e) {
    say(e.what());
    say(advice(line.link));
    return no_connection;
  }
}
