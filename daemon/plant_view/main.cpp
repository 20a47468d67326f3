// datumd-plant-view: pages of the plant's database for a browser. It can change nothing.
#include <fmt/format.h>
#include <signal.h>
#include <systemd/sd-daemon.h>

#include <cstdio>
#include <ctime>

#include "config/program_options.h"
#include "config/toml_reader.h"
#include "daemon/plant_view/plant_pages.h"
#include "daemon/plant_view/plant_view_settings.h"
#include "drivers/link_error.h"

namespace {

using namespace datum;

constexpr int exit_config = 78;  // EX_CONFIG (sysexits.h): systemd does not restart the service
constexpr timespec round_pause{1, 0};

struct Arguments {
  std::string config = "/etc/datumd/plant-view.toml";
  bool check = false;
};

void log(int level, const std::string& text) {
  fmt::print(stderr, "<{}>datumd-plant-view: {}\n", level, text);
}

/// Throws PlantUnfit; a database that is away is no reason not to start.
void look_at(PlantDatabase& database) {
  try {
    database.read([](PlantDatabase&) {});
  } catch (const PlantAway& error) {
    log(4, fmt::format("the database is away: {}", error.what()));
  }
}

int serve(const PlantViewSettings& settings) {
  sigset_t ending;
  sigemptyset(&ending);
  for (const int signal : {SIGTERM, SIGINT}) sigaddset(&ending, signal);
  pthread_sigmask(SIG_BLOCK, &ending, nullptr);  // before the server's thread
  PlantDatabase database(settings.database, settings.page_limit);
  look_at(database);
  PlantPages pages(database, {settings.shift_minutes, [] { return std::int64_t{std::time(nullptr)}; }});
  ViewServer server(settings.listen, settings.names,
                    [&](const PageRequest& request) { return pages.answer(request); });
  const std::string& address = settings.listen.address;
  log(6, fmt::format("http://{}:{}/ shows {} of {}",
                     address.find(':') == address.npos ? address : "[" + address + "]", server.port(),
                     settings.database.name, settings.database.host));
  if (!is_loopback(settings.listen))
    log(4, address + " is not loopback: everybody who reaches it sees all results; there is no password");
  sd_notify(0, "READY=1");
  while (sigtimedwait(&ending, nullptr, &round_pause) <= 0) server.end_slow();
  return 0;
}

int run(const Arguments& a) {
  const PlantViewSettings settings = load_plant_view_settings(a.config);
  connection_string(settings.database);  // a file with a secret that can't be used ends the start
  if (!a.check) return serve(settings);
  fmt::print("{}: good\n", a.config);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  ProgramOptions app{"datumd-plant-view: pages of the plant's database for a browser; it can change nothing"};
  Arguments a;
  app.add_option("--config", a.config, "configuration (config/plant-view.toml explains each key)")
      .show_default();
  app.add_flag("--check-config", a.check, "read the configuration, and end");
  if (const auto ended = app.read(argc, argv)) return *ended == 0 ? 0 : 64;  // EX_USAGE
  try {
    return run(a);
  } catch (const config::ConfigError& error) {
    log(3, error.what());
    return exit_config;
  } catch (const RefusedError& error) {
    log(3, error.what());
    return exit_config;
  } catch (const PlantUnfit& error) {
    log(3, std::string("the database: ") + error.what());
    return exit_config;
  } catch (const std::exception& error) {
    log(3, error.what());
    return 70;  // EX_SOFTWARE
  }
}
