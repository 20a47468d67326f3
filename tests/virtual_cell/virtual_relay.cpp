// virtual-relay: a bad line between a host and datumd, on two pseudo-terminals or on TCP. It loses, repeats,
// inverts, delays and splits bytes, and prints its faults at the end.
#include <fmt/format.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <list>
#include <memory>
#include <optional>
#include <vector>

#include "config/program_options.h"
#include "drivers/port/tcp_listener.h"
#include "tests/virtual_cell/relay_pair.h"
#include "tests/virtual_cell/virtual_cmm_line.h"
#include "tests/virtual_cell/virtual_program.h"

namespace {

using namespace datum;

struct Options {
  LineFaultSettings faults;
  std::vector<std::string> lines;
  std::string to = "127.0.0.1:5025";
  int listen = -1, delay_ms = 0, jitter_ms = 0, stall_ms = 2000, replug_ms = 500;
};

MonotonicNs now_ns() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return MonotonicNs{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

void add_options(ProgramOptions& app, Options& o) {
  constexpr int most_ms = 3'600'000;
  const auto lines =
      app.add_option("--lines", o.lines, "symbolic links of two pseudo-terminals: the host's, the daemon's")
          .expected(2);
  app.add_option("--listen", o.listen, "TCP port on 127.0.0.1 instead; 0: a free one, which is printed")
      .in_range(0, 65535)
      .excludes(lines);
  app.add_option("--to", o.to, "with --listen: numeric HOST:PORT of the daemon").show_default();
  app.add_option("--drop", o.faults.drop, "share of bytes that are lost").in_range(0.0, 1.0);
  app.add_option("--duplicate", o.faults.duplicate, "share of bytes that come twice").in_range(0.0, 1.0);
  app.add_option("--flip", o.faults.flip, "share of bytes of which a bit is turned").in_range(0.0, 1.0);
  app.add_option("--stall", o.faults.stall, "share of bytes before which the line stands still")
      .in_range(0.0, 1.0);
  app.add_option("--stall-ms", o.stall_ms, "for so long").in_range(0, most_ms).show_default();
  app.add_option("--hang-up", o.faults.hang_up, "share of bytes at which the line is cut").in_range(0.0, 1.0);
  app.add_option("--replug-ms", o.replug_ms, "with --lines: until it is there again")
      .in_range(0, most_ms)
      .show_default();
  app.add_option("--delay-ms", o.delay_ms, "of every piece").in_range(0, most_ms);
  app.add_option("--jitter-ms", o.jitter_ms, "up to so much more").in_range(0, most_ms);
  app.add_flag("--split", o.faults.split, "pass each byte alone");
  app.add_option("--seed", o.faults.seed, "the same seed, the same faults").show_default();
}

/// Both ends of one connection.
struct Passage {
  std::unique_ptr<Port> host, daemon;  // of TCP
  RelayPair pair;
};

class Relay {
 public:
  explicit Relay(const Options& o) : options_(o) {
    if (o.lines.empty()) {
      const auto take = [this](std::unique_ptr<Port> host, const std::string&, MonotonicNs) {
        connect(std::move(host));
      };
      listener_ = std::make_unique<TcpListener>("127.0.0.1", static_cast<std::uint16_t>(o.listen), take);
      say(fmt::format("127.0.0.1:{}", listener_->port()));
      return;
    }
    host_line_.emplace(o.lines[0]);
    daemon_line_.emplace(o.lines[1]);
    plug_in();
    say(fmt::format("{} {}", o.lines[0], o.lines[1]));
  }

  void run() {
    while (wait()) {
      const MonotonicNs now = now_ns();
      if (listener_) listener_->on_ready(now);
      if (plug_in_at_ && now >= *plug_in_at_) plug_in();
      for (auto& passage : passages_) passage.pair.pump(now);
      passages_.remove_if([&](const Passage& p) { return p.pair.ended() && end(p); });
    }
    for (const auto& p : passages_) add(p.pair);
    say(fmt::format("{} bytes: {} dropped, {} doubled, {} flipped, {} stalls, {} hang-ups", sum_.bytes,
                    sum_.dropped, sum_.duplicated, sum_.flipped, sum_.stalls, sum_.hang_ups));
  }

 private:
  static void say(const std::string& line) {
    fmt::print("{}\n", line);
    std::fflush(stdout);
  }

  /// False: stop requested.
  bool wait() {
    std::vector<pollfd> watched{{signals_, POLLIN, 0}};
    if (listener_) watched.push_back({listener_->fd(), POLLIN, 0});
    std::optional<MonotonicNs> due = plug_in_at_;
    for (const auto& p : passages_) {
      watched.push_back({p.host ? p.host->fd() : host_line_->fd(), p.pair.events(0), 0});
      watched.push_back({p.daemon ? p.daemon->fd() : daemon_line_->fd(), p.pair.events(1), 0});
      if (const auto d = p.pair.deadline()) due = std::min(due.value_or(*d), *d);
    }
    const MonotonicNs left = due ? std::max<MonotonicNs>(0, *due - now_ns()) : 0;
    const timespec limit{left / 1'000'000'000, left % 1'000'000'000};
    if (ppoll(watched.data(), watched.size(), due ? &limit : nullptr, nullptr) < 0 && errno != EINTR)
      return false;
    return watched[0].revents == 0;
  }

  /// Each connection has its own faults.
  LineFaultSettings next_faults() {
    LineFaultSettings faults = options_.faults;
    faults.seed += 2 * made_++;
    return faults;
  }

  void plug_in() {
    plug_in_at_.reset();
    host_line_->plug_in();
    daemon_line_->plug_in();
    passages_.push_back({nullptr, nullptr, RelayPair(host_line_->fd(), daemon_line_->fd(), next_faults())});
  }

  void connect(std::unique_ptr<Port> host) {
    const auto colon = options_.to.rfind(':');
    auto daemon = tcp_port(options_.to.substr(0, colon),
                           static_cast<std::uint16_t>(std::stoi(options_.to.substr(colon + 1))));
    try {
      daemon->open();
    } catch (const LostError& lost) {
      return say(lost.what());  // the host's connection closes
    }
    const int from = host->fd(), to = daemon->fd();
    passages_.push_back({std::move(host), std::move(daemon), RelayPair(from, to, next_faults())});
  }

  void add(const RelayPair& pair) {
    for (const int end : {0, 1}) {
      const auto& c = pair.count(end);
      sum_.bytes += c.bytes;
      sum_.dropped += c.dropped;
      sum_.duplicated += c.duplicated;
      sum_.flipped += c.flipped;
      sum_.stalls += c.stalls;
      sum_.hang_ups += c.hang_ups;
    }
  }

  bool end(const Passage& passage) {
    add(passage.pair);
    if (passage.host) return true;
    host_line_->unplug();
    daemon_line_->unplug();
    plug_in_at_ = now_ns() + MonotonicNs{options_.replug_ms} * 1'000'000;
    return true;
  }

  Options options_;
  const int signals_ = stop_signals();
  std::unique_ptr<TcpListener> listener_;
  std::optional<VirtualLine> host_line_, daemon_line_;
  std::optional<MonotonicNs> plug_in_at_;
  std::list<Passage> passages_;
  std::uint64_t made_ = 0;
  LineFaults::Count sum_;
};

}  // namespace

int main(int argc, char** argv) try {
  ProgramOptions app("virtual-relay: a bad line between a host and datumd");
  Options options;
  add_options(app, options);
  if (const auto ended = app.read(argc, argv)) return *ended;
  options.faults.delay_ns = MonotonicNs{options.delay_ms} * 1'000'000;
  options.faults.jitter_ns = MonotonicNs{options.jitter_ms} * 1'000'000;
  options.faults.stall_ns = MonotonicNs{options.stall_ms} * 1'000'000;
  if (options.lines.empty() && options.listen < 0)
    throw std::invalid_argument("--lines HOST DAEMON or --listen PORT");
  Relay(options).run();
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "virtual-relay: %s\n", error.what());
  return 2;
}
