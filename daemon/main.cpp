// datumd in order: arguments, log of version and features, configuration, devices, ready, event loop.
#include <fmt/format.h>
#include <signal.h>
#include <systemd/sd-daemon.h>

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <set>

#include "config/program_options.h"
#include "daemon/cell/cell.h"
#include "daemon/configuration/cell_warnings.h"
#include "daemon/configuration/daemon_config.h"
#include "daemon/controller/controller_watch.h"
#include "daemon/ending.h"
#include "daemon/fringe/load_sensor.h"
#include "daemon/gpu_worker/backend_choice.h"
#include "daemon/host_links.h"
#include "daemon/modbus/position_store.h"
#include "daemon/modbus/serial_link.h"
#include "daemon/modbus/tcp_server.h"
#include "daemon/parsers.h"
#include "daemon/pictures/page.h"
#include "daemon/single_shot.h"
#include "daemon/system/event_loop.h"
#include "daemon/system/inherited_sockets.h"
#include "daemon/system/log.h"
#include "daemon/system/memory.h"
#include "daemon/system/watchdog.h"
#include "daemon/telemetry.h"
#include "daemon/version/version.h"
#include "drivers/cmm/reader.h"
#include "drivers/ipp/ipp_reader.h"
#include "drivers/sensor/file_drop.h"
#include "drivers/sensor/genicam_source.h"
#include "drivers/sensor/gocator_source.h"
#include "gpu/core/progress.h"

namespace {

using namespace datum;

constexpr int exit_usage = 64;     // EX_USAGE (sysexits.h)
constexpr int exit_config = 78;    // EX_CONFIG (sysexits.h): systemd does not restart the service
constexpr int exit_software = 70;  // EX_SOFTWARE (sysexits.h)

std::int64_t utc_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

const std::map<std::string, BackendSettings::Kind> backend_kinds{{"auto", BackendSettings::Kind::automatic},
                                                                 {"cpu", BackendSettings::Kind::cpu},
                                                                 {"cuda", BackendSettings::Kind::cuda}};

/// Prints every problem. Returns 0 where there is none.
int check(const std::filesystem::path& config) {
  const ConfigCheck found = check_cell(config, utc_ns() / 1'000'000'000);
  for (const std::string& line : lines_of(found)) fmt::print(stderr, "{}\n", line);
  if (!found.problems.empty()) return exit_config;
  for (const std::string& fault : folder_faults(load_daemon_config(config)))
    fmt::print(stderr, "warning: {}: {}\n", config.string(), fault);
  fmt::print("{}: good\n", config.string());
  return 0;
}

std::unique_ptr<CmmSource> cmm_of(const CmmSettings& settings) {
  if (settings.layout == Layout::ipp_dme) return std::make_unique<IppReader>(settings);
  return std::make_unique<CmmReader>(settings);
}

std::unique_ptr<FrameSource> frames_of(const DaemonConfig& config, const SensorProfile& sensor,
                                       ResultStore& reader) {
  const auto already_measured = [&reader](const FrameIdentity& frame) {
    return reader.already_measured(frame.frame_id, frame.content_sha256).has_value();
  };
  if (config.gocator)
    return std::make_unique<GocatorSource>(*config.gocator, sensor, already_measured, EventLoop::now());
  if (config.genicam)
    return std::make_unique<GenicamSource>(*config.genicam, sensor, already_measured, EventLoop::now(),
                                           EventLoop::now);
  FileDropSettings drop = config.file_drop;
  drop.reader = sensor.reader;
  return std::make_unique<FileDrop>(drop, already_measured, EventLoop::now());
}

/// The tables of [host] whose socket the service manager may make.
std::set<std::string> listening_tables(const DaemonConfig& config) {
  std::set<std::string> tables;
  if (config.tcp) tables.insert("tcp");
  if (config.gocator_host) tables.insert("gocator");
  if (config.modbus_tcp) tables.insert("modbus_tcp");
  return tables;
}

/// Dependencies of the retention of files; their file systems must have room before a board is accepted.
FileRetentionDependencies kept_files(const DaemonConfig& config) {
  FileRetentionDependencies parts{config.retention,
                                  deliveries_folder(config),
                                  config.pictures.value_or(std::filesystem::path()),
                                  {{"the result store", config.store.parent_path()}},
                                  std::make_shared<FileSystemRoom>(),
                                  [] { return utc_ns() / 1'000'000'000; }};
  if (!parts.deliveries.empty()) parts.places.push_back({"the frames' folder", parts.deliveries});
  if (!parts.pictures.empty()) parts.places.push_back({"the pictures' folder", parts.pictures});
  return parts;
}

/// Reports the progress of a migration of the store, and extends the service manager's start timeout.
void tell_migration(std::uint64_t done, std::uint64_t of) {
  sd_notify(0, fmt::format("EXTEND_TIMEOUT_USEC=60000000\nSTATUS=brings the result store forward: {} of {}",
                           done, of)
                   .c_str());
}

BackendChoice backend_of(const DaemonConfig& config, const LogSink& to_journal) {
  BackendChoice backend =
      choose_backend(config.backend, Timeout::of_a_cell, [to_journal](bool fault, const std::string& text) {
        to_journal(fault ? 4 : 5, "backend: " + text,
                   {fault ? Event::backend_fault : Event::backend_back, {{"DATUM_REASON", text}}});
      });
  to_journal(6, "backend: " + backend.why);
  return backend;
}

SensorProfile sensor_of(const DaemonConfig& config, const BackendChoice& backend) {
  SensorProfile sensor = load_sensor(config.sensor_profile, backend.demodulator);
  sensor.most_pixels = std::uint64_t{1'000'000} * static_cast<unsigned>(config.file_drop.max_frame_mpix);
  if (config.fringe != sensor.fringe.has_value()) throw RefusedError(fringe_contradiction(config, sensor));
  return sensor;
}

/// Runs the loop until a signal ends it.
void turn(EventLoop& loop, InspectionCell& cell, Watchdog& watchdog, Ending& ending,
          const LogSink& to_journal) {
  std::string status;
  loop.after_each_round([&](MonotonicNs now) {
    cell.after_round(now);
    watchdog.feed(now);
    ending.after_round(now);
    const std::string line = "STATUS=" + cell.status_line();
    if (line != status) sd_notify(0, (status = line).c_str());
  });
  for (const std::string& link : cell.links()) to_journal(6, link);
  sd_notify(0, "READY=1");
  to_journal(6, "ready: " + cell.status_line(), {Event::ready});
  loop.run();
  sd_notify(0, "STOPPING=1");
  to_journal(6, "stopping: " + cell.status_line(), {Event::stopping});
}

ControllerWatch controller_of(const DaemonConfig& config, const LogSink& to_journal) {
  return ControllerWatch(
      controller_sampler(has_gpu_worker() && config.backend.kind != BackendSettings::Kind::cpu),
      [to_journal](bool warning, const std::string& text) { to_journal(warning ? 4 : 5, text); });
}

void open_metrics(std::optional<MetricsService>& service, MetricsDependencies dependencies, EventLoop& loop) {
  if (!dependencies.config.metrics) return;
  service.emplace(std::move(dependencies));
  loop.add(service->server());
}

void warn(const DaemonConfig& config, const LogSink& to_journal) {
  for (const std::string& warning : cell_warnings(config, utc_ns() / 1'000'000'000)) to_journal(4, warning);
  for (const std::string& fault : folder_faults(config)) to_journal(4, fault);
}

/// As the drop folder: a cell that is set up anew writes its first picture.
void make_pictures_folder(const DaemonConfig& config, const LogSink& to_journal) {
  std::error_code why;
  if (config.pictures) std::filesystem::create_directories(*config.pictures, why);
  if (why)
    to_journal(4, fmt::format("results.pictures_folder: {} cannot be made ({}); no picture is written",
                              config.pictures->string(), why.message()));
}

void start_cmm(CmmSource* cmm, EventLoop& loop, Ending& ending) {
  if (!cmm) return;
  cmm->start(EventLoop::now());
  loop.add(*cmm);
  ending.waits_for(*cmm);
}

int serve(const DaemonConfig& config) {
  InheritedSockets sockets(listening_tables(config));  // before a child process could inherit them
  keep_freed_memory();
  Telemetry telemetry(config.cell);
  const LogSink to_journal = telemetry.sink();
  stop_machine_first(config, to_journal);
  warn(config, to_journal);
  make_pictures_folder(config, to_journal);
  const BackendChoice backend = backend_of(config, to_journal);
  SensorProfile sensor = sensor_of(config, backend);
  const std::unique_ptr<IsolatedParsers> parsers = start_parsers(config, sensor.most_pixels, to_journal);
  sensor.parser = parsers->frames();
  sensor.reading.threads = cpu_backend(config.backend.threads).threads;
  sensor.reading.buffers = std::make_shared<FrameBuffers>();
  sensor.reading.early = backend.early;
  EventLoop loop;
  Ending ending(loop, to_journal);
  for (const int signal : {SIGTERM, SIGINT}) loop.on_signal(signal, [&] { ending.begin(EventLoop::now()); });
  std::function<void()> reload;
  loop.on_signal(SIGHUP, [&] {
    if (reload) reload();
  });

  const ControllerWatch controller = controller_of(config, to_journal);
  const std::filesystem::path positions = config.store.string() + ".modbus";
  const auto held = [&positions](const std::string& id) { return modbus::highest_position(positions, id); };
  ResultStore writer(config.store, {iso8601(utc_ns()), tell_migration, held});
  ResultStore reader = ResultStore::read_only(config.store);
  Retention retention(kept_files(config));
  // The worker submits to the storer, and this one to the checkpointer: each ends before the other.
  Worker drawer, checkpointer, storer, worker, loader, signer, uploader, watcher;
  const std::unique_ptr<FrameSource> frames = frames_of(config, sensor, reader);
  const std::unique_ptr<CmmSource> cmm = config.cmm ? cmm_of(*config.cmm) : nullptr;
  CellMetrics& metrics = telemetry.metrics();
  const ServiceSampler facts(places_of(config), EventLoop::now);
  InspectionCell cell(
      {config,
       sensor,
       backend,
       {loader, worker, storer, drawer, checkpointer},
       *frames,
       cmm.get(),
       writer,
       reader,
       utc_ns,
       to_journal,
       &controller,
       [&metrics](const BoardVerdict& verdict, const BoardTimes& times) { metrics.board(verdict, times); },
       [&facts] { return room_of(facts); },
       &retention,
       &parsers->texts(),
       &parsers->models(),
       &signer,
       &parsers->uploads(),
       &uploader,
       &parsers->codes(),
       &watcher});
  const auto hosts = open_hosts(config, cell, to_journal, sockets, loop);
  reload = [&] {
    cell.reload();
    reload_tls(config, hosts, to_journal);
  };
  ModbusHosts modbus;
  open_modbus(modbus, config, cell, to_journal, sockets, loop);
  const auto scanner = open_scanner(config, cell, to_journal, loop);
  if (writer.renewed()) cell.report_renewal(*writer.renewed());
  start_cmm(cmm.get(), loop, ending);
  const auto threads = {&loader, &worker, &storer,   &checkpointer,
                        &drawer, &signer, &uploader, &watcher};  // in this order they end
  for (Worker* thread : threads) loop.add(*thread);
  for (Pollable* link : frames->pollables()) loop.add(*link);
  loop.add(cell);

  const auto busy_since = [&] {
    return earliest({loader.busy_since(), worker.busy_since(), storer.busy_since(), drawer.busy_since()});
  };
  Watchdog watchdog({watchdog_period_ns(), busy_since, progress_marks, [] { sd_notify(0, "WATCHDOG=1"); }});
  std::optional<MetricsService> metrics_service;
  open_metrics(metrics_service,
               MetricsDependencies{config, telemetry, cell, backend, worker, controller, facts, retention,
                                   [&watchdog] { return watchdog.fed(); }},
               loop);
  turn(loop, cell, watchdog, ending, to_journal);
  for (Worker* thread : threads) thread->finish();
  cell.sign_at_end();
  return 0;
}

/// Parses three numbers, "X,Y,Z"; `what` names them in a refusal.
std::array<double, 3> three_of(const std::string& text, const std::string& option, const char* what) {
  std::array<double, 3> mm{};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t k = 0; k < 3; ++k) {
    const auto [next, error] = std::from_chars(at, end, mm[k]);
    const bool good =
        error == std::errc() && std::isfinite(mm[k]) && (k < 2 ? next < end && *next == ',' : next == end);
    if (!good) throw RefusedError(option + " '" + text + "' is not " + what);
    at = next + (k < 2);
  }
  return mm;
}

struct Arguments {
  std::filesystem::path config = "/etc/datumd/datumd.toml";
  SingleShotOptions once;
  std::string picture, calibration, head, backend = "cpu";
  std::vector<std::string> positions;
  bool check_only = false, modbus_map = false;
};

void add_options(ProgramOptions& app, Arguments& a) {
  app.version(code_id() + "\n" + features());
  app.add_option("--config", a.config, "configuration of the cell").show_default();
  app.add_flag("--check-config", a.check_only,
               "name every problem of the configuration and of what it names, then end");
  app.add_flag("--modbus-map", a.modbus_map, "print the Modbus registers as CSV, then end");
  const auto frame =
      app.add_option("--once", a.once.frames,
                     "measure this frame, or these snapshots of a part, print the verdict, then end");
  const auto position =
      app.add_option(
             "--position", a.positions,
             "with --once: X,Y,Z of the stage in mm, once for each frame; none: where it was calibrated")
          .needs(frame)
          .one_value();
  app.add_option(
         "--head", a.head,
         "with --position: A,B,C of the head in degrees, where its calibration was made at such a position")
      .needs(frame)
      .needs(position);
  app.add_option("--recipe", a.once.recipe, "with --once: recipe file").needs(frame);
  app.add_option("--sensor", a.once.sensor, "with --once: sensor profile").needs(frame);
  app.add_option("--calibration", a.calibration,
                 "with --once: calibration, for a recipe in machine coordinates")
      .needs(frame);
  app.add_option("--temperature", a.once.temperature_degc, "with --once: of the cell in degC").needs(frame);
  app.add_option("--picture", a.picture,
                 "with --once: write the board's pictures as .png, .svg or .pdf, by the name's ending")
      .needs(frame)
      .check(picture_name_fault);
  app.add_option("--unit", a.once.unit, "with --once: serial number of the board").needs(frame);
  app.add_option("--threads", a.once.backend.threads, "with --once: threads, 0 is one per core").needs(frame);
  app.add_option(
         "--backend", a.backend,
         "with --once: auto, cpu or cuda; the verdict is the same, and starting a GPU takes longer than "
         "measuring one board")
      .one_of({"auto", "cpu", "cuda"})
      .show_default("cpu")
      .needs(frame);
  app.add_flag("--json", a.once.json, "with --once: print the verdict as JSON").needs(frame);
}

int act(Arguments a) {
  if (a.check_only) return check(a.config);
  if (a.modbus_map) {
    fmt::print("{}", modbus::map_as_csv());
    return 0;
  }
  if (!a.once.frames.empty()) {
    if (a.once.recipe.empty() || a.once.sensor.empty())
      throw RefusedError("--once needs --recipe FILE and --sensor PROFILE");
    for (const std::string& text : a.positions)
      a.once.positions_mm.push_back(three_of(text, "--position", "X,Y,Z in mm"));
    if (!a.head.empty()) a.once.head_deg = three_of(a.head, "--head", "A,B,C in degrees");
    a.once.backend.kind = backend_kinds.at(a.backend);
    if (!a.picture.empty()) a.once.picture = a.picture;
    if (!a.calibration.empty()) a.once.calibration = a.calibration;
    return measure_single_shot(a.once, utc_ns());
  }
  log(Priority::info, "datumd {}, {}", code_id(), features());
  return serve(load_daemon_config(a.config));
}

int run(int argc, char** argv) {
  ProgramOptions app{"datumd: measures component heights on boards over their own floors"};
  Arguments arguments;
  add_options(app, arguments);
  if (const auto ended = app.read(argc, argv)) return *ended == 0 ? 0 : exit_usage;
  try {
    return act(arguments);
  } catch (const config::ConfigError& error) {
    return tell_refusal(error.what(), exit_config);
  } catch (const RefusedError& error) {
    return tell_refusal(error.what(), exit_config);
  } catch (const CalibrationError& error) {
    return tell_refusal(error.what(), exit_config);
  } catch (const std::exception& error) {
    log(Priority::error, "{}", error.what());
    return exit_software;
  }
}

}  // namespace

int main(int argc, char** argv) try {
  return run(argc, argv);
} catch (const std::exception& error) {  // an error of the command line, or of writing the log
  std::fprintf(stderr, "datumd: %s\n", error.what());
  return exit_software;
}
