// datumd-collect: takes the entries of all cells from the plant's broker, and writes them into PostgreSQL.
#include <fmt/format.h>
#include <signal.h>
#include <systemd/sd-daemon.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>

#include "config/toml_reader.h"
#include "daemon/collect/collector.h"
#include "daemon/collect/database.h"
#include "daemon/collect/plant_report.h"

namespace {

using namespace datum;

constexpr int exit_config = 78;  // EX_CONFIG (sysexits.h): systemd does not restart the service

struct Arguments {
  std::string config = "/etc/datumd/collect.toml";
  bool check = false, report = false;
};

int collect(const CollectSettings& settings) {
  sigset_t ending;
  sigemptyset(&ending);
  for (const int signal : {SIGTERM, SIGINT}) sigaddset(&ending, signal);
  pthread_sigmask(SIG_BLOCK, &ending, nullptr);  // before the other thread
  CollectorActions actions;
  actions.log = [](int level, const std::string& text) {
    fmt::print(stderr, "<{}>datumd-collect: {}\n", level, text);
  };
  actions.ending = [&] {
    constexpr timespec at_once{0, 0};
    return sigtimedwait(&ending, nullptr, &at_once) > 0;
  };
  actions.now_us = [] {
    return std::chrono::duration_cast<std::chrono::microseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
  };
  Collector collector(settings, actions);
  sd_notify(0, "READY=1");
  collector.run();
  return 0;
}

int run(const Arguments& a) {
  const CollectSettings settings = load_collect_settings(a.config);
  if (a.check) {
    fmt::print("{}: good\n", a.config);
    return 0;
  }
  if (!a.report) return collect(settings);
  const PlantReport report = plant_report(connection_string(settings.database));
  fmt::print("{}", report.text);
  return report.is_whole ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"datumd-collect: the entries of all cells from the plant's broker into PostgreSQL"};
  Arguments a;
  app.add_option("--config", a.config, "configuration (config/collect.toml explains each key)")
      ->capture_default_str();
  app.add_flag("--check-config", a.check, "read the configuration, and end");
  app.add_flag("--report", a.report,
               "print lag, missing entries and alarms of the database, and end; exit status 1: something is "
               "missing, or there is an alarm");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 64;  // EX_USAGE
  }
  try {
    return run(a);
  } catch (const config::ConfigError& error) {
    fmt::print(stderr, "<3>datumd-collect: {}\n", error.what());
    return exit_config;
  } catch (const DatabaseUnfit& error) {
    fmt::print(stderr, "<3>datumd-collect: the database: {}\n", error.what());
    return exit_config;
  } catch (const std::exception& error) {
    fmt::print(stderr, "<3>datumd-collect: {}\n", error.what());
    return 2;
  }
}
