// datumd-view: pages to look at, of the stored results and of datumd's metrics. It can change neither.
#include <fmt/format.h>
#include <signal.h>
#include <systemd/sd-daemon.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <set>

#include "config/program_options.h"
#include "daemon/configuration/daemon_config.h"
#include "daemon/metrics/metrics_client.h"
#include "daemon/view/lot_reporter.h"
#include "daemon/view/result_index.h"
#include "daemon/view/view_pages.h"
#include "daemon/view/view_server.h"

namespace {

using namespace datum;
namespace fs = std::filesystem;

constexpr int exit_config = 78;  // EX_CONFIG (sysexits.h): systemd does not restart the service
constexpr int metrics_timeout_ms = 500;
constexpr std::size_t index_batch =
    20;  // results in a transaction of the index: a page waits for one at most
constexpr std::chrono::milliseconds index_limit{10'000};
constexpr timespec round_pause{1, 0};

struct Arguments {
  std::string config = "/etc/datumd/datumd.toml", listen = "127.0.0.1:8025";
  std::string cache = std::getenv("CACHE_DIRECTORY") ? std::getenv("CACHE_DIRECTORY") : "";
  std::vector<std::string> names;
  double page_percent = 5;  // of time
};

/// The newest live state, from one thread to the other.
class LastState {
 public:
  void set(LiveState state) {
    const std::lock_guard held(mutex_);
    state_ = std::move(state);
  }
  LiveState get() {
    const std::lock_guard held(mutex_);
    return state_;
  }

 private:
  std::mutex mutex_;
  LiveState state_{"it was not asked yet", {}};
};

LiveState ask(const std::optional<MetricsSettings>& metrics) {
  if (!metrics) return {"its configuration has no table [metrics]", {}};
  try {
    return {"", read_metrics_text(fetch_metrics(*metrics, metrics_timeout_ms))};
  } catch (const std::exception& error) {
    return {error.what(), {}};
  }
}

/// Keeps the index beside the store up to it.
class Follower {
 public:
  Follower(fs::path store, fs::path file) : store_(std::move(store)), file_(std::move(file)) {}

  /// Takes the next results. True: there may be more at once.
  bool follow() {
    try {
      if (!index_) index_.emplace(file_, ResultIndex::Access::writing);
      ResultReader reader(store_, index_limit);
      const std::size_t taken = index_->take(reader, index_batch);
      told_.clear();
      return taken == index_batch;
    } catch (const std::exception& error) {
      if (told_ != error.what())
        fmt::print(stderr, "<4>datumd-view: the index of the results: {}\n", error.what());
      told_ = error.what();
      index_.reset();
      return false;
    }
  }

 private:
  const fs::path store_, file_;
  std::optional<ResultIndex> index_;
  std::string told_;  // each trouble once
};

int serve(const Arguments& a) {
  const DaemonConfig config = load_daemon_config(a.config);
  if (a.cache.empty())
    throw std::invalid_argument("no folder for the index of the results: --cache FOLDER, or CacheDirectory=");
  const ListenPlace place = read_listen_place(a.listen);
  const fs::path index = fs::path(a.cache) / "view.db";
  sigset_t ending;
  sigemptyset(&ending);
  for (const int signal : {SIGTERM, SIGINT}) sigaddset(&ending, signal);
  pthread_sigmask(SIG_BLOCK, &ending, nullptr);  // before the server's thread
  LastState state;
  const ViewPages pages({config.store, config.pictures.value_or(""), index, [&] { return state.get(); }});
  ViewServer server(
      place, {a.names.begin(), a.names.end()},
      [&](const PageRequest& request) { return pages.answer(request); },
      PaceSettings{.share = a.page_percent / 100});
  fmt::print(stderr, "<6>datumd-view: http://{}:{}/ shows {}\n",
             place.address.find(':') == std::string::npos ? place.address : "[" + place.address + "]",
             server.port(), config.store.string());
  if (!is_loopback(place))
    fmt::print(stderr,
               "<4>datumd-view: {} is not loopback: everybody who reaches it sees all results; there is no "
               "password\n",
               place.address);
  sd_notify(0, "READY=1");
  Follower follower(config.store, index);
  std::optional<LotReporter> lots;
  if (config.lots)
    lots.emplace(LotReporterDependencies{*config.lots, config.store, index,
                                         2 * config.retention.reserve_bytes,
                                         [](int priority, const std::string& text) {
                                           fmt::print(stderr, "<{}>datumd-view: {}\n", priority, text);
                                         }});
  constexpr timespec at_once{0, 0};
  for (auto asked = std::chrono::steady_clock::time_point::min();;) {
    const auto now = std::chrono::steady_clock::now();
    if (now - std::chrono::seconds(1) >= asked) {
      state.set(ask(config.metrics));
      asked = now;
    }
    server.end_slow();
    bool more = follower.follow();
    if (lots) more = lots->work(std::time(nullptr), now) || more;
    if (sigtimedwait(&ending, nullptr, more ? &at_once : &round_pause) > 0) return 0;
  }
}

}  // namespace

int main(int argc, char** argv) {
  ProgramOptions app{"datumd-view: pages of datumd's results for a browser; it can change nothing"};
  Arguments a;
  app.add_option("--config", a.config, "configuration of the daemon: store, pictures, metrics")
      .show_default();
  app.add_option(
         "--listen", a.listen,
         "numeric address and port; another address than loopback shows all results to all who reach it")
      .show_default();
  app.add_option("--cache", a.cache,
                 "folder for the index of the results (default: CACHE_DIRECTORY of the service)");
  app.add_option("--name", a.names, "a host name by which browsers may ask, besides addresses and localhost");
  app.add_option("--page-percent", a.page_percent,
                 "of a processor's time that pages take at most in the long run; further requests wait, "
                 "since inspections come "
                 "first; 100: all of it")
      .in_range(0.1, 100.0)
      .show_default();
  if (const auto ended = app.read(argc, argv)) return *ended == 0 ? 0 : 64;  // EX_USAGE
  try {
    return serve(a);
  } catch (const config::ConfigError& error) {
    fmt::print(stderr, "<3>datumd-view: {}\n", error.what());
    return exit_config;
  } catch (const std::invalid_argument& error) {
    fmt::print(stderr, "<3>datumd-view: {}\n", error.what());
    return exit_config;
  } catch (const std::exception& error) {
    fmt::print(stderr, "<3>datumd-view: {}\n", error.what());
    return 70;  // EX_SOFTWARE
  }
}
