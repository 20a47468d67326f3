// Frames of a Gocator through codec and pairing against a plain recv loop over the same bytes, in the same run.
//
//   bench_gocator [FRAMES]     3904 x 3904 int16; the sender has a core of its own, the receiver too
#include <netinet/in.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "daemon/system/memory.h"
#include "drivers/cmm/stare_session.h"
#include "drivers/gocator/data_receiver.h"
#include "drivers/sensor/gocator_frame.h"
#include "tests/virtual_cell/virtual_gocator_bytes.h"

namespace {

using namespace datum;
using Clock = std::chrono::steady_clock;

constexpr std::uint32_t side = 3904;
constexpr std::size_t read_at_once = 4 << 20;  // as the reader does

MonotonicNs now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch()).count();
}

void pin(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core, &set);
  sched_setaffinity(0, sizeof set, &set);
}

GocatorBytes frame_bytes() {
  gocator::Stamp stamp;
  stamp.frame_index = 1;
  stamp.timestamp_us = 1;
  stamp.serial = 67890;
  gocator::Grid grid;
  grid.rows = grid.cols = side;
  grid.x_step_nm = grid.y_step_nm = 10000;
  grid.z_step_nm = 1000;
  std::vector<std::int16_t> heights(std::size_t{side} * side);
  for (std::size_t i = 0; i < heights.size(); ++i) heights[i] = static_cast<std::int16_t>(i % 1000);
  GocatorBytes bytes = stamp_message(stamp, false);
  const GocatorBytes surface = surface_message(grid, heights, true);
  bytes.insert(bytes.end(), surface.begin(), surface.end());
  return bytes;
}

/// A TCP connection over the loopback; the sender repeats the bytes.
class Stream {
 public:
  Stream(const GocatorBytes& bytes, int frames) {
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    receiver_ = socket(AF_INET, SOCK_STREAM, 0);
    const bool up = bind(listener, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                    listen(listener, 1) == 0 &&
                    getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) == 0 &&
                    connect(receiver_, reinterpret_cast<sockaddr*>(&address), size) == 0;
    const int sender = accept(listener, nullptr, nullptr);
    close(listener);
    if (!up || sender < 0) std::exit(1);
    thread_ = std::thread([sender, frames, &bytes] {
      pin(1);
      for (int i = 0; i < frames; ++i)
        for (std::size_t sent = 0; sent < bytes.size();) {
          const ssize_t n = send(sender, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
          if (n <= 0) break;
          sent += static_cast<std::size_t>(n);
        }
      close(sender);
    });
  }
  ~Stream() {
    close(receiver_);
    thread_.join();
  }
  std::size_t receive(std::uint8_t* to, std::size_t room) const {
    const ssize_t n = recv(receiver_, to, room, 0);
    return n > 0 ? static_cast<std::size_t>(n) : 0;
  }

 private:
  int receiver_ = -1;
  std::thread thread_;
};

struct Row {
  double seconds = 0, cpu_seconds = 0;
};

template <class Work>
Row timed(const Work& work) {
  const auto cpu = [] {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
  };
  const auto from = Clock::now();
  const double cpu_from = cpu();
  work();
  return {std::chrono::duration<double>(Clock::now() - from).count(), cpu() - cpu_from};
}

/// The share of a core does not depend on what else the machine does, the rates do.
void print(const char* what, Row row, int frames, std::size_t frame_bytes) {
  const double mb = static_cast<double>(frame_bytes) * frames / 1e6;
  std::printf(
      "%-54s %6.0f MB/s %6.1f frames/s   %6.1f ms of CPU per frame: 20 per second take %3.0f %% of a core\n",
      what, mb / row.seconds, frames / row.seconds, row.cpu_seconds * 1e3 / frames,
      row.cpu_seconds * 20 * 100 / frames);
}

Row plain(const GocatorBytes& bytes, int frames) {
  const Stream stream(bytes, frames);
  std::vector<std::uint8_t> buffer(bytes.size());
  return timed([&] {
    for (std::size_t at = 0;;) {
      const std::size_t n = stream.receive(buffer.data() + at, std::min(buffer.size() - at, read_at_once));
      if (n == 0) return;
      at = (at + n) % buffer.size();
    }
  });
}

ProbePoint stands(MonotonicNs now) {
  ProbePoint point;
  point.state = ProbeState::ok;
  point.poll_sent_ns = point.first_byte_ns = point.last_byte_ns = now;
  return point;
}

/// The frames' pairings; each frame is given to `take` in place of a worker.
template <class Take>
Row through_the_codec(const GocatorBytes& bytes, int frames, int& paired, const Take& take) {
  const Stream stream(bytes, frames);
  gocator::DataReceiver receiver(64 << 20);
  PairSettings settings;
  StareSession session(settings);
  return timed([&] {
    session.start(now_ns());
    session.position(stands(now_ns()), now_ns());
    for (;;) {
      const auto room = receiver.room();
      const std::size_t n = stream.receive(room.data(), std::min(room.size(), read_at_once));
      if (n == 0) return;
      receiver.received(n);
      while (auto set = receiver.next()) {
        session.frame_arrived(now_ns());
        session.position(stands(now_ns()), now_ns());
        paired += session.result().accepted;
        take(std::move(*set));
        session.start(now_ns());
        session.position(stands(now_ns()), now_ns());
      }
    }
  });
}

SensorProfile profile() {
  SensorProfile p;
  p.serial = "67890";
  p.handedness = Handedness::left;
  p.z_min_mm = -5;
  p.z_max_mm = 5;
  return p;
}

}  // namespace

int main(int argc, char** argv) {
  const int frames = argc > 1 ? std::atoi(argv[1]) : 40;
  keep_freed_memory();  // as the daemon does
  pin(0);
  const GocatorBytes bytes = frame_bytes();
  std::printf("%d frames of %u x %u int16, %.1f MB each; 20 per second are %.0f MB/s\n", frames, side, side,
              static_cast<double>(bytes.size()) / 1e6, static_cast<double>(bytes.size()) * 20 / 1e6);
  plain(bytes, 2);
  print("recv into one buffer", plain(bytes, frames), frames, bytes.size());
  int paired = 0;
  const Row codec = through_the_codec(bytes, frames, paired, [](gocator::DataSet&&) {});
  print("codec and pairing: the loop's thread", codec, frames, bytes.size());
  std::printf("  %d of %d paired\n", paired, frames);
  const SensorProfile sensor = profile();
  const Row whole = through_the_codec(bytes, frames, paired, [&](gocator::DataSet&& set) {
    GocatorFrame(std::move(set), "bench", {}).read(sensor);
  });
  print("the same, and hash, classes, mirror on the same core", whole, frames, bytes.size());
}
