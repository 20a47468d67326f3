// bench_collect: boards a second from messages to committed rows, beside a plain COPY of the same rows, in the same PostgreSQL and run. Usage:
// bench_collect --host FOLDER [--boards N]; tests/bench/collect.sh makes the database.
#include <fmt/format.h>

#include <time.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <fstream>
#include <mutex>
#include <thread>

#include "daemon/collect/batch_writer.h"
#include "daemon/collect/sql_rows.h"
#include "tests/bench/bench_boards.h"

namespace {

using namespace datum;
using Clock = std::chrono::steady_clock;

double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

std::int64_t now_us() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// Messages of several cells in turn.
std::vector<std::string> messages_of(int boards, int measurements, int cells, const std::string& name) {
  std::vector<testing::VirtualChain> chains;
  for (int i = 0; i < cells; ++i) chains.emplace_back(fmt::format("Bench.{}.{}", name, i));
  std::vector<std::string> messages;
  for (int n = 0; n < boards; ++n)
    messages.push_back(chains[static_cast<std::size_t>(n % cells)].board(bench_board(n, measurements)));
  return messages;
}

/// Time of a run, and what it took of processors: this program's, and the server's process of the connection.
struct Cost {
  double wall = 0, client = 0, server = 0;  // s
};

double client_s() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double server_s(int process) {
  std::ifstream in(fmt::format("/proc/{}/stat", process));
  std::string word;
  double ticks = 0;
  for (int i = 1; i <= 15 && in >> word; ++i)
    if (i >= 14) ticks += std::stod(word);  // utime, stime (proc(5))
  return ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

template <class Work>
Cost cost_of(int process, const Work& work) {
  const double client = client_s(), server = server_s(process);
  const auto begin = Clock::now();
  work();
  return {since(begin), client_s() - client, server_s(process) - server};
}

/// As datumd-collect does it: one thread decodes, the other one writes what is ready.
void collect(BatchWriter& writer, const std::vector<std::string>& messages, std::size_t window) {
  std::mutex mutex;
  std::condition_variable wake;
  std::deque<Delivered> ready;
  std::thread decoding([&] {
    for (const std::string& message : messages) {
      Delivered one = delivered(message, 16 << 20, now_us());
      std::unique_lock held(mutex);
      wake.wait(held, [&] { return ready.size() < window; });
      ready.push_back(std::move(one));
      wake.notify_all();
    }
  });
  for (std::size_t written = 0; written < messages.size();) {
    std::vector<Delivered> batch;
    {
      std::unique_lock held(mutex);
      wake.wait(held, [&] { return ready.size() >= std::min(window, messages.size() - written); });
      batch.assign(std::make_move_iterator(ready.begin()), std::make_move_iterator(ready.end()));
      ready.clear();
      wake.notify_all();
    }
    const BatchReport report = writer.write(batch);
    for (const std::string& alarm : report.alarms) throw std::runtime_error(alarm);
    written += batch.size();
  }
  decoding.join();
}

/// The peer: the rows of the same boards, by COPY into tables without keys, sums, or a check, a transaction for each window.
Cost plain_copy(pqxx::connection& connection, const std::vector<std::string>& messages, std::size_t window) {
  pqxx::work make(connection);
  make.exec("DROP TABLE IF EXISTS plain_board, plain_measurement");
  make.exec("CREATE TABLE plain_board (LIKE datum.board)");
  make.exec("CREATE TABLE plain_measurement (LIKE datum.measurement)");
  make.commit();
  std::vector<BatchRows> batches;
  Catalogue catalogue;
  std::set<std::string> refused;
  for (std::size_t at = 0; at < messages.size(); at += window) {
    BatchPlan plan(catalogue, {}, refused);
    for (std::size_t i = at; i < std::min(at + window, messages.size()); ++i)
      plan.take(delivered(messages[i], 16 << 20, now_us()));
    batches.push_back(std::move(plan.rows()));
  }
  return cost_of(connection.backendpid(), [&] {
    for (const BatchRows& rows : batches) {
      pqxx::work work(connection);
      copy_boards(work, "plain_board", rows);
      copy_measurements(work, "plain_measurement", rows);
      work.commit();
    }
  });
}

void print(int measurements, int cells, const char* what, int boards, const Cost& cost, double of) {
  fmt::print("{:>12} {:>5} {:<22} {:>9.0f} {:>9.0f} {:>12.2f} {:>12.2f} {:>10.2f}\n", measurements, cells,
             what, boards / cost.wall, boards * measurements / cost.wall,
             1e6 * cost.client / boards / measurements, 1e6 * cost.server / boards / measurements,
             (cost.client + cost.server) / of);
  std::fflush(stdout);
}

void measure(const CollectSettings& settings, int boards, int measurements, int cells) {
  const std::string name = fmt::format("{}-{}-{}", measurements, cells, now_us());
  const auto messages = messages_of(boards, measurements, cells, name);
  const auto window = static_cast<std::size_t>(settings.broker.window);
  const std::string where = connection_string(settings.database);
  pqxx::connection connection(where);
  BatchWriter writer(where, settings, now_us);
  const int process = writer.database().connection().backendpid();
  const Cost first = cost_of(process, [&] { collect(writer, messages, window); });
  const Cost again = cost_of(process, [&] { collect(writer, messages, window); });
  const Cost copied = plain_copy(connection, messages, window);
  const Cost decoded = cost_of(process, [&] {
    for (const std::string& message : messages) delivered(message, 16 << 20, 0);
  });
  const double peer = copied.client + copied.server;
  print(measurements, cells, "COPY of the rows", boards, copied, peer);
  print(measurements, cells, "collector", boards, first, peer);
  print(measurements, cells, "the same again", boards, again, peer);
  print(measurements, cells, "decoding of these", boards, decoded, peer);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("bench_collect: boards a second into PostgreSQL");
  CollectSettings settings;
  int boards = 6000;
  settings.database.name = "plant";
  settings.database.user = "collect";
  app.add_option("--host", settings.database.host, "folder of PostgreSQL's socket")->required();
  app.add_option("--boards", boards, "boards of each row");
  app.add_option("--window", settings.broker.window, "messages in a transaction");
  CLI11_PARSE(app, argc, argv);
  fmt::print("{} boards a row, {} in a transaction, synchronous commits\n", boards, settings.broker.window);
  fmt::print("{:>12} {:>5} {:<22} {:>9} {:>9} {:>12} {:>12} {:>10}\n", "measurements", "cells", "what",
             "boards/s", "rows/s", "own us/row", "server us/row", "CPU/COPY");
  for (const int measurements : {50, 200})
    for (const int cells : {5, 100})
      measure(settings, measurements == 50 ? boards : boards / 3, measurements, cells);
}
