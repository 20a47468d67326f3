// Hostile devices: whatever they send, hosts are answered, memory is bounded, and no board passes by their data.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <nlohmann/json.hpp>
#include <random>
#include <system_error>
#include <thread>

#include "tests/scenario/process_usage.h"
#include "tests/scenario/scenario_cell.h"

namespace datum::scenario {
namespace {

using Clock = std::chrono::steady_clock;

enum class Behaviour : std::uint8_t {
  flood,    // endless random bytes with line ends
  endless,  // one endless line
  silent,   // accepts the connection and sends nothing
  reset,    // resets every connection
};
const char* name_of(Behaviour b) {
  static constexpr const char* names[] = {"flood", "endless line", "silence", "resets"};
  return names[static_cast<int>(b)];
}

/// Listens on several ports of 127.0.0.1 and shows this behaviour to each peer.
class HostileServer {
 public:
  HostileServer(int ports, Behaviour behaviour) : behaviour_(behaviour), stop_(::eventfd(0, EFD_CLOEXEC)) {
    for (int i = 0; i < ports; ++i) {
      const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
      sockaddr_in address{};
      address.sin_family = AF_INET;
      address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      socklen_t size = sizeof address;
      if (::bind(fd, reinterpret_cast<const sockaddr*>(&address), size) != 0 || ::listen(fd, 16) != 0)
        throw std::system_error(errno, std::generic_category(), "a port to listen on");
      ::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
      listeners_.push_back(fd);
      ports_.push_back(ntohs(address.sin_port));
    }
    thread_ = std::thread([this] { serve(); });
  }
  ~HostileServer() {
    ::eventfd_write(stop_, 1);
    thread_.join();
    for (const int fd : listeners_) ::close(fd);
    for (const int fd : guests_) ::close(fd);
    ::close(stop_);
  }
  HostileServer(const HostileServer&) = delete;
  HostileServer& operator=(const HostileServer&) = delete;

  int port(std::size_t i) const { return ports_[i]; }
  /// True: it sent more than the daemon may keep, or lost its connection.
  bool has_struck() const {
    return met_ > 0 && (sent_ >= 1 << 24 || lost_ > 0 || behaviour_ == Behaviour::silent);
  }

 private:
  void serve() {
    std::string bytes(16384, 'A');
    std::mt19937 random(1);
    if (behaviour_ == Behaviour::flood)
      for (char& c : bytes) c = random() % 16 == 0 ? '\n' : static_cast<char>(random());
    for (;;) {
      const bool talks = behaviour_ == Behaviour::flood || behaviour_ == Behaviour::endless;
      std::vector<pollfd> watched{{stop_, POLLIN, 0}};
      for (const int fd : listeners_) watched.push_back({fd, POLLIN, 0});
      for (const int fd : guests_) watched.push_back({fd, static_cast<short>(talks ? POLLOUT : POLLIN), 0});
      ::poll(watched.data(), watched.size(), -1);
      if (watched[0].revents != 0) return;
      for (std::size_t i = 1 + listeners_.size(); i < watched.size(); ++i)
        if (watched[i].revents != 0) attend(watched[i].fd, talks, bytes);
      std::erase(guests_, -1);
      for (const int fd : listeners_) admit(fd);
    }
  }
  void attend(int fd, bool talks, const std::string& bytes) {
    char heard[4096];
    const ssize_t n = talks ? ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT)
                            : ::recv(fd, heard, sizeof heard, MSG_DONTWAIT);
    if (n > 0) sent_ += n;
    if (n > 0 || (n < 0 && errno == EAGAIN)) return;
    ::close(fd);
    std::replace(guests_.begin(), guests_.end(), fd, -1);
    ++lost_;
  }
  void admit(int listener) {
    const int fd = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0) return;
    ++met_;
    if (behaviour_ != Behaviour::reset) return guests_.push_back(fd);
    const linger at_once{1, 0};
    ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    ::close(fd);
    ++lost_;
  }

  Behaviour behaviour_;
  int stop_;
  std::vector<int> listeners_, ports_, guests_;
  std::atomic<std::int64_t> sent_{0}, met_{0}, lost_{0};
  std::thread thread_;
};

// Buffers of a device: 1 MiB for a message of the sensor (below), 64 KiB for a line and a socket. A first board touches
// less than 8 MiB of new pages.
constexpr double most_kib = 10 * 1024;

/// The daemon answers its host and does not grow during this behaviour of the device.
void expect_service(const std::string& what, const CellOptions& options, HostileServer& device,
                    bool is_sensor) {
  SCOPED_TRACE(what);
  Cell cell(options);
  if (is_sensor) {
    std::string config = slurp(cell.path() / "datumd.toml");
    const std::string folder = "drop_folder = \"drop\"";
    config.replace(config.find(folder), folder.size(), "kind = \"gocator\"");
    cell.write("datumd.toml", config);
  }
  Program& datumd = cell.start();
  const double before = usage_of(datumd.pid()).rss_kib;
  const auto host = cell.connect();
  const Deadline deadline = timeout();
  int answers = 0;
  for (; !device.has_struck() || answers < 100; ++answers) {
    ASSERT_LT(Clock::now(), deadline) << datumd.output();
    ASSERT_NE(host->ask("*IDN?").find("datumd"), std::string::npos);
  }
  // A refusal, or an INVALID board: the device never sends valid data.
  const std::string armed = host->command("INIT;:TRIG");
  if (armed.rfind("0,", 0) == 0) {
    if (!is_sensor) cell.deliver("board", frame_of_box(good_height_um, 1));
    EXPECT_EQ(host->result().decision, "INVALID");
  }
  EXPECT_FALSE(datumd.has_ended());
  const double grown = usage_of(datumd.pid()).peak_kib - before;
  if (memory_tells) {
    EXPECT_LT(grown, most_kib);
  }
  std::printf("%-32s %5d answers meanwhile, %+6.0f KiB, %s\n", what.c_str(), answers, grown,
              armed.substr(0, 60).c_str());
}

CellOptions with(const std::string& more) {
  CellOptions options;
  options.trigger = "bus";
  options.arm_at_start = false;
  options.frame_timeout_ms = 300;
  options.more = more;
  return options;
}

constexpr Behaviour behaviours[] = {Behaviour::flood, Behaviour::endless, Behaviour::silent,
                                    Behaviour::reset};

TEST(ScenarioHostileDevices, AReadoutNeitherStopsNorFillsTheDaemon) {
  for (const Behaviour b : behaviours) {
    HostileServer device(1, b);
    expect_service(
        std::string("readout, ") + name_of(b),
        with("[cmm]\npreset = \"grbl_1_1\"\nunit = \"mm\"\n[cmm.tcp]\nhost = \"127.0.0.1\"\nport = " +
             std::to_string(device.port(0)) + "\n"),
        device, false);
  }
}

TEST(ScenarioHostileDevices, ACmmControllerNeitherStopsNorFillsTheDaemon) {
  const std::string axis = "\nmin_mm = 1\nmax_mm = 500\n";
  for (const Behaviour b : behaviours) {
    HostileServer device(1, b);
    std::string more = "[cmm]\npreset = \"ipp_dme\"\n[cmm.tcp]\nhost = \"127.0.0.1\"\nport = " +
                       std::to_string(device.port(0)) +
                       "\n[cmm.ipp]\ntool = \"Probe1\"\ncoordinate_system = \"MachineCsy\"\n";
    for (const char* name : {"X", "Y", "Z"})
      more += std::string("[[cmm.axis]]\nlabel = \"") + name + "\"\nmachine_axis = \"" + name + "\"" + axis;
    expect_service(std::string("CMM controller, ") + name_of(b), with(more), device, false);
  }
}

TEST(ScenarioHostileDevices, ASensorNeitherStopsNorFillsTheDaemon) {
  for (const Behaviour b : behaviours) {
    HostileServer device(3, b);
    CellOptions options = with(
        "[sensor.gocator]\naddress = \"127.0.0.1\"\njob = \"a.job\"\nresolution_um = [50.0, 50.0, "
        "1.0]\ntrigger = "
        "\"software\"\nmax_message_mib = 1\nanswer_ms = 300\ncontrol_port = " +
        std::to_string(device.port(0)) + "\nhealth_port = " + std::to_string(device.port(1)) +
        "\ndata_port = " + std::to_string(device.port(2)) + "\n");
    expect_service(std::string("sensor, ") + name_of(b), options, device, true);
  }
}

}  // namespace
}  // namespace datum::scenario
