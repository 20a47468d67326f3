// virtual-cmm: a virtual coordinate measuring machine on a pseudo-terminal or a TCP port.
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <Eigen/LU>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <list>
#include <optional>
#include <sstream>

#include "calib/calibration.h"
#include "config/program_options.h"
#include "drivers/port/tcp_listener.h"
#include "tests/virtual_cell/virtual_cmm_device.h"
#include "tests/virtual_cell/virtual_cmm_line.h"
#include "tests/virtual_cell/virtual_mount.h"
#include "tests/virtual_cell/virtual_program.h"

namespace {

using namespace datum;
using Clock = std::chrono::steady_clock;

struct Options {
  VirtualCmmSettings device;
  std::string link, script, control, artefact, mount, axes;
  int listen = -1;
  int period_ms = 200;
  std::uint64_t unplug_after = 0;
  int replug_ms = 1000;
  bool banner = false;
  std::optional<double> plate_top_mm;
  double tip_radius_mm = 1;
  std::vector<std::string> bores;
};

void add_options(ProgramOptions& app, Options& o, std::vector<double>& position, std::vector<double>& drift) {
  app.add_option("--preset", o.device.preset, fmt::format("{}", fmt::join(virtual_cmm_presets(), ", ")))
      .show_default();
  app.add_option("--link", o.link, "symbolic link to keep pointing at the pseudo-terminal");
  app.add_option("--listen", o.listen, "TCP port on 127.0.0.1 instead of a pseudo-terminal; 0: a free one")
      .in_range(0, 65535);
  app.add_option("--position", position, "X,Y,Z in mm").delimiter(',').expected(3);
  app.add_option("--script", o.script, "file with a line \"X Y Z\" in mm for each answer; the last one stays")
      .existing_file();
  app.add_option("--control", o.control,
                 "FIFO (made if absent) of lines \"move X Y Z\", \"touch X Y Z\" in mm, \"touch LP 3/12\", "
                 "\"turn A\" in degrees");
  const auto artefact =
      app.add_option("--artefact", o.artefact, "drawing of the artefact on the machine").existing_file();
  app.add_option("--mount", o.mount, "where that artefact truly stands, and the probe")
      .existing_file()
      .needs(artefact);
  app.add_option("--axes", o.axes,
                 "calibration whose [stage] says how the axes truly lie, so what they read at a touch of the "
                 "artefact")
      .existing_file()
      .needs(artefact);
  app.add_option("--head", o.device.head_deg, "GRBL with a rotary head: its angles in degrees, one to three")
      .delimiter(',')
      .expected(1, 3);
  app.add_option("--drift-um", drift, "X,Y,Z in um added with each answer").delimiter(',').expected(3);
  app.add_option("--noise-um", o.device.noise_um, "uniform noise of up to this much in each axis")
      .not_negative();
  app.add_option("--seed", o.device.seed, "of noise and garbage").show_default();
  app.add_option("--period-ms", o.period_ms, "of a free-running device").in_range(10, 60'000);
  app.add_flag("--banner", o.banner, "send what the device sends at power-on (GRBL: position lost)");
  app.add_option(
      "--plate-top", o.plate_top_mm,
      "GRBL with a touch probe that moves itself, above a plate whose upper side has this z in mm");
  app.add_option("--bore", o.bores, "X,Y,RADIUS in mm of a bore through the plate; one per option");
  app.add_option("--tip-radius", o.tip_radius_mm, "of the probe, mm").positive();
  VirtualCmmFaults& f = o.device.faults;
  app.add_option("--after", f.after, "good answers before the faults below begin");
  app.add_flag("--stale", f.stale, "stop answering");
  app.add_flag("--partial", f.partial, "leave the last axis out");
  app.add_flag("--error", f.error, "answer with the device's own mark of an error");
  app.add_option("--garbage", f.garbage, "random bytes before each answer").in_range(0, 4096);
  app.add_option("--unplug-after", o.unplug_after, "hang up after so many answers, once; 0: never");
  app.add_option("--replug-ms", o.replug_ms, "time until it comes back").in_range(0, 600'000);
}

std::vector<std::array<double, 3>> read_script(const std::string& file) {
  std::vector<std::array<double, 3>> positions;
  std::ifstream in(file);
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.empty() || line[0] == '#') continue;
    std::array<double, 3> p{};
    char rest = 0;
    if (std::sscanf(line.c_str(), "%lf %lf %lf %c", &p[0], &p[1], &p[2], &rest) != 3)
      throw std::invalid_argument(fmt::format("{}:{}: '{}' is not \"X Y Z\" in mm", file, number, line));
    positions.push_back(p);
  }
  if (positions.empty()) throw std::invalid_argument(file + ": no position; allowed: lines \"X Y Z\" in mm");
  return positions;
}

VirtualPlate plate_of(const Options& o) {
  VirtualPlate plate;
  plate.top_mm = *o.plate_top_mm;
  for (const std::string& text : o.bores) {
    VirtualBore bore;
    char rest = 0;
    if (std::sscanf(text.c_str(), "%lf,%lf,%lf%c", &bore.x_mm, &bore.y_mm, &bore.radius_mm, &rest) != 3)
      throw std::invalid_argument("--bore " + text + ": allowed: X,Y,RADIUS in mm");
    plate.bores.push_back(bore);
  }
  return plate;
}

MonotonicNs now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch()).count();
}

class VirtualCmm {
 public:
  explicit VirtualCmm(const Options& options)
      : options_(options), device_(options.device), line_(options.link), next_(Clock::now()) {
    if (!options_.axes.empty()) axes_ = load_calibration(options_.axes).stage.a;
    if (!options_.control.empty() && !options_.mount.empty())
      mount_ = load_mount(options_.artefact, options_.mount);
    if (options_.plate_top_mm)
      device_.moves_itself(
          {plate_of(options_), options_.tip_radius_mm, options_.device.positions_mm.front()});
    if (options_.listen < 0) {
      plug_in();
      return;
    }
    const auto take = [this](std::unique_ptr<Port> link, const std::string&, MonotonicNs) {
      accept(std::move(link));
    };
    listener_ = std::make_unique<TcpListener>("127.0.0.1", static_cast<std::uint16_t>(options_.listen), take);
    say(fmt::format("127.0.0.1:{}", listener_->port()));
  }

  void run() {
    for (;;) {
      std::vector<pollfd> watched{{signals_, POLLIN, 0}, {orders_.fd(), POLLIN, 0}};
      if (line_.plugged()) watched.push_back({line_.fd(), POLLIN, 0});
      if (listener_) watched.push_back({listener_->fd(), POLLIN, 0});
      for (const auto& link : links_) watched.push_back({link->fd(), POLLIN, 0});
      auto wait = std::chrono::ceil<std::chrono::milliseconds>(next_ - Clock::now()).count();
      if (const auto due = device_.deadline()) wait = std::min<long>(wait, (*due - now_ns()) / 1'000'000 + 1);
      if (poll(watched.data(), watched.size(), static_cast<int>(std::max<long>(0, wait))) < 0 &&
          errno != EINTR)
        return;
      if (watched[0].revents != 0) return;
      device_.at(now_ns());
      send(device_.advance_motion());
      if (listener_) listener_->on_ready(0);
      orders_.serve([this](const std::string& line) { obey(line); });
      serve_line();
      links_.remove_if([this](auto& link) { return !serve(*link); });
      if (Clock::now() >= next_) tick();
    }
  }

 private:
  void say(const std::string& where) const {
    datum::say("virtual-cmm", options_.device.preset + " on " + where);
  }
  void plug_in() {
    line_.plug_in();
    say(line_.path());
    if (options_.banner) send(device_.banner());
  }
  void accept(std::unique_ptr<Port> link) {
    links_.push_back(std::move(link));
    if (options_.banner) send(device_.banner());
  }

  // A peer that does not read loses the rest, as on a real line.
  void send(const std::string& bytes) {
    if (bytes.empty()) return;
    if (line_.plugged() && write(line_.fd(), bytes.data(), bytes.size()) < 0 && errno != EAGAIN)
      throw std::system_error(errno, std::generic_category(), line_.path());
    for (const auto& link : links_) {
      try {
        link->write(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
      } catch (const LostError&) {
        link->close();
      }
    }
    unplug_when_due();
  }
  void unplug_when_due() {
    if (options_.unplug_after == 0 || device_.answers() < options_.unplug_after) return;
    options_.unplug_after = 0;
    line_.unplug();
    for (const auto& link : links_) link->close();
    next_ = Clock::now() + std::chrono::milliseconds(options_.replug_ms);
  }
  void obey(const std::string& line) {
    if (std::string sends; device_.motion_order(line, sends)) {
      send(sends);
      return datum::say("virtual-cmm", "done: " + line);
    }
    if (line.starts_with("turn ")) return turn(line);
    VirtualOrder order = order_of(line, mount_ ? &*mount_ : nullptr);
    if (order.touch) {  // the artefact's places are true, the scales are not
      Eigen::Map<Eigen::Vector3d> p(order.position_mm.data());
      p = axes_.inverse() * Eigen::Vector3d(p);
    }
    if (order.touch)
      send(device_.touch(order.position_mm));
    else
      device_.move(order.position_mm);
    const auto& p = order.position_mm;
    datum::say("virtual-cmm",
               fmt::format("{} {:.4f} {:.4f} {:.4f}", order.touch ? "touched" : "at", p[0], p[1], p[2]));
  }
  /// "turn 90", "turn 0 15": of each axis of the head.
  void turn(const std::string& line) {
    std::vector<double> head_deg(options_.device.head_deg.size());
    std::istringstream words(line.substr(5));
    for (double& deg : head_deg) words >> deg;
    if (head_deg.empty() || !words)
      throw std::invalid_argument(fmt::format("'{}'; an angle for each that --head has", line));
    device_.turn(head_deg);
    datum::say("virtual-cmm", fmt::format("turned {}", fmt::join(head_deg, " ")));
  }
  void serve_line() {
    char bytes[256];
    while (line_.plugged()) {
      const ssize_t got = read(line_.fd(), bytes, sizeof bytes);
      if (got <= 0) return;
      send(device_.receive(std::string(bytes, static_cast<std::size_t>(got))));
    }
  }
  bool serve(Port& link) {
    try {
      std::uint8_t bytes[256];
      while (const std::size_t got = link.read(bytes, sizeof bytes))
        send(device_.receive(std::string(reinterpret_cast<const char*>(bytes), got)));
      return true;
    } catch (const LostError&) {
      return false;
    }
  }
  void tick() {
    next_ = Clock::now() + std::chrono::milliseconds(options_.period_ms);
    if (!listener_ && !line_.plugged()) return plug_in();
    send(device_.stream());
  }

  Options options_;
  VirtualCmmDevice device_;
  VirtualLine line_;
  std::unique_ptr<TcpListener> listener_;
  std::list<std::unique_ptr<Port>> links_;
  Clock::time_point next_;
  const int signals_ = stop_signals();
  OrderPipe orders_{options_.control};
  std::optional<VirtualMount> mount_;
  Eigen::Matrix3d axes_ = Eigen::Matrix3d::Identity();
};

}  // namespace

int main(int argc, char** argv) try {
  ProgramOptions app{"virtual-cmm: a CMM, DRO or gantry that is not there, with faults on demand"};
  Options options;
  std::vector<double> position, drift;
  add_options(app, options, position, drift);
  if (const auto ended = app.read(argc, argv)) return *ended;
  if (!position.empty()) options.device.positions_mm = {{position[0], position[1], position[2]}};
  if (!options.script.empty()) options.device.positions_mm = read_script(options.script);
  if (!drift.empty()) options.device.drift_um = {drift[0], drift[1], drift[2]};
  VirtualCmm(options).run();
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "virtual-cmm: %s\n", error.what());
  return 1;
}
