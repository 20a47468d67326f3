// datumctl listen: raw lines of a CMM, DRO or gantry, their readings by a preset, and the presets that can read them.
#include <fmt/format.h>
#include <poll.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "config/toml_reader.h"
#include "daemon/ctl/command_line.h"
#include "daemon/ctl/exit_status.h"
#include "daemon/ctl/line_capture.h"
#include "daemon/ctl/monotonic_clock.h"
#include "drivers/cmm/presets.h"
#include "drivers/cmm/reader.h"
#include "drivers/cmm/settings.h"

namespace datum {
namespace {

using Json = nlohmann::ordered_json;

struct ListenOptions {
  std::string port, preset, config;
  std::optional<int> baud;
  int data_bits = 8, stop_bits = 1;
  std::string parity = "none";
  double seconds = 10;
  std::size_t lines = 20;
  bool silent = false;
};

volatile std::sig_atomic_t interrupted = 0;

/// Passes on all bytes that are read through it.
class TappedPort final : public Port {
 public:
  TappedPort(std::unique_ptr<Port> port, LineCapture& hearing) : port_(std::move(port)), hearing_(hearing) {}
  void open() override { port_->open(); }
  void close() noexcept override { port_->close(); }
  bool is_open() const override { return port_->is_open(); }
  bool connected() const override { return port_->connected(); }
  int fd() const override { return port_->fd(); }
  std::size_t read(std::uint8_t* to, std::size_t room) override {
    const std::size_t got = port_->read(to, room);
    if (got > 0) hearing_.receive({reinterpret_cast<const char*>(to), got}, now_ns());
    return got;
  }
  std::size_t write(const std::uint8_t* from, std::size_t size) override { return port_->write(from, size); }
  std::string describe() const override { return port_->describe(); }

 private:
  std::unique_ptr<Port> port_;
  LineCapture& hearing_;
};

/// The settings to apply: a preset, or [cmm] of a configuration file. Its links stay unchanged.
std::optional<CmmSettings> chosen_of(const ListenOptions& o) {
  if (!o.preset.empty()) {
    CmmSettings settings = preset_by_name(o.preset);
    if (settings.layout == Layout::ipp_dme)
      throw RefusedError("listen: I++ DME is a session, not a line to listen to");
    return settings;
  }
  if (o.config.empty()) return std::nullopt;
  auto file = config::TomlTable::from_file(o.config);
  CmmSettings settings = config::read_cmm(file.table("cmm"));
  if (settings.layout == Layout::ipp_dme)
    throw RefusedError("listen: I++ DME is a session, not a line to listen to");
  return settings;
}

std::unique_ptr<Port> port_of(const ListenOptions& o, const std::optional<CmmSettings>& chosen) {
  const auto colon = o.port.rfind(':');
  if (o.port.find('/') == std::string::npos && colon != std::string::npos) {
    LinkOptions link;
    link.tcp = o.port;
    return port_of(link);
  }
  const auto* known = chosen ? std::get_if<SerialSettings>(&chosen->link) : nullptr;
  SerialSettings line = known ? *known : SerialSettings{};
  line.path = o.port;
  if (!known) {
    if (!o.baud) throw RefusedError("listen: state --baud of " + o.port + ", or a --preset that has it");
    line.data_bits = o.data_bits;
    line.stop_bits = o.stop_bits;
    line.parity = o.parity == "even" ? Parity::even : o.parity == "odd" ? Parity::odd : Parity::none;
  }
  if (o.baud) line.baud = *o.baud;
  return serial_port(line);
}

/// The settings that the reader needs to open the link and, where the device is polled, to poll it.
CmmSettings asking(const std::optional<CmmSettings>& chosen, bool silent) {
  CmmSettings settings = chosen ? LineTrial(*chosen).settings() : grbl_1_1();
  if (!silent && chosen) return settings;
  settings.poll = {};
  return settings;
}

void show(LineCapture& hearing, MonotonicNs origin_ns, bool json, Json& kept) {
  for (const CapturedLine& line : hearing.take()) {
    if (json)
      kept.push_back(heard_json(line, hearing, origin_ns));
    else
      fmt::print("{}", heard_text(line, hearing, origin_ns));
  }
  std::fflush(stdout);
}

/// Captures until enough lines came, the time is over, or the operator interrupts. False: the link never opened.
bool hear(const ListenOptions& o, CmmReader& reader, LineCapture& hearing,
          const std::function<void()>& tell) {
  const MonotonicNs end = now_ns() + static_cast<MonotonicNs>(o.seconds * 1e9);
  reader.start(now_ns());
  while (interrupted == 0 && hearing.lines() < o.lines && now_ns() < end) {
    constexpr MonotonicNs tick_ns = 20 * ns_per_ms;  // resolution of pauses
    const MonotonicNs wake = std::min({end, now_ns() + tick_ns, reader.deadline().value_or(end)});
    pollfd entry{reader.fd(), static_cast<short>(POLLIN | (reader.wants_write() ? POLLOUT : 0)), 0};
    ::poll(&entry, 1, static_cast<int>(std::max<MonotonicNs>((wake - now_ns()) / ns_per_ms + 1, 0)));
    if (reader.fd() >= 0 && entry.revents != 0) reader.on_ready(now_ns());
    if (reader.deadline() && *reader.deadline() <= now_ns()) reader.on_deadline(now_ns());
    if (reader.refused()) return false;
    hearing.pause(now_ns());
    tell();
  }
  hearing.end(now_ns());
  tell();
  return hearing.bytes() > 0 || reader.fd() >= 0;
}

int listen(CommandLine& line, const ListenOptions& o) {
  const std::optional<CmmSettings> chosen = chosen_of(o);
  LineCapture hearing(chosen);
  CmmReader reader(asking(chosen, o.silent), std::make_unique<TappedPort>(port_of(o, chosen), hearing));
  std::signal(SIGINT, [](int) { interrupted = 1; });
  const MonotonicNs origin_ns = now_ns();
  Json lines = Json::array();
  const bool opened = hear(o, reader, hearing, [&] { show(hearing, origin_ns, line.json, lines); });
  if (!opened) {
    fmt::print(stderr, "datumctl: {}\n", reader.latest(now_ns()).detail);
    return no_connection;
  }
  if (line.json) {
    Json all{{"port", o.port}, {"heard", lines}};
    all.update(summary_json(hearing));
    fmt::print("{}\n", all.dump(2));
  } else {
    fmt::print("\n{}", summary_text(hearing));
  }
  return hearing.understood() ? good : failed;
}

int guarded_listen(CommandLine& line, const ListenOptions& o) {
  try {
    return listen(line, o);
  } catch (const RefusedError& error) {
    fmt::print(stderr, "datumctl: {}\n", error.what());
    return usage;
  }
}

}  // namespace

void add_listen_command(CommandLine& line) {
  auto o = std::make_shared<ListenOptions>();
  auto* command = line.leaf(line.app, "listen",
                            "raw lines of a CMM or DRO, how a preset reads them, which presets would; exit "
                            "status 1: no position. The daemon must not hold the port",
                            [&line, o] { return guarded_listen(line, *o); });
  line.offer(command->add_option("port", o->port, "serial line, or HOST:PORT")->required(),
             Offer::serial_lines);
  auto* preset = command->add_option("--preset", o->preset, "the device's; it is polled as the preset does")
                     ->check(CLI::IsMember(line_preset_names()));
  line.offer(command->add_option("--config", o->config, "file of datumd whose [cmm] to judge by")
                 ->excludes(preset)
                 ->check(CLI::ExistingFile),
             Offer::files);
  command->add_option("--baud", o->baud, "of a serial line; the preset's")->check(CLI::Range(50, 4'000'000));
  command->add_option("--data-bits", o->data_bits, "without preset")
      ->check(CLI::Range(7, 8))
      ->capture_default_str();
  command->add_option("--parity", o->parity, "without preset")
      ->check(CLI::IsMember({"none", "even", "odd"}))
      ->capture_default_str();
  command->add_option("--stop-bits", o->stop_bits, "without preset")
      ->check(CLI::Range(1, 2))
      ->capture_default_str();
  command->add_option("--seconds", o->seconds, "how long")
      ->check(CLI::Range(0.1, 3600.0))
      ->capture_default_str();
  command->add_option("--lines", o->lines, "how many at most")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  command->add_flag("--silent", o->silent, "send nothing, not even the preset's polls");
  line.add_json(*command);
}

}  // namespace datum
