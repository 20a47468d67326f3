#include "tests/bench/path_network.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <mutex>
#include <thread>
#include <utility>

#include "tests/bench/bench_board.h"
#include "tests/virtual_cell/virtual_genicam_camera.h"
#include "tests/virtual_cell/virtual_genicam_network.h"
#include "tests/virtual_cell/virtual_gocator_channel.h"
#include "tests/virtual_cell/virtual_gocator_device.h"

namespace datum::bench {

namespace {

constexpr std::int16_t no_data = -32768;
// Of the virtual camera's link. A receive buffer of 200 KiB, the default of kernels, covers 4 ms of it.
constexpr double camera_mbit_per_s = 400, bytes_per_mbit = 1e6 / 8;

/// The board as a left-handed sensor delivers it: its columns from the other side.
HeightFrame left_handed_frame() {
  HeightFrame f = make_frame(make_recipe());
  auto& counts = std::get<std::vector<std::int16_t>>(f.counts);
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (f.classes[i] != PixelClass::ok) counts[i] = no_data;
  for (int row = 0; row < f.rows; ++row) {
    const auto begin = counts.begin() + static_cast<std::ptrdiff_t>(row) * f.cols;
    std::reverse(begin, begin + f.cols);
  }
  f.x.offset_mm = -f.x.at(f.cols - 1);
  return f;
}

/// No two frames show the same picture.
const HeightFrame& numbered(HeightFrame& frame, int n) {
  std::get<std::vector<std::int16_t>>(frame.counts)[0] = static_cast<std::int16_t>(n);
  return frame;
}

std::string resolution() {
  return fmt::format("resolution_um = [{}, {}, {}]\n", pitch_mm * 1e3, pitch_mm * 1e3, count_mm * 1e3);
}

/// A Gocator whose frames are ready; serves its ports in a thread.
class ReadyGocator {
 public:
  ReadyGocator()
      : device_(static_cast<std::uint32_t>(std::stoul(sensor_serial)), "board.job"),
        control_(0, [this](const GocatorBytes& request) { return device_.answer(request, now_us()); }),
        health_(0),
        data_(0),
        frame_(left_handed_frame()),
        thread_([this] { serve(); }) {}
  ~ReadyGocator() {
    ended_ = true;
    thread_.join();
  }
  ReadyGocator(const ReadyGocator&) = delete;
  ReadyGocator& operator=(const ReadyGocator&) = delete;

  std::string sensor() const {
    return fmt::format(
        "kind = \"gocator\"\n[sensor.gocator]\naddress = \"127.0.0.1\"\ncontrol_port = {}\nhealth_port = {}\n"
        "data_port = {}\njob = \"board.job\"\n{}trigger = \"external\"\n",
        control_.port(), health_.port(), data_.port(), resolution());
  }
  /// Returns when the last byte was sent.
  Clock::time_point expose(int n) {
    std::promise<Clock::time_point> sent;
    {
      const std::lock_guard lock(mutex_);
      order_ = {n, &sent};
    }
    return sent.get_future().get();
  }

 private:
  struct Order {
    int n = 0;
    std::promise<Clock::time_point>* sent = nullptr;
  };
  static std::uint64_t now_us() {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::microseconds>(Clock::now().time_since_epoch()).count());
  }
  bool has_unsent() const {
    std::vector<pollfd> watched;
    data_.watch(watched);
    return std::any_of(watched.begin(), watched.end(),
                       [](const pollfd& w) { return (w.events & POLLOUT) != 0; });
  }
  void serve() {
    auto next_health = Clock::now();
    while (!ended_) {
      std::vector<pollfd> watched;
      for (auto* channel : {&control_, &health_, &data_}) channel->watch(watched);
      ::poll(watched.data(), watched.size(), 1);
      for (auto* channel : {&control_, &health_, &data_}) channel->serve();
      if (Clock::now() >= next_health) {
        health_.send(device_.health());
        next_health = Clock::now() + std::chrono::seconds(1);
      }
      send_ordered();
    }
  }
  void send_ordered() {
    Order order;
    {
      const std::lock_guard lock(mutex_);
      order = std::exchange(order_, {});
    }
    if (!order.sent) return;
    data_.send(device_.expose(numbered(frame_, order.n), now_us()).bytes);
    while (has_unsent() && !ended_) {
      std::vector<pollfd> watched;
      data_.watch(watched);
      ::poll(watched.data(), watched.size(), 1000);
      data_.serve();
    }
    order.sent->set_value(Clock::now());
  }

  VirtualGocatorDevice device_;
  VirtualGocatorChannel control_, health_, data_;
  HeightFrame frame_;
  std::mutex mutex_;
  Order order_;
  std::atomic<bool> ended_{false};
  std::thread thread_;  // last: it uses the members above
};

/// A GigE Vision camera whose frames are ready.
class ReadyCamera {
 public:
  ReadyCamera() : address_(own_address()), frame_(left_handed_frame()) {
    set_link_speed(camera_mbit_per_s * bytes_per_mbit);
    GenicamIdentity identity;
    identity.address = address_;
    identity.serial = sensor_serial;
    camera_ = std::make_unique<VirtualGenicamCamera>(identity, frame_, [this] {
      return GenicamExposure{numbered(frame_, next_), GenicamFault::none};
    });
    thread_ = std::thread([this] { serve(); });
  }
  ~ReadyCamera() {
    ended_ = true;
    thread_.join();
  }
  ReadyCamera(const ReadyCamera&) = delete;
  ReadyCamera& operator=(const ReadyCamera&) = delete;

  std::string sensor() const {
    return fmt::format(
        "kind = \"genicam\"\n[sensor.genicam]\naddress = \"{}\"\n{}packet_size = 8192\nuser_set = "
        "\"UserSet1\"\n"
        "pixel_format = \"Coord3D_C16\"\nstall_ms = 2000\ntrigger = \"external\"\n",
        address_, resolution());
  }
  void expose(int n) {
    next_ = n;
    triggered_ = true;
  }

 private:
  /// The port of GigE Vision is fixed, so each run's camera has an address of its own.
  static std::string own_address() {
    const int pid = ::getpid();
    return fmt::format("127.{}.{}.{}", 1 + (pid >> 16) % 254, (pid >> 8) & 255, 1 + (pid & 255) % 254);
  }
  void serve() {
    while (!ended_) {
      if (triggered_.exchange(false)) camera_->trigger();
      camera_->work();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  std::string address_;
  HeightFrame frame_;
  std::atomic<int> next_{0};
  std::atomic<bool> triggered_{false}, ended_{false};
  std::unique_ptr<VirtualGenicamCamera> camera_;
  std::thread thread_;
};

}  // namespace

PathTimes gocator_times(const PathOptions& options) {
  ReadyGocator sensor;
  PathCell cell(options, board_scene("left"), sensor.sensor());
  cell.arm_when("running, protocol 101.11, job");
  Clock::time_point sent;
  return times_of(cell, options, {[&](int n) { sent = sensor.expose(n); }, [&] { return sent; }});
}

PathTimes genicam_times(const PathOptions& options) {
  ReadyCamera sensor;
  PathCell cell(options, board_scene("left"), sensor.sensor());
  cell.arm_when("running, Aravis Fake");
  return times_of(cell, options, {[&](int n) { sensor.expose(n); }, last_packet_time});
}

}  // namespace datum::bench
