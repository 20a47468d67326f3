// datumd-collect: takes the entries of all cells from the plant's broker, and writes them into PostgreSQL.
#include <fmt/format.h>
#include <signal.h>
#include <systemd/sd-daemon.h>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <exception>
#include <optional>

#include "config/program_options.h"
#include "config/toml_reader.h"
#include "daemon/collect/collector.h"
#include "daemon/collect/committed_queue.h"
#include "daemon/collect/database.h"
#include "daemon/collect/plant_report.h"
#include "daemon/collect/write_thread.h"
#include "daemon/plant/broker_access.h"
#include "daemon/system/event_loop.h"
#include "drivers/link_error.h"

namespace {

using namespace datum;

constexpr int exit_config = 78;  // EX_CONFIG (sysexits.h): systemd does not restart the service

struct Arguments {
  std::string config = "/etc/datumd/collect.toml";
  bool check = false, report = false;
};

std::int64_t now_us() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

void log(int level, const std::string& text) { fmt::print(stderr, "<{}>datumd-collect: {}\n", level, text); }

BrokerAccess access_of(const CollectSettings& settings) {
  return broker_access(settings.broker, "datumd-collect", "broker",
                       [] { return std::int64_t{std::time(nullptr)}; });
}

/// Throws RefusedError: a file that can't be used ends the start, not only a connection.
void check_files(const CollectSettings& settings) {
  access_of(settings);
  connection_string(settings.database);
}

int collect(const CollectSettings& settings) {
  check_files(settings);
  EventLoop loop;
  std::optional<WriteThread> writer;
  CollectorActions actions;
  actions.access = [&] { return access_of(settings); };
  actions.write = [&](std::uint64_t number, Delivered message) { writer->add(number, std::move(message)); };
  actions.end_writer = [&] { writer->end(); };
  actions.writer_has_ended = [&] { return writer->has_ended(); };
  actions.log = log;
  actions.now_us = now_us;
  Collector collector(settings, actions);
  CommittedQueue committed([&](const auto& numbers, MonotonicNs now) { collector.committed(numbers, now); });
  for (const int signal : {SIGTERM, SIGINT}) loop.on_signal(signal, [&] { collector.end(EventLoop::now()); });
  writer.emplace(settings,  // behind the signals, which are the loop's alone
                 WriteThreadActions{[&](const auto& numbers) { committed.add(numbers); }, log, now_us});
  loop.add(committed);
  loop.add(collector);
  loop.after_each_round([&](MonotonicNs) {
    if (collector.has_ended()) loop.stop();
  });
  sd_notify(0, "READY=1");
  loop.run();
  loop.remove(collector);
  loop.remove(committed);
  const std::exception_ptr failure = writer->failure();
  writer.reset();  // before what it speaks to
  if (failure) std::rethrow_exception(failure);
  return 0;
}

int run(const Arguments& a) {
  const CollectSettings settings = load_collect_settings(a.config);
  if (a.check) {
    check_files(settings);
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
  ProgramOptions app{"datumd-collect: the entries of all cells from the plant's broker into PostgreSQL"};
  Arguments a;
  app.add_option("--config", a.config, "configuration (config/collect.toml explains each key)")
      .show_default();
  app.add_flag("--check-config", a.check, "read the configuration and the files that it names, and end");
  app.add_flag("--report", a.report,
               "print lag, missing entries and alarms of the database, and end; exit status 1: something is "
               "missing, or there is an alarm");
  if (const auto ended = app.read(argc, argv)) return *ended == 0 ? 0 : 64;  // EX_USAGE
  try {
    return run(a);
  } catch (const config::ConfigError& error) {
    fmt::print(stderr, "<3>datumd-collect: {}\n", error.what());
    return exit_config;
  } catch (const RefusedError& error) {
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
