// virtual-gocator: a virtual Gocator. Serves its three ports with boards of the digital twin, with faults on
// demand.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <sstream>
#include <utility>

#include "config/program_options.h"
#include "tests/virtual_cell/virtual_gocator_channel.h"
#include "tests/virtual_cell/virtual_gocator_device.h"
#include "tests/virtual_cell/virtual_program.h"
#include "tests/virtual_cell/virtual_sensor_board.h"
#include "tests/virtual_cell/virtual_sensor_cell.h"

namespace {

using namespace datum;
using Clock = std::chrono::steady_clock;

struct Options {
  VirtualCellFiles files;
  std::string calibration, control, board = "good", job = "board.job";
  std::vector<std::uint16_t> ports{0, 0, 0};
  std::uint64_t seed = 1;
  int health_ms = 1000;
};

void add_options(ProgramOptions& app, Options& o) {
  app.add_option("--recipe", o.files.recipe, "recipe of the board; sensor_serial is a number")
      .required()
      .existing_file();
  app.add_option("--twin", o.files.twin, "what a daemon can't know: true board and sensor errors")
      .required()
      .existing_file();
  app.add_option("--calibration", o.calibration, "calibration that places the sensor").existing_file();
  app.add_option("--ports", o.ports, "CONTROL,HEALTH,DATA on 127.0.0.1; 0: a free one")
      .delimiter(',')
      .expected(3);
  app.add_option("--board", o.board, "what stands there: as virtual-sensor --board").show_default();
  app.add_option("--job", o.job, "name of the loaded job").show_default();
  app.add_option("--seed", o.seed, "of the first board; the next one has the next seed").show_default();
  app.add_option("--health-ms", o.health_ms, "between health messages").in_range(10, 600'000);
  app.add_option(
      "--control", o.control,
      "FIFO (made if absent) of lines: trigger | board SPEC | job NAME | modified on|off | drops ID COUNT | "
      "fault skip|stall|reset|corrupt|twice|back|units|mirror|old|late | late | silent | stop | restart "
      "[coarse]");
}

class VirtualGocator {
 public:
  explicit VirtualGocator(const Options& o)
      : options_(o),
        cell_(load_cell(o.files)),
        device_(serial_of(cell_), o.job),
        control_(o.ports[0],
                 [this](const GocatorBytes& request) { return device_.answer(request, now_us()); }),
        health_(o.ports[1]),
        data_(o.ports[2]) {
    parse_board(o.board, cell_);  // refused at the start instead of at the first trigger
    say("virtual-gocator",
        fmt::format("serves 127.0.0.1 {},{},{}", control_.port(), health_.port(), data_.port()));
  }

  void run() {
    for (auto next_health = Clock::now();;) {
      std::vector<pollfd> watched{{signals_, POLLIN, 0}, {orders_.fd(), POLLIN, 0}};
      for (auto* channel : {&control_, &health_, &data_}) channel->watch(watched);
      const auto wait = std::chrono::ceil<std::chrono::milliseconds>(next_health - Clock::now()).count();
      if (poll(watched.data(), watched.size(), static_cast<int>(std::max<long>(0, wait))) < 0 &&
          errno != EINTR)
        return;
      if (watched[0].revents != 0) return;
      for (auto* channel : {&control_, &health_, &data_}) channel->serve();
      if (device_.take_trigger()) expose();
      orders_.serve("virtual-gocator", [this](const std::string& line) { obey(line); });
      if (Clock::now() < next_health) continue;
      health_.send(device_.health());
      next_health = Clock::now() + std::chrono::milliseconds(options_.health_ms);
    }
  }

 private:
  static std::uint32_t serial_of(const VirtualCell& cell) {
    std::size_t end = 0;
    const unsigned long serial = std::stoul(cell.sensor.serial, &end);
    if (end != cell.sensor.serial.size() || serial > UINT32_MAX)
      throw std::invalid_argument("sensor_serial '" + cell.sensor.serial + "' is not a number of a Gocator");
    return static_cast<std::uint32_t>(serial);
  }
  /// us since power-on, which was some time before the start.
  std::uint64_t now_us() const {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - booted_).count());
  }

  void obey(const std::string& line) {
    std::istringstream in(line);
    std::string verb, word;
    in >> verb >> word;
    if (verb == "trigger") {
      if (!device_.running()) throw std::runtime_error("it is not running");
      expose();
    } else if (verb == "board") {
      parse_board(word, cell_);
      options_.board = word;
    } else if (verb == "job") {
      device_.load_job(word);
    } else if (verb == "modified") {
      device_.modify(word == "on");
    } else if (verb == "late") {
      data_.send(std::exchange(late_, {}));
    } else if (verb == "silent") {
      device_.silence();
    } else if (verb == "stop") {
      device_.stop();
    } else if (verb == "restart") {
      restart(word == "coarse");
    } else if (verb == "drops") {
      std::int64_t count = 1;
      in >> count;
      device_.drop(static_cast<std::uint32_t>(std::stoul(word)), count);
      health_.send(device_.health());
    } else if (const auto fault = gocator_fault_named(word); verb == "fault" && fault) {
      device_.fault(*fault);
    } else {
      throw std::invalid_argument("no such order");
    }
  }

  void restart(bool coarse) {
    for (auto* channel : {&control_, &health_, &data_}) channel->close_all();
    booted_ = Clock::now();
    device_.restart();
    if (!coarse) return;
    for (AxisScale* axis : {&cell_.view.x, &cell_.view.y}) axis->scale_mm *= 2;
    cell_.view.rows /= 2;
    cell_.view.cols /= 2;
  }

  void expose() {
    const std::uint64_t exposed_us = now_us();
    const BoardSpec spec = parse_board(options_.board, cell_);
    TwinBoard board = produce(cell_.nominal, cell_.spread, options_.seed);
    for (const std::string& defect : spec.defects) apply_defect(board, defect);
    const HeightFrame frame =
        snapshot_of(cell_, board, {options_.seed, options_.seed, 0, DropFormat::tiff16});
    ++options_.seed;
    send(device_.expose(frame, exposed_us));
  }

  void send(GocatorPayload payload) {
    const bool half = payload.fault == GocatorFault::stall || payload.fault == GocatorFault::reset;
    if (half) payload.bytes.resize(payload.bytes.size() / 2);
    const int times = payload.fault == GocatorFault::skip ? 0 : payload.fault == GocatorFault::twice ? 2 : 1;
    if (!late_.empty()) data_.send(std::exchange(late_, {}));
    if (payload.fault == GocatorFault::late)
      late_ = payload.bytes;
    else
      for (int i = 0; i < times; ++i) data_.send(payload.bytes);
    if (payload.fault == GocatorFault::reset)
      for (auto* channel : {&control_, &health_, &data_}) channel->close_all();
    say("virtual-gocator", fmt::format("frame {}, {}", payload.index, options_.board));
  }

  Options options_;
  GocatorBytes late_;  // made, not yet sent
  VirtualCell cell_;
  VirtualGocatorDevice device_;
  VirtualGocatorChannel control_, health_, data_;
  Clock::time_point booted_ = Clock::now() - std::chrono::minutes(30);
  const int signals_ = stop_signals();
  OrderPipe orders_{options_.control};
};

}  // namespace

int main(int argc, char** argv) try {
  ProgramOptions app{"virtual-gocator: a Gocator that is not there, with faults on demand"};
  Options options;
  add_options(app, options);
  if (const auto ended = app.read(argc, argv)) return *ended;
  if (!options.calibration.empty()) options.files.calibration = options.calibration;
  VirtualGocator(options).run();
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "virtual-gocator: %s\n", error.what());
  return 1;
}
