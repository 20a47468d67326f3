// datumctl watch: live status, and each result when it is stored.
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>

#include "daemon/ctl/command_line.h"
#include "daemon/ctl/exit_status.h"
#include "daemon/ctl/monotonic_clock.h"
#include "daemon/ctl/watch_screen.h"
#include "daemon/ctl/watch_view.h"
#include "daemon/text/table.h"

namespace datum {
namespace {

struct WatchOptions {
  std::optional<std::uint64_t> after, last;
  std::uint64_t count = 0;
  int period_ms = 500;
};

/// Signals as a descriptor, for an orderly end that restores the terminal.
class Signals {
 public:
  Signals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGWINCH}) sigaddset(&set, number);
    sigprocmask(SIG_BLOCK, &set, nullptr);
    fd_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  }
  ~Signals() { ::close(fd_); }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  int fd() const { return fd_; }
  /// The next signal; 0: none.
  int next() const {
    signalfd_siginfo info;
    return ::read(fd_, &info, sizeof info) == sizeof info ? static_cast<int>(info.ssi_signo) : 0;
  }

 private:
  int fd_ = -1;
};

/// Counts results, and forwards all events.
class Counted final : public WatchView {
 public:
  explicit Counted(WatchView& view) : view_(view) {}
  void connected() override { view_.connected(); }
  void lost(const std::string& why, MonotonicNs retry_in_ns) override { view_.lost(why, retry_in_ns); }
  void cell(const WatchedCell& cell) override { view_.cell(cell); }
  void delivered(const DeliveryEvent& event) override {
    if (limit > 0 && results >= limit) return;
    results += event.kind == DeliveryEvent::Kind::result;
    newest_ = std::max(newest_, event.result.sequence);
    view_.delivered(event);
  }
  void explained(const WatchedBoard& board) override {
    if (board.sequence <= newest_) view_.explained(board);
  }
  std::uint64_t results = 0, limit = 0;

 private:
  WatchView& view_;
  std::uint64_t newest_ = 0;
};

void wait(const WatchLink& link, const Signals& signals) {
  const auto events = static_cast<short>(POLLIN | (link.wants_write() ? POLLOUT : 0));
  pollfd entries[] = {{signals.fd(), POLLIN, 0}, {link.fd(), events, 0}};
  const MonotonicNs left = std::max<MonotonicNs>(link.deadline() - now_ns(), 0);
  ::poll(entries, 2, static_cast<int>(std::min<MonotonicNs>(left / 1'000'000 + 1, 60'000)));
}

/// Runs until a signal, the number of results, or a closed output.
void watch(WatchLink& link, Counted& view, WatchScreen* screen) {
  const Signals signals;
  for (;;) {
    bool size_changed = false;
    while (const int number = signals.next()) {
      if (number != SIGWINCH) return;
      size_changed = true;
    }
    link.work(now_ns());
    if (screen) screen->draw(size_changed);
    if ((view.limit > 0 && view.results >= view.limit && link.has_explained()) || std::ferror(stdout)) return;
    wait(link, signals);
  }
}

int run_watch(const CommandLine& line, const WatchOptions& o) {
  std::signal(SIGPIPE, SIG_IGN);
  const auto write = [](const std::string& text) {
    fmt::print("{}\n", text);
    std::fflush(stdout);
  };
  const std::string address = address_of(line.link);
  std::unique_ptr<WatchView> view;
  WatchScreen* screen = nullptr;
  if (line.json) {
    view = std::make_unique<JsonWatchView>(address, write);
  } else if (isatty(STDOUT_FILENO) == 1) {
    view = std::make_unique<WatchScreen>(address, wants_colour(stdout));
    screen = static_cast<WatchScreen*>(view.get());
  } else {
    view = std::make_unique<LineWatchView>(address, write);
  }
  Counted counted(*view);
  counted.limit = o.count;
  constexpr std::uint64_t last_on_screen = 10;
  WatchLink link([&line] { return port_of(line.link); }, o.after, MonotonicNs{o.period_ms} * 1'000'000,
                 counted, o.last.value_or(screen ? last_on_screen : 0));
  watch(link, counted, screen);
  return good;
}

}  // namespace

void add_watch_command(CommandLine& line) {
  auto o = std::make_shared<WatchOptions>();
  auto* command =
      line.link_leaf(line.app, "watch",
                     "live status, and each result as it is stored; comes back by itself after a break, "
                     "and misses none",
                     [&line, o] { return run_watch(line, *o); });
  line.add_json(*command, "a JSON object a line for each event");
  auto* after = command->add_option("--after", o->after,
                                    "begin with what follows this sequence (default: what is new)");
  command
      ->add_option("--last", o->last, "begin with so many stored results (default: 10 on a terminal, else 0)")
      ->excludes(after);
  command->add_option("--count", o->count, "end after so many results");
  command->add_option("--period-ms", o->period_ms, "between two looks at the state")
      ->capture_default_str()
      ->check(CLI::Range(50, 60000));
}

}  // namespace datum
