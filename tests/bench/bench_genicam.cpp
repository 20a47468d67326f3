// Blocks of a GigE Vision camera through Aravis, codec and pairing against a plain recv loop over the same packets, in the
// same run.
//
//   bench_genicam [FRAMES]     3904 x 3904 Coord3D_C16; the sender has a core of its own, the receiver too
//
// A sender on the loopback is held up by nothing: what no buffer takes is lost and counted ("whole"), and what a frame
// takes of a core is of what came. The last row is of the frames alone, whatever the network does.
//
// The sender is a process of its own, so that the receiver's CPU time is all of its threads and nothing else.
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "daemon/system/memory.h"
#include "drivers/cmm/stare_session.h"
#include "drivers/sensor/genicam_frame.h"
#include "drivers/sensor/genicam_source.h"
#include "tests/virtual_cell/virtual_genicam_camera.h"

namespace {

using namespace datum;
using Clock = std::chrono::steady_clock;

constexpr int side = 3904, frames_per_s = 20;
constexpr std::size_t packet_bytes = 8192, headers = 36, frame_bytes = std::size_t{side} * side * 2;
constexpr const char* address = "127.83.0.1";

MonotonicNs now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch()).count();
}

void pin(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  sched_setaffinity(0, sizeof set, &set);
}

HeightFrame heights() {
  HeightFrame f;
  f.rows = f.cols = side;
  f.x = f.y = {0.01, 0};
  f.z = {0.001, 0};
  std::vector<std::int16_t> counts(f.size());
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = static_cast<std::int16_t>(i % 1000);
  f.counts = std::move(counts);
  return f;
}

/// A child that does `work` until it is killed.
class Sender {
 public:
  template <class Work>
  explicit Sender(const Work& work) : pid_(::fork()) {
    if (pid_ != 0) return;
    pin(1);
    work();
    std::_Exit(0);
  }
  ~Sender() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Sender(const Sender&) = delete;
  Sender& operator=(const Sender&) = delete;

 private:
  pid_t pid_;
};

struct Row {
  int frames = 0;  // that came whole
  double cpu_s = 0, wall_s = 0;
};

double cpu_s() {
  rusage u{};
  ::getrusage(RUSAGE_SELF, &u);
  return static_cast<double>(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
         static_cast<double>(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-6;
}

void print(const char* what, const Row& row, int asked) {
  std::printf(
      "%-52s %3d of %3d whole   %6.0f MB/s   %6.1f ms of CPU per frame: 20 per second take %3.0f %% of a "
      "core\n",
      what, row.frames, asked, static_cast<double>(frame_bytes) * asked / 1e6 / row.wall_s,
      row.cpu_s * 1e3 / asked, row.cpu_s * frames_per_s * 100 / asked);
}

/// The same packets into one buffer.
Row plain(int frames) {
  const int receiver = ::socket(AF_INET, SOCK_DGRAM, 0), buffer = 8 << 20;
  ::setsockopt(receiver, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof to;
  if (::bind(receiver, reinterpret_cast<sockaddr*>(&to), size) != 0 ||
      ::getsockname(receiver, reinterpret_cast<sockaddr*>(&to), &size) != 0)
    std::exit(1);
  const Sender sender([&] {
    const int out = ::socket(AF_INET, SOCK_DGRAM, 0);
    std::vector<char> packet(packet_bytes - 28);
    iovec piece{packet.data(), packet.size()};
    msghdr message{};
    message.msg_name = &to;
    message.msg_namelen = sizeof to;
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    auto due = Clock::now();
    for (int i = 0; i < frames; ++i, due += std::chrono::microseconds(1'000'000 / frames_per_s)) {
      std::this_thread::sleep_until(due);
      for (std::size_t sent = 0; sent < frame_bytes; sent += packet_bytes - headers)
        ::sendmsg(out, &message, 0);
    }
  });
  std::vector<char> packet(packet_bytes);
  const std::size_t wanted = (frame_bytes + packet_bytes - headers - 1) / (packet_bytes - headers);
  std::size_t got = 0;
  Row row;
  const double cpu_from = cpu_s();
  const auto from = Clock::now();
  for (pollfd p{receiver, POLLIN, 0};
       got < wanted * static_cast<std::size_t>(frames) && ::poll(&p, 1, 1000) > 0;)
    while (::recv(receiver, packet.data(), packet.size(), MSG_DONTWAIT) > 0) ++got;
  row.cpu_s = cpu_s() - cpu_from;
  row.wall_s = std::chrono::duration<double>(Clock::now() - from).count();
  row.frames = static_cast<int>(got / wanted);
  ::close(receiver);
  return row;
}

ProbePoint stands(MonotonicNs now) {
  ProbePoint point;
  point.state = ProbeState::ok;
  point.poll_sent_ns = point.first_byte_ns = point.last_byte_ns = now;
  return point;
}

SensorProfile profile() {
  SensorProfile p;
  p.serial = "BENCH";
  p.handedness = Handedness::left;
  p.z_min_mm = -5;
  p.z_max_mm = 5;
  return p;
}

/// Triggers, takes the frame between two positions, gives it to `take`.
template <class Take>
Row through_the_source(int frames, int& paired, const Take& take) {
  const Sender sender([] {
    const HeightFrame shown = heights();
    VirtualGenicamCamera camera({address, "BENCH", "1.0"}, shown, [&] { return GenicamExposure{shown}; });
    for (;; ::usleep(1000)) camera.work();
  });
  genicam::Settings settings;
  settings.address = address;
  settings.resolution_um = {10, 10, 1};
  settings.trigger = genicam::TriggerBy::software;
  settings.packet_size = packet_bytes;
  settings.stall_ms = 2000;
  const SensorProfile sensor = profile();
  GenicamSource source(
      settings, sensor, [](const FrameIdentity&) { return false; }, now_ns(), now_ns);
  Pollable& link = *source.pollables()[0];
  const auto turn = [&] {
    pollfd p{link.fd(), POLLIN, 0};
    if (::poll(&p, 1, 20) > 0) link.on_ready(now_ns());
    link.on_deadline(now_ns());
  };
  while (source.describe().find("running") == std::string::npos) turn();
  PairSettings pairing;
  StareSession session(pairing);
  Row row;
  const double cpu_from = cpu_s();
  const auto from = Clock::now();
  auto due = from;
  for (int i = 0; i < frames; ++i, due += std::chrono::microseconds(1'000'000 / frames_per_s)) {
    std::this_thread::sleep_until(due);
    source.begin(now_ns());
    session.start(now_ns());
    session.position(stands(now_ns()), now_ns());
    source.expose(now_ns());
    std::optional<ClaimedFrame> claim;
    while (!(claim = source.next()) && Clock::now() < due + std::chrono::seconds(2)) turn();
    if (!claim) continue;
    session.frame_arrived(now_ns());
    session.position(stands(now_ns()), now_ns());
    paired += session.result().accepted;
    row.frames += claim->doubt.empty();
    if (claim->doubt.empty()) take(*claim);
  }
  row.cpu_s = cpu_s() - cpu_from;
  row.wall_s = std::chrono::duration<double>(Clock::now() - from).count();
  return row;
}

/// A block in memory becomes a frame.
Row frames_alone(int frames, const SensorProfile& sensor) {
  genicam::Payload payload;
  payload.bytes.resize(frame_bytes);
  for (std::size_t i = 0; i < frame_bytes; ++i) payload.bytes[i] = static_cast<std::uint8_t>(i % 251);
  genicam::Part part;
  part.pixel_format = 0x011000B8;  // Coord3D_C16
  part.width = part.height = side;
  part.size = frame_bytes;
  payload.parts = {part};
  genicam::Setup setup;
  setup.scan3d.axes = {genicam::Coordinate{0.01, 0, {}}, {0.01, 0, {}}, {0.001, -32, 0.0}};
  Row row;
  for (int i = 0; i < frames; ++i) {
    GenicamFrame frame(genicam::Payload(payload), setup, {"bench", "BENCH", "", {10, 10, 1}});
    const double cpu_from = cpu_s();
    const auto from = Clock::now();
    frame.read(sensor);
    row.cpu_s += cpu_s() - cpu_from;
    row.wall_s += std::chrono::duration<double>(Clock::now() - from).count();
    ++row.frames;
  }
  return row;
}

}  // namespace

int main(int argc, char** argv) {
  const int frames = argc > 1 ? std::atoi(argv[1]) : 40;
  keep_freed_memory();  // as the daemon does
  pin(0);
  // Packets wait for nobody: what else runs here would be measured as losses. Where it is not allowed, so be it.
  ::setpriority(PRIO_PROCESS, 0, -20);
  std::printf(
      "%d frames of %d x %d Coord3D_C16, %.1f MB each in packets of %zu bytes; 20 per second are %.0f MB/s\n",
      frames, side, side, frame_bytes / 1e6, packet_bytes, frame_bytes * 20 / 1e6);
  print("recv of the same packets into one buffer", plain(frames), frames);
  int paired = 0;
  print("Aravis, codec and pairing: the loop's and camera's threads",
        through_the_source(frames, paired, [](const ClaimedFrame&) {}), frames);
  std::printf("  %d of %d paired\n", paired, frames);
  const SensorProfile sensor = profile();
  print("the same, and hash, classes, mirror on the same core",
        through_the_source(frames, paired, [&](const ClaimedFrame& claim) { load_frame(claim, sensor); }),
        frames);
  print("a block in memory: hash, classes, mirror", frames_alone(frames, sensor), frames);
}
