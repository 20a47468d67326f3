// collect_cells: sends the boards of many simulated cells to a broker, each cell one board a period, evenly over the period. Usage:
// collect_cells --url amqp://... --address ADDRESS --password-file FILE [--cells N] [--period-s S] [--seconds S] [--measurements N]
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <proton/connection.hpp>
#include <proton/connection_options.hpp>
#include <proton/container.hpp>
#include <proton/message.hpp>
#include <proton/messaging_handler.hpp>
#include <proton/sender.hpp>
#include <proton/sender_options.hpp>
#include <proton/tracker.hpp>
#include <proton/types.hpp>
#include <proton/work_queue.hpp>

#include "config/utc_time.h"
#include "tests/bench/bench_boards.h"

namespace {

using namespace datum;
using Clock = std::chrono::steady_clock;

struct Arguments {
  std::string url, address, password_file;
  int cells = 1000, seconds = 60, measurements = 200;
  double period_s = 20;
};

std::string utc_now() {
  const auto us = std::chrono::duration_cast<std::chrono::microseconds>(
                      std::chrono::system_clock::now().time_since_epoch())
                      .count();
  std::string text = iso8601_from_utc(us / 1'000'000);
  return text.insert(text.size() - 1, fmt::format(".{:06}", us % 1'000'000));
}

class Cells : public proton::messaging_handler {
 public:
  explicit Cells(const Arguments& a) : arguments_(a) {
    for (int i = 0; i < a.cells; ++i) chains_.emplace_back(fmt::format("Bench.Cell.{:05}", i));
    total_ = static_cast<std::uint64_t>(a.seconds / a.period_s * a.cells);
  }
  void on_container_start(proton::container& container) override {
    std::ifstream in(arguments_.password_file);
    std::string password;
    std::getline(in, password);
    container.connect(arguments_.url, proton::connection_options()
                                          .user("guest")
                                          .password(password)
                                          .sasl_allowed_mechs("PLAIN")
                                          .sasl_allow_insecure_mechs(true));
  }
  void on_connection_open(proton::connection& connection) override {
    connection.open_sender(arguments_.address);
  }
  void on_sender_open(proton::sender& sender) override {
    sender_ = sender;
    begin_ = Clock::now();
    tick();
  }
  void on_tracker_accept(proton::tracker&) override {
    if (++accepted_ == total_) sender_.connection().close();
  }

 private:
  void tick() {
    const double s = std::chrono::duration<double>(Clock::now() - begin_).count();
    const auto due = std::min(total_, static_cast<std::uint64_t>(s / arguments_.period_s * arguments_.cells));
    if (sent_ < due &&
        sender_.credit() > 0) {  // one a round, so that its bytes leave before the next one is made
      BoardVerdict board = bench_board(static_cast<int>(sent_), arguments_.measurements);
      board.measured_at = utc_now();
      proton::message message;
      message.durable(true);
      message.body(proton::binary(chains_[sent_ % chains_.size()].board(board)));
      sender_.send(message, proton::binary(std::to_string(sent_++)));
    }
    const bool is_late = sent_ < due;
    // By the connection's own queue: what the container's timers send leaves only with the connection's next event.
    if (sent_ < total_) sender_.work_queue().schedule(proton::duration(is_late ? 0 : 5), [this] { tick(); });
  }

  const Arguments& arguments_;
  std::vector<testing::VirtualChain> chains_;
  proton::sender sender_;
  Clock::time_point begin_{};
  std::uint64_t total_ = 0, sent_ = 0, accepted_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"collect_cells: boards of simulated cells to a broker"};
  Arguments a;
  app.add_option("--url", a.url, "the broker, amqp://HOST:PORT")->required();
  app.add_option("--address", a.address, "of the entries")->required();
  app.add_option("--password-file", a.password_file, "of the account guest")->required();
  app.add_option("--cells", a.cells);
  app.add_option("--period-s", a.period_s, "between two boards of a cell");
  app.add_option("--seconds", a.seconds);
  app.add_option("--measurements", a.measurements, "of a board");
  CLI11_PARSE(app, argc, argv);
  Cells cells(a);
  proton::container(cells).run();
}
