// From delivered bytes to the announced line: the real datumd, its board of 58 components, one table in one run.
//
//   bench_path [--gpu] [--part | --network] [--boards N] [--sustained N] [--memory FOLDER] [--disk FOLDER]     README.md
#include <fmt/format.h>
#include <signal.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <thread>

#include "tests/bench/bench_board.h"
#include "tests/bench/bench_part.h"
#include "tests/bench/path_drop.h"
#include "tests/bench/path_floor.h"
#include "tests/bench/path_network.h"

namespace {

using namespace datum;
using namespace datum::bench;

/// Nearest rank.
double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  const double rank = std::ceil(q * static_cast<double>(values.size()));
  return values.at(static_cast<std::size_t>(std::max(1.0, rank)) - 1);
}

void print_row(const std::string& what, const std::vector<double>& ms) {
  fmt::print("{:<46} {:>9.2f} {:>9.2f}\n", what, quantile(ms, 0.5), quantile(ms, 0.99));
}

/// `floor_ms`: what any path has to do with these bytes.
void print_path(const std::string& what, const PathTimes& times, double floor_ms) {
  const double median = quantile(times.ms, 0.5);
  fmt::print("{:<46} {:>9.2f} {:>9.2f} {:>9.2f} {:>9.2f} {:>7.0f} %\n", what, median,
             quantile(times.ms, 0.99), times.cpu_ms, floor_ms, 100 * floor_ms / median);
  std::fflush(stdout);
}

struct DropTimes {
  PathTimes path;
  double boards_per_s = 0;
};

/// `sustained` frames lie ready; their sidecars are renamed one after the other, at most `ahead` before their lines.
double boards_per_s(PathCell& cell, DropPlace& place, int first, int sustained) {
  constexpr int ahead = 8;
  for (int n = 0; n < sustained; ++n) place.prepare(first + n);
  const auto from = Clock::now();
  auto last = from;
  for (int n = 0; n < sustained + ahead; ++n) {
    if (n >= ahead) {
      last = cell.await_pass();
      place.forget(first + n - ahead - 1);
    }
    if (n < sustained) place.deliver(first + n);
  }
  return 1000 * sustained / ms_between(from, last);
}

PathTimes dropped(PathCell& cell, DropPlace& place, const PathOptions& options) {
  Clock::time_point renamed;
  const auto deliver = [&](int n) {
    place.forget(n - 1);
    place.prepare(n);
    renamed = place.deliver(n);
  };
  return times_of(cell, options, {deliver, [&] { return renamed; }});
}

DropTimes drop_times(const PathOptions& options, const std::filesystem::path& parent, std::string& backend) {
  DropPlace place(parent, make_frame(make_recipe()));
  PathCell cell(options, board_scene(), place.sensor());
  backend = cell.backend();
  cell.arm_when("drop");
  DropTimes times;
  times.path = dropped(cell, place, options);
  times.boards_per_s = boards_per_s(cell, place, options.boards + options.warm_up, options.sustained);
  return times;
}

Floor floor_in(const PathOptions& options, const std::filesystem::path& parent, HeightFrame frame) {
  DropPlace place(parent, std::move(frame));
  place.prepare(0);
  return floor_of(place.image_of(0), options.disk, options.boards);
}

struct PartTimes {
  PathTimes path;
  double model_ms = 0, first_ms = 0;  // until the model is ready; of the first part
  std::string backend;                // of its verdicts
};

/// Parts compared with a model of 1.19 million facets, dropped in memory.
PartTimes part_times(const PathOptions& options) {
  DropPlace place(options.memory, make_part_frame());
  PathCell cell(options, part_scene(), place.sensor());
  PartTimes times;
  const auto armed = Clock::now();
  cell.arm_when("drop");
  if (!options.cold) cell.await_log("facets ready");
  times.model_ms = ms_between(armed, Clock::now());
  place.prepare(100'000);
  const auto first = place.deliver(100'000);
  times.first_ms = ms_between(first, cell.await_pass());
  times.path = dropped(cell, place, options);
  times.backend = cell.backend_of_verdict();
  return times;
}

/// The step of the board that is `p99` of all.
double step_of_slow(const PathTimes& times, const std::vector<double>& step_ms) {
  const auto slow = std::find(times.ms.begin(), times.ms.end(), quantile(times.ms, 0.99));
  return step_ms.at(static_cast<std::size_t>(slow - times.ms.begin()));
}

/// datumd's own times: medians, and beside them those of the board at the 99th percentile; a column for each source.
void print_steps(const std::vector<std::pair<const char*, PathTimes>>& sources) {
  fmt::print("\n{:<46}", "of it by datumd's own times, median and slow, ms");
  for (const auto& [name, times] : sources) fmt::print(" {:>13}", name);
  const auto& steps = sources.front().second.steps_ms;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    fmt::print("\n{:<46}", steps[i].first);
    for (const auto& [name, times] : sources) {
      const bool has = i < times.steps_ms.size() && times.steps_ms[i].second.size() == times.ms.size();
      fmt::print(" {:>13}", has ? fmt::format("{:.2f} {:>6.2f}", quantile(times.steps_ms[i].second, 0.5),
                                              step_of_slow(times, times.steps_ms[i].second))
                                : "-");
    }
  }
  fmt::print("\n");
}

void print_part(const PathOptions& options) {
  const Floor floor = floor_in(options, options.memory, make_part_frame());
  const PartTimes part = part_times(options);
  fmt::print(
      "\nsurface recipe: {} facets, C2M and PFM, {} x {} int16 TIFF (1.3 MB)\nbackend: {}\n{:<46} {:>9} "
      "{:>9} "
      "{:>9} {:>9} {:>9}\n",
      cone_facets, part_side_px, part_side_px, part.backend, "to the line at a host, from", "median", "p99",
      "CPU", "floor", "share");
  print_path("drop folder in memory: sidecar renamed", part.path,
             quantile(*floor.read.ms, 0.5) + quantile(*floor.append.ms, 0.5));
  fmt::print("{:<46} {:>9.2f}\n{:<46} {:>9.2f}\n", "of the first part", part.first_ms,
             "the model, from arming until it is ready", part.model_ms);
  print_steps({{"part", part.path}});
}

void print_paths(const PathOptions& options, double read_ms, double store_ms) {
  std::string backend;
  const DropTimes memory = drop_times(options, options.memory, backend);
  fmt::print(
      "3904 x 3904 int16 TIFF (30.5 MB), 58 components with median, tilt and presence; {} threads of the "
      "host\n"
      "backend: {}\n\nms of {} boards, one at a time\n{:<46} {:>9} {:>9} {:>9} {:>9} {:>9}\n",
      std::thread::hardware_concurrency(), backend, options.boards, "to the line at a host, from", "median",
      "p99", "CPU", "floor", "share");
  print_path("drop folder in memory: sidecar renamed", memory.path, read_ms + store_ms);
  const DropTimes disk = drop_times(options, options.disk, backend);
  print_path("drop folder on the disk: sidecar renamed", disk.path, read_ms + store_ms);
  const PathTimes gocator = gocator_times(options);
  print_path("Gocator: last byte sent", gocator, store_ms);
  const PathTimes genicam = genicam_times(options);
  print_path("GenICam: last packet sent", genicam, store_ms);
  print_steps({{"memory", memory.path}, {"disk", disk.path}, {"Gocator", gocator}, {"GenICam", genicam}});
  fmt::print("\nboards a second, frames waiting\n");
  fmt::print("{:<46} {:>9.1f}\n", "drop folder in memory", memory.boards_per_s);
  fmt::print("{:<46} {:>9.1f}\n", "drop folder on the disk", disk.boards_per_s);
}

/// Of the network's sensors alone, without the floor.
void print_network(const PathOptions& options) {
  fmt::print("ms of {} boards, one at a time: median, p99, CPU\n", options.boards);
  const PathTimes gocator = gocator_times(options), genicam = genicam_times(options);
  for (const auto& [name, times] : {std::pair("Gocator", &gocator), std::pair("GenICam", &genicam)})
    fmt::print("{:<46} {:>9.2f} {:>9.2f} {:>9.1f}\n", name, quantile(times->ms, 0.5),
               quantile(times->ms, 0.99), times->cpu_ms);
  print_steps({{"Gocator", gocator}, {"GenICam", genicam}});
}

void print_table(const PathOptions& options) {
  Floor floor = floor_in(options, options.memory, make_frame(make_recipe()));
  print_paths(options, quantile(*floor.read.ms, 0.5), quantile(*floor.append.ms, 0.5));
  fmt::print("\n{:<46} {:>9} {:>9}\n", "beside it, ms, the same bytes in memory", "median", "p99");
  std::vector<FloorRow> rows{floor.cat, floor.openssl, floor.read, floor.append};
  if (options.gpu)
    for (FloorRow& row : upload_rows(std::size_t{side_px} * side_px * 2, options.boards))
      rows.push_back(std::move(row));
  for (const FloorRow& row : rows) {
    if (row.ms)
      print_row(row.what, *row.ms);
    else
      fmt::print("{:<46} {:>9}\n", row.what, "not here");
  }
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app{"bench_path: times of the real datumd from delivered bytes to the announced line"};
  PathOptions options;
  app.add_flag("--gpu", options.gpu, "with the CUDA backend");
  app.add_option("--threads", options.threads, "of datumd's own work (default: one per core)");
  app.add_option("--boards", options.boards, "of each source, one at a time")->check(CLI::Range(3, 10'000));
  app.add_option("--sustained", options.sustained, "frames that lie ready for boards a second, 30.5 MB each")
      ->check(CLI::Range(10, 1'000));
  app.add_option("--memory", options.memory, "folder on a file system in memory")
      ->check(CLI::ExistingDirectory);
  app.add_option("--disk", options.disk, "folder on a disk, with the store")->check(CLI::ExistingDirectory);
  app.add_flag("--cold", options.cold, "the first part comes as soon as the cell is armed");
  bool part_alone = false, network_alone = false;
  app.add_flag("--part", part_alone, "the surface recipe alone");
  app.add_flag("--network", network_alone, "Gocator and GenICam alone");
  CLI11_PARSE(app, argc, argv);
  ::signal(SIGPIPE, SIG_IGN);
  if (network_alone) {
    print_network(options);
    return 0;
  }
  if (!part_alone) print_table(options);
  print_part(options);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "bench_path: %s\n", error.what());
  return 1;
}
