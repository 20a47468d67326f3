// datumd-plant: sends what the store holds to the plant's broker. It can read the store, and change nothing.
#include <fmt/format.h>
#include <signal.h>
#include <systemd/sd-daemon.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>

#include "config/program_options.h"
#include "config/utc_time.h"
#include "daemon/configuration/daemon_config.h"
#include "daemon/plant/broker_access.h"
#include "daemon/plant/plant_link.h"
#include "daemon/plant/plant_resend.h"
#include "daemon/system/durable_file.h"
#include "daemon/system/event_loop.h"

namespace {

using namespace datum;
namespace fs = std::filesystem;

constexpr int exit_config = 78;  // EX_CONFIG (sysexits.h): systemd does not restart the service

struct Arguments {
  std::string config = "/etc/datumd/datumd.toml";
  std::string state = std::getenv("STATE_DIRECTORY") ? std::getenv("STATE_DIRECTORY") : "";
  std::uint64_t resend_from = 0;
};

PlantPosition position_in(const fs::path& file) {
  std::ifstream in(file);
  if (!in && !fs::exists(file)) return {};
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  try {
    return read_position(text);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(fmt::format("{} {}", file.string(), error.what()));
  }
}

int send(const Arguments& a) {
  const DaemonConfig config = load_daemon_config(a.config);
  if (!config.plant) throw std::invalid_argument(a.config + " has no table [plant]");
  if (a.state.empty())
    throw std::invalid_argument("no folder for what was accepted: --state FOLDER, or StateDirectory=");
  if (a.resend_from != 0) {
    ask_to_resend(a.state, a.resend_from);
    return 0;
  }
  const fs::path file = fs::path(a.state) / "position.json";
  if (const auto link = asked_to_resend(a.state)) {
    write_file_durably(file, to_text(position_before(config.store, *link)));
    forget_resend(a.state);
  }
  PlantLinkActions actions;
  actions.access = [&] {
    return broker_access(*config.plant, config.plant->handle, "plant",
                         [] { return std::int64_t{std::time(nullptr)}; });
  };
  actions.access();  // a file that can't be used ends the start, not only a connection
  actions.keep = [&](const PlantPosition& position) { write_file_durably(file, to_text(position)); };
  actions.log = [](int level, const std::string& text) {
    fmt::print(stderr, "<{}>datumd-plant: {}\n", level, text);
  };
  actions.utc = [] { return iso8601_from_utc(std::time(nullptr)); };
  actions.status = [](const std::string& text) { sd_notify(0, ("STATUS=" + text).c_str()); };
  const PlantPosition from = position_in(file);
  EventLoop loop;
  PlantLink link(config.store, *config.plant, from, actions);
  loop.add(link);
  for (const int signal : {SIGTERM, SIGINT}) loop.on_signal(signal, [&] { link.end(EventLoop::now()); });
  loop.after_each_round([&](MonotonicNs) {
    if (link.has_ended()) loop.stop();
  });
  fmt::print(stderr, "<6>datumd-plant: {} to {} as {}, behind entry {}\n", config.store.string(),
             config.plant->url, config.plant->handle, from.place.link);
  sd_notify(0, "READY=1");
  loop.run();
  loop.remove(link);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  ProgramOptions app{"datumd-plant: sends datumd's results to the plant's broker (IPC-CFX over AMQP 1.0)"};
  Arguments a;
  app.add_option("--config", a.config, "configuration of the daemon: store and [plant]").show_default();
  app.add_option("--state", a.state,
                 "folder for what was accepted (default: STATE_DIRECTORY of the service)");
  app.add_option("--resend-from", a.resend_from,
                 "the next start of the datumd-plant that has this folder sends entries from this number on "
                 "again; ends at once")
      .positive();
  if (const auto ended = app.read(argc, argv)) return *ended == 0 ? 0 : 64;  // EX_USAGE
  try {
    return send(a);
  } catch (const config::ConfigError& error) {
    fmt::print(stderr, "<3>datumd-plant: {}\n", error.what());
    return exit_config;
  } catch (const std::invalid_argument& error) {
    fmt::print(stderr, "<3>datumd-plant: {}\n", error.what());
    return exit_config;
  } catch (const RefusedError& error) {
    fmt::print(stderr, "<3>datumd-plant: {}\n", error.what());
    return exit_config;
  } catch (const std::exception& error) {
    fmt::print(stderr, "<3>datumd-plant: {}\n", error.what());
    return 1;
  }
}
