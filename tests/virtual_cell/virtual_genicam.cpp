// virtual-genicam: a virtual GigE Vision 3D camera. Shows boards of the digital twin as Coord3D_C16, with
// faults on demand.
#include <fmt/format.h>
#include <poll.h>

#include <cstdio>
#include <mutex>
#include <sstream>
#include <utility>

#include "config/program_options.h"
#include "tests/virtual_cell/virtual_genicam_camera.h"
#include "tests/virtual_cell/virtual_genicam_network.h"
#include "tests/virtual_cell/virtual_program.h"
#include "tests/virtual_cell/virtual_sensor_board.h"
#include "tests/virtual_cell/virtual_sensor_cell.h"

namespace {

using namespace datum;

constexpr int work_ms = 2;

struct Options {
  VirtualCellFiles files;
  GenicamIdentity identity;
  std::string calibration, control, board = "good";
  std::uint64_t seed = 1;
  double mbit_per_s = 1000;
};

void add_options(ProgramOptions& app, Options& o) {
  app.add_option("--recipe", o.files.recipe, "recipe of the board; its sensor_serial is the camera's")
      .required()
      .existing_file();
  app.add_option("--twin", o.files.twin, "what a daemon can't know: true board and sensor errors")
      .required()
      .existing_file();
  app.add_option("--calibration", o.calibration, "calibration that places the sensor").existing_file();
  app.add_option("--address", o.identity.address,
                 "within 127.0.0.0/8; on 127.0.0.1 it is found by its serial number too")
      .show_default();
  app.add_option("--firmware", o.identity.firmware, "that it states").show_default();
  app.add_option("--board", o.board, "what stands there: as virtual-sensor --board").show_default();
  app.add_option("--seed", o.seed, "of the first board; the next one has the next seed").show_default();
  app.add_option("--mbit-per-s", o.mbit_per_s, "of its link; a receiver that is slower loses packets")
      .show_default()
      .positive();
  app.add_option(
      "--control", o.control,
      "FIFO (made if absent) of lines: trigger | board SPEC | "
      "fault skip|incomplete|headless|twice|back|mirror|old|future | scale UM | unit Millimeter|Inch|Pixel | "
      "mode RectifiedC|CalibratedC | rows N | stop | keep triggers | "
      "restart [coarse]");
}

class VirtualGenicam {
 public:
  explicit VirtualGenicam(const Options& o) : options_(o), cell_(load_cell(o.files)) {
    options_.identity.serial = cell_.sensor.serial;
    constexpr double bytes_per_mbit = 1e6 / 8;
    set_link_speed(o.mbit_per_s * bytes_per_mbit);
    parse_board(o.board, cell_);  // refused at the start instead of at the first trigger
    switch_on();
    say("virtual-genicam",
        fmt::format("stands at {}, serial {}", options_.identity.address, options_.identity.serial));
  }

  void run() {
    for (;;) {
      pollfd watched[] = {{signals_, POLLIN, 0}, {orders_.fd(), POLLIN, 0}};
      if (poll(watched, 2, work_ms) < 0 && errno != EINTR) return;
      if (watched[0].revents != 0) return;
      camera_->work();
      orders_.serve("virtual-genicam", [this](const std::string& line) { obey(line); });
    }
  }

 private:
  void obey(const std::string& line) {
    std::istringstream in(line);
    std::string verb, word;
    in >> verb >> word;
    if (verb == "trigger") {
      if (!camera_->running()) throw std::runtime_error("it is not running");
      camera_->trigger();
    } else if (verb == "board") {
      parse_board(word, cell_);
      const std::lock_guard lock(mutex_);
      options_.board = word;
    } else if (verb == "scale") {
      camera_->set_scale_c(std::stod(word) / 1000);
    } else if (verb == "unit") {
      camera_->set_distance_unit(word);
    } else if (verb == "mode") {
      camera_->set_output_mode(word);
    } else if (verb == "rows") {
      camera_->set_height(std::stoi(word));
    } else if (verb == "keep") {
      camera_->keep_triggers();
    } else if (verb == "stop") {
      camera_->stop();
    } else if (verb == "restart") {
      restart(word == "coarse");
    } else if (const auto fault = genicam_fault_named(word); verb == "fault" && fault) {
      const std::lock_guard lock(mutex_);
      fault_ = *fault;
    } else {
      throw std::invalid_argument("no such order");
    }
  }

  void restart(bool coarse) {
    camera_.reset();
    if (coarse) {
      for (AxisScale* axis : {&cell_.view.x, &cell_.view.y}) axis->scale_mm *= 2;
      cell_.view.rows /= 2;
      cell_.view.cols /= 2;
    }
    switch_on();
  }
  void switch_on() {
    const HeightFrame shape = snapshot_of(cell_, cell_.nominal, {});
    camera_ = std::make_unique<VirtualGenicamCamera>(options_.identity, shape, [this] { return expose(); });
  }

  /// Runs on the camera's thread.
  GenicamExposure expose() {
    const std::lock_guard lock(mutex_);
    const BoardSpec spec = parse_board(options_.board, cell_);
    TwinBoard board = produce(cell_.nominal, cell_.spread, options_.seed);
    for (const std::string& defect : spec.defects) apply_defect(board, defect);
    GenicamExposure exposure{snapshot_of(cell_, board, {options_.seed, options_.seed, 0, DropFormat::tiff16}),
                             std::exchange(fault_, GenicamFault::none)};
    ++options_.seed;
    say("virtual-genicam", fmt::format("frame {}, {}", options_.seed - 1, options_.board));
    return exposure;
  }

  Options options_;
  VirtualCell cell_;
  const int signals_ = stop_signals();
  OrderPipe orders_{options_.control};
  std::mutex mutex_;  // of board, seed and fault, which the camera's thread reads
  GenicamFault fault_ = GenicamFault::none;
  std::unique_ptr<VirtualGenicamCamera> camera_;  // last: its thread uses the members above
};

}  // namespace

int main(int argc, char** argv) try {
  ProgramOptions app{"virtual-genicam: a GigE Vision 3D camera that is not there, with faults on demand"};
  Options options;
  add_options(app, options);
  if (const auto ended = app.read(argc, argv)) return *ended;
  if (!options.calibration.empty()) options.files.calibration = options.calibration;
  VirtualGenicam(options).run();
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "virtual-genicam: %s\n", error.what());
  return 1;
}
