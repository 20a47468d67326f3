// Messages that a broker confirms in a second: datumd-plant's own link, from the store to the kept position, beside a bare sender of
// Qpid Proton (C++) with the same messages, by turns in one run.
//
//   bench_plant --port 15672 [--results 8000] [--rounds 5] [--window 100]
//
// tests/bench/plant.sh starts the broker. A result has one component with three checks: an entry of about 4 KB.
#include <fmt/format.h>
#include <time.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <proton/connection_options.hpp>
#include <proton/container.hpp>
#include <proton/message.hpp>
#include <proton/message_id.hpp>
#include <proton/messaging_handler.hpp>
#include <proton/sender.hpp>
#include <proton/tracker.hpp>
#include <proton/transport.hpp>

#include "config/utc_time.h"
#include "daemon/plant/broker_access.h"
#include "daemon/plant/plant_link.h"
#include "daemon/store/result_store.h"
#include "daemon/system/durable_file.h"
#include "daemon/system/event_loop.h"
#include "tests/fresh_folder.h"

namespace {

using namespace datum;
namespace fs = std::filesystem;

struct Options {
  int port = 15672, results = 8000, rounds = 5, window = 100;
};

BoardVerdict board_of(int n, int components) {
  BoardVerdict v;
  v.measured_at = iso8601_from_utc(1'795'400'000 + n);
  v.unit_id = fmt::format("SN{:08}", n);
  v.recipe = "bench";
  v.recipe_sha256 = std::string(64, 'a');
  v.calibration = "cal";
  v.calibration_sha256 = std::string(64, 'b');
  v.frame_id = fmt::format("{:08}", n);
  v.frame_sha256 = fmt::format("{:064x}", n);
  v.code = v.backend = "bench";
  v.decision = Decision::pass;
  ComponentVerdict c;
  c.reference = "C1";
  c.package = "P1";
  c.decision = Decision::pass;
  for (const auto what : {Characteristic::median, Characteristic::mean, Characteristic::tilt}) {
    CheckVerdict check;
    check.check = {what, 0, 800.0, 720.0, 880.0};
    check.value = 801.0 + n * 1e-3;
    check.u = 1.234567;
    check.p_conform = 0.999;
    check.decision = check.decision_simple = Decision::pass;
    for (const char* term :
         {"top_noise", "floor", "scale", "linearity", "form", "quantisation", "edge", "reproducibility"})
      check.budget.push_back({term, 0.4 + n * 1e-5});
    c.checks.push_back(check);
  }
  for (int i = 1; i <= components; ++i) {
    c.reference = fmt::format("C{}", i);
    v.components.push_back(c);
  }
  return v;
}

void write_store(const fs::path& file, int results, int components) {
  ResultStore store(file);
  constexpr int batch = 500;
  for (int from = 0; from < results; from += batch) {
    std::vector<BoardVerdict> boards;
    for (int n = from; n < std::min(from + batch, results); ++n)
      boards.push_back(board_of(n + 1, components));
    std::vector<BoardVerdict*> all;
    for (BoardVerdict& v : boards) all.push_back(&v);
    store.store(all);
  }
}

double cpu_s() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

struct Run {
  std::size_t messages = 0, bytes = 0;
  double wall_s = 0, cpu_s = 0;
};
template <class Work>
void measure(Run& run, Work work) {
  const double cpu = cpu_s();
  const auto from = std::chrono::steady_clock::now();
  work();
  run.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count();
  run.cpu_s = cpu_s() - cpu;
}

PlantSettings settings_of(const Options& o, bool messages, bool entries) {
  PlantSettings s;
  s.host = "127.0.0.1";
  s.port = static_cast<std::uint16_t>(o.port);
  s.url = fmt::format("amqp://127.0.0.1:{}", o.port);
  s.secret = false;
  s.handle = "Datumd.Bench.1";
  if (messages) s.messages = "/amq/queue/cfx";
  if (entries) s.entries = "/amq/queue/entries";
  s.window = o.window;
  return s;
}

/// Bodies that the link will send.
std::vector<std::string> bodies_of(const fs::path& store, const PlantSettings& s) {
  std::vector<std::string> bodies;
  PlantFeed feed(store, s, {});
  for (; const PlantMessage* next = feed.front(); feed.pop()) bodies.push_back(next->json);
  return bodies;
}

/// datumd-plant without its command line: as main.cpp connects its parts.
Run plant(const fs::path& store, const fs::path& position, const PlantSettings& s,
          const std::vector<std::string>& bodies, std::uint64_t newest) {
  Run run;
  run.messages = bodies.size();
  for (const std::string& body : bodies) run.bytes += body.size();
  EventLoop loop;
  PlantLinkActions actions;
  actions.access = [&] {
    BrokerAccess access = broker_access(s, s.handle, "plant", [] { return std::int64_t{0}; });
    access.who.user = access.who.password = "guest";
    return access;
  };
  actions.keep = [&](const PlantPosition& p) {
    write_file_durably(position, to_text(p));
    if (p.place.link == newest) loop.stop();
  };
  actions.log = [](int level, const std::string& text) {
    if (level < 6) fmt::print(stderr, "{}\n", text);
  };
  actions.utc = [] { return std::string("2026-11-29T00:00:00Z"); };
  actions.status = [](const std::string&) {};
  PlantLink link(store, s, {}, actions);
  loop.add(link);
  measure(run, [&] { loop.run(); });
  loop.remove(link);
  return run;
}

class BareSender : public proton::messaging_handler {
 public:
  BareSender(const Options& o, const std::vector<std::string>& bodies) : o_(o), bodies_(bodies) {}
  void on_container_start(proton::container& container) override {
    container.connect(fmt::format("amqp://127.0.0.1:{}", o_.port), proton::connection_options()
                                                                       .user("guest")
                                                                       .password("guest")
                                                                       .sasl_allowed_mechs("PLAIN")
                                                                       .sasl_allow_insecure_mechs(true));
  }
  void on_connection_open(proton::connection& connection) override {
    sender_ = connection.open_sender("/amq/queue/entries");
  }
  void on_sendable(proton::sender&) override { fill(); }
  void on_tracker_accept(proton::tracker&) override {
    if (++accepted_ == bodies_.size()) return sender_.connection().close();
    fill();
  }
  void on_transport_error(proton::transport& transport) override {
    throw std::runtime_error(transport.error().what());
  }

 private:
  void fill() {
    while (sent_ < bodies_.size() && sent_ - accepted_ < static_cast<std::size_t>(o_.window) &&
           sender_.credit() > 0) {
      proton::message message;
      message.id(proton::message_id(fmt::format("{:036}", sent_)));
      message.subject("Datumd.Bench.1.datumd.Entry");
      message.content_type(R"(application/json; charset="utf-8")");
      message.durable(true);
      message.properties().put("cfx-message", "datumd.Entry");
      message.properties().put("cfx-handle", "Datumd.Bench.1");
      message.properties().put("cfx-topic", "datumd");
      message.inferred(true);
      message.body(proton::binary(bodies_[sent_]));
      sender_.send(message);
      ++sent_;
    }
  }

  const Options& o_;
  const std::vector<std::string>& bodies_;
  proton::sender sender_;
  std::size_t sent_ = 0, accepted_ = 0;
};

Run bare(const Options& o, const std::vector<std::string>& bodies) {
  Run run;
  run.messages = bodies.size();
  for (const std::string& body : bodies) run.bytes += body.size();
  BareSender sender(o, bodies);
  measure(run, [&] { proton::container(sender).run(); });
  return run;
}

/// Bytes and processor time of a board by its components; no broker.
void unit_costs() {
  fmt::print("\nof a board    store bytes   entry bytes   CFX bytes   CPU us entry   CPU us both\n");
  for (const int components : {1, 10, 50, 200}) {
    constexpr int boards = 100;
    testing::FreshFolder folder;
    const fs::path store = folder / "results.db";
    write_store(store, boards, components);
    std::size_t entry_bytes = 0, all_bytes = 0;
    Run entries, both;
    const Options o;
    measure(entries, [&] {
      for (const std::string& body : bodies_of(store, settings_of(o, false, true)))
        entry_bytes += body.size();
    });
    measure(both, [&] {
      for (const std::string& body : bodies_of(store, settings_of(o, true, true))) all_bytes += body.size();
    });
    fmt::print("{:>3} components {:>10} {:>13} {:>11} {:>14.0f} {:>13.0f}\n", components,
               fs::file_size(store) / boards, entry_bytes / boards, (all_bytes - entry_bytes) / boards,
               1e6 * entries.cpu_s / boards, 1e6 * both.cpu_s / boards);
  }
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Returns the median of the rates.
double row(const char* name, const std::vector<Run>& runs, double peer) {
  std::vector<double> rates, cpu;
  for (const Run& run : runs) {
    rates.push_back(static_cast<double>(run.messages) / run.wall_s);
    cpu.push_back(1e6 * run.cpu_s / static_cast<double>(run.messages));
  }
  const double rate = median(rates);
  fmt::print("{:<34} {:>8.0f} {:>8.0f} {:>8.0f} {:>7.0f} {:>8.1f} {:>7}\n", name, rate,
             *std::min_element(rates.begin(), rates.end()), *std::max_element(rates.begin(), rates.end()),
             static_cast<double>(runs[0].bytes) / static_cast<double>(runs[0].messages), median(cpu),
             peer == 0 ? "" : fmt::format("{:.2f}", rate / peer));
  return rate;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"bench_plant: messages that a broker confirms in a second"};
  Options o;
  app.add_option("--port", o.port, "the broker's, on loopback")->capture_default_str();
  app.add_option("--results", o.results)->capture_default_str();
  app.add_option("--rounds", o.rounds)->capture_default_str();
  app.add_option("--window", o.window, "messages that are not yet accepted, at most")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  testing::FreshFolder folder;
  const fs::path store = folder / "results.db", position = folder / "position.json";
  write_store(store, o.results, 1);
  const PlantSettings entries = settings_of(o, false, true), both = settings_of(o, true, true);
  const auto bodies = bodies_of(store, entries), all = bodies_of(store, both);
  const std::uint64_t newest =
      static_cast<std::uint64_t>(o.results) + 1;  // behind the statement of the store's creation
  std::vector<Run> bare_runs, entry_runs, all_runs;
  for (int round = 0; round < o.rounds; ++round) {
    bare_runs.push_back(bare(o, bodies));
    entry_runs.push_back(plant(store, position, entries, bodies, newest));
    all_runs.push_back(plant(store, position, both, all, newest));
  }
  fmt::print("{} results, {} rounds by turns, window {}\n", o.results, o.rounds, o.window);
  fmt::print("{:<34} {:>8} {:>8} {:>8} {:>7} {:>8} {:>7}\n", "", "median/s", "least", "most", "bytes",
             "CPU us", "ratio");
  const double peer = row("bare Proton sender", bare_runs, 0);
  row("datumd-plant, entries", entry_runs, peer);
  row("datumd-plant, messages and entries", all_runs, peer);
  Run reading, making;
  measure(reading, [&] { bodies_of(store, entries); });
  measure(making, [&] { bodies_of(store, both); });
  fmt::print(
      "CPU of that from the store to the bytes: {:.1f} us an entry, {:.1f} us a message of both kinds\n",
      1e6 * reading.cpu_s / static_cast<double>(bodies.size()),
      1e6 * making.cpu_s / static_cast<double>(all.size()));
  fmt::print(
      "CPU: of one message, without the broker's. A board is {:.1f} messages and {:.0f} bytes of both "
      "kinds.\n",
      static_cast<double>(all.size()) / o.results, static_cast<double>(all_runs[0].bytes) / o.results);
  unit_costs();
}
