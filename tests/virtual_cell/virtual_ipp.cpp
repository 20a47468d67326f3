// virtual-ipp: an I++ DME server with a virtual machine on a TCP port, with faults on demand.
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <chrono>
#include <cstdio>

#include "config/program_options.h"
#include "drivers/port/tcp_listener.h"
#include "tests/virtual_cell/virtual_ipp_server.h"
#include "tests/virtual_cell/virtual_program.h"

namespace {

using namespace datum;

struct Options {
  int listen = 1294;
  std::string control, fault = "none";
  std::vector<double> position{0, 0, 0}, transform;
  bool unhomed = false, trace = false;
};

MonotonicNs now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void say(const std::string& text) { datum::say("virtual-ipp", text); }

class VirtualIpp {
 public:
  VirtualIpp(const Options& options, VirtualIppServer server)
      : server_(std::move(server)),
        trace_(options.trace),
        orders_(options.control),
        listener_("127.0.0.1", static_cast<std::uint16_t>(options.listen),
                  [this](std::unique_ptr<Port> link, const std::string&, MonotonicNs) {
                    accept(std::move(link));
                  }) {
    say(fmt::format("127.0.0.1:{}", listener_.port()));
  }

  void run() {
    for (;;) {
      // Absent descriptors are -1, which poll ignores.
      pollfd watched[] = {{signals_, POLLIN, 0},
                          {orders_.fd(), POLLIN, 0},
                          {listener_.fd(), POLLIN, 0},
                          {link_ ? link_->fd() : -1, POLLIN, 0}};
      if (poll(watched, 4, wait_ms()) < 0 && errno != EINTR) return;
      if (watched[0].revents != 0) return;
      listener_.on_ready(now_ns());
      orders_.serve([this](const std::string& order) { obey(order); });
      serve();
      send(server_.advance(now_ns()));
    }
  }

 private:
  int wait_ms() const {
    if (server_.fault == VirtualIppFault::babble) return 10;
    const auto due = server_.deadline();
    if (!due) return -1;
    return static_cast<int>(std::max<MonotonicNs>(0, (*due - now_ns()) / 1'000'000 + 1));
  }
  // One application client at a time: a new one replaces the old one, which may be lost.
  void accept(std::unique_ptr<Port> link) {
    hang_up();
    link_ = std::move(link);
    say("client");
  }
  void hang_up() {
    if (link_) server_.hung_up();
    link_.reset();
  }
  void obey(const std::string& order) {
    if (order == "reset" && link_) {
      const linger at_once{1, 0};  // the client receives a reset instead of an end
      setsockopt(link_->fd(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    }
    if (order == "reset" || order == "hang-up")
      hang_up();
    else
      send(server_.order(order, now_ns()));
    say("done: " + order);
  }
  void serve() {
    try {
      std::uint8_t bytes[4096];
      while (const std::size_t got = link_ ? link_->read(bytes, sizeof bytes) : 0)
        hear(std::string(reinterpret_cast<const char*>(bytes), got));
    } catch (const LostError&) {
      hang_up();
    }
  }
  void hear(const std::string& bytes) {
    if (trace_) say("hears " + bytes.substr(0, bytes.find_last_not_of("\r\n") + 1));
    send(server_.receive(bytes, now_ns()));
  }
  // A client that does not read loses the rest.
  void send(const std::string& bytes) {
    if (bytes.empty() || !link_) return;
    try {
      link_->write(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    } catch (const LostError&) {
      hang_up();
    }
  }

  VirtualIppServer server_;
  bool trace_;
  const int signals_ = stop_signals();
  OrderPipe orders_;
  TcpListener listener_;
  std::unique_ptr<Port> link_;
};

}  // namespace

int main(int argc, char** argv) try {
  ProgramOptions app{
      "virtual-ipp: an I++ DME server (CMM controller) that is not there, with faults on demand"};
  Options o;
  VirtualIppServer server;
  app.add_option("--listen", o.listen, "TCP port on 127.0.0.1; 0: a free one")
      .show_default()
      .in_range(0, 65535);
  app.add_option("--position", o.position, "X,Y,Z in mm of the tip, MachineCsy").delimiter(',').expected(3);
  app.add_option("--tool", server.machine.tool, "active tool")
      .one_of({"Probe1", "Probe2", "RefTool"})
      .show_default();
  app.add_option("--coordinate-system", server.machine.coordinate_system, "active coordinate system")
      .one_of({"MachineCsy", "MoveableMachineCsy", "MultipleArmCsy", "PartCsy"})
      .show_default();
  app.add_option("--transform", o.transform, "of PartCsy: X0,Y0,Z0 in mm, theta,psi,phi in degrees")
      .delimiter(',')
      .expected(6);
  app.add_option("--speed", server.machine.parameters["Tool.GoToPar.Speed"].act, "of moves, mm/s")
      .in_range(1.0, 500.0);
  app.add_option("--tool-radius", server.machine.tool_radius_mm,
                 "of the tip, mm: PtMeas approaches and ends by it")
      .in_range(0.0, 50.0)
      .show_default();
  app.add_flag("--trace", o.trace, "print what the client says");
  app.add_flag("--inches", server.machine.inches, "the controller was set up in inches");
  app.add_flag("--unhomed", o.unhomed, "the machine is not homed");
  app.add_flag("--version-2", server.version_2, "words as servers of version 2.5 have them");
  app.add_option("--fault", o.fault, "stall, drop, corrupt, reorder, cut, no-end or babble");
  app.add_option(
      "--control", o.control,
      "FIFO (made if absent) of orders: \"move X Y Z\", \"touch X Y Z\" in mm, \"tool NAME\", \"csy "
      "NAME\", \"set PROPERTY VALUE [MIN MAX]\", \"error SEVERITY CODE\", \"fault NAME\", \"reset\", "
      "\"hang-up\" ...");
  if (const auto ended = app.read(argc, argv)) return *ended;
  server.machine.homed = !o.unhomed;
  server.fault = virtual_ipp_fault(o.fault);
  server.machine.place({o.position[0], o.position[1], o.position[2]});
  for (std::size_t i = 0; i < o.transform.size(); ++i) server.machine.systems["PartCsy"][i] = o.transform[i];
  VirtualIpp(o, std::move(server)).run();
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "virtual-ipp: %s\n", error.what());
  return 1;
}
